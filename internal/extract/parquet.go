package extract

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/parquet-go/parquet-go"
)

// groupRows is the number of rows in a row group of a Parquet file, which are held in memory.
const groupRows = 10_000

// schemaOf returns the schema of a table: every column is optional.
func schemaOf(t Table) *parquet.Schema {
	nodes := map[Kind]func() parquet.Node{
		Text:  parquet.String,
		JSON:  parquet.JSON,
		Whole: func() parquet.Node { return parquet.Int(64) },
		Real:  func() parquet.Node { return parquet.Leaf(parquet.DoubleType) },
		Flag:  func() parquet.Node { return parquet.Leaf(parquet.BooleanType) },
		Time:  func() parquet.Node { return parquet.Timestamp(parquet.Millisecond) },
	}
	group := parquet.Group{}
	for _, column := range t.Columns {
		group[column.Name] = parquet.Optional(nodes[column.Kind]())
	}
	return parquet.NewSchema(t.Name, group)
}

// toParquet reads the rows of a table from kept, lines as Format.lines writes them for Parquet, and writes them to a Parquet
// file.
func toParquet(t Table, kept io.Reader, to io.Writer) error {
	schema := schemaOf(t)
	places := make([]int, len(t.Columns))
	for i, column := range t.Columns {
		leaf, ok := schema.Lookup(column.Name)
		if !ok {
			return fmt.Errorf("the schema lacks %s", column.Name)
		}
		places[i] = leaf.ColumnIndex
	}
	w := parquet.NewGenericWriter[any](to, schema, parquet.Compression(&parquet.Zstd), parquet.CreatedBy("moviola", "", ""))
	lines := bufio.NewReaderSize(kept, 1<<16)
	for rows := 1; ; rows++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return w.Close()
		}
		if err != nil {
			return err
		}
		row, err := parquetRow(t, places, line)
		if err != nil {
			return err
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
		if rows%groupRows == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}

// parquetRow makes a Parquet row from line, a JSON array of the values of one row of the table t. places has, for each
// column of t, the index of that column in the Parquet schema.
func parquetRow(t Table, places []int, line []byte) (parquet.Row, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(line, &raw); err != nil || len(raw) != len(t.Columns) {
		return nil, errors.Join(errors.New("a row of the part is not what was written"), err)
	}
	row := make(parquet.Row, len(raw))
	for i, column := range t.Columns {
		value, err := parquetValue(column.Kind, raw[i])
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", column.Name, err)
		}
		defined := 1
		if value.IsNull() {
			defined = 0
		}
		row[places[i]] = value.Level(0, defined, places[i])
	}
	return row, nil
}

func parquetValue(kind Kind, raw json.RawMessage) (parquet.Value, error) {
	switch {
	case string(raw) == "null":
		return parquet.NullValue(), nil
	case kind == JSON:
		return parquet.ByteArrayValue(raw), nil
	case kind == Whole:
		return parsed(raw, parquet.Int64Value)
	case kind == Real:
		return parsed(raw, parquet.DoubleValue)
	case kind == Flag:
		return parsed(raw, parquet.BooleanValue)
	case kind == Time:
		return parsed(raw, func(at time.Time) parquet.Value { return parquet.Int64Value(at.UnixMilli()) })
	default:
		return parsed(raw, func(text string) parquet.Value { return parquet.ByteArrayValue([]byte(text)) })
	}
}

func parsed[T any](raw json.RawMessage, value func(T) parquet.Value) (parquet.Value, error) {
	var v T
	err := json.Unmarshal(raw, &v)
	return value(v), err
}
