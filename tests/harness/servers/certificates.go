package servers

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Certificate is a self-signed certificate, in memory and in files.
type Certificate struct {
	TLS      tls.Certificate
	Roots    *x509.CertPool
	CertFile string // what SSL_CERT_FILE may name
	KeyFile  string
}

// NewCertificate makes a certificate for 127.0.0.1 and localhost.
func NewCertificate(t testing.TB) Certificate {
	t.Helper()
	return NewCertificateFor(t, "127.0.0.1", "localhost")
}

// NewCertificateFor makes a certificate for addresses and names.
func NewCertificateFor(t testing.TB, hosts ...string) Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA: true, BasicConstraintsValid: true,
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := Certificate{Roots: x509.NewCertPool(), CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem")}
	public, private := encodePEM("CERTIFICATE", der), encodePEM("PRIVATE KEY", secret)
	if c.TLS, err = tls.X509KeyPair(public, private); err != nil {
		t.Fatal(err)
	}
	c.Roots.AppendCertsFromPEM(public)
	for file, content := range map[string][]byte{c.CertFile: public, c.KeyFile: private} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func encodePEM(kind string, der []byte) []byte {
	var out bytes.Buffer
	_ = pem.Encode(&out, &pem.Block{Type: kind, Bytes: der}) // a buffer never fails
	return out.Bytes()
}

// ServerTLS returns the configuration of a server with a certificate.
func ServerTLS(c Certificate) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{c.TLS}, MinVersion: tls.VersionTLS12}
}
