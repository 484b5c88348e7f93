package console_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

// answeredOnce has the page's next grant answered as one of a session that began too long ago.
const answeredOnce = `(() => { const real = window.fetch; let asked = false; window.fetch = (to, how) => {
	if (asked || how?.method !== "POST" || !String(to).includes("/admin/credits")) return real(to, how);
	asked = true;
	return Promise.resolve(new Response(JSON.stringify({ success: false, code: "sign_in_again", message: "sign in again" }), { status: 403, headers: { "Content-Type": "application/json" } }));
} })()`

// TestOperator_again: who has signed in too long ago is asked for the token in front of the page, and what they were about to do goes on; who does not give it
// has done nothing. An owner ends the session of somebody else.
func TestOperator_again(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	id, _ := o.service.OpenAccount("Anna", 10)
	b := open(t, o.base, 1280, 1000)
	o.enter(b, "owner")
	o.visit(b, "/accounts/"+id)
	b.see("may be spent")
	b.do("let time go by", chromedp.Evaluate(answeredOnce, nil))
	grant(b)
	b.see("less than five minutes old")
	b.fill("Operator's token", "mo_guess")
	b.click("Sign in and go on")
	b.see("Invalid token")
	if got := balance(t, o, id); got != 10 {
		t.Errorf("before somebody has signed in again the balance is %d", got)
	}
	b.fill("Operator's token", o.tokens["owner"])
	b.click("Sign in and go on")
	b.told("250 credits were granted.")
	if got := balance(t, o, id); got != 260 {
		t.Errorf("the balance is %d", got)
	}
	var all struct{ Sessions []struct{ Name string } }
	o.admin(t, http.MethodGet, "/admin/operators/sessions", "").Into(t, &all)
	if len(all.Sessions) != 1 {
		t.Errorf("open sessions: %+v", all.Sessions)
	}

	b.do("let time go by again", chromedp.Evaluate(answeredOnce, nil))
	grant(b)
	b.see("less than five minutes old")
	b.click("Cancel")
	b.see("sign in again")
	if got := balance(t, o, id); got != 260 {
		t.Errorf("without signing in again the balance is %d", got)
	}

	other := open(t, o.base, 1280, 1000)
	o.enter(other, "observer")
	o.visit(b, "/operators")
	b.click("End an.observer")
	b.see("End the session of an.observer?")
	b.click("End")
	b.told("The session has ended")
	b.gone("End an.observer")
	other.do("another page", chromedp.Evaluate("document.querySelector('nav a[href$=acts]')?.click()", nil))
	other.see("Your session has ended")
}

// grant grants credits on the page of an account.
func grant(b *browser) {
	b.t.Helper()
	b.click("Grant credits")
	b.fill("Amount", "250")
	b.fill("Reference", "invoice 17")
	b.click("Grant credits")
	b.see("Credits that were granted cannot be taken back.")
	b.click("Grant")
}
