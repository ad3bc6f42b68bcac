package wsgov_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// authority signs certificates for tests.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string
}

func newAuthority(t *testing.T) *authority {
	a := &authority{t: t}
	template := a.template("authority")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	a.key, a.cert, a.pem = a.sign(template, nil)
	return a
}

func (a *authority) template(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

func (a *authority) sign(template, parent *x509.Certificate) (*ecdsa.PrivateKey, *x509.Certificate, string) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	signer := a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return key, cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// pair is a certificate and its key as PEM texts.
func (a *authority) pair(name string) (cert, key string) {
	a.t.Helper()
	private, _, cert := a.sign(a.template(name), a.cert)
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// serveTLS starts a server named gateway.test that asks for certificates, and tells whose the last one was.
func serveTLS(t *testing.T, a *authority) (url string, client func() string) {
	seen := make(chan string, 8)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := "nobody"
		if certs := r.TLS.PeerCertificates; len(certs) > 0 {
			name = certs[0].Subject.CommonName
		}
		ws, err := new(websocket.Upgrader).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer ws.Close()
		seen <- name
		_, _, _ = ws.ReadMessage()
	}))
	certPEM, keyPEM := a.pair("gateway.test")
	pair, err := tls.X509KeyPair([]byte(certPEM), []byte(keyPEM))
	if err != nil {
		t.Fatal(err)
	}
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return "wss" + strings.TrimPrefix(s.URL, "https"), func() string { return <-seen }
}

func TestTLS(t *testing.T) {
	a := newAuthority(t)
	url, client := serveTLS(t, a)
	cert, key := a.pair("tester")
	for _, c := range []struct{ options, want, client string }{
		{`{}`, `{"opened":0,"failed":1}`, ""},
		{`{ insecureSkipVerify: true }`, `{"opened":1,"failed":0}`, "nobody"},
		{`{ ca }`, `{"opened":0,"failed":1}`, ""},
		{`{ ca, serverName: 'gateway.test' }`, `{"opened":1,"failed":0}`, "nobody"},
		{`{ ca, serverName: 'gateway.test', cert, key }`, `{"opened":1,"failed":0}`, "tester"},
	} {
		v := newVU(t)
		for name, text := range map[string]string{"ca": a.pem, "cert": cert, "key": key} {
			if err := v.rt.Set(name, text); err != nil {
				t.Fatal(err)
			}
		}
		got := v.json(fmt.Sprintf("const c = new Client(%q, { tls: %s }); const r = await c.connect(); await c.close(); return r", url, c.options))
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.options, got, c.want)
		} else if c.client != "" {
			if name := client(); name != c.client {
				t.Errorf("%s: the server saw %s, want %s", c.options, name, c.client)
			}
		}
	}
}
