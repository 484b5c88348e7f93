package console_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"moviola/tests/harness"
	"moviola/tests/harness/damage"
)

// office is a service whose operators' console is on the HTTP interface, with an operator of each role.
type office struct {
	service *harness.Service
	http    *harness.Client
	base    string
	tokens  map[string]string
}

func newOffice(t *testing.T, flags ...string) *office {
	t.Helper()
	o := &office{service: harness.NewService(t, flags...), tokens: map[string]string{}}
	o.service.StartAPI("--log-requests=false", "--console-operator=public")
	o.http = o.service.Client("")
	o.base = pageAddress(o.http)
	for _, role := range []string{"observer", "operator", "owner"} {
		var added struct{ Token string }
		o.admin(t, http.MethodPost, "/admin/operators", `{"name":"an.`+role+`","role":"`+role+`"}`).Into(t, &added)
		o.tokens[role] = added.Token
	}
	return o
}

// admin calls the operators' interface with the configured token.
func (o *office) admin(t *testing.T, method, path, body string) harness.Answer {
	t.Helper()
	answer := o.http.Send(method, path, []byte(body), http.Header{"X-Admin-Token": {harness.AdminToken}, "Content-Type": {"application/json"}})
	if answer.Status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, answer.Status, answer.Body)
	}
	return answer
}

// enter signs an operator in.
func (o *office) enter(b *browser, role string) {
	b.t.Helper()
	b.do("open the operators' console", chromedp.Navigate(o.base+"/operator"), chromedp.WaitVisible("input[name=token]"), chromedp.SendKeys("input[name=token]", o.tokens[role]+"\r"))
	b.until("who has signed in is told", "document.querySelector('.who .account')?.innerText === "+quoted("an."+role))
}

func (o *office) visit(b *browser, path string) {
	b.t.Helper()
	harness.CaughtUp(b.t, o.http.Base) // some pages ask for their list only once
	b.do("go to "+path, chromedp.Navigate(o.base+"/operator"+path))
}

// TestOperator goes the way of a morning at work: open an account, grant credits after being asked again, change its plan, issue and revoke a key, read
// what was done and by whom, close the account, and be signed out as the token is revoked.
func TestOperator(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	b := open(t, o.base, 1280, 1000)
	o.enter(b, "operator")
	o.visit(b, "/accounts")
	b.see("Open an account")
	b.click("Open an account")
	b.fill("Name", "Anna "+hostile)
	b.fill("Credits", "10")
	b.click("Open")
	b.see("It is shown only now")
	b.click("I have kept it")
	b.click("Anna " + hostile)
	b.see("may be spent")
	id := b.read("the account's id", "document.querySelector('.pagehead .mono')?.innerText")
	b.click("Grant credits")
	b.fill("Amount", "250")
	b.fill("Reference", "invoice 17")
	b.click("Grant credits")
	b.see("Credits that were granted cannot be taken back.")
	if got := balance(t, o, id); got != 10 {
		t.Errorf("before the question was answered the balance is %d", got)
	}
	b.click("Grant")
	b.told("250 credits were granted.")
	b.until("the balance is shown", "document.querySelector('.large strong').innerText === '260'")
	b.click("Change plan")
	b.until("the plans are there to be chosen", "field('Plan').options.length === 3")
	b.fill("Plan", "paid")
	b.click("Change plan")
	b.told("The plan was changed.")
	b.click("Issue a key")
	b.fill("Name", "elsewhere")
	b.click("Issue a key")
	b.see("It is shown only now")
	b.click("I have kept it")
	b.click("Revoke elsewhere")
	b.see("Programs that use it are refused from now on.")
	b.click("Revoke")
	b.told("The key was revoked.")
	b.until("what was done is told", "document.body.innerText.includes('grant credits') && document.body.innerText.includes('an.operator')")
	b.click("Close account")
	b.fill("The account's id, to be sure", "another")
	b.click("Close account")
	b.see("This is not the id of the account.")
	b.fill("The account's id, to be sure", id)
	b.click("Close account")
	b.see("This account is closed for ever.")
	b.until("nothing of a name has run", "document.title !== 'taken' && !document.querySelector('main img')")
	o.admin(t, http.MethodDelete, "/admin/operators?name=an.operator", "")
	b.do("another page", chromedp.Evaluate("document.querySelector('nav a[href$=acts]')?.click()", nil))
	b.see("Your session has ended")
}

func balance(t *testing.T, o *office, account string) int {
	t.Helper()
	harness.CaughtUp(t, o.http.Base)
	var one struct{ Account struct{ Balance int } }
	o.admin(t, http.MethodGet, "/admin/accounts?account="+account, "").Into(t, &one)
	return one.Account.Balance
}

// TestOperator_owner: an owner adds an operator and renews a token, each shown once.
func TestOperator_owner(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	b := open(t, o.base, 1280, 1000)
	o.enter(b, "owner")
	o.visit(b, "/operators")
	b.click("Add an operator")
	b.fill("Name", "anna@example.com")
	b.fill("Role", "observer")
	b.click("Add an operator")
	first := b.read("the token", "document.querySelector('.secret code')?.innerText")
	b.click("I have kept it")
	b.click("Renew token anna@example.com")
	b.click("Renew token")
	b.until("another token is shown", "document.querySelector('.secret code')")
	second := b.read("the other token", "document.querySelector('.secret code')?.innerText")
	b.click("I have kept it")
	for token, status := range map[string]int{first: 403, second: 200} {
		if answer := o.http.Send(http.MethodGet, "/admin/accounts", nil, http.Header{"X-Admin-Token": {token}}); answer.Status != status {
			t.Errorf("a token is answered %d, want %d", answer.Status, status)
		}
	}
	b.gone(second)
}

// TestOperator_observer: who may only read sees no way to act, and is refused when acting all the same.
func TestOperator_observer(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	id, _ := o.service.OpenAccount("Anna", 10)
	b := open(t, o.base, 1280, 1000)
	o.enter(b, "observer")
	o.visit(b, "/accounts/"+id)
	b.see("may be spent")
	b.until("nothing can be done", "!control('Grant credits') && !control('Close account') && !control('Change plan') && !control('Issue a key')")
	var answer struct {
		Status int
		Body   string
	}
	b.do("grant all the same", chromedp.Evaluate(`fetch("/operator/api/admin/credits", {method: "POST", headers: {"X-Moviola-Console": "1", "Content-Type": "application/json"},
		body: JSON.stringify({account: `+quoted(id)+`, amount: 5, reference: "own"})}).then(async (r) => ({Status: r.status, Body: await r.text()}))`, &answer, await))
	if answer.Status != 403 || !strings.Contains(answer.Body, "operator_role") {
		t.Errorf("%d %s", answer.Status, answer.Body)
	}
	if got := balance(t, o, id); got != 10 {
		t.Errorf("the balance is %d", got)
	}
}

// TestOperator_private: the console is on the operators' address, and not on the HTTP interface, unless it is told otherwise; a token that was made for
// one run does not open it.
func TestOperator_private(t *testing.T) {
	t.Parallel()
	service, ops := harness.NewService(t), harness.FreeAddr(t)
	service.Environment = append(service.Environment, "MOVIOLA_ADMIN_TOKEN=")
	service.StartAPI("--log-requests=false", "--ops-listen", ops)
	if answer := service.Client("").Send(http.MethodGet, "/operator", nil, nil); answer.Status != http.StatusNotFound {
		t.Errorf("the HTTP interface answers %d", answer.Status)
	}
	printed := regexp.MustCompile(`Admin token until the next start.*\): (\S+)\n`)
	harness.Eventually(t, "the token is printed", func() bool { return printed.MatchString(service.API.Output()) })
	generated := printed.FindStringSubmatch(service.API.Output())[1]
	base := "http://" + strings.Replace(ops, "127.0.0.1", "localhost", 1)
	b := open(t, base, 1280, 900)
	b.do("open", chromedp.Navigate(base+"/operator"), chromedp.WaitVisible("input[name=token]"), chromedp.SendKeys("input[name=token]", generated+"\r"))
	b.see("made for one run of the service")
	var added struct{ Token string }
	service.Client("").Send(http.MethodPost, "/admin/operators", []byte(`{"name":"anna","role":"owner"}`), http.Header{"X-Admin-Token": {generated}}).Into(t, &added)
	b.fill("Operator's token", added.Token)
	b.click("Sign in")
	b.until("she is in", "document.querySelector('.who .account')?.innerText === 'anna'")
	b.do("reload", chromedp.Reload())
	b.until("she still is", "document.querySelector('.who .account')?.innerText === 'anna'")
	b.click("Sign out")
	b.until("she is out", "document.querySelector('input[name=token]')")
}

// TestOperator_service: an operator sees the process at work with its slots and its sandbox, and the configuration without secrets, and has a read model
// made again after being asked.
func TestOperator_service(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	b := open(t, o.base, 1280, 1000)
	o.enter(b, "operator")
	b.see("Nothing waits and nothing runs")
	o.visit(b, "/workers")
	b.until("the process tells of itself", "document.querySelector('.facts')?.innerText.includes('renderer') && document.body.innerText.includes('ffmpeg')")
	o.visit(b, "/configuration")
	b.until("what is the default can be left out", "document.querySelector('input[type=checkbox]') && (document.querySelector('input[type=checkbox]').click(), true)")
	b.until("what was set is shown", "document.body.innerText.includes('--console-operator') && !document.body.innerText.includes('--render-timeout')")
	if strings.Contains(b.shown(), harness.AdminToken) {
		t.Error("the configuration shows the token")
	}
	o.visit(b, "/models")
	b.click("Rebuild accounts")
	b.see("Lists go on meanwhile.")
	b.click("Rebuild")
	b.told("The rebuild has begun.")
	b.until("it is done", "[...document.querySelectorAll('.badge')].some((e) => e.innerText === 'Done')")
	o.visit(b, "/acts")
	b.see("rebuild read models")
}

// TestOperator_work: an operator sees what is stuck, tries it anew, and gives it up after being asked again; then whose work waits and which process does what.
func TestOperator_work(t *testing.T) {
	t.Parallel()
	o := newBusyOffice(t)
	id, anna := o.service.OpenAccount("Anna", 100)
	_, bob := o.service.OpenAccount("Bob", 100)
	project := o.getStuck(t, anna)
	b := open(t, o.base, 1280, 1000)
	o.enter(b, "operator")
	o.visit(b, "/stuck")
	b.see("the stored document is damaged")
	b.click("Try anew " + project)
	b.told("1 piece of work is tried within a minute.")
	harness.Eventually(t, "it is stuck again", func() bool { return o.stuck(t, project) })
	o.visit(b, "/stuck")
	b.click("Give up " + project)
	b.see("This cannot be undone.")
	b.click("Cancel")
	if !o.stuck(t, project) {
		t.Error("it was given up before the question was answered")
	}
	b.click("Give up " + project)
	b.see("This cannot be undone.")
	b.click("Give up")
	b.told("It was given up.")
	b.see("Nothing is stuck")
	if o.stuck(t, project) {
		t.Error("it is still stuck")
	}
	o.visit(b, "/acts?on=deliver/"+project)
	b.until("both acts bear the operator's name", "[...document.querySelectorAll('.rows li')].map((li) => li.innerText).every((text) => text.includes('an.operator')) && document.querySelectorAll('.rows li').length === 2")
	o.wait(anna, bob, anna, anna)
	o.visit(b, "/queue")
	b.until("ages and shares are shown", "/"+id+"\\s+Fetch sources\\s+\\d\\s+\\d\\s+(\\d+ (s|min)|–)\\s+75 %/.test(document.body.innerText) && document.body.innerText.includes('25 %')")
	o.visit(b, "/workers")
	b.until("the slot is in use", "/Slots: Fetch sources\\s+1 of 1/.test(document.body.innerText) && document.querySelector('.table').innerText.includes('Fetch sources')")
}

// TestOperator_axe: as TestConsole_axe, for the pages of operators.
func TestOperator_axe(t *testing.T) {
	t.Parallel()
	axe := readAxe(t)
	o := newBusyOffice(t)
	id, long := o.service.OpenAccount("Kinderfilmproduktionsgesellschaft für Nordrhein-Westfalen und angrenzende Länder mbH", 1_234_567)
	_, hebrew := o.service.OpenAccount("שלום עולם", 10)
	o.getStuck(t, long)
	o.wait(long, hebrew, long, long)
	closed, _ := o.service.OpenAccount(hostile, 10)
	o.admin(t, http.MethodDelete, "/admin/accounts?account="+closed, "")
	raw, err := json.Marshal(map[string]any{"account": id, "amount": 5, "reference": strings.Repeat("a-long-reference-", 11)})
	if err != nil {
		t.Fatal(err)
	}
	o.admin(t, http.MethodPost, "/admin/credits", string(raw))
	b := open(t, o.base, 1280, 900)
	o.enter(b, "owner")
	for _, page := range operatorPages(id) {
		b.inEveryLook(func() { o.visit(b, page.path) }, func(look string) {
			b.until(page.name+" is there", page.ready+" && !document.querySelector('.spinner')")
			b.examine("operator-"+page.name, look, axe)
		})
	}
}

// busyOffice is an office with one slot for fetching, whose sources may be silent and whose deliveries may get stuck.
type busyOffice struct {
	*office
	receiver *harness.Receiver
	silent   *httptest.Server
}

func newBusyOffice(t *testing.T) *busyOffice {
	t.Helper()
	receiver, silent := harness.NewReceiver(t), newSilent(t)
	hosts := receiver.Host + "," + silent.Listener.Addr().String()
	return &busyOffice{office: newOffice(t, "--allow-host", hosts, "--retry-limit", "1s", "--fetch-slots", "1"), receiver: receiver, silent: silent}
}

// wait submits for each client a movie whose source never answers.
func (o *busyOffice) wait(clients ...*harness.Client) {
	for _, client := range clients {
		client.SubmitBody([]byte(`{"scenes":[{"elements":[{"type":"image","src":"` + o.silent.URL + `/a.png"}]}]}`))
	}
}

// newSilent is a source whose file does not come until the test ends. It sends the head of its answer: without one the service
// would give a source up after half a minute, and what is to wait would not wait any more.
func newSilent(t *testing.T) *httptest.Server {
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-ended:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(ended) })
	return server
}

// getStuck has a delivery fail until it is stuck: the document of its movie is damaged.
func (o *busyOffice) getStuck(t *testing.T, c *harness.Client) (project string) {
	t.Helper()
	project = c.SubmitBody([]byte(`{"resolution":"custom","width":64,"height":64,"scenes":[{"duration":1}],
		"exports":[{"destinations":[{"type":"webhook","endpoint":"` + o.receiver.URL + `","password":"hush"}]}]}`))
	c.WaitFor(project, "done")
	harness.Eventually(t, "the delivery has ended", func() bool {
		results := c.Get(project).Movie.DestinationsResult
		return len(results) == 1 && results[0]["status"] == "ok"
	})
	damage.Replace(t, o.service, "moviola sealed document\n{", "moviola sealed document\n[")
	if answer := c.Do(http.MethodPost, "/movies/redeliver?project="+project, nil); answer.Status != http.StatusOK {
		t.Fatalf("redeliver: %d %s", answer.Status, answer.Body)
	}
	harness.Eventually(t, "it is stuck", func() bool { return o.stuck(t, project) })
	return project
}

func (o *office) stuck(t *testing.T, project string) bool {
	t.Helper()
	return strings.Contains(string(o.admin(t, http.MethodGet, "/admin/work", "").Body), project)
}

// operatorPages are all pages, with what each shows when it is there.
func operatorPages(account string) []shownPage {
	return []shownPage{
		{"queue", "/queue", "document.querySelectorAll('tbody tr').length > 2"},
		{"workers", "/workers", "document.querySelectorAll('.table').length === 2"},
		{"plans", "/plans", "document.querySelectorAll('tbody tr').length === 3"},
		{"storage", "/storage", "document.querySelectorAll('tbody tr').length > 2"},
		{"read models", "/models", "document.querySelectorAll('tbody tr').length > 10"},
		{"configuration", "/configuration", "document.querySelectorAll('tbody tr').length > 20"},
		{"accounts", "/accounts", "document.querySelectorAll('.rows li').length > 2"},
		{"account", "/accounts/" + account, "document.querySelector('.large') && document.querySelectorAll('.rows').length === 2"},
		{"no account", "/accounts/none", "document.querySelector('.failure')"},
		{"stuck work", "/stuck", "document.querySelectorAll('.rows li').length === 1"},
		{"operators", "/operators", "document.querySelectorAll('.rows:not(.sessions) li').length === 3 && document.querySelector('.sessions li')"},
		{"acts", "/acts", "document.querySelector('.rows')"},
		{"acts, none found", "/acts?on=nobody", "document.querySelector('.empty')"},
	}
}

// TestOperator_provider goes the way through an identity provider: from the page there and back, one act under the proven name, out again; and somebody without
// a role, and a provider that is away, are told so.
func TestOperator_provider(t *testing.T) {
	t.Parallel()
	o, provider := newProvidedOffice(t)
	provider.Become(map[string]any{"email": "anna@example.com", "email_verified": true, "groups": []string{"staff"}})
	b := open(t, o.base, 1280, 1000)
	through := throughIt(provider)
	b.do("open the operators' console", chromedp.Navigate(o.base+"/operator"))
	goThrough(b, provider)
	b.see("you have no role as an operator here")
	provider.Become(map[string]any{"email": "anna@example.com", "email_verified": true, "groups": []string{"staff", "video-ops"}})
	goThrough(b, provider)
	b.until("who has signed in is told", "document.querySelector('.who .account')?.innerText === 'oidc:anna@example.com'")
	o.visit(b, "/accounts")
	b.click("Open an account")
	b.fill("Name", "Berta")
	b.click("Open")
	b.see("It is shown only now")
	var done struct {
		Acts []struct{ Who, Act, Issuer, Subject string }
	}
	harness.CaughtUp(t, o.http.Base)
	o.admin(t, http.MethodGet, "/admin/acts", "").Into(t, &done)
	found := false
	for _, act := range done.Acts {
		found = found || act.Act == "open account" && act.Who == "oidc:anna@example.com" && act.Issuer == provider.URL && act.Subject == "subject-17"
	}
	if !found {
		t.Errorf("acts %+v", done.Acts)
	}
	b.click("I have kept it")
	b.click("Sign out")
	b.until("she is out", "document.querySelector('input[name=token]')") // going elsewhere before would end the call that signs out
	provider.Close()
	b.do("another look at the page", chromedp.Navigate(o.base+"/operator"))
	b.see(through)
	b.click(through)
	b.see("The identity provider does not answer")
	o.enter(b, "observer")
}
