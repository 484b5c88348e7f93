package web

import (
	"bytes"
	"encoding/csv"
	"net/http"
	"strings"
)

// CSVText is a text as a cell of a CSV may have it: spreadsheets take a cell that begins with =, +, -, @ or a tab for a formula,
// so that an apostrophe goes before it. Numbers that the service writes itself are no such texts.
func CSVText(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// SendCSV answers with rows in CSV (RFC 4180), to be saved under a name. Texts that are not the service's own went through
// CSVText.
func SendCSV(w http.ResponseWriter, name string, rows [][]string) error {
	var text bytes.Buffer
	if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	Send(w, http.StatusOK, "text/csv; charset=utf-8", text.Bytes())
	return nil
}
