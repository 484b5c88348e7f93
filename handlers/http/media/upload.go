package media

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"moviola/commands/mediafiles"
	"moviola/domain"
	"moviola/domain/media"
	"moviola/handlers/http/web"
	"moviola/internal/fair"
)

// ticket is what an address for an upload is bound to, beside the method PUT. It is signed as a whole: no part can be changed.
// Decision 45.
type ticket struct {
	Place       string `json:"p"` // id of the path's stream, which names the account
	Entry       string `json:"e"`
	Size        int64  `json:"s"`
	ContentType string `json:"t"`
	Expires     int64  `json:"x"` // Unix milliseconds
}

// The refusals of uploads. An address that was altered in any way is told apart from others by nobody.
var (
	errAddress = domain.Errorf(domain.Forbidden, "upload_address_invalid", "Invalid upload address")
	errLength  = domain.Errorf(domain.Invalid, "upload_length_required",
		"Send the header Content-Length: the length of the file as it was registered")
	errBroken = domain.Errorf(domain.Invalid, "upload_incomplete",
		"The body ended, or paused for too long, before it was complete. Send it again.")
	errStopping = domain.Errorf(domain.Unavailable, "upload_interrupted",
		"The service is being shut down. Send the body to the same address again.")
	errManyUploads = domain.Errorf(domain.Unavailable, "service_unavailable",
		"The service is taking as many uploads as it can. Send the body to the same address again.")
)

// uploadAddress is where the bytes of a registered file are sent to.
func (a *API) uploadAddress(r *http.Request, account domain.AccountID, file mediafiles.RegisteredMedia) (string, error) {
	place := media.StreamID(account, file.Path())
	if a.cfg.Presign != nil {
		address, err := a.cfg.Presign(r.Context(), place, file.File, a.cfg.UploadTTL)
		if err != nil || address != "" {
			return address, err
		}
	}
	text, err := a.tickets.Encode(ticket{
		Place: place, Entry: file.Entry, Size: file.Size, ContentType: file.ContentType, Expires: file.ExpiresAt.UnixMilli(),
	})
	return a.cfg.PublicURL + uploadPath + text, err
}

// putUpload serves PUT to the address of an upload. It asks for no key: the address is one.
func (a *API) putUpload(w http.ResponseWriter, r *http.Request) {
	err := a.receive(w, r)
	if err == nil {
		return
	}
	// Whoever still sends while the connection breaks off may never see the answer. So a little of the body is read, all of a
	// small one; of a large one no more is, but the connection stays for a moment.
	w.Header().Set("Connection", "close")
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(lastPause))
	_, unread := io.CopyN(io.Discard, r.Body, lastBytes)
	_ = connection.SetReadDeadline(time.Unix(1, 0)) // what cannot do so reads a little more
	var refusal *domain.Error
	if !errors.As(err, &refusal) && r.Context().Err() != nil {
		return // nobody waits for an answer
	}
	if errors.Is(err, errStopping) || errors.Is(err, errManyUploads) {
		w.Header().Set("Retry-After", "2")
	}
	web.Fail(w, r, a.cfg.Log, err)
	if unread == nil && connection.Flush() == nil {
		select {
		case <-time.After(lastPause):
		case <-r.Context().Done():
		}
	}
}

// receive checks an upload before a byte of it is read, in the order in which an attacker would learn least, and then stores it.
func (a *API) receive(w http.ResponseWriter, r *http.Request) error {
	t, err := a.ticketOf(r)
	if err != nil {
		return err
	}
	if err := checkHeaders(r, t); err != nil {
		return err
	}
	if a.cfg.Room != nil {
		if err := a.cfg.Room(); err != nil {
			return err
		}
	}
	if _, err := a.cfg.Upload.Begin(r.Context(), t.Place, t.Entry); err != nil {
		return err
	}
	if a.cfg.Uploads != nil {
		part, err := a.cfg.Uploads.Take(r.Context(), string(media.AccountOf(t.Place)), max(t.Size, leastUpload))
		if err != nil {
			return busy(err)
		}
		defer part.Release()
	}
	ctx, cancel := context.WithTimeout(r.Context(), media.UploadTime)
	defer cancel()
	deadline := http.NewResponseController(w).SetReadDeadline
	defer context.AfterFunc(a.stopping, func() { _ = deadline(time.Unix(1, 0)) })() // ends a read that waits
	at, err := a.cfg.Upload.Handle(ctx, mediafiles.UploadMedia{
		Place: t.Place, Entry: t.Entry, Size: t.Size, Body: &steady{r: r.Body, extend: deadline, stopping: a.stopping},
	})
	if err != nil {
		return err
	}
	return a.answer(w, r, at, done{})
}

// busy is what a client is told whose upload has waited too long for its turn.
func busy(err error) error {
	if errors.Is(err, fair.ErrBusy) {
		return errManyUploads
	}
	return err
}

// ticketOf reads the ticket of an address. An address has no query.
func (a *API) ticketOf(r *http.Request) (ticket, error) {
	var t ticket
	if err := a.tickets.Decode(mux.Vars(r)["ticket"], &t); err != nil || r.URL.RawQuery != "" || r.URL.ForceQuery ||
		r.URL.RawPath != "" {
		return t, errAddress
	}
	if !a.cfg.Now().Before(time.UnixMilli(t.Expires)) {
		return t, media.ErrLate
	}
	return t, nil
}

// checkHeaders holds length and type against those that were registered. A plain `curl -T` names no type: the file has the
// registered one then, as ever. Spec: POST /media/file, with the matching content type.
func checkHeaders(r *http.Request, t ticket) error {
	given := strings.TrimSpace(strings.Join(r.Header.Values("Content-Type"), ","))
	switch {
	case r.ContentLength < 0:
		return errLength
	case r.ContentLength != t.Size:
		return mediafiles.ErrBodyLength
	case given != "" && given != t.ContentType:
		return domain.Errorf(domain.Invalid, "upload_type_mismatch", "Content-Type must be %s, as it was registered", t.ContentType)
	}
	return nil
}

// leastUpload is what an upload takes of their budget at least, in bytes: a short one has a connection too.
const leastUpload = 16 << 20

const (
	// How slow a body may be: fewer bytes in a pause end it.
	longestPause = 30 * time.Second
	leastBytes   = 4 << 10
	// How much is read of a body that is refused, and for how long: with what is buffered, less than the 64 KB after which a
	// refusal is late (reliability §7b).
	lastPause = time.Second
	lastBytes = 32 << 10
)

// steady reads a body as long as bytes flow: the deadline moves on whenever enough of them have come.
type steady struct {
	r        io.Reader
	extend   func(deadline time.Time) error
	stopping context.Context // ends the body
	got      int
	set      time.Time // when the deadline was moved last
}

func (s *steady) Read(p []byte) (int, error) {
	// Moving the deadline costs a call: once a second is enough for a fast body.
	if now := time.Now(); s.set.IsZero() || s.got >= leastBytes && now.Sub(s.set) >= time.Second {
		s.got, s.set = 0, now
		if err := s.extend(now.Add(longestPause)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return 0, err
		}
	}
	if s.stopping.Err() != nil {
		return 0, errStopping
	}
	n, err := s.r.Read(p)
	s.got += n
	if err != nil && s.stopping.Err() != nil {
		return n, errStopping
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, errors.Join(errBroken, err)
	}
	return n, err
}
