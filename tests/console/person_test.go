package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	chromium "moviola/adapters/browser"
	"moviola/tests/harness"
)

// page is a browser with the console of a service.
type page struct {
	t    *testing.T
	ctx  context.Context
	base string

	mu     sync.Mutex
	thrown []string // errors that no code caught
}

// helpers find what people see: controls by their text or label.
const helpers = `
window.seen = (e) => e.getClientRects().length > 0;
window.control = (text) => [...front().querySelectorAll("button, a")].filter(seen).find((e) => (e.innerText.trim() || e.getAttribute("aria-label") || "") === text || e.textContent.trim() === text || e.getAttribute("aria-label") === text);
window.front = () => document.querySelector("dialog[open]") ?? document;
window.field = (label) => { const l = [...front().querySelectorAll("label")].filter(seen).find((e) => e.innerText.trim() === label); return l && (l.control || document.getElementById(l.htmlFor)); };
window.fill = (e, text) => { const kind = e.tagName === "SELECT" ? HTMLSelectElement : e.tagName === "TEXTAREA" ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(e, text); e.dispatchEvent(new Event("input", { bubbles: true })); e.dispatchEvent(new Event("change", { bubbles: true })); };
window.pixels = () => { const c = [...document.querySelectorAll("canvas")].find(seen); return c ? c.toDataURL() : ""; };
`

// newService starts a service whose console is to be used.
func newService(t *testing.T) *harness.Service {
	t.Helper()
	s := harness.NewService(t)
	s.StartAPI()
	return s
}

// visit signs in with a key.
func visit(t *testing.T, c *harness.Client) *page {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium.DefaultPath), chromedp.NoSandbox, chromedp.WindowSize(1280, 1000))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, leave := chromedp.NewContext(allocator)
	t.Cleanup(func() { leave(); stop() })
	p := &page{t: t, ctx: ctx, base: strings.Replace(c.Base, "127.0.0.1", "localhost", 1)}
	chromedp.ListenTarget(ctx, func(event any) {
		if e, ok := event.(*runtime.EventExceptionThrown); ok {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.thrown = append(p.thrown, e.ExceptionDetails.Error())
		}
	})
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.thrown) > 0 {
			t.Errorf("the page threw %v", p.thrown)
		}
	})
	p.do(chromedp.Navigate(p.base + "/console/"))
	p.fill("API key", c.Key)
	p.click("Sign in")
	p.see("Sign out")
	return p
}

func (p *page) do(actions ...chromedp.Action) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, harness.Patience)
	defer cancel()
	if p.ctx.Err() == nil && chromedp.FromContext(p.ctx).Target == nil {
		ctx = p.ctx // the first action starts the browser, which ends with its context
	}
	if err := chromedp.Run(ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// ask evaluates an expression with the helpers.
func (p *page) ask(expression string, answer any) {
	p.t.Helper()
	if err := p.try(expression, answer); err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
}

// try is ask for a page that may just be changing.
func (p *page) try(expression string, answer any) error {
	ctx, cancel := context.WithTimeout(p.ctx, harness.Patience)
	defer cancel()
	var raw string
	if err := chromedp.Run(ctx, chromedp.Evaluate("(() => {"+helpers+"return JSON.stringify("+expression+") ?? 'null'})()", &raw)); err != nil {
		return err
	}
	return json.Unmarshal([]byte(raw), answer)
}

// until waits until an expression is true. One that throws is not: a page that is being loaded has no body yet.
func (p *page) until(what, expression string) {
	p.t.Helper()
	harness.Patiently(p.t, what, func() (bool, any) {
		var is bool
		if err := p.try("!!("+expression+")", &is); is || err != nil {
			return is, fmt.Sprint(err)
		}
		var text string
		if err := p.try("location.pathname + ' ' + document.body.innerText", &text); err != nil {
			return false, err.Error()
		}
		return false, text
	})
}

// read waits until an expression is neither null nor undefined, and returns its text.
func (p *page) read(what, expression string) string {
	p.t.Helper()
	var text *string
	harness.Patiently(p.t, what, func() (bool, any) {
		err := p.try(expression, &text)
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

func (p *page) goTo(path string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.base + "/console" + path))
}

func (p *page) see(text string) {
	p.t.Helper()
	p.until("the page shows "+text, "document.body.innerText.includes("+quoted(text)+")")
}

func (p *page) gone(text string) {
	p.t.Helper()
	p.until("the page does not show "+text, "!document.body.innerText.includes("+quoted(text)+")")
}

func (p *page) click(text string) {
	p.t.Helper()
	p.until("there is "+text+" to be clicked", fmt.Sprintf("control(%[1]s) && !control(%[1]s).disabled && (control(%[1]s).click(), true)", quoted(text)))
}

func (p *page) fill(label, text string) {
	p.t.Helper()
	p.until("there is a field "+label, fmt.Sprintf("field(%[1]s) && (fill(field(%[1]s), %[2]s), true)", quoted(label), quoted(text)))
}

// value is what a field holds.
func (p *page) value(label string) string {
	p.t.Helper()
	return p.read("there is a field "+label, "field("+quoted(label)+")?.value")
}

// text is what the first element of a selector shows.
func (p *page) text(selector string) string {
	p.t.Helper()
	return p.read(selector+" is there", "document.querySelector("+quoted(selector)+")?.innerText")
}

// give puts files into the page's input for files.
func (p *page) give(files ...string) {
	p.t.Helper()
	p.until("there is an input for files", `document.querySelector("input[type=file]")`)
	p.do(chromedp.SetUploadFiles("input[type=file]", files, chromedp.ByQuery))
}
