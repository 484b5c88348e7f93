package certificate_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"moviola/internal/certificate"
)

// selfSigned writes a certificate for localhost and its key.
func selfSigned(t *testing.T) certificate.Files {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := certificate.Files{Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
	for path, block := range map[string]*pem.Block{files.Cert: {Type: "CERTIFICATE", Bytes: cert}, files.Key: {Type: "EC PRIVATE KEY", Bytes: der}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestConfig_wholeRecords: what a server writes at once reaches a client in one piece, up to the 16 KiB of a TLS record. Clients exist that
// take the first piece of a body for all of it.
func TestConfig_wholeRecords(t *testing.T) {
	t.Parallel()
	opened, err := certificate.Open(selfSigned(t))
	if err != nil {
		t.Fatal(err)
	}
	near, far := net.Pipe()
	deadline := time.Now().Add(time.Minute)
	for _, end := range []net.Conn{near, far} {
		if err := end.SetDeadline(deadline); err != nil {
			t.Fatal(err)
		}
	}
	server, client := tls.Server(near, opened.Config()), tls.Client(far, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // the certificate is not the matter
	defer far.Close()
	const size = 16_000
	failed := make(chan error, 1)
	go func() {
		_, err := server.Write(make([]byte, size))
		failed <- err
	}()
	piece := make([]byte, 2*size)
	n, err := client.Read(piece)
	if err != nil || n != size {
		t.Errorf("the first piece of %d bytes has %d: %v", size, n, err)
	}
	far.Close()
	if err := <-failed; err != nil && n == size {
		t.Error(err)
	}
}

// TestRefresh_again: files that could not be read are read as soon as they can be, also with the same times and sizes.
func TestRefresh_again(t *testing.T) {
	t.Parallel()
	files := selfSigned(t)
	opened, err := certificate.Open(files)
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(files.Cert)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(time.Minute)
	put := func(content []byte) {
		t.Helper()
		if err := errors.Join(os.WriteFile(files.Cert, content, 0o600), os.Chtimes(files.Cert, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	put(bytes.Repeat([]byte("x"), len(good)))
	if read, err := opened.Refresh(false); !read || err == nil {
		t.Errorf("a broken file: %t, %v", read, err)
	}
	if read, err := opened.Refresh(false); read || err != nil {
		t.Errorf("the same broken file: %t, %v", read, err)
	}
	put(good)
	if read, err := opened.Refresh(false); !read || err != nil {
		t.Errorf("a good file of the same time and size: %t, %v", read, err)
	}
	if read, err := opened.Refresh(false); read || err != nil {
		t.Errorf("the same good file: %t, %v", read, err)
	}
}
