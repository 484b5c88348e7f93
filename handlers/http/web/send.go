package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// packFrom is the minimum size in bytes of an answer that is compressed: compressing a smaller answer costs more than it
// saves. Errors are usually smaller.
const packFrom = 4 << 10

// bodyApartFrom is the size in bytes of a body from which headers and body together may exceed the server's buffer of 4
// KiB.
const bodyApartFrom = 2 << 10

// packers is a pool of gzip writers. It exists because each writer has tables of a megabyte.
var packers = sync.Pool{New: func() any {
	// NewWriterLevel fails for an invalid level only.
	packer, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return packer
}}

// Send answers with a body in one piece, with its length. It compresses a large body when the client accepts gzip, but not
// pictures, which are compressed already. Decision 2.
func Send(w http.ResponseWriter, status int, contentType string, body []byte) {
	if len(body) >= packFrom && !strings.HasPrefix(contentType, "image/") {
		w.Header().Add("Vary", "Accept-Encoding")
		if takesPacked(w) {
			body = pack(body)
			w.Header().Set("Content-Encoding", "gzip")
		}
	}
	send(w, status, contentType, body)
}

// SendPacked answers with a body that is compressed by gzip already. For a client that does not accept gzip it decompresses
// the body.
func SendPacked(w http.ResponseWriter, status int, contentType string, packed []byte) {
	w.Header().Add("Vary", "Accept-Encoding")
	if takesPacked(w) {
		w.Header().Set("Content-Encoding", "gzip")
		send(w, status, contentType, packed)
		return
	}
	unpacking, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic("web: a body that was to be packed is not: " + err.Error())
	}
	var body bytes.Buffer
	if _, err := body.ReadFrom(unpacking); err != nil {
		panic("web: a body that was to be packed is not: " + err.Error())
	}
	send(w, status, contentType, body.Bytes())
}

func takesPacked(w http.ResponseWriter) bool {
	taker, ok := w.(*recorder)
	return ok && taker.takesGzip
}

func send(w http.ResponseWriter, status int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Content-Type-Options", "nosniff")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	if len(body) >= bodyApartFrom {
		// The headers are flushed before the body. Otherwise the end of the server's buffer would split the body, and some
		// clients take the first piece of a body for the whole.
		_ = http.NewResponseController(w).Flush()
	}
	// An error here means that the client has disconnected.
	_, _ = w.Write(body)
}

func pack(body []byte) []byte {
	var packed bytes.Buffer
	packer := packers.Get().(*gzip.Writer)
	defer packers.Put(packer)
	packer.Reset(&packed)
	// Writing to a buffer never fails.
	_, _ = packer.Write(body)
	_ = packer.Close()
	return packed.Bytes()
}

// takesGzip reports whether a client accepts gzip, or every encoding, with a weight above 0.
func takesGzip(h http.Header) bool {
	taken := false
	for _, one := range strings.Split(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		name, params, _ := strings.Cut(one, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name != "gzip" && name != "*" {
			continue
		}
		weight, weighed := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(params), " ", ""), "q=")
		value, err := strconv.ParseFloat(weight, 64)
		wanted := !weighed || err == nil && value > 0
		if name == "gzip" {
			return wanted
		}
		taken = wanted
	}
	return taken
}
