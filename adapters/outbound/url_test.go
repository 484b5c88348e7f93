package outbound_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"moviola/adapters/outbound"
)

func guard(t testing.TB, cfg outbound.Config) *outbound.Guard {
	t.Helper()
	g, err := outbound.NewGuard(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// spellings are the ways to write an address that some reader takes for another one.
var spellings = []struct {
	name string
	urls []string
}{
	{"decimal", []string{"http://2130706433/", "http://2130706433:8080/"}},
	{"hexadecimal", []string{"http://0x7f000001/", "http://0x7f.1/", "http://0x7f.0x0.0x0.0x1/", "http://0X7F.1/", "http://example.0x/"}},
	{"octal", []string{"http://0177.0.0.1/", "http://017700000001/"}},
	{"short", []string{"http://127.1/", "http://127.0.1/", "http://0/"}},
	{"overflow", []string{"http://4294967297/", "http://256.0.0.1/", "http://1.2.3.4.5/"}},
	{"leading zeros", []string{"http://127.000.000.001/", "http://010.0.0.1/"}},
	{"trailing dot", []string{"http://127.0.0.1./", "http://localhost./", "http://8.8.8.8./"}},
	{"case", []string{"http://LOCALHOST/", "HTTP://127.0.0.1/", "hTtP://127.0.0.1/", "FILE:///etc/passwd"}},
	{"digits beyond ASCII", []string{"http://127。0。0。1/", "http://１２７.0.0.1/", "http://①②⑦.0.0.1/", "http://lo\u00adcalhost.com/", "http://𝟏𝟐𝟕.0.0.1/", "http://ｌｏｃａｌｈｏｓｔ.com/", "http://𝐥𝐨𝐜𝐚𝐥.com/"}},
	{"brackets", []string{"http://[example.com]/", "http://[::ffff:127.0.0.1]/", "http://[::1]/", "http://[0000::1]/", "http://[0:0:0:0:0:ffff:7f00:1]/", "http://[fe80::1%25eth0]/", "http://[::1%25lo]/", "http://[::]/"}},
	{"user", []string{"http://good@127.0.0.1/", "http://127.0.0.1#@good.example/", "http://127.0.0.1\\@good.example/", "http://a@good.example@127.0.0.1/", "http://a@b@good.example/"}},
	{"slashes", []string{"http:/\\127.0.0.1", "http:127.0.0.1", "///127.0.0.1", "//127.0.0.1", "http:///127.0.0.1", "http:/127.0.0.1", "http:\\\\127.0.0.1", "http://good.example/a\\b", "good.example/path"}},
	{"control characters", []string{"http://good.example\t/", "http://good.example/\r\nX: y", "http://good.example\x00/", "http://good .example/", "http://good.example/a b", "http://good%00.example/", "http://good.example%0d%0a/", " http://good.example/", "http://good.example/\x7f", "http://good.example/\xff"}},
	{"encoded host", []string{"http://%31%32%37.0.0.1/", "http://%6cocalhost/", "http://127%2e0.0.1/"}},
	{"port", []string{"http://good.example:80:90/", "http://good.example:0/", "http://good.example:65536/", "http://good.example:/", "http://good.example:080/", "http://good.example:-1/", "http://good.example:+80/", "http://good.example:http/"}},
	{"unsafe port", []string{"http://good.example:22/", "http://good.example:25/", "http://good.example:2113/", "http://good.example:6379/", "http://8.8.8.8:27017/"}},
	{"empty host", []string{"http://", "http:///path", "http://:80/", "http://./", "http://../", "http://good..example/", "http://.good.example/", "http://user@/"}},
	{"long names", []string{"http://" + strings.Repeat("a.", 126) + "example/", "http://" + strings.Repeat("a", 64) + ".example/"}},
	{"names that are not public", []string{"http://localhost/", "http://localhost.localdomain/", "http://app.localhost/", "http://ip6-localhost/", "http://metadata.google.internal/", "http://db.internal/", "http://printer.local/", "http://mongo/", "http://eventstore:2114/", "http://host.docker.internal/", "http://nas.home.arpa/"}},
	{"schemes", []string{"file:///etc/passwd", "ftp://good.example/", "gopher://good.example/", "dict://good.example/", "ldap://good.example/", "sftp://good.example/", "jar:http://good.example/!/", "data:text/plain,x", "blob:http://good.example/1", "javascript:alert(1)", "view-source:http://good.example/", "chrome://version", "about:blank", "ws://good.example/", "wss://good.example/", "unix:///run/docker.sock", "concat:http://good.example/", "hls+http://good.example/", "", "://good.example", "rtsp://good.example/", "ws://good.example:80/", "ftp://good.example:8080/"}},
	{"too long", []string{"http://good.example/" + strings.Repeat("a", 8<<10)}},
	{"private address", []string{"http://10.0.0.1/", "https://192.168.1.1:8443/", "http://169.254.169.254/latest/meta-data/", "http://0.0.0.0/", "http://[fd00:ec2::254]/"}},
}

func TestCheckURL_RefusesDisguises(t *testing.T) {
	t.Parallel()
	g := guard(t, outbound.Config{})
	count := 0
	for _, tt := range spellings {
		for _, raw := range tt.urls {
			count++
			_, err := g.CheckURL(raw)
			var refused *outbound.Refused
			if !errors.As(err, &refused) {
				t.Errorf("%s: %q is let through: %v", tt.name, raw, err)
				continue
			}
			if refused.Reason() == "" || !refused.Refused() {
				t.Errorf("%s: %q is refused without a reason", tt.name, raw)
			}
		}
	}
	t.Logf("%d spellings refused", count)
}

func TestCheckURL_LetsThrough(t *testing.T) {
	t.Parallel()
	g := guard(t, outbound.Config{Allow: []string{"localhost:9000", "mongo:80", "[::1]:9001"}})
	for _, raw := range []string{
		"http://good.example/", "https://good.example", "HTTPS://Good.Example/Path?q=1#f", "https://good.example:8443/hook",
		"http://user:secret@good.example/hook", "https://sub_domain.good-example.com./x", "http://8.8.8.8/", "http://[2606:2800:220:1::1]:8080/",
		"http://bücher.example/", "https://xn--bcher-kva.example/", "http://good.example:81/", "http://good.example#@127.0.0.1/", "http://1e100.net/", "http://good.example/a%20b",
		"http://localhost:9000/hook", "http://LOCALHOST:9000/hook", "http://mongo/hook", "http://[::1]:9001/",
	} {
		if _, err := g.CheckURL(raw); err != nil {
			t.Errorf("%s is refused: %v", raw, err)
		}
	}
}

func TestNewGuard_NamesEveryBadEntry(t *testing.T) {
	t.Parallel()
	_, err := outbound.NewGuard(outbound.Config{Allow: []string{"localhost", "good.example:80", "http://x:1", ":80", "host:0", "host:x"}})
	if err == nil {
		t.Fatal("a bad allow-list is accepted")
	}
	for _, bad := range []string{`"localhost"`, `"http://x:1"`, `":80"`, `"host:0"`, `"host:x"`} {
		if !strings.Contains(err.Error(), bad) {
			t.Errorf("the error does not name %s: %v", bad, err)
		}
	}
	if strings.Contains(err.Error(), "good.example") {
		t.Errorf("the error names an entry that is good: %v", err)
	}
}

func FuzzCheckURL(f *testing.F) {
	for _, tt := range spellings {
		for _, raw := range tt.urls {
			f.Add(raw)
		}
	}
	g := guard(f, outbound.Config{})
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := g.CheckURL(raw)
		if err != nil {
			var refused *outbound.Refused
			if !errors.As(err, &refused) {
				t.Fatalf("%q: %v is not a refusal", raw, err)
			}
			return
		}
		if addr, err := netip.ParseAddr(u.Hostname()); err == nil && !outbound.Public(addr) {
			t.Fatalf("%q leads to %s", raw, addr)
		}
		again, err := g.CheckURL(u.String())
		if err != nil && len(u.String()) <= 8<<10 || err == nil && again.Host != u.Host {
			t.Fatalf("%q is read as %q, which is read differently: %v", raw, u.String(), err)
		}
	})
}
