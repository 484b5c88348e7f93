package console_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"moviola/tests/harness"
)

// patience is how long a test waits for what must happen; it only ends a test that hangs.
const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	code := m.Run()
	harness.RemoveBinaries()
	os.Exit(code)
}

// browser is a window of a real browser at the console of a service.
type browser struct {
	t    *testing.T
	ctx  context.Context
	base string
	// complaints are what the browser has complained about: scripts that failed, what a policy refused.
	complaints chan string
}

// serve starts the program and returns its address and a client with an account's admin key.
func serve(t *testing.T) (*harness.Service, *harness.Client, string) {
	t.Helper()
	s := harness.NewService(t)
	s.StartAPI("--log-requests=false")
	client := s.NewAccount("Anna", 5000)
	return s, client, strings.Replace(client.Base, "127.0.0.1", "localhost", 1)
}

func open(t *testing.T, base string, width, height int) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium-headless-shell"), chromedp.NoSandbox,
		chromedp.WindowSize(width, height), chromedp.Flag("lang", "en-US"), chromedp.WSURLReadTimeout(patience))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx, base: base, complaints: make(chan string, 100)}
	chromedp.ListenTarget(ctx, func(event any) {
		text := ""
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			text = e.ExceptionDetails.Error()
		case *cdplog.EventEntryAdded:
			// Answers of the interface other than 200 are told too: the page shows them.
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
	b.do("begin", network.Enable(), cdplog.Enable())
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
	if err := chromedp.Run(b.ctx, actions...); err != nil {
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

// until waits for an expression to be true on the page.
func (b *browser) until(what, expression string) {
	b.t.Helper()
	b.do("wait until "+what, chromedp.Poll("(() => { try { return !!("+expression+") } catch { return false } })()", nil, chromedp.WithPollingTimeout(patience)))
}

// says waits for a text on the page.
func (b *browser) says(text string) {
	b.t.Helper()
	b.until("the page says "+text, fmt.Sprintf("document.body.innerText.includes(%q)", text))
}

// press clicks on the button or link with a text.
func (b *browser) press(text string) {
	b.t.Helper()
	find := fmt.Sprintf("[...document.querySelectorAll('button, a')].find((e) => e.innerText.trim() === %q && !e.disabled)", text)
	b.until("there is "+text+" to press", "((e) => e && (e.click(), true))("+find+")")
}

// signIn signs in with a key.
func (b *browser) signIn(key string) {
	b.t.Helper()
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
