package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"moviola/adapters/blobs"
	"moviola/adapters/folder"
)

// Validate returns all complaints about the configuration joined, and derives the values that depend on others.
func (c *Config) Validate() error {
	var errs []error
	complain := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, check := range []func(complaint){
		c.checkProcess, c.Rooms.check, c.checkCallers, c.OperatorsOIDC.check, c.Traces.check, c.checkStores, c.checkExports,
		c.checkTimes, c.checkAnchors, c.checkAddresses,
	} {
		check(complain)
	}
	return errors.Join(errs...)
}

// complaint adds a complaint: what is wrong with a flag, and what to give instead.
type complaint func(format string, args ...any)

// checkProcess checks roles, the embedded event store and slots of this process.
func (c *Config) checkProcess(complain complaint) {
	for _, role := range c.Roles {
		if !slices.Contains(AllRoles, role) {
			complain("--roles: %q is none of %s", role, strings.Join(AllRoles, ", "))
		}
	}
	if c.EventStore != "" && c.EventStoreListen != "" {
		complain("--eventstore-listen belongs to the embedded event store, which --eventstore replaces")
	}
	if c.EventStoreListen != "" && !Loopback(c.EventStoreListen) {
		complain("--eventstore-listen %s: without TLS the event store listens on loopback addresses only", c.EventStoreListen)
	}
	if c.FetchSlots < 1 || c.PreloadSlots < 1 || c.DeliverSlots < 1 || c.Cores < 1 {
		complain("--fetch-slots, --preload-slots, --deliver-slots and --cores must be at least 1")
	}
}

// checkCallers checks four flags: the delay after a wrong operator's token (--wrong-token-delay), where the operators'
// console is served (--console-operator), hosts that may be reached (--allow-host), and permitted origins
// (--cors-origin).
func (c *Config) checkCallers(complain complaint) {
	if c.WrongTokenDelay < 0 || c.WrongTokenDelay > 2*time.Second {
		complain("--wrong-token-delay %s: give a time of 2s at most", c.WrongTokenDelay)
	}
	if !slices.Contains([]string{OperatorOff, OperatorPrivate, OperatorPublic}, c.ConsoleOperator) {
		complain("--console-operator %s: give off, private or public", c.ConsoleOperator)
	}
	for _, host := range c.AllowHosts {
		if _, _, err := net.SplitHostPort(host); err != nil {
			complain("--allow-host %s: give host:port", host)
		}
	}
	for _, origin := range c.CORSOrigin {
		if !webAddress(origin) && origin != "*" || strings.Count(origin, "/") > 2 {
			complain("--cors-origin %s: give an origin such as https://app.example.com, without a path, or *", origin)
		}
	}
}

// checkStores checks the addresses of stores.
func (c *Config) checkStores(complain complaint) {
	for _, where := range []struct {
		flag, value, example string
		schemes              []string
	}{
		{"--eventstore", c.EventStore, "esdb://host:2113", []string{"esdb", "esdb+discover", "unix"}},
		{"--mongo", c.Mongo, "mongodb://host/moviola", []string{"mongodb", "mongodb+srv"}},
		{"--blobs", c.Blobs, "s3://bucket?region=eu-central-1", []string{"s3", "gs", "azblob", "file", ""}},
	} {
		if scheme, ok := knownAddress(where.value, where.schemes); !ok {
			complain("%s %s…: give an address such as %s", where.flag, scheme, where.example)
		}
	}
	if err := blobs.CheckAddress(c.Blobs, c.BlobsKey); err != nil {
		complain("--blobs: %w", err)
	}
}

// checkExports checks the form of the export folders. Whether the folders can be used is checked when the process opens its
// stores.
func (c *Config) checkExports(complain complaint) {
	seen := map[string]bool{}
	for _, given := range c.ExportFolders {
		f, err := folder.Parse(given)
		switch {
		case err != nil:
			complain("--export-folder %s: %v", given, err)
		case seen[f.Name]:
			complain("--export-folder: the name %s is given twice", f.Name)
		}
		seen[f.Name] = true
	}
}

// leastHistory is the shortest time after which events may leave the log: longer than a reader of new events lags.
const leastHistory = time.Hour

// checkTimes checks that times are above zero, and that --history is 0 or at least leastHistory.
func (c *Config) checkTimes(complain complaint) {
	for _, span := range []struct {
		flag   string
		length time.Duration
	}{
		{"--render-timeout", c.RenderTimeout}, {"--file-retention", c.FileRetention}, {"--temp-retention", c.TempRetention},
		{"--upload-url-ttl", c.UploadTTL}, {"--asset-cache-ttl", c.AssetCacheTTL}, {"--sweep-every", c.SweepEvery},
		{"--abandon-after", c.AbandonAfter}, {"--zero-retention", c.ZeroRetention}, {"--clear-again", c.ClearAgain},
		{"--claim-timeout", c.ClaimTimeout}, {"--retry-limit", c.RetryLimit}, {"--webhook-timeout", c.WebhookTimeout},
	} {
		if span.length <= 0 {
			complain("%s %s: give a time above zero, such as 90s or 12h", span.flag, span.length)
		}
	}
	if c.History != 0 && c.History < leastHistory {
		complain("--history %s: give %s or more, or 0 to keep everything in the log", c.History, leastHistory)
	}
}

// checkAddresses checks the addresses of the HTTP interface, and derives its public address.
func (c *Config) checkAddresses(complain complaint) {
	if (c.TLSCert == "") != (c.TLSKey == "") {
		complain("--tls-cert and --tls-key: give both or none")
	}
	if c.PublicURL == "" {
		_, port, err := net.SplitHostPort(c.Listen)
		if err != nil {
			complain("--listen %s: give host:port or :port", c.Listen)
		}
		scheme := "http"
		if c.TLSCert != "" {
			scheme = "https"
		}
		c.PublicURL = scheme + "://localhost:" + port
	}
	if !webAddress(c.PublicURL) {
		complain("--public-url %s: give an address such as https://video.example.com", c.PublicURL)
	}
	c.PublicURL = strings.TrimRight(c.PublicURL, "/")
}

// nearMiss matches a mistyped address that would be taken for a path: s3:/bucket, s3:bucket, s3//bucket.
var nearMiss = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+(:|//)`)

// knownAddress reports in ok whether address is valid. A valid address is empty, or one of the given schemes with :// and
// more text after it. If an empty text is among schemes, address may also be a path; a text that looks like a mistyped
// address (s3:/bucket) is no path. scheme is the scheme of address, empty for a path. The rest of address is not returned,
// because it may contain a password.
func knownAddress(address string, schemes []string) (scheme string, ok bool) {
	scheme, rest, found := strings.Cut(address, "://")
	switch {
	case address == "":
		return "", true
	case !found:
		return "", slices.Contains(schemes, "") && !nearMiss.MatchString(address)
	}
	return scheme, slices.Contains(schemes, scheme) && strings.Trim(rest, "/") != ""
}

// webAddress reports whether a text is an http or https address without query, fragment or user.
func webAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && u.RawQuery == "" && u.Fragment == "" &&
		u.User == nil
}
