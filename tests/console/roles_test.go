package console_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// ranks are the roles, each of which may do what those before it may (docs/keys.md).
var ranks = []string{"viewer", "render", "editor", "manager", "admin"}

// rolePage is a page, the least role that sees it, and what the page lets be done by the least role that may.
type rolePage struct {
	path, role, ready string
	actions           map[string]string
}

func rolePages(own belongings) []rolePage {
	return []rolePage{
		{"/movies", "viewer", "document.querySelector('.movies')", map[string]string{"Write a movie": "render", "Search": "viewer"}},
		{"/movies/" + own.project, "viewer", "document.querySelector('video') && document.querySelector('.history')", map[string]string{
			"Download": "viewer", "Copy the JSON": "viewer", "Edit and render again": "render", "Delete file": "render", "Deliver again": "render"}},
		{"/write", "render", inEditor(".cm-content"), map[string]string{"Render": "render", "Copy a link": "render"}},
		{"/templates", "viewer", "document.querySelector('a.template')", map[string]string{"New template": "editor"}},
		{"/templates/" + own.template, "viewer", "field('Headline')", map[string]string{
			"Copy the id": "viewer", "Render with these values": "render", "Edit": "editor", "Duplicate": "editor", "Delete": "editor"}},
		{"/media", "viewer", "document.querySelector('.folder')", map[string]string{"New folder": "render", "Upload files": "render", "Prepare": "render"}},
		{"/media?path=" + own.folder, "viewer", "control('Look at " + own.file + "')", map[string]string{
			"Copy the address of " + own.file: "viewer", "Move " + own.file: "render", "Delete " + own.file: "render"}},
		{"/media?path=" + own.folder + "%2Fempty", "viewer", "document.querySelector('.empty')", map[string]string{"Delete folder": "render"}},
		{"/batches", "viewer", "document.querySelector('.rows')", map[string]string{"Start a batch": "render"}},
		{"/batches/new", "render", "document.querySelector('main h1')", nil},
		{"/batches/" + own.batch, "viewer", "document.querySelector('.rows')", map[string]string{"Download results": "viewer"}},
		{"/account", "admin", "document.querySelector('.chart')", map[string]string{"Export as CSV": "admin"}},
		{"/connections", "manager", "document.querySelector('.rows')", map[string]string{
			"Add a connection": "manager", "Test " + own.connection: "manager", "Delete " + own.connection: "manager"}},
		{"/deliveries", "manager", "document.querySelector('.rows')", map[string]string{
			"Show tries destination 1 of " + own.project: "manager", "Deliver again destination 1 of " + own.project: "manager"}},
		{"/inboxes", "manager", "control('Copy the address')", map[string]string{"Open a test address": "manager", "Delete": "manager"}},
		{"/keys", "admin", "document.querySelector('.rows')", map[string]string{"Issue a key": "admin", "Revoke " + bravo: "admin"}},
	}
}

// navigation is what stands in the navigation, by the least role that sees it.
var navigation = map[string]string{
	"Movies": "viewer", "Write": "render", "Templates": "viewer", "Media": "viewer", "Batches": "viewer", "Credits": "admin", "Connections": "manager", "Deliveries": "manager", "API keys": "admin",
}

// TestRoles: each role sees the pages and what can be done on them that it may, and no page asks for what its role may not have.
func TestRoles(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.NewAccount("maker", 100)
	own := furnish(t, c, bravo)
	must(t, c, http.MethodPost, "/media/folder", map[string]any{"folder": own.folder + "/empty"})
	b := open(t, pageAddress(c), 1280, 1000)
	var mu sync.Mutex
	var refused []string
	chromedp.ListenTarget(b.ctx, func(event any) {
		if e, is := event.(*network.EventResponseReceived); is && (e.Response.Status == http.StatusForbidden) {
			mu.Lock()
			defer mu.Unlock()
			refused = append(refused, e.Response.URL)
		}
	})
	for rank, role := range ranks {
		may := func(least string) bool { return rank >= slices.Index(ranks, least) }
		_, key := issue(t, c, role)
		b.signIn(key)
		b.until("the role is told", "document.querySelector('.who .role').innerText.toLowerCase() === "+quoted(role))
		for label, least := range navigation {
			b.hasControl(role+", navigation", label, may(least), "nav ")
		}
		for _, page := range rolePages(own) {
			where := role + " at " + page.path
			b.goTo(page.path)
			if !may(page.role) {
				b.until(where+" is refused", "document.querySelector('main .failure')?.innerText.includes('may not see this page') && document.querySelectorAll('main button, main a').length === 0")
				continue
			}
			b.until(where+" is shown", page.ready)
			for label, least := range page.actions {
				b.hasControl(where, label, may(least), "main ")
			}
		}
		b.click("Sign out")
		b.until(role+" has signed out", "document.querySelector('input[name=key]')")
	}
	mu.Lock()
	defer mu.Unlock()
	for _, address := range refused {
		t.Errorf("a page has asked for what its role may not have: %s", address)
	}
}

// hasControl tells when a control is missing that is allowed, and when one is there that is not. What is missing may still be coming.
func (b *browser) hasControl(where, label string, allowed bool, within string) {
	b.t.Helper()
	// What other controls than the named one show beside an icon is their text too.
	there := fmt.Sprintf("[...document.querySelectorAll(%s)].filter(seen).some((e) => [e.textContent.trim(), e.innerText.trim(), e.getAttribute('aria-label')].some((text) => text?.replace(/\\s+/g, ' ') === %s))",
		quoted(within+"button, "+within+"a"), quoted(label))
	if allowed {
		b.until(where+" has "+label, there)
		return
	}
	var is bool
	b.ask(there, &is)
	if is {
		b.t.Errorf("%s has %s", where, label)
	}
}
