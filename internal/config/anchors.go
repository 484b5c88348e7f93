package config

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"moviola/adapters/anchorage"
)

// AnchorTo is the flag with the places of anchors.
const AnchorTo = "anchor-to"

// Anchors are the flags on anchors of the ledgers.
type Anchors struct {
	AnchorTo    []string      // addresses of the places to which anchors are sent; empty: no anchors are made
	AnchorEvery time.Duration // time from one anchor of the ledgers to the next
}

// BindAnchorTo declares the flag with the places of anchors.
func BindAnchorTo(f *pflag.FlagSet, to *[]string, name string) {
	f.StringSliceVar(to, name, nil, "where anchors of the ledgers are kept, outside of this host: a folder by its whole path, "+
		"s3://bucket?region=…&lock-days=3650, https://… or mailto:address (with --smtp); repeatable (default: none)")
}

func (a *Anchors) bind(f *pflag.FlagSet) {
	BindAnchorTo(f, &a.AnchorTo, AnchorTo)
	f.DurationVar(&a.AnchorEvery, "anchor-every", 24*time.Hour, "how often an anchor is taken and sent to --anchor-to")
}

// AnchorPlace returns a text that is the same for two addresses of one place, however they are written. It may contain a
// secret.
func AnchorPlace(a anchorage.Address) string {
	names := []string{a.Kind, a.Folder, a.To, a.Bucket, a.Prefix, a.Region, a.Profile}
	return fmt.Sprintf("%q %v", names, a.URL)
}

// leastAnchorEvery is the smallest permitted interval: each anchor reads the whole log.
const leastAnchorEvery = time.Minute

// checkAnchors checks the flags on anchors. Whether a place can be reached is seen when an anchor is sent.
func (c *Config) checkAnchors(complain complaint) {
	given := map[string]bool{}
	for i, to := range c.AnchorTo {
		address, err := anchorage.Parse(to)
		place := AnchorPlace(address)
		switch {
		case err != nil:
			complain("--%s: %w", AnchorTo, err)
		case given[place]:
			// The address may contain a secret. So the message says which address in the list it is, counted from 1, and not
			// the address.
			complain("--%s: place %d of %d was given before: give each place once", AnchorTo, i+1, len(c.AnchorTo))
		case address.Kind == anchorage.Mail && (c.SMTP == "" || c.SMTPFrom == ""):
			complain("--%s mailto:…: give --smtp and --smtp-from, too", AnchorTo)
		}
		given[place] = err == nil
	}
	if c.AnchorEvery < leastAnchorEvery {
		complain("--anchor-every %s: give a time of %s at least, such as 24h", c.AnchorEvery, leastAnchorEvery)
	}
}
