package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"moviola/domain"
)

// The bounds of a batch. Decision 63.
const (
	MaxRows = 1000
	MaxJSON = 2 << 20  // largest size of the body of a request for a batch in JSON, in bytes
	MaxCSV  = 20 << 20 // largest size of the body of a request for a batch in CSV, in bytes
	// MaxRow is the maximum size of the variables of one row as JSON, in bytes. It equals the limit for the variables of a
	// movie.
	MaxRow = 2 << 20
)

// The codes of the flaws that only rows of a batch can have. All other flaws have codes of errors and problems of movies.
const (
	RowNotObject = "row_not_object"
	RowTooLarge  = "row_too_large"
	RowFields    = "csv_field_count"
	RowQuotes    = "csv_quotes"
	RowNotUTF8   = "csv_not_utf8"
)

// Variables are the values that one row gives to the template.
type Variables struct {
	Row    int             `json:"row"` // number of the row, counted from 1; the header of a CSV is not counted
	Values json.RawMessage `json:"variables"`
}

// Order is a request for a batch: one template, and its rows.
type Order struct {
	Template string
	// AllOrNothing reports whether one flaw refuses the whole batch.
	AllOrNothing bool
	Rows         []Variables
	Flaws        []Flaw // flaws of the rows that are invalid and therefore not in Rows
}

// body is the body of a request for a batch in JSON.
type body struct {
	Template     *string           `json:"template"`
	Rows         []json.RawMessage `json:"rows"`
	AllOrNothing bool              `json:"all_or_nothing"`
}

// ReadJSON reads the body of POST /batches: {"template": id, "rows": [{variable: value}, …], "all_or_nothing": false}.
func ReadJSON(raw []byte) (Order, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return Order{}, domain.Errorf(domain.Invalid, "payload_missing", "No payload provided")
	}
	var b body
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(&b)
	_, end := d.Token()
	if err != nil || !errors.Is(end, io.EOF) || !utf8.Valid(raw) || string(bytes.TrimSpace(raw)) == "null" {
		return Order{}, domain.Errorf(domain.Invalid, "payload_invalid",
			"The payload must be a JSON object with template, a text, and rows, an array of objects; all_or_nothing may be true")
	}
	if b.Template == nil || *b.Template == "" {
		return Order{}, errNoTemplate()
	}
	order := Order{Template: *b.Template, AllOrNothing: b.AllOrNothing}
	if err := checkCount(len(b.Rows)); err != nil {
		return Order{}, err
	}
	for i, raw := range b.Rows {
		order.addJSON(i+1, raw)
	}
	return order, nil
}

func errNoTemplate() error {
	return domain.Errorf(domain.Invalid, "template_missing", "template is required: the id of a saved template")
}

// checkCount refuses a batch that has no rows or too many rows.
func checkCount(rows int) error {
	if rows < 1 || rows > MaxRows {
		return domain.Errorf(domain.Invalid, "rows_count", "A batch has 1 to %d rows; this one has %d", MaxRows, rows)
	}
	return nil
}

// addJSON adds a row of a body in JSON. For an invalid row it adds a flaw.
func (o *Order) addJSON(number int, raw json.RawMessage) {
	var row map[string]json.RawMessage
	if err := json.Unmarshal(raw, &row); err != nil || row == nil {
		o.flaw(number, "", RowNotObject, "The row must be an object of variables and their values")
		return
	}
	o.add(number, raw)
}

// add adds a row with the given values of variables. For an invalid row it adds a flaw.
func (o *Order) add(number int, values json.RawMessage) {
	if len(values) > MaxRow {
		o.flaw(number, "", RowTooLarge, fmt.Sprintf("The row is larger than the limit of %d bytes (2 MB)", MaxRow))
		return
	}
	o.Rows = append(o.Rows, Variables{Row: number, Values: slices.Clone(values)})
}

func (o *Order) flaw(row int, column, code, message string) {
	o.Flaws = append(o.Flaws, Flaw{Row: row, Column: ShortColumn(column), Code: code, Message: message})
}

// maxColumn is the maximum length of a column's name in a flaw, in characters.
const maxColumn = 100

// ShortColumn shortens the name of a column for a flaw: an event has the flaws of up to MaxRows rows.
func ShortColumn(name string) string {
	if utf8.RuneCountInString(name) <= maxColumn {
		return name
	}
	return string([]rune(name)[:maxColumn]) + "…"
}

// Document returns the movie JSON of a row: the template's id, and the row's values of variables.
func Document(template string, values json.RawMessage) ([]byte, error) {
	return json.Marshal(struct {
		Template  string          `json:"template"`
		Variables json.RawMessage `json:"variables"`
	}{template, values})
}

// Without returns a row's variables without the variable of the given name.
func Without(values json.RawMessage, name string) (json.RawMessage, error) {
	var row map[string]json.RawMessage
	if err := json.Unmarshal(values, &row); err != nil {
		return nil, err
	}
	delete(row, name)
	return json.Marshal(row)
}

// Names returns the names of a row's variables, sorted.
func Names(values json.RawMessage) []string {
	var row map[string]json.RawMessage
	if json.Unmarshal(values, &row) != nil {
		return nil
	}
	names := make([]string, 0, len(row))
	for name := range row {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
