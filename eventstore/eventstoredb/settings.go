package eventstoredb

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/sirupsen/logrus"
)

// forEver is how often the client looks for its server before it gives up: with its default it is dead after an outage of
// a second, and everybody who waits for it hangs.
const forEver = 1 << 30

// clientSettings makes the client's configuration. A unix socket cannot be said in a connection string, and a configuration
// that was not parsed from one lacks its defaults: so one is parsed and its address replaced.
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
		return nil, errors.New("the event store's connection string cannot be read") // the cause quotes it, password and all
	}
	if config.Addr != "" {
		if !strings.HasPrefix(config.Addr, "unix://") && !strings.Contains(config.Addr, ":") {
			return nil, fmt.Errorf("the event store's address %q is neither unix:///path nor host:port", config.Addr)
		}
		settings.Address = config.Addr
	}
	settings.Logger = func(_ esdb.LogLevel, format string, args ...any) {
		log.Debugf("event store client: "+format, args...) // its errors include every conflict: none is worth more
	}
	return settings, nil
}

func orDiscard(log logrus.FieldLogger) logrus.FieldLogger {
	if log != nil {
		return log
	}
	silent := logrus.New()
	silent.SetOutput(io.Discard)
	return silent
}
