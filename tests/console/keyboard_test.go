package console_test

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// focused is the element that has the focus, within the editor's shadow root too.
const focused = `(() => { let e = document.activeElement; while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement; return e })()`

// lookOfFocus tells what has the focus and whether a line around it shows that; the editor's line is around the whole of it.
const lookOfFocus = `(() => {
	const e = ` + focused + `;
	if (!e || e === document.body) return { nothing: true };
	const s = getComputedStyle(e.closest(".cm-editor") ?? e), clear = /^(transparent|rgba\(.*, 0\))$/.test(s.outlineColor);
	return { name: e.outerHTML.slice(0, 120), outlined: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1 && !clear };
})()`

// mostStops is more than the controls of any page on the way, twice: a walk that goes on for longer finds nothing.
const mostStops = 80

// press presses a key, and reports a focus that nobody can see.
func (b *browser) press(key string, modifiers ...input.Modifier) (nothing bool) {
	b.t.Helper()
	b.do("press a key", chromedp.KeyEvent(key, chromedp.KeyModifiers(modifiers...)))
	return b.outlined()
}

// outlined reports a focus that nobody can see, and returns whether nothing has the focus.
func (b *browser) outlined() (nothing bool) {
	b.t.Helper()
	var look struct {
		Nothing, Outlined bool
		Name              string
	}
	b.ask(lookOfFocus, &look)
	if !look.Nothing && !look.Outlined {
		b.t.Errorf("nothing shows that this has the focus: %s", look.Name)
	}
	return look.Nothing
}

// walk presses Tab, or what goes the other way, until what has the focus is what is wanted. Behind the last control of a page comes its first.
func (b *browser) walk(what, wanted string, modifiers ...input.Modifier) {
	b.t.Helper()
	is := "((e) => " + wanted + ")(" + focused + ")"
	b.until(what+" is there", "[...document.querySelectorAll('*')].some((e) => seen(e) && ("+wanted+")) || document.querySelector('.editor')")
	for range mostStops {
		var there bool
		b.press(kb.Tab, modifiers...)
		if b.ask("!!"+is, &there); there {
			return
		}
	}
	b.t.Fatalf("%s is not reached by Tab", what)
}

// TestKeyboard goes from signing in to a movie that is done without a pointer, and sees at every step where the focus is.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	c := newService(t).NewAccount("maker", 100)
	b := open(t, pageAddress(c), 1280, 1000)
	b.goTo("")
	b.until("the field for the key has the focus", focused+"?.name === 'key'")
	b.do("type the key", input.InsertText(c.Key))
	b.walk("the button that signs in", "e?.type === 'submit'")
	b.do("press it", chromedp.KeyEvent(" "))
	b.see("No movies yet")

	b.walk("the way past the navigation", "e?.matches('.skip')")
	b.press(kb.Enter)
	b.until("the content has the focus", focused+"?.id === 'main'")
	b.walk("the way to writing", "e?.closest('main') && e.innerText.trim() === 'Write a movie'")
	b.do("follow it", chromedp.KeyEvent(kb.Enter))
	b.until("the editor is there", inEditor(".cm-content"))

	b.walk("the editor", "e?.matches('.cm-content')")
	b.press("a", input.ModifierCtrl)
	b.do("put the movie in", input.InsertText(mended))
	b.until("it is in", inEditor(".cm-content")+".innerText === "+quoted(mended))
	b.until("nothing is wrong", "document.querySelector('.problems .sum').innerText.includes('Nothing is wrong')")
	b.press(kb.Escape)
	b.press(kb.Tab)
	b.until("the editor is left", "!"+focused+"?.closest('.cm-editor')")
	b.until("it has not been written in", inEditor(".cm-content")+".innerText === "+quoted(mended))

	b.walk("the moment", "e?.type === 'range'")
	b.press(kb.ArrowRight)
	b.until("a later moment is shown", "+"+focused+".value > 0")
	b.walk("rendering", "e?.innerText?.trim() === 'Render'", input.ModifierShift)
	b.do("render", chromedp.KeyEvent(kb.Enter))
	b.until("the movie is done", "document.querySelector('video')?.src.includes('.mp4')")

	b.walk("the list", "e?.matches('nav a') && e.innerText.trim() === 'Movies'")
	b.press(kb.Enter)
	b.until("the movie is listed", "document.querySelector('.movies a.movie')")
	b.walk("the movie", "e?.matches('a.movie')")
	b.do("open it", chromedp.KeyEvent(kb.Enter))
	b.until("it can be played", "document.querySelector('video')?.src.includes('.mp4')")
}
