package wsgov

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
)

// tlsOptions are PEM texts, as open() reads them.
type tlsOptions struct {
	insecure         bool
	ca, cert, key    string
	serverName       string
	authorities      *x509.CertPool
	certificate      tls.Certificate
	needsCertificate bool
}

func (o *tlsOptions) fields() []field {
	return []field{
		{"insecureSkipVerify", truth(&o.insecure)},
		{"ca", text(&o.ca)},
		{"cert", text(&o.cert)},
		{"key", text(&o.key)},
		{"serverName", text(&o.serverName)},
	}
}

// check parses the PEM texts.
func (o *tlsOptions) check() error {
	if o.ca != "" {
		o.authorities = x509.NewCertPool()
		if !o.authorities.AppendCertsFromPEM([]byte(o.ca)) {
			return errors.New("Client option 'tls.ca' holds no certificate: give PEM text, such as open('ca.pem')")
		}
	}
	if (o.cert == "") != (o.key == "") {
		return errors.New("Client options 'tls.cert' and 'tls.key' belong together: give both or neither")
	}
	if o.cert == "" {
		return nil
	}
	var err error
	if o.certificate, err = tls.X509KeyPair([]byte(o.cert), []byte(o.key)); err != nil {
		return fmt.Errorf("Client options 'tls.cert' and 'tls.key' are no PEM texts that fit together: %w", err)
	}
	o.needsCertificate = true
	return nil
}

// config lays the options over the host's own configuration; nil says that neither has anything.
func (o *tlsOptions) config(host *tls.Config) *tls.Config {
	if o == nil {
		return host
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if host != nil {
		c = host.Clone()
	}
	c.InsecureSkipVerify = c.InsecureSkipVerify || o.insecure
	if o.authorities != nil {
		c.RootCAs = o.authorities
	}
	if o.needsCertificate {
		c.Certificates = []tls.Certificate{o.certificate}
	}
	if o.serverName != "" {
		c.ServerName = o.serverName
	}
	return c
}
