package console

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

// The time limits of a session. Decision 62.
const (
	lifetime = 12 * time.Hour
	idle     = time.Hour
	// renewEvery is the minimum time between two updates of the session's field seen. An update sends a new cookie.
	renewEvery = time.Minute
	// ahead is how far the clock of another process may be ahead of the clock of this process.
	ahead = time.Minute
)

// session is the session of a person who has signed in. It is stored in the browser's cookie only.
type session struct {
	by    [16]byte // id of the key, token or provider's configuration with which the session began
	id    [16]byte
	began time.Time
	seen  time.Time // time of the last call, exact to renewEvery
	told  string    // facts about the owner from the identity provider, as JSON; empty: the key or token identifies the owner
}

func (s session) byID() string     { return hex.EncodeToString(s.by[:]) }
func (s session) name() string     { return hex.EncodeToString(s.id[:]) }
func (s session) until() time.Time { return s.began.Add(lifetime) }
func (s session) alive(now time.Time) bool {
	return now.Before(s.until()) && now.Before(s.seen.Add(idle)) && s.began.Before(now.Add(ahead)) && !s.seen.Before(s.began)
}

// newSession begins a session. byID is the id of the key, of the token or of the provider's configuration.
func newSession(byID string, now time.Time) (session, error) {
	s := session{began: now, seen: now}
	raw, err := hex.DecodeString(byID)
	if err != nil || copy(s.by[:], raw) != len(s.by) {
		return s, errors.New("begin a session: the id of a key or token is 32 hex digits")
	}
	_, err = rand.Read(s.id[:])
	return s, err
}

// sealer encrypts sessions into cookies, and decrypts them.
type sealer struct{ aead cipher.AEAD }

// sealedFor is the additional data with which the cookies of sessions are encrypted: the purpose of these cookies and the
// version of their content. A cookie that was encrypted for another purpose or version cannot be decrypted with it.
var sealedFor = []byte("console session 1")

func newSealer(key []byte) (sealer, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return sealer{}, fmt.Errorf("seal sessions: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return sealer{}, fmt.Errorf("seal sessions: %w", err)
	}
	return sealer{aead}, nil
}

// sessionSize is the length in bytes of an unencrypted session without its last field (told), whose length varies.
const sessionSize = 16 + 16 + 8 + 8

// maxCookie is the maximum length of a cookie's value, in bytes. A longer value is refused without decryption, and no
// longer session is begun. Browsers keep no more than 4,096 bytes.
const maxCookie = 3500

func (s sealer) seal(one session) string {
	plain := append(one.by[:], one.id[:]...)
	plain = binary.BigEndian.AppendUint64(plain, uint64(one.began.UnixMilli()))
	plain = binary.BigEndian.AppendUint64(plain, uint64(one.seen.UnixMilli()))
	return s.lock(append(plain, one.told...), sealedFor)
}

// lock encrypts a text and binds it to a purpose.
func (s sealer) lock(plain, purpose []byte) string {
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, purpose))
}

// unlock decrypts a value that lock has made for a purpose. It returns false when this installation
// has not made it.
func (s sealer) unlock(value string, purpose []byte) ([]byte, bool) {
	if len(value) > maxCookie {
		return nil, false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return nil, false
	}
	plain, err := s.aead.Open(nil, nil, sealed, purpose)
	return plain, err == nil
}

// open returns the session in a cookie's value. It returns false when this installation has not sealed the value.
func (s sealer) open(value string) (one session, ok bool) {
	plain, ok := s.unlock(value, sealedFor)
	if !ok || len(plain) < sessionSize {
		return one, false
	}
	copy(one.by[:], plain)
	copy(one.id[:], plain[16:])
	one.began = time.UnixMilli(int64(binary.BigEndian.Uint64(plain[32:])))
	one.seen = time.UnixMilli(int64(binary.BigEndian.Uint64(plain[40:])))
	one.told = string(plain[sessionSize:])
	return one, true
}

// cookie has the name and the attributes of a cookie.
type cookie struct {
	name   string // name of the cookie; empty: a session's cookie would not be safe at this address
	secure bool
	// kept says how long browsers keep the cookie. 0: they usually remove it when they are closed, and do not send it with
	// requests from pages of other sites (SameSite=Strict). Otherwise they keep it for this time, and send it also when a
	// person follows a link from another site (SameSite=Lax).
	kept time.Duration
}

// hostPrefix is the prefix of the names of cookies that browsers accept only over https, and only for the host that set
// them.
const hostPrefix = "__Host-"

// cookieFor returns the cookie of pages at an address. With https, browsers let no other host and no plain connection read
// or set this cookie. Plain http is allowed at a loopback address only, which is not reachable from other machines. The
// cookie has another name there. That name contains the port, because browsers send a cookie to all ports of a host. For
// any other address the cookie has no name.
func cookieFor(name string, public *url.URL) cookie {
	switch {
	case public.Scheme == "https":
		return cookie{name: hostPrefix + name, secure: true}
	case loopback(public.Hostname()):
		return cookie{name: name + "-" + public.Port()}
	}
	return cookie{}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// set sends a value to the browser; an empty value removes the cookie.
func (c cookie) set(w http.ResponseWriter, value string) {
	one := &http.Cookie{Name: c.name, Value: value, Path: "/", HttpOnly: true, Secure: c.secure, SameSite: http.SameSiteStrictMode}
	if c.kept > 0 {
		one.SameSite, one.MaxAge = http.SameSiteLaxMode, int(c.kept.Seconds())
	}
	if value == "" {
		one.MaxAge = -1
	}
	http.SetCookie(w, one)
}

// of returns the cookie's value in a request. When the request has two cookies of the name, it returns no value, because it
// is unclear which one counts.
func (c cookie) of(r *http.Request) string {
	if c.name == "" {
		return ""
	}
	if found := r.CookiesNamed(c.name); len(found) == 1 {
		return found[0].Value
	}
	return ""
}
