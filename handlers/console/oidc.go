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

// Paths of the sign-in of operators through an identity provider.
const (
	// provingPath is the path for signing in through a provider: GET tells whether that is possible, POST begins an attempt.
	provingPath = OperatorPath + apiFolder + "/oidc"
	// AnswerPath is the path to which the provider sends the browser back.
	AnswerPath = OperatorPath + "/oidc"
)

// IdentityProvider proves who operators are. Package adapters/oidc implements it.
type IdentityProvider interface {
	// Name is the provider's name for people.
	Name() string
	// ID is an id of the provider's configuration, in the form of a token's id. Another
	// configuration has another id.
	ID() string
	// Begin returns a new attempt, and the address to which the page sends the browser.
	Begin(ctx context.Context, redirect string) (operator.Attempt, string, error)
	// Finish returns the person who has signed in at the provider. code is the code with which the
	// browser came back.
	Finish(ctx context.Context, one operator.Attempt, code string) (operator.Proven, error)
}

// attemptTime is the maximum time between the start of an attempt and the browser's return from the provider.
const attemptTime = 10 * time.Minute

// attempt is an attempt to sign in through a provider. It is stored in a cookie of the browser that has begun it. When the
// browser comes back from the provider, it does not send its session's cookie, so the attempt contains the id of that session.
type attempt struct {
	operator.Attempt
	Before      [16]byte  `json:"before"` // id of the session that the browser had when it began the attempt; zero: it had none
	BeforeBegan time.Time `json:"before_began"`
}

func (a attempt) before() *session {
	if a.Before == [16]byte{} {
		return nil
	}
	return &session{id: a.Before, began: a.BeforeBegan}
}

// attemptFor is the additional data with which the cookies of sign-in attempts are encrypted: the purpose of these cookies
// and the version of their content. A cookie that was encrypted for another purpose or version cannot be decrypted with it.
var attemptFor = []byte("operators' sign-in 1")

var (
	errNoProvider = domain.Errorf(domain.NotFound, "oidc_off",
		"No identity provider is configured: sign in with an operator's token")
	errAttempt = domain.Errorf(domain.Forbidden, "oidc_attempt",
		"This sign-in was not begun in this browser, or longer than ten minutes ago: begin again")
)

// proving is the part of the operators' console that signs in operators through an identity provider. Decision 88.
type proving struct {
	*Console
	provider IdentityProvider
	fixed    bool // PublicURL is configured: the operators' console can be opened at that address only
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

// offer serves GET at provingPath: it returns the identity provider that the console's page may offer.
func (p proving) offer(w http.ResponseWriter, r *http.Request) {
	offered := struct {
		Success  bool   `json:"success"`
		Provider string `json:"provider"` // the identity provider's name for people; empty: no provider is configured
	}{Success: true}
	if p.provider != nil {
		offered.Provider = p.provider.Name()
	}
	if err := web.Write(w, http.StatusOK, offered); err != nil {
		web.Fail(w, r, p.Log, err)
	}
}

// attempting is the cookie that binds an attempt to the browser that has begun it. The provider sends the browser back by a link
// from another site. Browsers do not send cookies with SameSite=Strict along with such a link, so this cookie is Lax. The cookie
// alone gives access to nothing. The session's cookie is Strict, because it is needed only for calls of the page.
func (w place) attempting() cookie {
	return cookie{name: w.cookie.name + "-oidc", secure: w.cookie.secure, kept: attemptTime}
}

// begin serves POST at provingPath: it stores the attempt in a cookie, and returns the provider's address to the page.
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
	sealed := attempt{Attempt: one}
	if had := p.had(r, here.cookie, p.Now()); had != nil {
		sealed.Before, sealed.BeforeBegan = had.id, had.began
	}
	plain, err := json.Marshal(sealed)
	if err != nil {
		return err
	}
	here.attempting().set(w, p.seal.lock(plain, attemptFor))
	return web.Write(w, http.StatusOK, struct {
		Success bool   `json:"success"`
		Address string `json:"address"`
	}{true, address})
}

// answer serves the path to which the provider sends the browser back. It always redirects to the page, after a failed
// sign-in with the code of the reason.
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

// codeOf returns the code of a refusal. For any other error it returns the code of a failure of the
// service.
func codeOf(err error) string {
	var refusal *domain.Error
	if errors.As(err, &refusal) && refusal.Kind != domain.Internal {
		return refusal.Code
	}
	return "failed"
}

// note logs why a sign-in through the provider has failed. The page gets only the code of the reason.
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
	who, err := p.provider.Finish(r.Context(), one.Attempt, query.Get("code"))
	if err != nil {
		return err
	}
	begun, err := newSession(p.provider.ID(), now)
	if err != nil {
		return err
	}
	told, err := json.Marshal(who)
	if err != nil {
		return err
	}
	begun.told = string(told)
	if err := p.start(r.Context(), w, here.cookie, beginning{one: begun, who: actingOf(who), before: one.before()}); err != nil {
		return err
	}
	p.Log.WithField("operator", who.Name).WithField("role", who.Role).Info("an operator has signed in through the identity provider")
	return nil
}

var errNamesTooLong = fmt.Errorf("%w: the names are too long to be kept", operator.ErrUnproven)

// attempt returns the sign-in attempt that this browser has begun at this service, and the address of the operators' page
// at which it was begun. It returns false when there is none. The browser returns from the provider by a GET request
// without an Origin header, so the request does not tell whether the page was opened by https or by plain http. When both
// are possible, attempt looks for the cookie of either one: their names differ.
func (p proving) attempt(r *http.Request) (attempt, place, bool) {
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
		var one attempt
		plain, ok := p.seal.unlock(here.attempting().of(r), attemptFor)
		if ok && json.Unmarshal(plain, &one) == nil && one.Redirect == here.origin+AnswerPath {
			return one, here, true
		}
	}
	return attempt{}, place{}, false
}

// proven returns the owner of a session that began through a provider. It returns false when there is no provider any more,
// when its configuration has changed since, or when the session does not name its owner. A new configuration may give the
// owner another role.
func proven(by IdentityProvider, one session) (actingOperator, bool) {
	var who operator.Proven
	if by == nil || one.byID() != by.ID() || json.Unmarshal([]byte(one.told), &who) != nil || who.Name == "" {
		return actingOperator{}, false
	}
	return actingOf(who), true
}

func actingOf(who operator.Proven) actingOperator {
	return actingOperator{Name: who.Name, Role: who.Role, Issuer: who.Issuer, Subject: who.Subject}
}
