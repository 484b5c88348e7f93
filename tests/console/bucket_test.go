package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"moviola/tests/harness"
	"moviola/tests/harness/servers"
)

// TestMedia_bucket: where files are kept on S3, the page sends a file to the storage itself, which its policy allows by name.
func TestMedia_bucket(t *testing.T) {
	t.Parallel()
	s := harness.NewService(t)
	base := pageAddress(s.Client(""))
	address, environment := servers.StartS3Bucket(t, base)
	s.Environment = append(environment, "MOVIOLA_SECRET=0123456789abcdef0123456789abcdef")
	s.StartAPI("--log-requests=false", "--public-url", base, "--blobs", address)
	c := s.NewAccount("maker", 100)
	storage := endpointOf(t, address)
	if policy := c.Send(http.MethodGet, "/console/media", nil, nil).Header.Get("Content-Security-Policy"); !strings.Contains(policy, storage) ||
		strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
		t.Fatalf("the policy of the page is %q", policy)
	}
	b := visit(t, c)
	sent := make(chan string, 10) // origins that files were sent to
	chromedp.ListenTarget(b.ctx, func(event any) {
		if e, ok := event.(*network.EventRequestWillBeSent); ok && e.Request.Method == http.MethodPut {
			if to, err := url.Parse(e.Request.URL); err == nil {
				select {
				case sent <- to.Scheme + "://" + to.Host:
				default:
				}
			}
		}
	})
	b.goTo("/media")
	b.see("Removed after three days")
	b.give(fileOf(t, "mark.svg", `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>`), fileOf(t, "note.txt", "kept in a bucket"))
	b.until("both are sent", `document.querySelectorAll(".upload .badge.good").length === 2`)
	for range 2 { // the browser tells of a request before it tells the page of its end
		select {
		case got := <-sent:
			if got != storage {
				t.Errorf("a file was sent to %s, not to %s", got, storage)
			}
		case <-time.After(patience):
			t.Fatal("the browser has not sent two files")
		}
	}
	b.until("both are listed", `control("Look at note.txt") && control("Look at mark.svg")`)
	b.gone("not here yet")
	must(t, c, "GET", "/media/file?path=note.txt", nil)
}

// endpointOf is the origin of the server in an address of a bucket.
func endpointOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("endpoint")
}
