package console

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"moviola/domain"
	"moviola/handlers/http/web"
)

// MarkHeader is a header that only a script of this origin can send; forms and links cannot. Calls
// that change something must have it.
const MarkHeader = "X-Moviola-Console"

var (
	errNotSignedIn = domain.Errorf(domain.Unauthenticated, "session_missing", "Please sign in")
	errForeign     = domain.Errorf(domain.Forbidden, "console_origin", "This call does not come from the console's own page")
	errSafe        = domain.Errorf(domain.Forbidden, "console_insecure",
		"The console needs https: start the service with --tls-cert, or with --public-url https://… behind a proxy. Plain "+
			"http works on this machine only, at http://localhost")
)

// maxSignIn is the maximum size, in bytes, of the body of a request to sign in, which contains a key or token.
const maxSignIn = 4 << 10

// foreign refuses a call that a page of another site may have made the browser send. A call that only reads needs
// neither the header Origin nor MarkHeader, because browsers do not send the session's cookie with calls of another site.
func (c *Console) foreign(r *http.Request) error {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return errForeign
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	own, origins := c.place(r).origin, r.Header.Values("Origin")
	if len(origins) != 1 || !strings.EqualFold(origins[0], own) {
		return domain.Errorf(domain.Forbidden, errForeign.Code, "%s: open it at %s%s", errForeign.Message, own, c.site.path)
	}
	if r.Header.Get(MarkHeader) == "" {
		return errForeign
	}
	return nil
}

// signIn serves POST at the path of the session: a valid key or token starts a session.
func (c *Console) signIn(w http.ResponseWriter, r *http.Request) {
	if err := c.begin(w, r); err != nil {
		web.Fail(w, r, c.Log, err)
	}
}

func (c *Console) begin(w http.ResponseWriter, r *http.Request) error {
	cookie := c.place(r).cookie
	if cookie.name == "" {
		return errSafe
	}
	if err := c.foreign(r); err != nil {
		return err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxSignIn))
	if err != nil {
		body = nil // The body is too long for a key or token, so the sign-in is refused.
	}
	who, id, err := c.door.enter(r, body)
	if err != nil {
		return err
	}
	now := c.Now()
	one, err := newSession(id, now)
	if err == nil {
		err = c.start(r.Context(), w, cookie, beginning{one: one, who: who, before: c.had(r, cookie, now)})
	}
	if err != nil {
		return err
	}
	return web.Write(w, http.StatusOK, who.shown(one))
}

// beginning describes a session that is about to begin.
type beginning struct {
	one    session
	who    guest
	before *session // the session that the browser had; nil: it had none
}

// had returns the session whose cookie the browser has sent; nil: it has sent none, or its session is over.
func (c *Console) had(r *http.Request, cookie cookie, now time.Time) *session {
	one, ok := c.seal.open(cookie.of(r))
	if !ok || !one.alive(now) {
		return nil
	}
	return &one
}

// start begins a session and sends its cookie to the browser.
func (c *Console) start(ctx context.Context, w http.ResponseWriter, cookie cookie, b beginning) error {
	value := c.seal.seal(b.one)
	if len(value) > maxCookie {
		return errNamesTooLong
	}
	if err := c.door.begun(ctx, b); err != nil {
		return err
	}
	cookie.set(w, value)
	return nil
}

// showSession serves GET at the path of the session: it describes the caller's session.
func (c *Console) showSession(w http.ResponseWriter, r *http.Request) {
	one, who, err := c.session(w, r)
	if err == nil {
		err = web.Write(w, http.StatusOK, who.shown(one))
	}
	if err != nil {
		web.Fail(w, r, c.Log, err)
	}
}

// signOut serves DELETE at the path of the session. The session ends in every process, so that a copy of its cookie is useless
// from then on.
func (c *Console) signOut(w http.ResponseWriter, r *http.Request) {
	one, _, err := c.session(w, r)
	if err == nil {
		err = c.door.leave(r.Context(), one)
	}
	if err == nil || errors.Is(err, errNotSignedIn) { // An expired session has ended already, so only the cookie has to be removed.
		c.place(r).cookie.set(w, "")
		err = web.Write(w, http.StatusOK, struct {
			Success bool `json:"success"`
		}{true})
	}
	if err != nil {
		web.Fail(w, r, c.Log, err)
	}
}

// session returns the session of a call and its owner. When the cookie is renewEvery old, it sends a new one that records
// the use of the session.
func (c *Console) session(w http.ResponseWriter, r *http.Request) (session, guest, error) {
	if err := c.foreign(r); err != nil {
		return session{}, nil, err
	}
	cookie := c.place(r).cookie
	one, ok := c.seal.open(cookie.of(r))
	now := c.Now()
	if !ok || !one.alive(now) {
		return session{}, nil, errNotSignedIn
	}
	who, ok, err := c.door.resume(r.Context(), one, now)
	if err != nil {
		return session{}, nil, err
	}
	if !ok {
		return session{}, nil, errNotSignedIn
	}
	if now.Sub(one.seen) >= renewEvery {
		one.seen = now
		cookie.set(w, c.seal.seal(one))
	}
	return one, who, nil
}

// withheld are headers that are not passed on with a call: credentials, names of users, and headers for the console itself.
var withheld = []string{"Cookie", "X-Api-Key", web.OperatorTokenHeader, "X-Operator", "Authorization", "Origin", MarkHeader}

// call serves the paths below the folder of calls. It passes a request to the API operation at the same path, on behalf of
// the session's owner. Only operations for which a key or token is needed can be called this way.
func (c *Console) call(w http.ResponseWriter, r *http.Request) {
	_, who, err := c.session(w, r)
	if err != nil {
		web.Fail(w, r, c.Log, err)
		return
	}
	passed := r.Clone(who.within(r.Context()))
	passed.URL = &url.URL{Path: strings.TrimPrefix(r.URL.Path, c.site.path+apiFolder), RawQuery: r.URL.RawQuery}
	passed.RequestURI = passed.URL.RequestURI()
	for _, name := range withheld {
		passed.Header.Del(name)
	}
	if r.URL.RawPath != "" || !c.Serves(passed) {
		web.NotFound(w, r)
		return
	}
	c.Calls.ServeHTTP(w, passed)
}
