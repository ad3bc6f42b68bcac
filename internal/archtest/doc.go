// Package archtest holds the rules of the project's structure as checks of a source tree.
package archtest
