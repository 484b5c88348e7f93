package console_test

import (
	"context"
	"encoding/json"
	"image/color"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"moviola/tests/harness"
	"moviola/tests/harness/identity"
)

// Names as people give them: from right to left, of one endless word, of more words than a line holds.
var hardNames = []string{
	"שלום עולם: סרט קצר על הים",
	"الفيلم الأول — النسخة النهائية، الجزء 2 (1080p)",
	strings.Repeat("autumn_campaign_", 5) + "final",
	"Kinderfilmproduktionsgesellschaft: what the children saw on their way to the sea, told anew, part 2",
}

// TestConsole_names_axe: names from right to left and very long ones leave every page of an account usable.
func TestConsole_names_axe(t *testing.T) {
	t.Parallel()
	axe := readAxe(t)
	c := newService(t).NewAccount("Anna", 1000)
	var project, saved string
	for _, name := range hardNames {
		body, err := json.Marshal(map[string]any{"id": name, "resolution": "sd", "client-data": map[string]any{name: name}, "scenes": []any{
			map[string]any{"duration": 1, "comment": name, "elements": []any{map[string]any{"type": "text", "text": name, name: 1}}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		made := c.SubmitBody(body)
		c.WaitFor(made, "done")
		kept := template(t, c, name)
		if project == "" {
			project, saved = made, kept
		}
		key, err := json.Marshal(map[string]string{"name": name, "role": "viewer"})
		if err != nil {
			t.Fatal(err)
		}
		if answer := c.Do(http.MethodPost, "/keys", key); answer.Status != http.StatusOK {
			t.Fatalf("issue a key: %d %s", answer.Status, answer.Body)
		}
	}
	b := visit(t, c)
	b.goTo("/media")
	for _, name := range hardNames {
		picture := filepath.Join(t.TempDir(), strings.ReplaceAll(name, ":", "")+".png")
		harness.WritePNG(t, picture, 64, 36, color.White, color.Black)
		b.give(picture)
	}
	b.until("all files are there", "document.querySelectorAll('.upload .badge.good').length === 4")
	pages := []shownPage{
		{"names movies", "/movies", "document.querySelectorAll('.movies li img').length === 4"},
		{"names movie", "/movies/" + project, "document.querySelector('video') && document.querySelector('.history')"},
		{"names templates", "/templates", "document.querySelectorAll('.template .drawn').length >= 2"},
		{"names template", "/templates/" + saved, "document.querySelector('.drawn') && field('Headline')"},
		{"names media", "/media", "document.querySelectorAll('.glimpse img').length === 4"},
		{"names keys", "/keys", "document.querySelectorAll('.rows li').length >= 5"},
	}
	b.examineAll(pages, axe)
}

// TestConsole_away_axe: a page that the service does not send any more says so, and is there once the service is.
func TestConsole_away_axe(t *testing.T) {
	t.Parallel()
	axe := readAxe(t)
	b := visit(t, newService(t).NewAccount("Anna", 100))
	away := func(is bool) { b.do("the network", network.EmulateNetworkConditions(is, 0, -1, -1)) }
	b.inEveryLook(nil, func(look string) {
		b.goTo("/movies")
		b.see("No movies yet")
		away(true)
		b.click("Media")
		b.see("The service cannot be reached")
		b.examine("away", look, axe)
		away(false)
		b.click("Try again")
		b.until("the page is there", "document.querySelector('.dropping')")
	})
}

// tenThousand answers the list of movies as an account does that has ten thousand, the newest first, in pages as large as the console asks for.
const tenThousand = `(() => { const real = window.fetch, states = ["done", "done", "done", "done", "error", "done", "timeout"];
	const movie = (n) => ({ success: true, status: states[n % 7], message: n % 7 === 4 ? "The source of element 2 of scene 1 was not found." : "",
		project: "p" + String(n).padStart(15, "0"), id: "movie-" + String(n).padStart(5, "0"),
		url: null, thumbnail: null, ass: null,
		created_at: new Date(Date.now() - (10000 - n) * 3600e3).toISOString(), started_at: null, ended_at: null, progress: 100,
		duration: 5 + n % 40, width: 1920, height: 1080, size: null, loudness: null, rendering_time: null, consumed_credits: 1,
		draft: false,
		"client-data": {}, warnings: n % 5 ? [] : ["a warning"], destinations_result: null });
	window.fetch = (to, how) => {
		const at = new URL(to, location.href);
		if (at.pathname !== "/console/api/v2/movies" || at.searchParams.has("project")) return real(to, how);
		const from = Number(at.searchParams.get("next_token") ?? 10000), last = Math.max(0, from - 40), movies = [];
		for (let n = from; n > last; n--) movies.push(movie(n));
		return Promise.resolve(Response.json({ success: true, movies, has_next: last > 0, next_token: last > 0 ? String(last) : null,
			from: new Date(Date.now() - 89 * 864e5).toISOString(), to: new Date().toISOString() }));
	};
})()`

// TestMovies_looks: a list of ten thousand movies goes on to its end. The pictures are of a place in it. Its 250 pages take a busy
// machine minutes: they are loaded for the pictures only.
func TestMovies_looks(t *testing.T) {
	t.Parallel()
	if os.Getenv("MOVIOLA_TEST_PICTURES") == "" {
		t.Skip("set MOVIOLA_TEST_PICTURES to the folder that is to get the pictures")
	}
	b := visit(t, newService(t).NewAccount("Anna", 100))
	b.do("have many movies", chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(tenThousand).Do(ctx)
		return err
	}))
	b.goTo("/movies")
	b.until("the first page is there", "document.querySelectorAll('.movies > li').length >= 40")
	b.until("the end is reached", "scrollTo(0, document.documentElement.scrollHeight), "+
		"document.querySelectorAll('.movies > li').length === 10000")
	b.inEveryLook(nil, func(look string) {
		b.until("it fits", fits)
		b.look("movies-10000-" + look)
	})
}

// newProvidedOffice is an office whose operators may sign in through an identity provider.
func newProvidedOffice(t *testing.T) (*office, *identity.Provider) {
	t.Helper()
	provider, err := identity.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(provider.Close)
	provider.Ask()
	return newOffice(t, "--operators-oidc-issuer="+provider.URL, "--operators-oidc-client="+identity.ClientID,
		"--operators-oidc-secret="+identity.Secret, "--operators-oidc-roles=groups=video-ops:operator"), provider
}

// throughIt is the button that leads to a provider.
func throughIt(provider *identity.Provider) string {
	return "Sign in through " + strings.TrimPrefix(provider.URL, "http://")
}

// goThrough goes to a provider and back.
func goThrough(b *browser, provider *identity.Provider) {
	b.t.Helper()
	b.see(throughIt(provider))
	b.click(throughIt(provider))
	b.until("the provider's page is there", "document.title === 'Provider'")
	b.click("Go on")
}

// TestOperator_sessions_axe: the ways in, the list of who is in, and the question of who has been in for too long.
func TestOperator_sessions_axe(t *testing.T) {
	t.Parallel()
	axe := readAxe(t)
	o, provider := newProvidedOffice(t)
	provider.Become(map[string]any{"email": "anna@example.com", "email_verified": true, "groups": []string{"video-ops"}})
	id, _ := o.service.OpenAccount("Anna", 10)
	b := open(t, o.base, 1280, 900)
	b.do("open the operators' console", chromedp.Navigate(o.base+"/operator"))
	b.see(throughIt(provider))
	b.inEveryLook(nil, func(look string) { b.examine("operator-sign in", look, axe) })
	goThrough(b, provider)
	b.until("who has signed in is told", "document.querySelector('.who .account')?.innerText === 'oidc:anna@example.com'")
	other := open(t, o.base, 1280, 900)
	o.enter(other, "owner")
	other.inEveryLook(nil, func(look string) {
		o.visit(other, "/operators")
		other.until("both sessions are listed", "document.querySelectorAll('.sessions li').length === 2 && "+
			"document.querySelectorAll('.rows:not(.sessions) li').length === 3")
		other.do("go to the end", chromedp.Evaluate("scrollTo(0, document.documentElement.scrollHeight)", nil))
		other.examine("operator-sessions", look, axe)
		o.visit(other, "/accounts/"+id)
		other.see("may be spent")
		other.do("let time go by", chromedp.Evaluate(answeredOnce, nil))
		grant(other)
		other.see("less than five minutes old")
		other.see(throughIt(provider))
		other.examine("operator-again", look, axe)
	})
}

// TestSession_away: a service that cannot say who has signed in is no reason to sign in anew. The page tells why, and asks again.
func TestSession_away(t *testing.T) {
	t.Parallel()
	b := visit(t, newService(t).NewAccount("Anna", 100))
	var script page.ScriptIdentifier
	b.do("lose the service", chromedp.ActionFunc(func(ctx context.Context) (err error) {
		script, err = page.AddScriptToEvaluateOnNewDocument(noSession).Do(ctx)
		return err
	}))
	b.goTo("/movies")
	b.see("The store is away")
	b.until("nobody is asked for a key", "!document.querySelector('.signin')")
	b.do("have the service", chromedp.ActionFunc(func(ctx context.Context) error {
		return page.RemoveScriptToEvaluateOnNewDocument(script).Do(ctx)
	}))
	b.until("it answers again", "answered = true")
	b.click("Try again")
	b.see("No movies yet")
}

// noSession answers the question who has signed in with an error, until answered is true.
const noSession = `var answered = false; (() => { const real = window.fetch;
	window.fetch = (to, how) => answered || new URL(to, location.href).pathname !== "/console/api/session" ? real(to, how)
		: Promise.resolve(Response.json({ success: false, code: "store_unavailable", message: "The store is away" }, { status: 503 }));
})()`
