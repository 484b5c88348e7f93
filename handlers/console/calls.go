package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/domain/key"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections/keyring"
)

// Keys finds out whom keys let in. Package keyring has it.
type Keys interface {
	access.Keys
	Session(ctx context.Context, id, session string, began time.Time) (keyring.Holder, bool, error)
	Forget(id string)
}

// Ender ends sessions in all processes.
type Ender interface {
	Handle(ctx context.Context, cmd accounts.EndSession) error
}

// MarkHeader is a header that no form and no link can send, only a script of this origin. Calls that change something need it.
const MarkHeader = "X-Moviola-Console"

var (
	errNotSignedIn = domain.Errorf(domain.Unauthenticated, "session_missing", "Please sign in")
	errForeign     = domain.Errorf(domain.Forbidden, "console_origin", "This call does not come from the console's own page")
	errSafe        = domain.Errorf(domain.Forbidden, "console_insecure",
		"The console needs https: start the service with --tls-cert, or with --public-url https://… behind a proxy. Plain "+
			"http works on this machine only, at http://localhost")
	errBody = domain.Errorf(domain.Invalid, "body_invalid", `The body must be {"key":"…"}`)
)

// maxSignIn is the size of a body with a key, at most.
const maxSignIn = 4 << 10

// foreign refuses a call that another page may have made a browser send. What only reads needs no more than the cookie, which
// browsers send with calls of the same site only.
func (c *Console) foreign(r *http.Request) error {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return errForeign
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	origins := r.Header.Values("Origin")
	if len(origins) != 1 || !strings.EqualFold(origins[0], c.origin) {
		return domain.Errorf(domain.Forbidden, errForeign.Code, "%s: open it at %s%s", errForeign.Message, c.origin, Path)
	}
	if r.Header.Get(MarkHeader) == "" {
		return errForeign
	}
	return nil
}

// signIn serves POST /console/api/session: who has a key gets a session.
func (c *Console) signIn(w http.ResponseWriter, r *http.Request) {
	if err := c.begin(w, r); err != nil {
		web.Fail(w, r, c.cfg.Log, err)
	}
}

func (c *Console) begin(w http.ResponseWriter, r *http.Request) error {
	if c.cookie.name == "" {
		return errSafe
	}
	if err := c.foreign(r); err != nil {
		return err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxSignIn))
	if err != nil {
		return errBody
	}
	var asked struct{ Key string }
	if json.Unmarshal(body, &asked) != nil {
		return errBody
	}
	asked.Key = strings.TrimSpace(asked.Key)
	if !key.Check(asked.Key) {
		return access.ErrKeyInvalid
	}
	hash := key.Hash(asked.Key)
	holder, ok, err := c.cfg.Keys.Holder(r.Context(), hash)
	if err != nil {
		return fmt.Errorf("look up an API key: %w", err)
	}
	if !ok {
		return access.ErrKeyInvalid
	}
	one, err := newSession(key.ID(hash), c.cfg.Now())
	if err != nil {
		return err
	}
	c.cookie.set(w, c.seal.seal(one))
	return c.tell(w, one, holder)
}

// shown is what the page is told of its session.
type shown struct {
	Success bool     `json:"success"`
	Account string   `json:"account"`
	Role    key.Role `json:"role"`
	KeyID   string   `json:"key_id"`
	Until   string   `json:"until"`
}

func (c *Console) tell(w http.ResponseWriter, one session, holder keyring.Holder) error {
	return web.Write(w, http.StatusOK, shown{
		Success: true, Account: string(holder.Account), Role: holder.Role, KeyID: one.keyID(), Until: web.Stamp(one.until()),
	})
}

// showSession serves GET /console/api/session.
func (c *Console) showSession(w http.ResponseWriter, r *http.Request) {
	one, holder, err := c.session(w, r)
	if err == nil {
		err = c.tell(w, one, holder)
	}
	if err != nil {
		web.Fail(w, r, c.cfg.Log, err)
	}
}

// signOut serves DELETE /console/api/session. The session ends in every process: a copy of its cookie opens nothing either.
func (c *Console) signOut(w http.ResponseWriter, r *http.Request) {
	one, _, err := c.session(w, r)
	if errors.Is(err, errNotSignedIn) { // it has ended by itself
		c.cookie.set(w, "")
		err = web.Write(w, http.StatusOK, struct {
			Success bool `json:"success"`
		}{true})
	} else if err == nil {
		err = c.end(w, r, one)
	}
	if err != nil {
		web.Fail(w, r, c.cfg.Log, err)
	}
}

func (c *Console) end(w http.ResponseWriter, r *http.Request, one session) error {
	err := c.cfg.End.Handle(r.Context(), accounts.EndSession{Key: one.keyID(), Session: one.name(), Began: one.began,
		Until: one.until()})
	c.cfg.Keys.Forget(one.keyID()) // even after an error: what became of the append may be unknown
	if err != nil {
		return err
	}
	c.cookie.set(w, "")
	return web.Write(w, http.StatusOK, struct {
		Success bool `json:"success"`
	}{true})
}

// session returns the session of a call and who holds its key now, and notes that it is in use.
func (c *Console) session(w http.ResponseWriter, r *http.Request) (session, keyring.Holder, error) {
	if err := c.foreign(r); err != nil {
		return session{}, keyring.Holder{}, err
	}
	one, ok := c.seal.open(c.cookie.of(r))
	now := c.cfg.Now()
	if !ok || !one.alive(now) {
		return session{}, keyring.Holder{}, errNotSignedIn
	}
	holder, ok, err := c.cfg.Keys.Session(r.Context(), one.keyID(), one.name(), one.began)
	if err != nil {
		return session{}, keyring.Holder{}, fmt.Errorf("look up the key of a session: %w", err)
	}
	if !ok {
		return session{}, keyring.Holder{}, errNotSignedIn
	}
	if now.Sub(one.seen) >= renewEvery {
		one.seen = now
		c.cookie.set(w, c.seal.seal(one))
	}
	return one, holder, nil
}

// withheld are headers that a call does not take along: what lets somebody in, and what is about the console only.
var withheld = []string{"Cookie", "X-Api-Key", "X-Admin-Token", "Authorization", "Origin", MarkHeader}

// call serves what is below /console/api/v2: the same operation at /v2, for the holder of the session's key. What a key opens can
// be reached like that, and nothing else.
func (c *Console) call(w http.ResponseWriter, r *http.Request) {
	_, holder, err := c.session(w, r)
	if err != nil {
		web.Fail(w, r, c.cfg.Log, err)
		return
	}
	passed := r.Clone(access.WithHolder(r.Context(), holder))
	passed.URL = &url.URL{Path: strings.TrimPrefix(r.URL.Path, Path+"/api"), RawQuery: r.URL.RawQuery}
	passed.RequestURI = passed.URL.RequestURI()
	for _, name := range withheld {
		passed.Header.Del(name)
	}
	if r.URL.RawPath != "" || !c.cfg.Serves(passed) {
		web.NotFound(w, r)
		return
	}
	c.cfg.Calls.ServeHTTP(w, passed)
}
