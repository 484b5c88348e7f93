package web

import (
	"net"
	"net/netip"
	"slices"
	"strings"
)

// CalledByName says whether a Host header, with or without a port, is an IP address, localhost or one of some names. A page in a
// browser of somebody inside that has its own name point here (DNS rebinding) calls by another.
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
