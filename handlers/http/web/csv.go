package web

import (
	"bytes"
	"encoding/csv"
	"net/http"
	"strings"
)

// CSVText makes a text safe as a CSV cell: spreadsheets treat a cell that begins with =, +, -, @, a tab or a carriage
// return as a formula, so CSVText puts an apostrophe before it. Numbers that the service itself writes do not need CSVText.
func CSVText(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// SendCSV answers with rows in CSV (RFC 4180), as a download with the given file name. Callers apply CSVText to texts from
// users.
func SendCSV(w http.ResponseWriter, name string, rows [][]string) error {
	var text bytes.Buffer
	if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	Send(w, http.StatusOK, "text/csv; charset=utf-8", text.Bytes())
	return nil
}
