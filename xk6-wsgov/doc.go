// Package wsgov is the JavaScript module k6/x/wsgov, bound to a Sobek runtime and to a host it knows only as Host.
package wsgov
