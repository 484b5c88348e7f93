package eventstoredb_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"moviola/eventstore/eventstoredb"
	"moviola/tests/harness/servers"
)

// serveGRPC serves a gRPC server on loopback until the test ends.
func serveGRPC(t *testing.T, server *grpc.Server) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return listener.Addr().String()
}

// TestDiscards_certificate: a server that asks clients for a certificate gets that of the connection string.
func TestDiscards_certificate(t *testing.T) {
	t.Parallel()
	certificate := servers.NewCertificate(t)
	config := servers.ServerTLS(certificate)
	config.ClientAuth = tls.RequireAnyClientCert
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(config)))
	serverfeatures.RegisterServerFeaturesServer(server, serverfeatures.UnimplementedServerFeaturesServer{})
	store, err := eventstoredb.Open(eventstoredb.Config{ConnectionString: fmt.Sprintf(
		"esdb://%s?tlsCAFile=%s&userCertFile=%s&userKeyFile=%s", serveGRPC(t, server), certificate.CertFile, certificate.CertFile,
		certificate.KeyFile)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := store.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	if _, err := store.Discards(t.Context()); err != nil {
		t.Error(err)
	}
}
