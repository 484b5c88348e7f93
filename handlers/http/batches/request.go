package batches

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/batch"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
)

var (
	errLargeJSON = domain.Errorf(domain.TooLarge, "batch_too_large", "A batch in JSON must be at most 2 MB: send it as CSV, "+
		"or in several batches")
	errLargeCSV = domain.Errorf(domain.TooLarge, "batch_too_large", "A batch in CSV must be at most 20 MB: send it in "+
		"several batches")
	errFlag = domain.Errorf(domain.Invalid, "all_or_nothing_invalid", "all_or_nothing must be true or false")
)

// accepted is the answer of POST /batches.
type accepted struct {
	Success bool     `json:"success"`
	Batch   batch.ID `json:"batch"`
	offer
	Timestamp string `json:"timestamp"`
}

// offer is the validation's result: the prices of the valid rows and the flaws of the invalid ones.
type offer struct {
	Rows    int          `json:"rows"`
	Movies  int          `json:"movies"`
	Credits int64        `json:"credits"`
	Errors  []batch.Flaw `json:"errors"`
}

func offerOf(requested batch.Requested) offer {
	o := offer{Rows: len(requested.Rows) + len(requested.Flaws), Movies: len(requested.Rows),
		Errors: append([]batch.Flaw{}, requested.Flaws...)}
	for _, row := range requested.Rows {
		o.Credits += row.Held
	}
	return o
}

// priced is the answer of POST /batches/validate.
type priced struct {
	Success bool `json:"success"`
	offer
	Timestamp string `json:"timestamp"`
}

// flawed is the answer to a batch that is refused because of its rows.
type flawed struct {
	Success bool         `json:"success"`
	Message string       `json:"message"`
	Code    string       `json:"code"`
	Errors  []batch.Flaw `json:"errors"`
}

// post serves POST /batches.
func (a *API) post(w http.ResponseWriter, r *http.Request, c access.Call) error {
	idempotencyKey, malformed := web.IdempotencyKey(r)
	if err := a.cfg.Request.Admit(r.Context(), c.Account, idempotencyKey); err != nil {
		return err
	}
	if malformed != nil { // decision 4: the account's state comes first, and Admit has checked it
		return malformed
	}
	order, hash, err := readOrder(w, r, c)
	if err != nil {
		return err
	}
	done, err := a.cfg.Request.Handle(r.Context(),
		commands.RequestBatch{Account: c.Account, Order: order, Hash: hash, IdempotencyKey: idempotencyKey})
	var refused *commands.FlawedBatchError
	if errors.As(err, &refused) {
		return web.Write(w, web.StatusOf(refused.Refusal),
			flawed{Message: refused.Refusal.Message, Code: refused.Refusal.Code, Errors: refused.Flaws})
	}
	if err != nil {
		return err
	}
	web.Await(r.Context(), a.cfg.Projected, done.Position)
	return web.Write(w, http.StatusOK,
		accepted{Success: true, Batch: done.ID, offer: offerOf(done.Requested), Timestamp: web.Stamp(a.cfg.Now())})
}

// validate serves POST /batches/validate. It stores nothing and holds nothing. Invalid rows are a result, not an error.
func (a *API) validate(w http.ResponseWriter, r *http.Request, c access.Call) error {
	if err := a.cfg.Request.Admit(r.Context(), c.Account, ""); err != nil {
		return err
	}
	order, _, err := readOrder(w, r, c)
	if err != nil {
		return err
	}
	requested, err := a.cfg.Request.Price(r.Context(), c.Account, order)
	if err != nil {
		return err
	}
	return web.Write(w, http.StatusOK, priced{Success: true, offer: offerOf(requested), Timestamp: web.Stamp(a.cfg.Now())})
}

// readOrder reads a request in JSON or CSV, and returns the order with a hash of the whole request.
func readOrder(w http.ResponseWriter, r *http.Request, c access.Call) (batch.Order, string, error) {
	template, all := c.Query.Get("template"), false
	isCSV := isCSV(r.Header.Get("Content-Type"))
	limit, tooLarge := int64(batch.MaxJSON), error(errLargeJSON)
	if isCSV {
		limit, tooLarge = batch.MaxCSV, errLargeCSV
		if text := c.Query.Get("all_or_nothing"); text != "" {
			var err error
			if all, err = strconv.ParseBool(text); err != nil {
				return batch.Order{}, "", errFlag
			}
		}
	}
	read := web.ReadBody
	if isCSV {
		read = web.ReadTable
	}
	body, err := read(w, r, limit, tooLarge)
	if err != nil {
		return batch.Order{}, "", err
	}
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%t\x00%s\x00%t\x00", isCSV, template, all) // writing to a hash never fails
	_, _ = sum.Write(body)
	hash := hex.EncodeToString(sum.Sum(nil))
	if isCSV {
		order, err := batch.ReadCSV(template, all, body)
		return order, hash, err
	}
	order, err := batch.ReadJSON(body)
	return order, hash, err
}

// isCSV reports whether the content type of a body is that of CSV or of tab-separated values; every other type is read as
// JSON.
func isCSV(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "text/csv" || kind == "application/csv" || kind == "text/tab-separated-values")
}
