package web

import (
	"net"
	"net/netip"
	"slices"
	"strings"
)

// CalledByName reports whether a Host header, with or without a port, is an IP address, localhost or one of the given names.
// Requests with another Host may come from DNS rebinding: a page in the browser of somebody inside the network makes the page's
// own host name resolve to the address of this server.
func CalledByName(host string, names ...string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	same := func(name string) bool { return strings.EqualFold(strings.TrimSuffix(host, "."), name) }
	return same("localhost") || slices.ContainsFunc(names, same)
}
