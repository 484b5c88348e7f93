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

// maxURLBytes is the largest length of an address in bytes.
const maxURLBytes = 8 << 10

// Limits of host names. RFC 1035.
const (
	maxHostBytes  = 253
	maxLabelBytes = 63
)

// reservedSuffixes are names that never belong to the public Internet, even if a resolver knows them.
var reservedSuffixes = []string{
	"localhost", "localdomain", "local", "internal", "intranet", "lan", "home.arpa", "onion",
}

// unresolvable are reserved names (RFC 6761): they are not refused, but treated as unknown names, even if a resolver knows them.
var unresolvable = []string{"test", "invalid"}

// hasSuffix reports whether a host is one of some names, or a subdomain of one.
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

// CheckURL parses an address for a request: http or https, a host that all parsers read in the same way, and a valid port.
// It does not resolve the host. Any other address is *Refused, such as an ambiguous one, and so is one that is known not to
// be public, or whose port may not be called, unless the operator has allowed its host and port.
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
		// err is not passed on, because it contains the address.
		return nil, refuse("", "the address is not valid")
	}
	if err := g.check(u); err != nil {
		return nil, err
	}
	return u, nil
}

// authority returns the part of an address before path, query and fragment, without the scheme.
func authority(rest string) string {
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		return rest[:end]
	}
	return rest
}

// misleading reports whether some parsers drop r, convert it or read it as a slash, or whether r stands for invalid
// UTF-8.
func misleading(r rune) bool { return r <= ' ' || r == '\\' || r == utf8.RuneError }

// check checks a parsed address by the rules of CheckURL. The address may also be that of a redirect, or of a request built
// in code.
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

// checkHostPort refuses hosts and ports that are not valid, host names that are disguised addresses, addresses and names
// that are not public, this service itself, and unsafe ports except those of the protocol (home).
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
	n, _ := strconv.Atoi(port) // n is 0 if port is not a number
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
	// If the last label is a number, some parsers read the whole name as an IPv4 address: 127.1, 0x7f.1, 2130706433.
	if last := labels[len(labels)-1]; numeric(last) {
		return refuse("", "the host name is not valid")
	}
	if len(labels) == 1 || hasSuffix(name, reservedSuffixes) {
		return refuse("", notPublic)
	}
	return nil
}

// notInName reports whether a rune is not allowed in a host name. Letters beyond ASCII are allowed: the transport converts the
// name to ASCII, and the name is checked again when it is dialled. Digits and dots beyond ASCII are not allowed.
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

// numeric reports whether a label can be read as a decimal, octal or hexadecimal number.
func numeric(label string) bool {
	if rest, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(rest, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// letterBeyondASCII reports whether a rune is a letter beyond ASCII, or a mark of one. Compatibility forms (full-width, circled,
// mathematical) are excluded, because they become ASCII when converted.
func letterBeyondASCII(r rune) bool {
	if r >= 0xff00 && r <= 0xffef || r >= 0x2000 && r <= 0x2bff || r >= 0x1d400 && r <= 0x1d7ff {
		return false
	}
	return unicode.IsLetter(r) || unicode.IsMark(r)
}
