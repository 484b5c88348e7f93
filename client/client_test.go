package client_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"moviola.example/client"
)

// service is a test server. It gives the answers of its list in order, and records the requests.
type service struct {
	*httptest.Server
	answers []answer
	asked   []*http.Request
	bodies  []string
	slept   []time.Duration
}

type answer struct {
	status int
	body   string
	after  string
}

func serve(t *testing.T, answers ...answer) (*service, *client.Client) {
	t.Helper()
	s := &service{answers: answers}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || len(s.answers) == 0 {
			t.Errorf("%s %s: one request too many, %v", r.Method, r.URL, err)
			return
		}
		next := s.answers[0]
		s.answers, s.asked, s.bodies = s.answers[1:], append(s.asked, r), append(s.bodies, string(body))
		if next.after != "" {
			w.Header().Set("Retry-After", next.after)
		}
		w.WriteHeader(next.status)
		_, _ = io.WriteString(w, strings.ReplaceAll(next.body, "SERVICE", s.URL))
	}))
	t.Cleanup(s.Close)
	return s, &client.Client{URL: s.URL + "/", Key: "mv_key", Sleep: func(ctx context.Context, d time.Duration) error {
		s.slept = append(s.slept, d)
		return ctx.Err()
	}}
}

// TestDo_addresses: the base address of the service may end in a slash, and in /v2.
func TestDo_addresses(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"", "/", "/v2", "/v2/"} {
		s, c := serve(t, answer{200, "{}", ""})
		c.URL = s.URL + end
		_, err := c.Do(t.Context(), client.Request{Method: http.MethodGet, Path: "/v2/movies"})
		if err != nil || len(s.asked) != 1 || s.asked[0].URL.Path != "/v2/movies" {
			t.Errorf("%q: asked %d times, %v", end, len(s.asked), err)
		}
	}
}

// A movie is submitted once, however often the request is repeated: all carry one Idempotency-Key.
func TestSubmit(t *testing.T) {
	t.Parallel()
	s, c := serve(t, answer{503, `{"message":"Busy","code":"busy"}`, "7"}, answer{500, `{"message":"Please try again","code":"movie_json_not_stored"}`, ""},
		answer{502, "<html>", ""}, answer{200, `{"success":true,"project":"abcdefghij012345"}`, ""})
	got, err := c.Submit(t.Context(), map[string]any{"scenes": []any{}}, &client.Options{MaxCredits: 9})
	if err != nil || got.Project != "abcdefghij012345" || len(s.asked) != 4 {
		t.Fatalf("%+v, %v, %d requests", got, err, len(s.asked))
	}
	key := s.asked[0].Header.Get("Idempotency-Key")
	for i, r := range s.asked {
		if r.Header.Get("Idempotency-Key") != key || key == "" || r.Header.Get("X-Api-Key") != "mv_key" ||
			r.URL.String() != "/v2/movies?max_credits=9" || s.bodies[i] != `{"scenes":[]}` {
			t.Errorf("%s %v %q", r.URL, r.Header, s.bodies[i])
		}
	}
	if len(s.slept) != 3 || s.slept[0] != 7*time.Second || s.slept[1] > time.Second {
		t.Errorf("slept %v", s.slept)
	}
}

// TestDo_refused: a refusal is returned as an error and not repeated. A request that may do harm twice is sent once even when the
// service is busy. A request that may be repeated is sent five times.
func TestDo_refused(t *testing.T) {
	t.Parallel()
	_, c := serve(t, answer{400, `{"success":false,"message":"No movie JSON received","code":"movie_json_missing"}`, ""})
	_, err := c.Submit(t.Context(), nil, nil)
	var refusal *client.Error
	if !errors.As(err, &refusal) || refusal.Code != "movie_json_missing" || refusal.Status != 400 || err.Error() != "No movie JSON received" {
		t.Errorf("%v", err)
	}
	_, c = serve(t, answer{503, `{"message":"Busy"}`, ""})
	if _, err := c.Cancel(t.Context(), "abcdefghij012345"); err == nil || err.Error() != "Busy" {
		t.Errorf("%v", err)
	}
	_, c = serve(t, answer{302, `<html>`, ""})
	if _, err := c.Movie(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "302 Found") {
		t.Errorf("%v", err)
	}
	_, c = serve(t, answer{200, `<html>`, ""})
	if _, err := c.Movie(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "not that of a Moviola service") {
		t.Errorf("%v", err)
	}
	busy := answer{429, `{"message":"Slow down"}`, ""}
	s, c := serve(t, busy, busy, busy, busy, busy)
	if _, err := c.Templates(t.Context()); err == nil || len(s.asked) != 5 {
		t.Errorf("%v after %d requests", err, len(s.asked))
	}
}

// TestDo_unreachable: a request to a service that cannot be reached is repeated, and the error names the address.
func TestDo_unreachable(t *testing.T) {
	t.Parallel()
	s, c := serve(t)
	s.Close()
	c.Retries = 2
	if _, err := c.Templates(t.Context()); err == nil || len(s.slept) != 2 || !strings.Contains(err.Error(), "/v2/templates") {
		t.Errorf("%v after %d pauses", err, len(s.slept))
	}
	c.Retries = -1
	if _, err := c.Templates(t.Context()); err == nil || len(s.slept) != 2 {
		t.Errorf("%v after %d pauses", err, len(s.slept))
	}
}

// TestDo_final: an error that every further request would have as well ends the call at once.
func TestDo_final(t *testing.T) {
	t.Parallel()
	s, c := serve(t)
	safe := httptest.NewTLSServer(s.Config.Handler)
	t.Cleanup(safe.Close)
	safe.Config.ErrorLog = log.New(io.Discard, "", 0)
	for _, address := range []string{safe.URL, "ftp://example.com", "http://exa mple.com", "example.com:80/"} {
		c.URL = address
		if _, err := c.Templates(t.Context()); err == nil || len(s.slept) != 0 {
			t.Errorf("%s: %v after %d pauses", address, err, len(s.slept))
		}
		s.slept = nil
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	movie := func(status, progress, url string) answer {
		return answer{200, `{"success":true,"movie":{"project":"p","status":"` + status + `","message":"Why","progress":` + progress +
			`,"url":` + url + `,"created_at":"2026-01-02T03:04:05.678Z"}}`, ""}
	}
	_, c := serve(t, movie("pending", "0", "null"), movie("running", "40", "null"), movie("running", "40", "null"), movie("done", "100", `"u"`))
	var seen []int64
	done, err := c.Wait(t.Context(), "p", func(m client.Status) { seen = append(seen, m.Progress) })
	if err != nil || done.URL == nil || *done.URL != "u" || done.CreatedAt.Year() != 2026 || len(seen) != 3 || seen[1] != 40 {
		t.Errorf("%+v, %v, %v", done, seen, err)
	}
	_, c = serve(t, movie("error", "0", "null"))
	var failed *client.FailedError
	if _, err = c.Wait(t.Context(), "p", nil); !errors.As(err, &failed) || err.Error() != "Why" || failed.Movie.Status != client.Failed {
		t.Errorf("%v", err)
	}
	_, c = serve(t, movie("pending", "0", "null"))
	ctx, cancel := context.WithCancel(t.Context())
	c.Sleep = func(context.Context, time.Duration) error {
		cancel()
		return ctx.Err()
	}
	if _, err := c.Wait(ctx, "p", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// An upload is registered with the key, and sent without it.
func TestUpload(t *testing.T) {
	t.Parallel()
	s, c := serve(t, answer{200, `{"success":true,"uploadUrl":"SERVICE/up","fileUrl":"SERVICE/a.txt"}`, ""}, answer{200, `{}`, ""})
	at, err := c.Upload(t.Context(), client.Upload{
		Name: "a.txt", ContentType: "text/plain", Size: 5, Folder: "f", Body: strings.NewReader("hello"),
	})
	if err != nil || at != s.URL+"/a.txt" || s.bodies[0] != `{"name":"a.txt","contentType":"text/plain","size":5,"folder":"f"}` {
		t.Errorf("%s, %v, %v", at, s.bodies, err)
	}
	if put := s.asked[1]; put.Method != http.MethodPut || put.Header.Get("X-Api-Key") != "" || s.bodies[1] != "hello" ||
		put.ContentLength != 5 || put.Header.Get("Content-Type") != "text/plain" {
		t.Errorf("%+v", put)
	}
	_, c = serve(t, answer{200, `{"success":true,"uploadUrl":"SERVICE/up","fileUrl":"x"}`, ""}, answer{403, `{"message":"Too late"}`, ""})
	if _, err = c.Upload(t.Context(), client.Upload{Size: 1, Body: strings.NewReader("a")}); err == nil || err.Error() != "Too late" {
		t.Errorf("%v", err)
	}
}

// The signature is that of the example that the convention itself publishes.
func TestVerifyWebhook(t *testing.T) {
	t.Parallel()
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	body := []byte(`{"test": 2432232314}`)
	header := http.Header{}
	header.Set("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
	header.Set("webhook-timestamp", "1614265330")
	header.Set("webhook-signature", "v1,AAAA v2,x v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	now := time.Unix(1614265330, 0)
	// The body is no payload of this service: its test is a number. That it is read at all shows that it was verified.
	if _, err := client.VerifyWebhook(secret, header, body, now); err == nil || !strings.Contains(err.Error(), "read the message") {
		t.Errorf("%v", err)
	}
	for name, at := range map[string]time.Time{"old": now.Add(301 * time.Second), "of the future": now.Add(-301 * time.Second)} {
		if _, err := client.VerifyWebhook(secret, header, body, at); !errors.Is(err, client.ErrUnverified) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := client.VerifyWebhook(secret, header, append(body, ' '), now); !errors.Is(err, client.ErrUnverified) {
		t.Errorf("changed: %v", err)
	}
	header.Set("webhook-signature", "")
	if _, err := client.VerifyWebhook(secret, header, body, now); !errors.Is(err, client.ErrUnverified) {
		t.Errorf("unsigned: %v", err)
	}
	if _, err := client.VerifyWebhook("whsec_", header, body, now); err == nil || errors.Is(err, client.ErrUnverified) {
		t.Errorf("no secret: %v", err)
	}
}
