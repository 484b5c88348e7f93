package outbound

import "net/netip"

// special4 are the IPv4 ranges outside of the public Internet: the IANA special-purpose registry, including the ranges that it
// calls globally reachable (anycast and translation services, which host no receivers), and the platform address of one cloud
// that looks public.
var special4 = prefixes(
	"0.0.0.0/8",        // "this network": a connection to 0.0.0.0 reaches loopback on Linux
	"10.0.0.0/8",       // private networks
	"100.64.0.0/10",    // carrier-grade NAT, and one cloud's metadata
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // Azure's wire server
	"169.254.0.0/16",   // link-local, most clouds' metadata
	"172.16.0.0/12",    // private networks
	"192.0.0.0/24",     // protocol assignments, and one cloud's metadata
	"192.0.2.0/24",     // documentation
	"192.31.196.0/24",  // AS112: name servers for private addresses
	"192.52.193.0/24",  // AMT: Automatic Multicast Tunneling
	"192.88.99.0/24",   // 6to4 relays
	"192.168.0.0/16",   // private networks
	"192.175.48.0/24",  // AS112: name servers for private addresses
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, broadcast
)

// global6 is the part of IPv6 that is assigned to the public Internet. Public is false for the rest: loopback, compatible
// IPv4, NAT64, link-local, unique local, site-local, multicast, and unassigned ranges. A mapped IPv4 address is treated as
// IPv4.
var global6 = netip.MustParsePrefix("2000::/3")

// special6 are the ranges inside global6 that are not public.
var special6 = prefixes(
	"2001::/23",         // protocol assignments: Teredo (which embeds IPv4), benchmarks, ORCHID, anycast
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4: embeds IPv4
	"2620:4f:8000::/48", // AS112: name servers for private addresses
	"3fff::/20",         // documentation
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// Public reports whether an address belongs to the public Internet; false for the zero Addr. An IPv4 address mapped into IPv6 is
// treated as IPv4.
func Public(addr netip.Addr) bool {
	if addr.Zone() != "" {
		return false
	}
	addr = addr.Unmap()
	if addr.Is4() {
		return !within(special4, addr)
	}
	return global6.Contains(addr) && !within(special6, addr) && !isatap(addr)
}

func within(list []netip.Prefix, addr netip.Addr) bool {
	for _, prefix := range list {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// isatap reports whether the interface half of an IPv6 address embeds an IPv4 address the way ISATAP does: 0000:5efe:a.b.c.d or
// 0200:5efe:a.b.c.d.
func isatap(addr netip.Addr) bool {
	b := addr.As16()
	return (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}
