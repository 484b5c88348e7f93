package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
	"unicode/utf8"

	"moviola/domain"
)

// How much of a body that is too large is still read, so that its sender gets to see the answer, and how long a sender may take.
const (
	maxDrainBytes = 8 << 20
	maxBodyTime   = 2 * time.Minute
)

// ReadBody reads a body of JSON of at most limit bytes, whatever its header says of its length. A longer one is answered with
// tooLarge. A byte order mark is dropped (decision 58). All bodies that are being worked on have a budget together, for which
// accounts take turns: who waits too long for a part of it is told to come back.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64, tooLarge error) ([]byte, error) {
	return readBody(w, r, limit, bodyFactor, tooLarge)
}

// ReadTable is ReadBody for rows in CSV, of which less is made than of JSON.
func ReadTable(w http.ResponseWriter, r *http.Request, limit int64, tooLarge error) ([]byte, error) {
	return readBody(w, r, limit, tableFactor, tooLarge)
}

func readBody(w http.ResponseWriter, r *http.Request, limit int64, factor int, tooLarge error) ([]byte, error) {
	// A test's recorder knows no deadlines; a real connection does.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(maxBodyTime))
	if r.ContentLength > limit {
		drain(r)
		return nil, tooLarge
	}
	resume := untilRead(r.Context())
	defer resume()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		drain(r)
		return nil, tooLarge
	case err != nil:
		return nil, domain.Errorf(domain.Invalid, "body_unreadable", "The request body ended before it was complete")
	}
	if err := enter(r.Context(), bodies, len(body)*factor/bodyFactor); err != nil {
		return nil, err
	}
	return bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")), nil
}

// ReadObject reads a body of at most limit bytes that must be one JSON object into a struct.
func ReadObject(w http.ResponseWriter, r *http.Request, limit int64, into any) error {
	body, err := ReadBody(w, r, limit, domain.Errorf(domain.TooLarge, "body_too_large",
		"The request body is larger than the limit of %d bytes", limit))
	switch {
	case err != nil:
		return err
	case len(body) == 0:
		return domain.Errorf(domain.Invalid, "body_missing", "No payload provided")
	}
	// null fits every struct, and is none.
	if err := json.Unmarshal(body, into); err != nil || !utf8.Valid(body) || bytes.TrimLeft(body, " \t\r\n")[0] != '{' {
		return domain.Errorf(domain.Invalid, "body_invalid", "The request body is not the JSON object that is expected here")
	}
	return nil
}

// drain reads on for a while. A sender that waits to be told to go on (Expect: 100-continue) is answered at once instead.
func drain(r *http.Request) {
	if r.Header.Get("Expect") != "" {
		return
	}
	_, _ = io.CopyN(io.Discard, r.Body, maxDrainBytes)
}
