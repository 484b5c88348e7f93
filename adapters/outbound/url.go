package outbound

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxURLBytes bounds an address.
const maxURLBytes = 8 << 10

// Limits of host names. RFC 1035.
const (
	maxHostBytes  = 253
	maxLabelBytes = 63
)

// reservedSuffixes are the names that never belong to the public Internet, whatever some resolver says.
var reservedSuffixes = []string{
	"localhost", "localdomain", "local", "internal", "intranet", "lan", "home.arpa", "onion",
}

// unresolvable are the names that belong to nobody (RFC 6761): they are no refusal, but names that cannot be resolved, whatever
// some resolver says.
var unresolvable = []string{"test", "invalid"}

// hasSuffix says whether a host is one of some names, or below one.
func hasSuffix(host string, suffixes []string) bool {
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	return slices.ContainsFunc(suffixes, func(s string) bool { return name == s || strings.HasSuffix(name, "."+s) })
}

// unsafePorts are the ports that browsers refuse because another protocol listens there, and those of the usual data stores.
var unsafePorts = []int{
	1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111,
	113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 445, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548,
	554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 2113, 2375, 2376, 2379, 3306, 3659, 4045, 4190,
	5060, 5061, 5432, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9200, 9300, 10080, 11211, 27017,
}

// CheckURL reads an address that a request may be sent to: http or https, a host that is one and only one thing to every
// reader, a sane port. It resolves nothing. Whatever a parser might take for another host is *Refused.
func (g *Guard) CheckURL(raw string) (*url.URL, error) {
	if len(raw) > maxURLBytes {
		return nil, refuse("", "the address is longer than %d bytes", maxURLBytes)
	}
	if strings.ContainsFunc(raw, misleading) {
		return nil, refuse("", "the address holds a space, backslash or control character")
	}
	if _, rest, _ := strings.Cut(raw, "//"); strings.Count(authority(rest), "@") > 1 {
		return nil, refuse("", "the address holds more than one @")
	}
	u, err := url.Parse(raw)
	if err != nil {
		// The parser's text repeats the address.
		return nil, refuse("", "the address is not valid")
	}
	if err := g.check(u); err != nil {
		return nil, err
	}
	return u, nil
}

// authority is what stands before the path, query or fragment of an address without its scheme.
func authority(rest string) string {
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		return rest[:end]
	}
	return rest
}

// misleading are the characters that readers of addresses drop, fold or take for a slash, and what is no UTF-8.
func misleading(r rune) bool { return r <= ' ' || r == '\\' || r == utf8.RuneError }

// check is CheckURL for an address that is parsed already: the hop of a redirect, a request built by hand.
func (g *Guard) check(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return refuse("", "only http and https addresses can be called")
	}
	if u.Hostname() == "" {
		return refuse("", "the address has no host")
	}
	origin := Origin(u)
	port := u.Port()
	if port == "" {
		if strings.HasSuffix(u.Host, ":") {
			return refuse(origin, "the port is missing after the colon")
		}
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	if g.allowed(u.Hostname(), port) {
		return nil
	}
	if err := g.checkHostPort(u.Hostname(), port, nil); err != nil {
		return &Refused{Address: origin, why: err.why}
	}
	return nil
}

// checkHostPort refuses the spellings of a host that are an address in disguise, names that are never public, this service
// itself, and unsafe ports but those that the protocol is at home on.
func (g *Guard) checkHostPort(host, port string, home []int) *Refused {
	if !validPort(port) {
		return refuse("", "the port is not valid")
	}
	if n, _ := strconv.Atoi(port); slices.Contains(unsafePorts, n) && !slices.Contains(home, n) {
		return refuse("", "port %s may not be called", port)
	}
	if g.self == allowKey(strings.TrimSuffix(host, "."), port) {
		return refuse("", notPublic)
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		if !g.reachable(addr) {
			return refuse("", notPublic)
		}
		return nil
	}
	return checkName(host)
}

// validPort accepts 1 to 65535 without sign or leading zero.
func validPort(port string) bool {
	n, _ := strconv.Atoi(port) // 0 for what is no number
	return n > 0 && n <= 65535 && strconv.Itoa(n) == port
}

func checkName(host string) *Refused {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	labels := strings.Split(name, ".")
	if len(name) > maxHostBytes {
		return refuse("", "the host name is not valid")
	}
	for _, label := range labels {
		if label == "" || len(label) > maxLabelBytes || strings.ContainsFunc(label, notInName) {
			return refuse("", "the host name is not valid")
		}
	}
	// A last label that is a number makes some readers take the whole for an IPv4 address: 127.1, 0x7f.1, 2130706433.
	if last := labels[len(labels)-1]; numeric(last) {
		return refuse("", "the host name is not valid")
	}
	if len(labels) == 1 || hasSuffix(name, reservedSuffixes) {
		return refuse("", notPublic)
	}
	return nil
}

// notInName holds for what does not belong into a name. Letters beyond ASCII are left to the transport, which writes them in
// ASCII before the name comes here again for dialling; digits and dots among them are not names at all.
func notInName(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
		return false
	case r < utf8.RuneSelf:
		return true
	default:
		return !letterBeyondASCII(r)
	}
}

// numeric says whether a label reads as a number: decimal, octal or hexadecimal.
func numeric(label string) bool {
	if rest, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(rest, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// letterBeyondASCII holds for letters and the marks that belong to them. Compatibility forms (full-width, circled,
// mathematical) are left out: they turn into ASCII on their way.
func letterBeyondASCII(r rune) bool {
	if r >= 0xff00 && r <= 0xffef || r >= 0x2000 && r <= 0x2bff || r >= 0x1d400 && r <= 0x1d7ff {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsMark(r)
}
