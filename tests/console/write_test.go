package console_test

import (
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// inEditor is an element of the editor, which lives in a shadow root.
func inEditor(selector string) string {
	return "document.querySelector('.editor').shadowRoot.querySelector(" + quoted(selector) + ")"
}

// TestWrite_assists: names are completed by keys alone, and explained under the pointer.
func TestWrite_assists(t *testing.T) {
	t.Parallel()
	p := visit(t, newService(t).NewAccount("maker", 100))
	p.goTo("/write")
	p.write(`{"scenes":[{"duration":1,"background-color":"#102030"}],`)
	p.do("type", chromedp.KeyEvent(`"resol`))
	// The editor takes no offer that has only just come up: the key may have been meant for something else.
	p.until("the name has been offered for a while", inEditor(".cm-tooltip-autocomplete")+"?.innerText.includes('resolution') && "+
		"(window.offered ??= performance.now(), performance.now() - window.offered > 300)")
	p.look("write-offered")
	p.do("take it", chromedp.KeyEvent("\r"))
	p.until("it is written", inEditor(".cm-content")+`.innerText.includes('"resolution":')`)
	p.write(`{"resolution":"sd","scenes":[{"duration":1}]}`)
	var at []float64
	p.until("the name is to be seen", inEditor(".cm-line")+".innerText.includes('resolution')")
	p.ask("(() => { const line = "+inEditor(".cm-line")+"; const range = document.createRange(); const walk = document.createTreeWalker(line, 4); let n; "+
		"while ((n = walk.nextNode()) && !n.data.includes('resolution')); range.selectNode(n); const b = range.getBoundingClientRect(); "+
		"return [b.left + b.width / 2, b.top + b.height / 2]; })()", &at)
	p.look("write-taken")
	p.do("point at it", input.DispatchMouseEvent(input.MouseMoved, at[0], at[1]), input.DispatchMouseEvent(input.MouseMoved, at[0]+1, at[1]))
	p.until("it is explained", inEditor(".cm-explained")+"?.innerText.length > 10")
}

// TestWrite_timeline: dragging over the time line goes to any moment, a click to the beginning of a bar.
func TestWrite_timeline(t *testing.T) {
	t.Parallel()
	p := visit(t, newService(t).NewAccount("maker", 100))
	p.goTo("/write")
	p.write(`{"resolution":"sd","scenes":[{"duration":4,"background-color":"#ff0000"},{"id":"second","duration":4,"background-color":"#0000ff"}]}`)
	p.until("the bars are there", "document.querySelectorAll('.bar.scene').length === 2")
	p.until("nothing is wrong", "document.querySelector('.problems .sum').innerText.includes('Nothing is wrong')") // nothing moves the bars any more
	p.until("the first scene is drawn", "(() => { const c = document.querySelector('.still canvas'); const d = c?.getContext('2d').getImageData(20, 20, 1, 1).data; return d && d[0] > 200 && d[2] < 60; })()")
	var box []float64
	p.ask("(() => { const b = document.querySelector('.bars').getBoundingClientRect(); return [b.left, b.top + 12, b.width]; })()", &box)
	at := func(share float64) (x, y float64) { return box[0] + share*box[2], box[1] }
	press := func(kind input.MouseType, share float64) *input.DispatchMouseEventParams {
		x, y := at(share)
		return input.DispatchMouseEvent(kind, x, y).WithButton(input.Left).WithButtons(1).WithClickCount(1)
	}
	p.do("drag", press(input.MousePressed, 0.1), press(input.MouseMoved, 0.4), press(input.MouseMoved, 0.75), press(input.MouseReleased, 0.75))
	p.until("the moment is shown", "Math.abs(+document.querySelector('.moment input').value - 6) < 0.2")
	p.until("the second scene is drawn", "(() => { const d = document.querySelector('.still canvas').getContext('2d').getImageData(20, 20, 1, 1).data; return d[2] > 200 && d[0] < 60; })()")
	p.until("a bar is clicked", "[...document.querySelectorAll('.bar.scene')].some((b) => b.innerText.includes('second') && (b.click(), true))")
	p.until("its beginning is shown", "Math.abs(+document.querySelector('.moment input').value - 4) < 0.1")
}

// TestWrite_shares: a link holds the draft, for somebody else's browser, and the draft there is not replaced.
func TestWrite_shares(t *testing.T) {
	t.Parallel()
	c := newService(t).NewAccount("maker", 100)
	p := visit(t, c)
	p.do("may use the clipboard", cdpbrowser.GrantPermissions([]cdpbrowser.PermissionType{
		cdpbrowser.PermissionTypeClipboardReadWrite, cdpbrowser.PermissionTypeClipboardSanitizedWrite}).
		WithBrowserContextID(chromedp.FromContext(p.ctx).BrowserContextID))
	p.goTo("/write")
	const shared = `{"comment":"שלום ` + `<b>","resolution":"sd","scenes":[{"duration":1}]}`
	p.write(shared)
	p.click("Copy a link")
	p.told("The link is copied")
	var link string
	p.do("read the link", chromedp.Evaluate("navigator.clipboard.readText()", &link, await))
	if !strings.HasPrefix(link, p.base+"/console/write#draft=") {
		t.Fatalf("the link is %q", link)
	}
	other := visit(t, c)
	other.goTo("/write")
	other.write(`{"comment":"my own","scenes":[{"duration":1}]}`)
	other.until("the draft is kept", "Object.values(localStorage).some((v) => v.includes('my own'))")
	other.do("follow the link", chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	other.until("the draft of the link is there", inEditor(".cm-content")+"?.innerText === "+quoted(shared))
	other.until("nothing is wrong", "document.querySelector('.problems .sum').innerText.includes('Nothing is wrong')")
	other.until("the own draft is still kept", "Object.values(localStorage).some((v) => v.includes('my own')) && location.hash === ''")
	other.do("follow a damaged link", chromedp.Navigate("about:blank"), chromedp.Navigate(link[:len(link)-8]+"!"))
	other.see("The link is damaged or not complete.")
}

// TestMovie_tells: where the time of a render went, what came from the cache, and what in the JSON a warning is about.
func TestMovie_tells(t *testing.T) {
	t.Parallel()
	c := newService(t).NewAccount("maker", 100)
	const scene = `{"duration":1,"background-color":"#102030","elements":[{"type":"text","text":"One","wdith":3}]}`
	c.WaitFor(c.SubmitBody([]byte(`{"resolution":"sd","scenes":[`+scene+`]}`)), "done")
	project := c.SubmitBody([]byte(`{"resolution":"sd","comment":"another","scenes":[` + scene + `,{"duration":1,"background-color":"#a02030"}]}`))
	c.WaitFor(project, "done")
	p := visit(t, c)
	p.goTo("/movies/" + project)
	p.until("the stages are told", "document.querySelector('.stages')?.innerText.includes('drawing and encoding')")
	p.see("frames from the cache")
	p.until("the warning leads somewhere", "document.querySelector('.warnings button')?.innerText.includes('wdith') && (document.querySelector('.warnings button').click(), true)")
	p.until("its place is marked", "document.querySelector('.source mark')?.innerText.includes('wdith') && !document.querySelector('.source mark').innerText.includes('another')")
	p.until("the JSON is as it was", "JSON.parse(document.querySelector('.source').textContent).scenes.length === 2")
	p.look("movie-warning")
}
