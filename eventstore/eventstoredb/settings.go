package eventstoredb

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/sirupsen/logrus"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// forEver is how many times the client that calls use looks for its server before it gives up. With the client's default
// number, that client would be unusable after an outage of about a second, and every call that waits for it would hang.
const forEver = 1 << 30

// clientSettings makes the client's configuration. A connection string cannot name a unix socket, and a configuration that was
// not parsed from a connection string lacks the client's defaults. So for the field Addr, clientSettings parses a connection
// string with a placeholder for the address, and then sets the address.
func clientSettings(config Config, log logrus.FieldLogger) (*esdb.Configuration, error) {
	if (config.Addr == "") == (config.ConnectionString == "") {
		return nil, errors.New("the event store needs either an address or a connection string")
	}
	connection := config.ConnectionString
	if connection == "" {
		connection = "esdb://127.0.0.1:1?tls=false"
	}
	settings, err := esdb.ParseConnectionString(connection)
	if err != nil {
		// the parser's error quotes the string with its password
		return nil, errors.New("the event store's connection string cannot be read")
	}
	if config.Addr != "" {
		if !strings.HasPrefix(config.Addr, "unix://") && !strings.Contains(config.Addr, ":") {
			return nil, fmt.Errorf("the event store's address %q is neither unix:///path nor host:port", config.Addr)
		}
		settings.Address = config.Addr
	}
	settings.Logger = func(_ esdb.LogLevel, format string, args ...any) {
		// at debug level, because the client's errors include every conflict
		log.Debugf("message of the event store's client: "+format, args...)
	}
	return settings, nil
}

// tlsConfig returns the TLS configuration of a connection to a node. server is the name that the node's certificate must have;
// empty: the host of the address.
func tlsConfig(settings *esdb.Configuration, server string) (*tls.Config, error) {
	config := &tls.Config{
		MinVersion: tls.VersionTLS12, ServerName: server, RootCAs: settings.RootCAs,
		InsecureSkipVerify: settings.SkipCertificateVerification, // taken from the connection string
		NextProtos:         []string{"h2"},
	}
	if settings.UserCertFile != "" && settings.UserKeyFile != "" {
		pair, err := tls.LoadX509KeyPair(settings.UserCertFile, settings.UserKeyFile)
		if err != nil {
			return nil, fmt.Errorf("the client's certificate of the connection string: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// transportOf returns the encryption of a connection to a node, or none when the connection string says so. server is that of
// tlsConfig.
func transportOf(settings *esdb.Configuration, server string) (credentials.TransportCredentials, error) {
	if settings.DisableTLS {
		return insecure.NewCredentials(), nil
	}
	config, err := tlsConfig(settings, server)
	if err != nil {
		return nil, err
	}
	return credentials.NewTLS(config), nil
}

func orDiscard(log logrus.FieldLogger) logrus.FieldLogger {
	if log != nil {
		return log
	}
	silent := logrus.New()
	silent.SetOutput(io.Discard)
	return silent
}
