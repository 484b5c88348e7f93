package extract

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"moviola/handlers/http/web"
)

// Format is a file format for rows.
type Format string

// The file formats of an export.
const (
	CSV     Format = "csv"
	JSONL   Format = "jsonl"
	Parquet Format = "parquet"
)

// ParseFormat reads the name of a format.
func ParseFormat(name string) (Format, error) {
	switch f := Format(name); f {
	case CSV, JSONL, Parquet:
		return f, nil
	}
	return "", fmt.Errorf("%q is none of csv, jsonl and parquet", name)
}

// liner encodes a table line by line.
type liner struct {
	head func() []byte
	line func(Row) ([]byte, error)
}

// lines returns the encoding of rows in the unfinished file. For Parquet it is JSON arrays, which are converted at the end.
func (f Format) lines(t Table) liner {
	switch f {
	case CSV:
		return csvLines(t)
	case JSONL:
		return liner{func() []byte { return nil }, func(row Row) ([]byte, error) { return objectLine(t, row) }}
	default:
		return liner{func() []byte { return nil }, func(row Row) ([]byte, error) {
			encoded, err := json.Marshal(valuesOf(t, row))
			return append(encoded, '\n'), err
		}}
	}
}

// valuesOf returns the values of a row as JSON can hold them.
func valuesOf(t Table, row Row) []any {
	values := make([]any, len(row.Values))
	for i, value := range row.Values {
		switch v := value.(type) {
		case time.Time:
			values[i] = v.UTC().Format(timeForm)
		case string:
			values[i] = v
			if t.Columns[i].Kind == JSON {
				values[i] = json.RawMessage(v)
			}
		default:
			values[i] = value
		}
	}
	return values
}

// objectLine encodes a row as a JSON object, with fields in the order of the columns.
func objectLine(t Table, row Row) ([]byte, error) {
	var line bytes.Buffer
	for i, value := range valuesOf(t, row) {
		encoded, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		line.WriteByte(separator)
		line.WriteString(strconv.Quote(t.Columns[i].Name))
		line.WriteByte(':')
		line.Write(encoded)
	}
	line.WriteString("}\n")
	return line.Bytes(), nil
}

// csvLines encodes rows by RFC 4180. Texts that spreadsheets would run as formulas are escaped: see web.CSVText.
func csvLines(t Table) liner {
	record := func(cells []string) ([]byte, error) {
		var line bytes.Buffer
		w := csv.NewWriter(&line)
		err := w.Write(cells)
		w.Flush()
		return line.Bytes(), err
	}
	return liner{
		head: func() []byte {
			names := make([]string, len(t.Columns))
			for i, column := range t.Columns {
				names[i] = column.Name
			}
			line, _ := record(names) // writing to a buffer cannot fail
			return line
		},
		line: func(row Row) ([]byte, error) {
			cells := make([]string, len(row.Values))
			for i, value := range row.Values {
				cells[i] = cell(value)
			}
			return record(cells)
		},
	}
}

// cell returns a value as the text of a CSV cell; nil is an empty cell.
func cell(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return web.CSVText(v)
	case time.Time:
		return v.UTC().Format(timeForm)
	default:
		return fmt.Sprint(v)
	}
}
