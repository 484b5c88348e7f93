package api_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/key"
	"moviola/eventstore"
	"moviola/eventstore/eventstoredb"
	"moviola/tests/harness"
)

// origin is the one whose pages may use the services of the tests; publicURL is where they say that they are.
const (
	origin    = "https://app.example"
	publicURL = "http://public.example:8080"
)

// row is one rule and what shows it.
type row struct {
	rule string
	run  func(t *testing.T, w *world)
}

// world is installations with a web server beside them: one as it comes, one whose renders soon time out, one that soon forgets, and one
// that takes no work, in which movies stay pending.
type world struct {
	shared    string // an export folder of plain
	plain     *installation
	hasty     *installation
	forgetful *installation
	idle      *installation
	web       *site
}

// installation is a running service.
type installation struct {
	base  string
	data  string
	log   *eventstore.Log
	http  *http.Client
	terms *harness.Contract
}

// client calls an installation with one key.
type client struct {
	*installation
	key     string
	account string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{web: newSite(t)}
	w.shared = t.TempDir()
	w.plain = install(t, w.web, "--export-folder", "shared="+w.shared)
	w.hasty = install(t, w.web, "--render-timeout", "8s") // and as long again for a render to end late
	w.forgetful = install(t, w.web, "--file-retention", "8s", "--temp-retention", "1s", "--upload-url-ttl", "8s", "--asset-cache-ttl", "4s")
	w.idle = install(t, w.web, "--roles", "api,projector")
	return w
}

func install(t *testing.T, web *site, flags ...string) *installation {
	t.Helper()
	store := harness.FreeAddr(t)
	service := harness.NewService(t, append(flags, "--allow-host", web.host, "--cors-origin", origin, "--eventstore-listen", store,
		"--public-url", publicURL, "--render-slots", "2")...)
	service.StartAPI()
	db, err := eventstoredb.Open(eventstoredb.Config{Addr: store})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
		defer cancel()
		if err := db.Close(ctx); err != nil {
			t.Errorf("close the event store client: %v", err)
		}
	})
	return &installation{
		base: service.Client("").Base, data: service.Data, log: eventstore.NewLog(db, eventstore.NewCodec()),
		http: &http.Client{Timeout: harness.Patience}, terms: harness.LoadContract(t),
	}
}

// open opens an account on the paid plan; credits below 0 leave the default.
func (i *installation) open(t *testing.T, credits int) *client { return i.openOn(t, "paid", credits) }

func (i *installation) openOn(t *testing.T, plan string, credits int) *client {
	t.Helper()
	request := map[string]any{"name": "test", "plan": plan}
	if credits >= 0 {
		request["credits"] = credits
	}
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	answer := i.send(t, "POST", "/admin/accounts", string(body), "X-Admin-Token", harness.AdminToken)
	var opened struct{ Account, Key string }
	answer.Into(t, &opened)
	if answer.Status != 200 {
		t.Fatalf("open an account: %d %s", answer.Status, answer.Body)
	}
	harness.NextMillisecond() // what is made next is younger than the account's first key
	return &client{installation: i, key: opened.Key, account: opened.Account}
}

// grant adds credits to the client's account.
func (c *client) grant(t *testing.T, amount int) {
	t.Helper()
	body := fmt.Sprintf(`{"account":%q,"amount":%d,"reference":%q}`, c.account, amount, t.Name())
	if answer := c.send(t, "POST", "/admin/credits", body, "X-Admin-Token", harness.AdminToken); answer.Status != 200 {
		t.Fatalf("grant: %d %s", answer.Status, answer.Body)
	}
}

// as issues another key of the client's account.
func (c *client) as(t *testing.T, role key.Role, expires *time.Time) *client {
	t.Helper()
	value, err := key.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	hash := key.Hash(value)
	issued := key.Issued{Account: domain.AccountID(c.account), Name: "test", Role: role, Hash: hash, ExpiresAt: expires, At: time.Now().UTC()}
	ctx, cancel := context.WithTimeout(t.Context(), harness.Patience)
	defer cancel()
	_, err = c.log.Append(ctx, key.Stream(key.ID(hash)), eventstore.NoStream, eventstore.Meta{Account: issued.Account, Time: issued.At}, issued)
	if err != nil {
		t.Fatal(err)
	}
	return &client{installation: c.installation, key: value, account: c.account}
}

// send makes a request and holds the answer against the interface's description. header is names and values in turn.
func (i *installation) send(t *testing.T, method, path, body string, header ...string) harness.Answer {
	t.Helper()
	if strings.HasPrefix(path, "/v2/movies/still") {
		return harness.WhenFree(t, func() harness.Answer { return i.sendOnce(t, method, path, body, header...) })
	}
	return i.sendOnce(t, method, path, body, header...)
}

func (i *installation) sendOnce(t *testing.T, method, path, body string, header ...string) harness.Answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, i.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n+1 < len(header); n += 2 {
		r.Header.Add(header[n], header[n+1])
	}
	began := time.Now()
	response, err := i.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	answer := harness.Answer{Status: response.StatusCode, Header: response.Header, Body: data}
	harness.Seen(t, i.base, method, began, answer)
	i.terms.Check(t, method, i.base+path, answer)
	return answer
}

// call is send with the client's key, to a path below /v2.
func (c *client) call(t *testing.T, method, path, body string, header ...string) harness.Answer {
	t.Helper()
	if c.key != "" {
		header = append(header, "X-Api-Key", c.key)
	}
	return c.send(t, method, "/v2"+path, body, header...)
}

// refused checks that a request is refused, as it must be.
func (c *client) refused(t *testing.T, method, path, body string, status int, code, message string, header ...string) {
	t.Helper()
	answer := c.call(t, method, path, body, header...)
	var got struct {
		Success       *bool
		Code, Message string
	}
	answer.Into(t, &got)
	if answer.Status != status || got.Success == nil || *got.Success || got.Code != code || message != "" && got.Message != message {
		t.Errorf("%s %.80s: %d %.300s\nwant %d %s %q", method, path, answer.Status, answer.Body, status, code, message)
	}
}

// submit posts a movie that must be accepted.
func (c *client) submit(t *testing.T, movie string, header ...string) string {
	t.Helper()
	answer := c.call(t, "POST", "/movies", movie, header...)
	var got struct{ Project string }
	answer.Into(t, &got)
	if answer.Status != 200 || len(got.Project) != 16 {
		t.Fatalf("submit: %d %.300s", answer.Status, answer.Body)
	}
	harness.NextMillisecond()
	return got.Project
}

// object is any JSON object.
type object = map[string]any

// into calls and decodes an answer that must be 200.
func (c *client) into(t *testing.T, method, path, body string) object {
	t.Helper()
	answer := c.call(t, method, path, body)
	var got object
	answer.Into(t, &got)
	if answer.Status != 200 {
		t.Fatalf("%s %s: %d %.300s", method, path, answer.Status, answer.Body)
	}
	return got
}

// movie is the status object of a movie.
func (c *client) movie(t *testing.T, project string) object {
	t.Helper()
	return c.into(t, "GET", "/movies?project="+project, "")["movie"].(object)
}

// until polls until the movie has a status.
func (c *client) until(t *testing.T, project, status string) object {
	t.Helper()
	var last object
	harness.Eventually(t, "movie "+project+" is "+status, func() bool {
		last = c.movie(t, project)
		if ended := last["status"] == "done" || last["status"] == "error"; ended && last["status"] != status {
			t.Fatalf("movie %s is %v: %v", project, last["status"], last["message"])
		}
		return last["status"] == status
	})
	return last
}

// left is how many credits the account can spend.
func (c *client) left(t *testing.T) float64 {
	t.Helper()
	left, ok := c.into(t, "GET", "/movies?limit=1&format=simple", "")["remaining_quota"].(object)["time"].(float64)
	if !ok {
		t.Fatal("the account has no time counter")
	}
	return left
}

// leaves waits until the account can spend an amount.
func (c *client) leaves(t *testing.T, amount float64) {
	t.Helper()
	harness.Eventually(t, fmt.Sprintf("%v credits are left", amount), func() bool { return c.left(t) == amount })
}

// settled waits until nothing is held any more, and the account can spend an amount: while a movie is not settled, its hold looks like
// its price.
func (c *client) settled(t *testing.T, amount float64) {
	t.Helper()
	harness.Eventually(t, fmt.Sprintf("nothing is held and %v credits are left", amount), func() bool {
		now := c.into(t, "GET", "/credits", "")
		return now["held"] == 0.0 && now["available"] == amount
	})
	c.leaves(t, amount)
}

// site is a web server: pictures, pictures that are held back, and receivers of webhooks.
type site struct {
	base, host string
	picture    []byte
	mu         sync.Mutex
	gates      map[string]chan struct{} // of pictures that are held back
	hits       map[string][]hit         // of receivers, by path
}

// hit is a request that a receiver got.
type hit struct {
	at          time.Time
	contentType string
	body        string
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{gates: map[string]chan struct{}{}, hits: map[string][]hit{}}
	path := filepath.Join(t.TempDir(), "picture.png")
	harness.WritePNG(t, path, 64, 64, harness.PictureLeft, harness.PictureRight)
	var err error
	if s.picture, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Cleanup(s.openAll)
	s.base, s.host = server.URL, strings.TrimPrefix(server.URL, "http://")
	return s
}

// ServeHTTP implements http.Handler: /held/x waits for its gate, /status/n/x receives and answers n, everything else is a picture.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.URL.Path, "/")
	switch {
	case parts[1] == "held":
		select {
		case <-s.gate(parts[2]):
		case <-r.Context().Done():
			return
		}
	case parts[1] == "status":
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.hits[r.URL.Path] = append(s.hits[r.URL.Path], hit{time.Now(), r.Header.Get("Content-Type"), string(body)})
		s.mu.Unlock()
		var status int
		if _, err := fmt.Sscan(parts[2], &status); err == nil {
			w.Header().Set("Location", s.base+"/status/200/elsewhere")
			w.WriteHeader(status)
		}
		return
	}
	http.ServeContent(w, r, "picture.png", time.Time{}, bytes.NewReader(s.picture))
}

func (s *site) gate(name string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gates[name] == nil {
		s.gates[name] = make(chan struct{})
	}
	return s.gates[name]
}

func (s *site) openAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, gate := range s.gates {
		select {
		case <-gate:
		default:
			close(gate)
		}
		delete(s.gates, name)
	}
}

// received is what a receiver got so far.
func (s *site) received(path string) []hit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]hit(nil), s.hits[path]...)
}

// held is a movie of a second that renders until release is called: its picture is held back, whose address is not known before a voice has
// been heard, so that it cannot be fetched before the render.
func (s *site) held(t *testing.T, rest string) (movie string, release func()) {
	t.Helper()
	name := strings.NewReplacer("/", "-", "#", "-").Replace(t.Name())
	gate := s.gate(name)
	once := sync.OnceFunc(func() { close(gate) })
	t.Cleanup(once)
	return fmt.Sprintf(`{"resolution":"custom","width":64,"height":64,"scenes":[{"duration":1,"elements":[`+
		`{"type":"voice","id":"said","text":"a","muted":true},{"type":"image","src":"%s/held/%s?{{said_duration}}"}]}]%s}`,
		s.base, name, rest), once
}

// short is a movie of a second that renders quickly, with more properties.
func short(rest string) string {
	return `{"resolution":"custom","width":64,"height":64,"scenes":[{"duration":1,"background-color":"#336699"}]` + rest + `}`
}

// quick is a movie that is accepted and fails at once, with more properties: for rules that need no video.
func quick(rest string) string {
	return `{"scenes":[{"elements":[{"type":"video"}]}]` + rest + `}`
}
