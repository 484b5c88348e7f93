package check

import (
	"strings"
	"time"

	"moviola/domain/blobkey"
)

// closedHolders returns a set with one name for each closed account: the name that Holder gives the account in the keys of
// shared files, which all hosts of the installation use. The set is empty when shared files are not checked.
func (c *checker) closedHolders() map[string]bool {
	closed := make(map[string]bool, len(c.inventory.departed))
	if c.Holder == nil {
		return closed
	}
	for account := range c.inventory.departed {
		closed[c.Holder(account)] = true
	}
	return closed
}

// shared checks a file that the hosts of an installation share: a download, a voice or a generated picture. The log does not name
// such files; they are used for a time after they were written, and then removed.
func (c *checker) shared(key string, written time.Time, closed map[string]bool) {
	age := c.Now().Sub(written)
	if c.Holder == nil || age < c.Grace || len(c.report.Findings) >= mostFindings {
		return
	}
	holder, _, _ := strings.Cut(strings.TrimPrefix(key, blobkey.Sources.Prefix()), "/")
	detail := ""
	switch {
	case closed[holder]:
		detail = "its account is closed"
	case age >= c.Lapse+c.Grace:
		detail = "it has lapsed, and nothing uses it any more"
	default:
		return
	}
	c.found(Finding{Kind: Orphaned, What: "shared download, voice or picture", Name: key, Detail: detail,
		Remedy: "--repair removes it"})
}
