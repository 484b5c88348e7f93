package batch

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"moviola/domain"
)

// ReadCSV reads rows in CSV (RFC 4180): the first line names the variables, each further line is a row. Line breaks inside
// quotation marks do not end a line. The text is UTF-8, with or without byte order mark; the separator is comma, semicolon
// or tab, the most frequent of them in the first line outside of quotation marks. An empty cell leaves its variable at the
// template's value. Columns without a name are skipped, and so are lines without any cell. A line whose cells are all empty
// is a row without values; such lines at the end are dropped. A CSV with more than 1,000,000 rows, including those, is
// refused with rows_count.
func ReadCSV(template string, allOrNothing bool, raw []byte) (Order, error) {
	if template == "" {
		return Order{}, errNoTemplate()
	}
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	r := csv.NewReader(bytes.NewReader(raw))
	r.Comma, r.FieldsPerRecord = separator(raw), -1
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return Order{}, domain.Errorf(domain.Invalid, "payload_missing", "No payload provided")
	}
	names, err := readHeader(header, err)
	if err != nil {
		return Order{}, err
	}
	order := Order{Template: template, AllOrNothing: allOrNothing}
	last := 0 // number of the last row that is not blank
	for number := 1; ; number++ {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && blank(record) {
			order.Rows = append(order.Rows, Variables{Row: number, Values: json.RawMessage("{}")})
		} else {
			order.addCSV(number, names, record, err)
			last = number
		}
		switch {
		case last > MaxRows:
			return Order{}, checkCount(last)
		case number > maxRecords:
			return Order{}, domain.Errorf(domain.Invalid, "rows_count", "A CSV has at most %d rows, including rows without values. "+
				"Delete the rows without values", maxRecords)
		}
	}
	for len(order.Rows) > 0 && order.Rows[len(order.Rows)-1].Row > last {
		order.Rows = order.Rows[:len(order.Rows)-1]
	}
	return order, checkCount(last)
}

// maxRecords is the maximum number of records of a CSV, including blank records. A CSV with more is refused.
const maxRecords = 1_000_000

// separator returns the most frequent of comma, semicolon and tab in the first line, outside of quotes.
func separator(raw []byte) rune {
	var commas, semicolons, tabs int
	quoted := false
	for _, b := range raw {
		switch {
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == ',':
			commas++
		case b == ';':
			semicolons++
		case b == '\t':
			tabs++
		case b == '\n':
			return most(commas, semicolons, tabs)
		}
	}
	return most(commas, semicolons, tabs)
}

func most(commas, semicolons, tabs int) rune {
	switch {
	case tabs > commas && tabs > semicolons:
		return '\t'
	case semicolons > commas:
		return ';'
	}
	return ','
}

// readHeader returns the names of the columns, trimmed; a column without a name has an empty one. err is the error of
// reading the record. readHeader refuses a header that could not be read, is not UTF-8, names a column twice, or names none.
func readHeader(record []string, err error) ([]string, error) {
	seen := make(map[string]bool, len(record))
	names := make([]string, len(record))
	for i, name := range record {
		names[i] = strings.TrimSpace(name)
		switch {
		case !utf8.ValidString(name):
			err = errors.New("it is not UTF-8")
		case names[i] != "" && seen[names[i]]:
			err = fmt.Errorf("the column %q is there twice", names[i])
		}
		seen[names[i]] = true
	}
	if err == nil && blank(names) {
		err = errors.New("it names no column")
	}
	if err != nil {
		return nil, domain.Errorf(domain.Invalid, "csv_header", "The first line of the CSV must name the variables: %v", err)
	}
	return names, nil
}

func blank(record []string) bool {
	for _, cell := range record {
		if cell != "" {
			return false
		}
	}
	return true
}

// addCSV adds a record as a row. For an invalid record it adds a flaw with the reason.
func (o *Order) addCSV(number int, names, record []string, err error) {
	switch {
	case err != nil:
		o.flaw(number, "", RowQuotes, "A quotation mark is in the midst of a cell, or has no end: write it twice, and put "+
			"the cell into quotation marks")
		return
	case len(record) != len(names):
		o.flaw(number, "", RowFields, fmt.Sprintf("The row has %d fields, the first line of the CSV has %d", len(record), len(names)))
		return
	}
	row := make(map[string]string, len(names))
	for i, cell := range record {
		switch {
		case !utf8.ValidString(cell):
			o.flaw(number, names[i], RowNotUTF8, "The text is not UTF-8: save the CSV as UTF-8")
			return
		case names[i] != "" && cell != "":
			row[names[i]] = cell
		}
	}
	values, err := json.Marshal(row)
	if err != nil { // encoding texts as JSON never fails
		panic("batch: texts do not encode: " + err.Error())
	}
	o.add(number, values)
}
