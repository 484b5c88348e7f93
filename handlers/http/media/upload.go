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

// ticket is the content of an upload address. The signature covers the whole ticket and the method PUT, so no part can be
// changed. Decision 45.
type ticket struct {
	Place       string `json:"p"` // id of the path's stream, which contains the account
	Entry       string `json:"e"`
	Size        int64  `json:"s"`
	ContentType string `json:"t"`
	Expires     int64  `json:"x"` // time of expiry, in Unix milliseconds
}

// The refusals of uploads. The refusal of an altered address does not tell which part of the address was altered.
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

// uploadAddress returns the address to which the client sends the bytes of a registered file.
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

// putUpload serves PUT to an upload address. It needs no API key: the address is the authorisation.
func (a *API) putUpload(w http.ResponseWriter, r *http.Request) {
	err := a.receive(w, r)
	if err == nil {
		return
	}
	// A client that is still sending when the connection closes may never see the answer. So up to lastBytes of the rest of the body
	// are read. When the body is larger, the connection stays open for lastPause without reading.
	w.Header().Set("Connection", "close")
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(lastPause))
	_, unread := io.CopyN(io.Discard, r.Body, lastBytes)
	// from here on no more of the body is read; an error only means that the connection has no deadlines
	_ = connection.SetReadDeadline(time.Unix(1, 0))
	var refusal *domain.Error
	if !errors.As(err, &refusal) && r.Context().Err() != nil {
		return // the client has disconnected
	}
	web.Fail(w, r, a.cfg.Log, err)
	if unread == nil && connection.Flush() == nil {
		select {
		case <-time.After(lastPause):
		case <-r.Context().Done():
		}
	}
}

// receive stores an upload. Before it reads the body, it checks the request, in an order that tells an attacker as little as
// possible.
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
	// when Stop is called, this ends a read that waits for the client
	defer context.AfterFunc(a.stopping, func() { _ = deadline(time.Unix(1, 0)) })()
	at, err := a.cfg.Upload.Handle(ctx, mediafiles.UploadMedia{
		Place: t.Place, Entry: t.Entry, Size: t.Size, Body: &steady{r: r.Body, extend: deadline, stopping: a.stopping},
	})
	if err != nil {
		return err
	}
	return a.answer(w, r, at, done{})
}

// busy converts fair.ErrBusy to the refusal for an upload that has waited too long for its turn.
func busy(err error) error {
	if errors.Is(err, fair.ErrBusy) {
		return errManyUploads
	}
	return err
}

// ticketOf reads the ticket (the registered file and its time of expiry) from the path of an upload address. It refuses
// an address with a query, because the service gives out none.
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

// checkHeaders compares length and type with those that were registered. A plain `curl -T` sends no type; the registered type
// then applies. Spec: POST /media/file, with the matching content type.
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

// leastUpload is the minimum number of bytes that an upload takes of the budget Config.Uploads. A shorter upload takes as much,
// because it holds a connection.
const leastUpload = 16 << 20

const (
	// The minimum speed of a body: when fewer than leastBytes arrive within longestPause, reading ends.
	longestPause = 30 * time.Second
	leastBytes   = 4 << 10
	// After a refusal, at most lastBytes more of the body are read, for at most lastPause, so that the client sees the
	// answer. Together with the bytes that are buffered already, this is less than 64 KB. Reliability §7b promises that a
	// refused upload ends within 64 KB.
	lastPause = time.Second
	lastBytes = 32 << 10
)

// steady reads a body while its bytes arrive fast enough: it extends the read deadline after leastBytes more, at most once a
// second.
type steady struct {
	r        io.Reader
	extend   func(deadline time.Time) error
	stopping context.Context // reading the body ends when this context ends
	got      int
	set      time.Time // time of the last call of extend
}

func (s *steady) Read(p []byte) (int, error) {
	// Setting the deadline is a system call. For a fast body, a call once a second is enough.
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
	if errors.Is(err, io.EOF) {
		// A deadline that passed while the bytes are being stored would end the request's context.
		_ = s.extend(time.Time{})
		return n, err
	}
	if err != nil {
		return n, errors.Join(errBroken, err)
	}
	return n, nil
}
