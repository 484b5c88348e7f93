package app

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"time"

	"moviola/internal/certificate"
)

// loadCertificate reads the certificate of the HTTP interface, if one is configured.
func (s *service) loadCertificate() (err error) {
	if s.Config.TLSCert == "" {
		return nil
	}
	if s.certificate, err = certificate.Open(certificate.Files{Cert: s.Config.TLSCert, Key: s.Config.TLSKey}); err != nil {
		return fmt.Errorf("--tls-cert: %w", err)
	}
	return nil
}

// withTLS adds TLS to a listener of the HTTP interface. It offers HTTP/1.1 only, as without TLS: the documented answers to broken
// requests and ends of connections hold for HTTP/1.1.
func (s *service) withTLS(ln net.Listener) net.Listener {
	config := s.certificate.Config()
	config.NextProtos = []string{"http/1.1"}
	return tls.NewListener(ln, config)
}

// certificateRefresh is the interval at which the certificate files are checked.
const certificateRefresh = 5 * time.Second

// watchCertificate reloads the certificate when its files change.
func (s *service) watchCertificate(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(certificateRefresh):
		}
		switch read, err := s.certificate.Refresh(false); {
		case err != nil:
			s.Logger.WithError(err).Error("changed certificate of the HTTP interface cannot be read; the earlier one stays in force")
		case read:
			s.Logger.Info("certificate of the HTTP interface reloaded")
		}
	}
}
