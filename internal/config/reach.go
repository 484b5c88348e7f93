package config

import (
	"net"
	"strings"
)

// BeyondHost reports whether processes on other hosts may share the installation, because its database or event store is not
// on this host, or its storage of files is not the folder in the data folder.
func (c *Config) BeyondHost() bool {
	return c.Mongo != "" && !mongoOnLoopback(c.Mongo) || c.EventStore != "" && !eventStoreOnHost(c.EventStore) || c.Blobs != ""
}

// hosts returns the host:port list of an address such as mongodb://user@a:1,b:2/db?x=y.
func hosts(address string) []string {
	_, rest, _ := strings.Cut(address, "://")
	rest, _, _ = strings.Cut(rest, "?")
	rest, _, _ = strings.Cut(rest, "/")
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		rest = rest[at+1:]
	}
	return strings.Split(rest, ",")
}

func mongoOnLoopback(address string) bool {
	for _, host := range hosts(address) {
		if !Loopback(withPort(host)) {
			return false
		}
	}
	return true
}

func eventStoreOnHost(address string) bool {
	if strings.HasPrefix(address, "unix://") {
		return true
	}
	for _, host := range hosts(address) {
		if !Loopback(withPort(host)) {
			return false
		}
	}
	return true
}

// withPort adds a port to a host without one, so that net.SplitHostPort accepts it. The host may be an IPv6 address in brackets.
func withPort(host string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), "0")
}
