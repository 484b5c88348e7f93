package assets_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"moviola/adapters/assets"
	"moviola/commands"
	"moviola/domain"
)

// roomOf is a site with pictures of 1,000 bytes: /0.png, /1.png, …
func roomOf(t *testing.T, account, total int64, more ...func(*assets.Config)) *site {
	t.Helper()
	s := newSite(t, commands.Media{}, func(c *assets.Config) {
		c.MaxAccount, c.MaxTotal = account, total
		for _, set := range more {
			set(c)
		}
	})
	for i := range 10 {
		content := picture(1000)
		content[len(content)-1] = byte(i)
		s.serve(fmt.Sprintf("/%d.png", i), content)
	}
	return s
}

// take fetches a picture for an account, and sets the time of its last use to some time ago.
func (s *site) take(account domain.AccountID, i int, ago time.Duration) commands.Asset {
	s.t.Helper()
	a, err := s.Fetch(s.t.Context(), account, fmt.Sprintf("%s/%d.png", s.server.URL, i))
	if err != nil {
		s.t.Fatal(err)
	}
	at := time.Now().Add(-ago)
	if err := os.Chtimes(a.Path+".json", at, at); err != nil {
		s.t.Fatal(err)
	}
	return a
}

func (s *site) wantThere(name string, a commands.Asset, want bool) {
	s.t.Helper()
	if _, err := os.Stat(a.Path); (err == nil) != want {
		s.t.Errorf("%s is there: %v, want %v", name, err == nil, want)
	}
}

// TestCache_Fetch_room: what an account keeps is bounded when it is written: its own files that were used longest ago make room, never another
// account's; what is in use does not, and then a download is refused with the bound's name.
func TestCache_Fetch_room(t *testing.T) {
	t.Parallel()
	s := roomOf(t, 3000, 10_000)
	others := s.take("other", 0, 40*time.Hour)
	old, older, newer := s.take("account", 1, 2*time.Hour), s.take("account", 2, 20*time.Hour), s.take("account", 3, time.Minute)
	added := s.take("account", 4, time.Minute)
	for name, row := range map[string]struct {
		commands.Asset
		there bool
	}{"the other account's": {others, true}, "old": {old, true}, "older": {older, false}, "new": {newer, true}, "added": {added, true}} {
		s.wantThere(name, row.Asset, row.there)
	}
	s.take("account", 5, time.Minute)
	_, err := s.fetch("/6.png")
	s.requireError(err, "The file at 'HOST/6.png' cannot be kept: the sources that the account has used in the last 10 minutes take 3000 bytes, "+
		"as much as they may. Use fewer or smaller ones at a time.")
	s.take("other", 6, 0)
	s.wantThere("what was fetched again", s.take("account", 5, 0), true)
	if err := s.Forget("account"); err != nil {
		t.Fatal(err)
	}
}

// TestCache_Fetch_roomOfAll: what all accounts keep is bounded when it is written: what was used longest ago makes room, whose ever it is.
func TestCache_Fetch_roomOfAll(t *testing.T) {
	t.Parallel()
	s := roomOf(t, 3000, 3000)
	old, older, newer := s.take("one", 1, 2*time.Hour), s.take("two", 2, 20*time.Hour), s.take("two", 3, time.Minute)
	s.take("three", 4, time.Minute)
	s.wantThere("old", old, true)
	s.wantThere("older", older, false)
	s.take("three", 5, time.Minute)
	s.wantThere("old", old, false)
	s.wantThere("new", newer, true)
	if _, err := s.fetch("/6.png"); err == nil || !strings.Contains(err.Error(), "all accounts together keep as much as they may: 3000 bytes") {
		t.Errorf("when all is in use: %v", err)
	}
}

// TestCache_Fetch_roomOfFiles: the number of files is bounded as their bytes are.
func TestCache_Fetch_roomOfFiles(t *testing.T) {
	t.Parallel()
	s := roomOf(t, 1_000_000, 1_000_000, func(c *assets.Config) { c.MaxAccountFiles, c.MaxTotalFiles = 2, 3 })
	others := s.take("other", 0, 40*time.Hour)
	old, newer := s.take("account", 1, 20*time.Hour), s.take("account", 2, time.Minute)
	added := s.take("account", 3, time.Minute)
	s.wantThere("the account's oldest", old, false)
	s.wantThere("another account's", others, true)
	s.wantThere("one in use", newer, true)
	s.wantThere("the new one", added, true)
	if _, err := s.Fetch(t.Context(), "account", s.server.URL+"/4.png"); err == nil || !strings.Contains(err.Error(), "take 2 files") {
		t.Errorf("a file too many: %v", err)
	}
	s.take("third", 5, time.Minute)
	s.wantThere("the oldest of all", others, false)
}

// TestCache_Fetch_roomUnpacked: an answer that is sent packed counts as long as it is when it is unpacked.
func TestCache_Fetch_roomUnpacked(t *testing.T) {
	t.Parallel()
	s := roomOf(t, 50_000, 1_000_000)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(picture(60_000)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	s.mux.HandleFunc("/bomb.png", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	})
	if _, err := s.fetch("/bomb.png"); err == nil || !strings.Contains(err.Error(), "take 50000 bytes, as much as they may") || packed.Len() > 1000 {
		t.Errorf("%d bytes that are 60,000: %v", packed.Len(), err)
	}
	if left := s.files("files/*"); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
	s.take("account", 1, 0)
}
