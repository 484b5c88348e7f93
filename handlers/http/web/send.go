package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// packFrom is the size in bytes from which packing an answer saves more than it costs: lists and documents, never an error.
const packFrom = 4 << 10

// bodyApartFrom is the size in bytes from which a head and its body may not fit into the 4 KiB that the server writes at once.
const bodyApartFrom = 2 << 10

// packers are gzip writers at rest: one has tables of a megabyte.
var packers = sync.Pool{New: func() any {
	// The level is a constant that exists.
	packer, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return packer
}}

// Send answers with a body in one piece, with its length, packed when that pays and the client takes it: pictures are packed
// already. Decision 2.
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

// SendPacked answers with a body that is packed by gzip already; a client that does not take that gets it unpacked.
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
		// A body behind the head in the connection's buffer would be cut at the buffer's end; clients exist that take the first piece
		// of a body for all of it.
		_ = http.NewResponseController(w).Flush()
	}
	// An error here means that the client has gone.
	_, _ = w.Write(body)
}

func pack(body []byte) []byte {
	var packed bytes.Buffer
	packer := packers.Get().(*gzip.Writer)
	defer packers.Put(packer)
	packer.Reset(&packed)
	// A buffer takes everything.
	_, _ = packer.Write(body)
	_ = packer.Close()
	return packed.Bytes()
}

// takesGzip tells whether a client names gzip, or everything, among the encodings it reads, and not with a weight of 0.
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
