package outbound_test

import (
	"context"
	"errors"
	"net/netip"
	"testing"

	"moviola/adapters/outbound"
)

// classes are the ranges that are not the public Internet's; before and after say whether the addresses just outside are public.
var classes = []struct {
	name          string
	prefix        string
	before, after bool
}{
	{"this network", "0.0.0.0/8", false, true},
	{"private A", "10.0.0.0/8", true, true},
	{"carrier-grade NAT", "100.64.0.0/10", true, true},
	{"loopback", "127.0.0.0/8", true, true},
	{"Azure wire server", "168.63.129.16/32", true, true},
	{"link-local", "169.254.0.0/16", true, true},
	{"private B", "172.16.0.0/12", true, true},
	{"protocol assignments", "192.0.0.0/24", true, true},
	{"TEST-NET-1", "192.0.2.0/24", true, true},
	{"AS112-v4", "192.31.196.0/24", true, true},
	{"AMT", "192.52.193.0/24", true, true},
	{"6to4 relays", "192.88.99.0/24", true, true},
	{"private C", "192.168.0.0/16", true, true},
	{"AS112 direct", "192.175.48.0/24", true, true},
	{"benchmarks", "198.18.0.0/15", true, true},
	{"TEST-NET-2", "198.51.100.0/24", true, true},
	{"TEST-NET-3", "203.0.113.0/24", true, true},
	{"multicast", "224.0.0.0/4", true, false},
	{"multicast documentation", "233.252.0.0/24", false, false},
	{"reserved", "240.0.0.0/4", false, false},
	{"broadcast", "255.255.255.255/32", false, false},
	{"unspecified", "::/128", false, false},
	{"loopback 6", "::1/128", false, false},
	{"IPv4-compatible", "::/96", false, false},
	{"SIIT", "::ffff:0:0:0/96", false, false},
	{"NAT64", "64:ff9b::/96", false, false},
	{"local NAT64", "64:ff9b:1::/48", false, false},
	{"discard", "100::/64", false, false},
	{"dummy", "100:0:0:1::/64", false, false},
	{"below the global range", "1000::/4", false, true},
	{"protocol assignments 6", "2001::/23", true, true},
	{"Teredo", "2001::/32", true, false},
	{"port control anycast", "2001:1::/32", false, false},
	{"benchmarks 6", "2001:2::/48", false, false},
	{"AMT 6", "2001:3::/32", false, false},
	{"AS112 6", "2001:4:112::/48", false, false},
	{"ORCHID", "2001:10::/28", false, false},
	{"ORCHIDv2", "2001:20::/28", false, false},
	{"drone ids", "2001:30::/28", false, false},
	{"documentation", "2001:db8::/32", true, true},
	{"6to4", "2002::/16", true, true},
	{"AS112 direct 6", "2620:4f:8000::/48", true, true},
	{"documentation 2", "3fff::/20", true, true},
	{"above the global range", "4000::/3", true, false},
	{"segment routing", "5f00::/16", false, false},
	{"unique local", "fc00::/7", false, false},
	{"link-local 6", "fe80::/10", false, false},
	{"site-local", "fec0::/10", false, false},
	{"multicast 6", "ff00::/8", false, false},
}

func TestPublic_Classes(t *testing.T) {
	t.Parallel()
	for _, tt := range classes {
		prefix := netip.MustParsePrefix(tt.prefix)
		first, middle, last := span(prefix)
		for _, addr := range []netip.Addr{first, middle, last} {
			if outbound.Public(addr) {
				t.Errorf("%s: %s is taken for public", tt.name, addr)
			}
			if addr.Is4() && outbound.Public(netip.AddrFrom16(addr.As16())) {
				t.Errorf("%s: %s mapped into IPv6 is taken for public", tt.name, addr)
			}
		}
		if before := first.Prev(); before.IsValid() && outbound.Public(before) != tt.before {
			t.Errorf("%s: %s, just before it: public is %v, want %v", tt.name, before, !tt.before, tt.before)
		}
		if after := last.Next(); after.IsValid() && outbound.Public(after) != tt.after {
			t.Errorf("%s: %s, just after it: public is %v, want %v", tt.name, after, !tt.after, tt.after)
		}
	}
}

// span returns the first, a middle and the last address of a range.
func span(p netip.Prefix) (first, middle, last netip.Addr) {
	first = p.Masked().Addr()
	bytes := first.AsSlice()
	for bit := p.Bits(); bit < len(bytes)*8; bit++ {
		bytes[bit/8] |= 0x80 >> (bit % 8)
	}
	last, _ = netip.AddrFromSlice(bytes)
	if p.Bits() < len(bytes)*8 {
		bytes[p.Bits()/8] &^= 0x80 >> (p.Bits() % 8)
	}
	middle, _ = netip.AddrFromSlice(bytes)
	return first, middle, last
}

func TestPublic_Single(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, addr string
		want       bool
	}{
		{"a resolver", "8.8.8.8", true},
		{"a web server", "93.184.215.14", true},
		{"the last before multicast", "223.255.255.255", true},
		{"IPv6 web server", "2606:2800:220:1::1", true},
		{"IPv6 resolver", "2001:4860:4860::8888", true},
		{"mapped public address", "::ffff:8.8.8.8", true},
		{"mapped loopback", "::ffff:127.0.0.1", false},
		{"mapped loopback in hex", "::ffff:7f00:1", false},
		{"mapped metadata", "::ffff:169.254.169.254", false},
		{"compatible loopback", "::127.0.0.1", false},
		{"NAT64 of loopback", "64:ff9b::7f00:1", false},
		{"NAT64 of a public address", "64:ff9b::808:808", false},
		{"6to4 of loopback", "2002:7f00:1::", false},
		{"ISATAP", "2606:2800:220:1:0:5efe:7f00:1", false},
		{"ISATAP, universal bit", "2606:2800:220:1:200:5efe:a00:1", false},
		{"AWS metadata 6", "fd00:ec2::254", false},
		{"GCP metadata 6", "fd20:ce::254", false},
		{"Alibaba metadata", "100.100.100.200", false},
		{"Oracle metadata", "192.0.0.192", false},
		{"ECS metadata", "169.254.170.2", false},
		{"SSDP", "239.255.255.250", false},
		{"link-local with zone", "fe80::1%eth0", false},
		{"mapped with zone", "::ffff:8.8.8.8%eth0", false},
		{"public with zone", "2606:2800:220:1::1%eth0", false},
	}
	for _, tt := range tests {
		if got := outbound.Public(netip.MustParseAddr(tt.addr)); got != tt.want {
			t.Errorf("%s: Public(%s) = %v", tt.name, tt.addr, got)
		}
	}
	if outbound.Public(netip.Addr{}) {
		t.Error("no address at all is taken for public")
	}
}

func TestControl_RefusesWhatIsNotPublic(t *testing.T) {
	t.Parallel()
	for address, refused := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "[::ffff:10.0.0.1]:80": true, "[fe80::1%lo]:80": true, "nonsense": true,
		"8.8.8.8:443": false, "[2606:2800:220:1::1]:443": false,
	} {
		err := outbound.ControlPublic(context.Background(), "tcp", address, nil)
		var refusal *outbound.Refused
		if errors.As(err, &refusal) != refused {
			t.Errorf("socket to %s: %v", address, err)
		}
	}
}
