package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	chromium "moviola/adapters/browser"
	"moviola/tests/harness"
)

// patience is how long a test waits for what must happen; it only ends a test that hangs.
const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	code := m.Run()
	if chromiums.end != nil {
		chromiums.end()
	}
	harness.RemoveBinaries()
	os.Exit(code)
}

// helpers find what people see: controls by their text or label.
const helpers = `
window.seen = (e) => e.getClientRects().length > 0;
window.control = (text) => [...front().querySelectorAll("button, a")].filter(seen).find((e) => (e.innerText.trim() || e.getAttribute("aria-label") || "") === text || e.textContent.trim() === text || e.getAttribute("aria-label") === text);
window.front = () => [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
window.field = (label) => { const l = [...front().querySelectorAll("label")].filter(seen).find((e) => e.innerText.trim() === label); return l && (l.control || document.getElementById(l.htmlFor)); };
window.fill = (e, text) => { const kind = e.tagName === "SELECT" ? HTMLSelectElement : e.tagName === "TEXTAREA" ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(e, text); e.dispatchEvent(new Event("input", { bubbles: true })); e.dispatchEvent(new Event("change", { bubbles: true })); };
window.pixels = () => { const c = [...document.querySelectorAll("canvas")].find(seen); return c ? c.toDataURL() : ""; };
`

// keepTold keeps what the page tells at its edge for some seconds only: a busy machine may not look within them.
const keepTold = `window.told = []; new MutationObserver(() => {
  const line = document.querySelector(".told p"), text = line ? line.innerText : "";
  if (text && text !== window.lastTold) window.told.push(text);
  window.lastTold = text;
}).observe(document, { childList: true, subtree: true, characterData: true })`

// askAgain asks the interface again for what it had no time for, as the tests' other clients do: a page says so and waits for a person.
const askAgain = `(() => { const real = window.fetch; window.fetch = async (to, how) => {
  const path = new URL(to, location.href).pathname, safe = path.includes("/v2/") && ((how?.method ?? "GET") === "GET" || /\/movies\/(still|validate)$/.test(path));
  for (let tries = 0; ; tries++) {
    const answer = await real(to, how);
    if (!safe || answer.status !== 503 || tries === 20) return answer;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
} })()`

// browser is a window of a real browser at the console of a service.
type browser struct {
	t    *testing.T
	ctx  context.Context
	base string
	// complaints are what the browser has complained about: scripts that failed, what a policy refused.
	complaints chan string
	// refusals says that a policy is meant to refuse something: that is no complaint.
	refusals atomic.Bool
}

// newService starts a service whose console is to be used.
func newService(t *testing.T) *harness.Service {
	t.Helper()
	s := harness.NewService(t)
	s.StartAPI("--log-requests=false")
	return s
}

// serve starts a service, and returns it, a client with an account's admin key, and the address for browsers.
func serve(t *testing.T) (*harness.Service, *harness.Client, string) {
	t.Helper()
	s := newService(t)
	client := s.NewAccount("Anna", 5000)
	return s, client, pageAddress(client)
}

// visit opens a browser in which somebody has signed in.
func visit(t *testing.T, c *harness.Client) *browser {
	t.Helper()
	b := open(t, pageAddress(c), 1280, 1000)
	b.signIn(c.Key)
	return b
}

// pageAddress is the address of a service by a name for which browsers keep cookies of plain http.
func pageAddress(c *harness.Client) string {
	return strings.Replace(c.Base, "127.0.0.1", "localhost", 1)
}

// chromiums holds the one Chromium of all tests: to start it costs as much as many pages.
var chromiums struct {
	sync.Mutex
	ctx context.Context // nil: it has not been started
	end func()
}

// launch returns the one Chromium, and starts it when it does not run. On a busy machine Chromium sometimes ends before it says where
// it listens: it is started three times at most.
func launch(t *testing.T) context.Context {
	t.Helper()
	chromiums.Lock()
	defer chromiums.Unlock()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium.DefaultPath), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("lang", "en-US"), chromedp.WSURLReadTimeout(patience))
	for try := 1; chromiums.ctx == nil || chromiums.ctx.Err() != nil; try++ {
		outer, end := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, cancel := chromedp.NewContext(outer)
		err := chromedp.Run(ctx)
		if err == nil {
			chromiums.ctx, chromiums.end = ctx, func() { cancel(); end() }
			break
		}
		cancel()
		end()
		if try == 3 || !strings.Contains(err.Error(), "chrome failed to start") {
			t.Fatal(err)
		}
		t.Logf("start %d of Chromium: %v", try, err)
	}
	return chromiums.ctx
}

// window opens a window of a size, with cookies and a cache of its own, which closes with the test.
func window(t *testing.T, width, height int64) context.Context {
	t.Helper()
	ctx, end := chromedp.NewContext(launch(t), chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	if err := chromedp.Run(ctx, emulation.SetFocusEmulationEnabled(true), chromedp.EmulateViewport(width, height)); err != nil {
		t.Fatal(err)
	}
	return ctx
}

func open(t *testing.T, base string, width, height int64) *browser {
	t.Helper()
	ctx := window(t, width, height)
	b := &browser{t: t, ctx: ctx, base: base, complaints: make(chan string, 100)}
	chromedp.ListenTarget(ctx, func(event any) {
		text := ""
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			text = e.ExceptionDetails.Error()
		case *cdplog.EventEntryAdded:
			// Answers of the interface other than 200 are told too: the page shows them.
			if b.refusals.Load() {
				break
			}
			if e.Entry.Source == cdplog.SourceSecurity || strings.Contains(e.Entry.Text, "Content Security Policy") {
				text = e.Entry.Text
			}
		}
		if text != "" {
			select {
			case b.complaints <- text:
			default:
			}
		}
	})
	if err := chromedp.Run(ctx, network.Enable(), cdplog.Enable(), chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(keepTold + ";\n" + askAgain).Do(ctx)
		return err
	})); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for {
			select {
			case text := <-b.complaints:
				t.Errorf("the browser complains: %s", text)
			default:
				return
			}
		}
	})
	return b
}

// do runs actions, and ends the test when one fails.
func (b *browser) do(what string, actions ...chromedp.Action) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		b.t.Fatalf("%s: %v\nthe page says:\n%s", what, err, b.shown())
	}
}

// shown is the text of the page as it is now.
func (b *browser) shown() string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), 5*time.Second)
	defer cancel()
	var text string
	if err := chromedp.Run(ctx, chromedp.Evaluate("document.body ? document.body.innerText : ''", &text)); err != nil {
		return err.Error()
	}
	return text
}

// ask evaluates an expression with the helpers.
func (b *browser) ask(expression string, answer any) {
	b.t.Helper()
	if err := b.try(expression, answer); err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
}

// try is ask for a page that may just be changing.
func (b *browser) try(expression string, answer any) error {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	var raw string
	if err := chromedp.Run(ctx, chromedp.Evaluate("(() => {"+helpers+"return JSON.stringify("+expression+") ?? 'null'})()", &raw)); err != nil {
		return err
	}
	return json.Unmarshal([]byte(raw), answer)
}

// until waits until an expression is true. One that throws is not: a page that is being loaded has no body yet.
func (b *browser) until(what, expression string) {
	b.t.Helper()
	harness.Patiently(b.t, what, func() (bool, any) {
		var is bool
		if err := b.try("!!("+expression+")", &is); is || err != nil {
			return is, fmt.Sprint(err)
		}
		var text string
		if err := b.try("location.pathname + ' ' + document.body.innerText", &text); err != nil {
			return false, err.Error()
		}
		return false, text
	})
}

// read waits until an expression is neither null nor undefined, and returns its text.
func (b *browser) read(what, expression string) string {
	b.t.Helper()
	var text *string
	harness.Patiently(b.t, what, func() (bool, any) {
		err := b.try(expression, &text)
		return err == nil && text != nil, fmt.Sprint(err)
	})
	return *text
}

func quoted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// goTo opens a page once the read models have what was done before: some pages ask for their list only once.
func (b *browser) goTo(path string) {
	b.t.Helper()
	harness.CaughtUp(b.t, b.base)
	b.do("go to "+path, chromedp.Navigate(b.base+"/console"+path))
}

func (b *browser) see(text string) {
	b.t.Helper()
	b.until("the page shows "+text, "document.body.innerText.includes("+quoted(text)+")")
}

// told waits until the page has told at its edge what was done, whether or not it still does.
func (b *browser) told(text string) {
	b.t.Helper()
	b.until("the page tells "+text, fmt.Sprintf("((at) => at >= 0 && window.told.splice(0, at + 1))(window.told.findIndex((t) => t.includes(%s)))", quoted(text)))
}

func (b *browser) gone(text string) {
	b.t.Helper()
	b.until("the page does not show "+text, "!document.body.innerText.includes("+quoted(text)+")")
}

func (b *browser) click(text string) {
	b.t.Helper()
	b.until("there is "+text+" to be clicked", fmt.Sprintf("control(%[1]s) && !control(%[1]s).disabled && (control(%[1]s).click(), true)", quoted(text)))
}

func (b *browser) fill(label, text string) {
	b.t.Helper()
	b.until("there is a field "+label, fmt.Sprintf("field(%[1]s) && (fill(field(%[1]s), %[2]s), true)", quoted(label), quoted(text)))
}

// value is what a field holds.
func (b *browser) value(label string) string {
	b.t.Helper()
	return b.read("there is a field "+label, "field("+quoted(label)+")?.value")
}

// text is what the first element of a selector shows.
func (b *browser) text(selector string) string {
	b.t.Helper()
	return b.read(selector+" is there", "document.querySelector("+quoted(selector)+")?.innerText")
}

// give puts files into the page's input for files.
func (b *browser) give(files ...string) {
	b.t.Helper()
	b.until("there is an input for files", `document.querySelector("input[type=file]")`)
	b.do("give files", chromedp.SetUploadFiles("input[type=file]", files, chromedp.ByQuery))
}

// signIn signs in with a key.
func (b *browser) signIn(key string) {
	b.t.Helper()
	harness.CaughtUp(b.t, b.base)
	b.do("open the console", chromedp.Navigate(b.base+"/console"), chromedp.WaitVisible("input[name=key]"), chromedp.SendKeys("input[name=key]", key+"\r"))
	b.until("the movies are shown", "document.querySelector('main h1')?.innerText === 'Movies' && !document.querySelector('.spinner')")
}

// write replaces the text of the editor, as pasting does.
func (b *browser) write(text string) {
	b.t.Helper()
	b.until("the editor is there", "document.querySelector('.editor').shadowRoot.querySelector('.cm-content')")
	b.do("write",
		chromedp.Evaluate("document.querySelector('.editor').shadowRoot.querySelector('.cm-content').focus()", nil),
		chromedp.KeyEvent("a", chromedp.KeyModifiers(input.ModifierCtrl)),
		input.InsertText(text),
	)
}

// await waits for what a script promises.
func await(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
