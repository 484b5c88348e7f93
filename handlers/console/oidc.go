package console

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"moviola/domain"
	"moviola/domain/operator"
	"moviola/handlers/http/web"
)

// Where operators sign in through an identity provider.
const (
	// provingPath says whether that is possible, and begins it.
	provingPath = OperatorPath + apiFolder + "/oidc"
	// AnswerPath is where the provider sends the browser back to.
	AnswerPath = OperatorPath + "/oidc"
)

// IdentityProvider proves who operators are. adapters/oidc does.
type IdentityProvider interface {
	// Name is how people know it.
	Name() string
	// ID tells one configuration from others, in the form of a token's id.
	ID() string
	// Begin returns an attempt, and the address that the browser goes to.
	Begin(ctx context.Context, redirect string) (operator.Attempt, string, error)
	// Finish returns who it is, by the code that the browser has brought back.
	Finish(ctx context.Context, one operator.Attempt, code string) (operator.Proven, error)
}

// attemptTime is how long somebody may take at the provider.
const attemptTime = 10 * time.Minute

// attemptFor binds what is sealed to its purpose and form.
var attemptFor = []byte("operators' sign-in 1")

var (
	errNoProvider = domain.Errorf(domain.NotFound, "oidc_off",
		"No identity provider is configured: sign in with an operator's token")
	errAttempt = domain.Errorf(domain.Forbidden, "oidc_attempt",
		"This sign-in was not begun in this browser, or longer than ten minutes ago: begin again")
)

// proving lets in whom an identity provider knows. Decision 88.
type proving struct {
	*Console
	provider IdentityProvider
	fixed    bool // the page has one address
}

func (p proving) routes() map[string]web.Methods {
	return map[string]web.Methods{
		provingPath: {http.MethodGet: p.offer, http.MethodPost: func(w http.ResponseWriter, r *http.Request) {
			if err := p.begin(w, r); err != nil {
				p.note(err)
				web.Fail(w, r, p.Log, err)
			}
		}},
		AnswerPath: {http.MethodGet: p.answer},
	}
}

// offer serves GET: which provider the page may offer.
func (p proving) offer(w http.ResponseWriter, r *http.Request) {
	offered := struct {
		Success  bool   `json:"success"`
		Provider string `json:"provider"` // empty: none
	}{Success: true}
	if p.provider != nil {
		offered.Provider = p.provider.Name()
	}
	if err := web.Write(w, http.StatusOK, offered); err != nil {
		web.Fail(w, r, p.Log, err)
	}
}

// attempting is the cookie that binds an attempt to the browser that has begun it. The provider's answer is a link from another
// site, with which browsers send no cookie that is SameSite=Strict: so this one is Lax. It opens nothing by itself. The session's
// cookie stays Strict: the page needs it only for calls of its own.
func (w place) attempting() cookie {
	return cookie{name: w.cookie.name + "-oidc", secure: w.cookie.secure, kept: attemptTime}
}

// begin serves POST: it remembers the attempt in the browser, and tells the page where to go.
func (p proving) begin(w http.ResponseWriter, r *http.Request) error {
	here := p.place(r)
	if here.cookie.name == "" {
		return errSafe
	}
	if err := p.foreign(r); err != nil {
		return err
	}
	if p.provider == nil {
		return errNoProvider
	}
	one, address, err := p.provider.Begin(r.Context(), here.origin+AnswerPath)
	if err != nil {
		return err
	}
	plain, err := json.Marshal(one)
	if err != nil {
		return err
	}
	here.attempting().set(w, p.seal.lock(plain, attemptFor))
	return web.Write(w, http.StatusOK, struct {
		Success bool   `json:"success"`
		Address string `json:"address"`
	}{true, address})
}

// answer serves the address that the provider sends the browser back to. It always leads to the page, which says what came of it.
func (p proving) answer(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	next := OperatorPath
	if err := p.finish(w, r); err != nil {
		p.note(err)
		next += "?signin=" + url.QueryEscape(codeOf(err))
	}
	h.Set("Location", next)
	w.WriteHeader(http.StatusSeeOther)
}

// codeOf is the code of a refusal; what is none is a failure of the service.
func codeOf(err error) string {
	var refusal *domain.Error
	if errors.As(err, &refusal) && refusal.Kind != domain.Internal {
		return refusal.Code
	}
	return "failed"
}

// note tells the log why somebody was not let in. The page says no more than the code.
func (p proving) note(err error) {
	p.Log.WithError(err).WithField("code", codeOf(err)).Warn("an operator's sign-in through the identity provider failed")
}

func (p proving) finish(w http.ResponseWriter, r *http.Request) error {
	if p.provider == nil {
		return errNoProvider
	}
	one, here, ok := p.attempt(r)
	if !ok {
		return errAttempt
	}
	here.attempting().set(w, "")
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return fmt.Errorf("%w: %w", errAttempt, err)
	}
	now := p.Now()
	if states := query["state"]; len(states) != 1 || one.State == "" ||
		subtle.ConstantTimeCompare([]byte(states[0]), []byte(one.State)) != 1 || !now.Before(one.Began.Add(attemptTime)) {
		return errAttempt
	}
	if codes := query["code"]; len(codes) != 1 || codes[0] == "" || query.Has("error") {
		return fmt.Errorf("%w: it answers %q", operator.ErrUnproven, operator.Plain(query.Get("error")))
	}
	who, err := p.provider.Finish(r.Context(), one, query.Get("code"))
	if err != nil {
		return err
	}
	return p.let(w, here, who, now)
}

// let begins the session of somebody who was proven.
func (p proving) let(w http.ResponseWriter, here place, who operator.Proven, now time.Time) error {
	begun, err := newSession(p.provider.ID(), now)
	if err != nil {
		return err
	}
	told, err := json.Marshal(who)
	if err != nil {
		return err
	}
	begun.told = string(told)
	value := p.seal.seal(begun)
	if len(value) > maxCookie {
		return fmt.Errorf("%w: the names are too long to be kept", operator.ErrUnproven)
	}
	here.cookie.set(w, value)
	p.Log.WithField("operator", who.Name).WithField("role", who.Role).Info("an operator has signed in through the identity provider")
	return nil
}

// attempt returns the attempt that this browser has begun here, and where that is. The answer is a GET without an origin: where
// the page may be at https or at plain http, the attempt's own cookie tells.
func (p proving) attempt(r *http.Request) (operator.Attempt, place, bool) {
	places := []place{p.place(r)}
	if !p.fixed {
		places = []place{
			placeAt(operatorCookie, &url.URL{Scheme: "https", Host: r.Host}),
			placeAt(operatorCookie, &url.URL{Scheme: "http", Host: r.Host}),
		}
	}
	for _, here := range places {
		if here.cookie.name == "" {
			continue
		}
		var one operator.Attempt
		plain, ok := p.seal.unlock(here.attempting().of(r), attemptFor)
		if ok && json.Unmarshal(plain, &one) == nil && one.Redirect == here.origin+AnswerPath {
			return one, here, true
		}
	}
	return operator.Attempt{}, place{}, false
}

// proven returns who has a session that a provider was asked for. False: the configuration has changed since, and with it perhaps
// what the roles mean.
func proven(by IdentityProvider, one session) (guest, bool) {
	var who operator.Proven
	if by == nil || one.byID() != by.ID() || json.Unmarshal([]byte(one.told), &who) != nil || who.Name == "" {
		return nil, false
	}
	return actingOperator{Name: who.Name, Role: who.Role, Issuer: who.Issuer, Subject: who.Subject}, true
}
