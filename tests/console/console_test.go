package console_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"moviola/tests/harness"
)

const (
	mistaken = `{"resolution":"sd","scenes":[{"duration":1,"elements":[{"type":"text","text":"Hello","wdith":300}]}]}`
	mended   = `{"resolution":"sd","id":"first","scenes":[{"duration":1,"elements":[{"type":"text","text":"Hello","width":300}]}]}`
)

// TestConsole goes the way of somebody's first movie: sign in, write it with a mistake, see it marked, mend it, see it drawn, render it, watch it get
// done, and be signed out as the key is revoked.
func TestConsole(t *testing.T) {
	t.Parallel()
	_, client, base := serve(t)
	id, value := issue(t, client, "render")
	b := open(t, base, 1280, 900)
	b.signIn(value)
	b.see("No movies yet")
	b.look("movies-empty")
	b.click("Write a movie")
	b.write(mistaken)
	b.until("the mistake is told", "document.querySelector('.problems li')?.innerText.includes('wdith')")
	b.until("the mistake is marked", "document.querySelector('.editor').shadowRoot.querySelector('.cm-lintRange')?.textContent.includes('wdith')")
	b.look("write-mistake")
	b.write(mended)
	b.until("nothing is wrong", "document.querySelector('.problems .sum').innerText.includes('Nothing is wrong')")
	b.until("the price is told", "document.querySelector('.problems .sum').innerText.includes('1 credit')")
	b.until("the preview is drawn", "(() => { const c = document.querySelector('.still canvas'); return c && c.width === 640 && "+
		"c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v, i) => i % 4 < 3 && v > 128) })()")
	b.look("write")
	b.click("Render")
	b.until("the movie is done", "document.querySelector('video')?.src.includes('.mp4')")
	b.until("its history is told", "document.querySelector('.history')?.innerText.includes('Render ended')")
	b.look("movie")
	b.click("← All movies")
	b.until("it stands in the list with its picture", "document.querySelector('.movies img')?.naturalWidth > 0 && document.querySelector('.movies').innerText.includes('first')")
	b.look("movies")
	if answer := client.Send(http.MethodDelete, "/v2/keys?id="+id, nil, http.Header{"X-Api-Key": {client.Key}}); answer.Status != http.StatusOK {
		t.Fatalf("revoke: %d %s", answer.Status, answer.Body)
	}
	b.do("another page", chromedp.Evaluate("document.querySelector('.movies a')?.click()", nil))
	b.see("Your session has ended")
	b.look("signin")
}

// issue makes a key of a role.
func issue(t *testing.T, client *harness.Client, role string) (id, value string) {
	t.Helper()
	var issued struct{ ID, Key string }
	body := []byte(`{"name":"console","role":"` + role + `"}`)
	answer := client.Send(http.MethodPost, "/v2/keys", body, http.Header{"X-Api-Key": {client.Key}, "Content-Type": {"application/json"}})
	if err := json.Unmarshal(answer.Body, &issued); err != nil || issued.Key == "" {
		t.Fatalf("issue a key: %d %s", answer.Status, answer.Body)
	}
	return issued.ID, issued.Key
}

// TestConsole_strangers: texts of strangers stay texts, whatever language they are in and whatever they try to be.
func TestConsole_strangers(t *testing.T) {
	t.Parallel()
	_, client, base := serve(t)
	const attack = `\"><img src=x onerror=\"window.caught=1\"><script>window.caught=1</script>`
	body := `{"resolution":"sd","id":"` + attack + `","client-data":{"` + attack + `":"` + attack + ` שלום"},"scenes":[{"duration":1,"elements":[{"type":"text","text":"` + attack +
		`","` + attack + `":1}]}]}`
	var made struct{ Project string }
	answer := client.Send(http.MethodPost, "/v2/movies", []byte(body), http.Header{"X-Api-Key": {client.Key}, "Content-Type": {"application/json"}})
	if err := json.Unmarshal(answer.Body, &made); err != nil || made.Project == "" {
		t.Fatalf("submit: %d %s", answer.Status, answer.Body)
	}
	b := open(t, base, 390, 800)
	b.signIn(client.Key)
	b.until("it is listed", "document.querySelector('.movies')?.innerText.includes('onerror')")
	b.do("the movie", chromedp.Navigate(b.base+"/console/movies/"+made.Project))
	b.until("it is done", "document.querySelector('video')")
	b.until("its JSON is shown", "document.querySelector('.source')?.innerText.includes('onerror')")
	b.until("it fits a phone", "document.documentElement.scrollWidth <= innerWidth")
	b.do("write it anew", chromedp.Navigate(b.base+"/console/write?movie="+made.Project))
	b.until("it is in the editor", "document.querySelector('.editor').shadowRoot.querySelector('.cm-content').innerText.includes('onerror')")
	b.until("its problems are told", "document.querySelector('.problems li')?.innerText.includes('onerror')")
	b.until("nothing of it has run", "window.caught === undefined && !document.querySelector('main img[src=x]')")
}

// TestConsole_framed: a page of another site that frames the console shows nothing of it.
func TestConsole_framed(t *testing.T) {
	t.Parallel()
	_, client, base := serve(t)
	b := open(t, base, 900, 600)
	b.signIn(client.Key)
	// The documentation is a page of this very origin: even there no frame is allowed.
	b.refusals.Store(true) // that is what the policy is for
	b.do("a frame", chromedp.Navigate(base+"/v2/openapi.json"), chromedp.Evaluate(`(() => {
		const frame = document.createElement("iframe");
		frame.onload = () => { try { window.framed = frame.contentDocument?.querySelector("#app") ? "shown" : "empty" } catch { window.framed = "refused" } };
		frame.src = "/console";
		document.body.append(frame);
	})()`, nil))
	b.until("the frame has been answered", "window.framed")
	var framed string
	b.do("look", chromedp.Evaluate("window.framed", &framed))
	if framed == "shown" {
		t.Error("the console is shown in a frame")
	}
}

// TestConsole_axe: people who use other means than eyes and a mouse find nothing seriously in their way, in light and dark, wide and narrow.
func TestConsole_axe(t *testing.T) {
	t.Parallel()
	axe := readAxe(t)
	_, client, base := serve(t)
	answer := client.Send(http.MethodPost, "/v2/movies", []byte(mended), http.Header{"X-Api-Key": {client.Key}, "Content-Type": {"application/json"}})
	var made struct{ Project string }
	if err := json.Unmarshal(answer.Body, &made); err != nil || made.Project == "" {
		t.Fatalf("submit: %d %s", answer.Status, answer.Body)
	}
	saved := template(t, client, "Spring")
	if answer := client.Do(http.MethodPost, "/connections", []byte(`{"id":"shop","type":"webhook","endpoint":"https://hook.invalid/"}`)); answer.Status != http.StatusOK {
		t.Fatalf("save a connection: %d %s", answer.Status, answer.Body)
	}
	letter(t, client)
	listed(t, client, client.SubmitBody([]byte(`{"scenes":[{"duration":1}],"exports":[{"destinations":[{"id":"nowhere"}]}]}`)))
	b := open(t, base, 1280, 900)
	b.do("the console", chromedp.Navigate(base+"/console"), chromedp.WaitVisible("input[name=key]"))
	b.inEveryLook(nil, func(look string) { b.examine("sign in", look, axe) })
	b.signIn(client.Key)
	pages := []shownPage{
		{"movies", "/movies", "document.querySelector('.movies')"},
		{"movie", "/movies/" + made.Project, "document.querySelector('video') && document.querySelector('.history')"},
		{"write", "/write", "document.querySelector('.problems .sum strong') && document.querySelector('.still canvas')"},
		{"movies, none found", "/movies?client-data.shop=a&movie_id=b&status=done", "document.querySelector('.empty') && document.querySelector('.chosen')"},
		{"templates", "/templates", "document.querySelector('.template .drawn')"},
		{"template", "/templates/" + saved, "document.querySelector('.drawn') && field('Headline')"},
		{"media", "/media", "document.querySelector('.folder')"},
		{"batches", "/batches", "document.querySelector('.empty')"},
		{"new batch", "/batches/new?template=" + saved, "document.querySelector('input[type=file]')"},
		{"credits", "/account", "document.querySelector('.chart')"},
		{"connections", "/connections", "document.querySelector('.rows')"},
		{"deliveries", "/deliveries", "document.querySelector('.rows')"},
		{"test addresses", "/inboxes", "document.querySelector('.tries') && document.querySelector('nav a[aria-current]')?.innerText === 'Deliveries'"},
		{"keys", "/keys", "document.querySelector('.rows')"},
		{"nothing", "/nothing", "document.querySelector('.empty')"},
	}
	b.examineAll(pages, axe)
}

// accessible reports what axe finds that is serious.
func (b *browser) accessible(what, axe string) {
	b.t.Helper()
	var found []string
	var here bool
	b.ask("!!window.axe", &here)
	if !here {
		b.do("axe", chromedp.Evaluate(axe+";0", nil))
	}
	b.do("axe", chromedp.Evaluate(`axe.run({resultTypes: ["violations"]}).then((r) => r.violations.filter((v) => v.impact === "serious" || v.impact === "critical")
		.map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html + " " + n.failureSummary).join(" | ")))`, &found, await))
	for _, one := range found {
		b.t.Errorf("%s: %s", what, one)
	}
}

// look keeps a picture of the page in the folder that MOVIOLA_TEST_PICTURES names.
func (b *browser) look(name string) {
	b.t.Helper()
	dir := os.Getenv("MOVIOLA_TEST_PICTURES")
	if dir == "" {
		return
	}
	var taken []byte
	b.do("look at "+name, chromedp.CaptureScreenshot(&taken))
	picture, err := fewColours(taken)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, strings.NewReplacer(" ", "-", ",", "").Replace(name)+".png"), picture, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
