// Package extract defines the tables that analysts extract from an installation: columns, their meaning, and which of them are
// personal data. Snapshots and exports in all formats use the same tables. No table contains a secret, such as a file token or a
// key.
package extract

import (
	"context"
	"slices"
	"time"

	"moviola/projections"
)

// Kind is the kind of the values in a column.
type Kind int

// The kinds of columns.
const (
	Text Kind = iota
	Whole
	Real
	Flag // a boolean: 0 or 1 in a snapshot, true or false in an export
	Time // ISO 8601, UTC, with milliseconds; a timestamp in Parquet
	JSON // an array or object; its value in a Row is a string
)

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
	// Personal columns are empty unless personal data was requested.
	Personal bool
}

// Row is a row of a table.
type Row struct {
	ID     string    // id of the row; rows are ordered by it
	At     time.Time // time of the row, which --since is compared with
	Values []any     // values by column: string, int64, float64, bool, time.Time, or nil
}

// Table is a table that can be extracted.
type Table struct {
	Name    string
	Doc     string // meaning of the table in one sentence
	Columns []Column
	Indexes [][]string // columns of the indexes that the table gets in snapshots
	read    func(ctx context.Context, from *projections.Extract, after string, visit func(Row) error) error
}

// Tables returns all tables, in the order of a snapshot.
func Tables() []Table { return []Table{movies(), deliveries(), usage(), ledgerTable()} }

// Named returns the table with a name, and whether there is one.
func Named(name string) (Table, bool) {
	all := Tables()
	i := slices.IndexFunc(all, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return Table{}, false
	}
	return all[i], true
}

// Want selects rows.
type Want struct {
	After        string    // id of the last row that is already known; empty: none
	Since        time.Time // time of the earliest row; zero: no bound
	WithPersonal bool
}

// Rows calls visit for the selected rows, ordered by id. Its memory does not grow with their number.
func (t Table) Rows(ctx context.Context, from *projections.Extract, want Want, visit func(Row) error) error {
	return t.read(ctx, from, want.After, func(row Row) error {
		if row.At.Before(want.Since) {
			return nil
		}
		if !want.WithPersonal {
			for i, column := range t.Columns {
				if column.Personal {
					row.Values[i] = nil
				}
			}
		}
		return visit(row)
	})
}

// field is a column with a function that reads its value from a document.
type field[T any] struct {
	Column
	value func(T) any
}

// tableOf returns a table over the documents of a read model.
func tableOf[T any](name, doc string, fields []field[T], at func(T) time.Time, indexes [][]string,
	documents func(*projections.Extract) func(context.Context, string, func(string, T) error) error) Table {
	t := Table{Name: name, Doc: doc, Indexes: indexes}
	for _, f := range fields {
		t.Columns = append(t.Columns, f.Column)
	}
	t.read = func(ctx context.Context, from *projections.Extract, after string, visit func(Row) error) error {
		return documents(from)(ctx, after, func(id string, document T) error {
			row := Row{ID: id, At: at(document), Values: make([]any, len(fields))}
			for i, f := range fields {
				row.Values[i] = f.value(document)
			}
			return visit(row)
		})
	}
	return t
}

func text[T any](name string, value func(T) string) field[T] {
	return field[T]{Column{Name: name, Kind: Text}, func(d T) any { return value(d) }}
}

func personal[T any](name string, value func(T) string) field[T] {
	return field[T]{Column{Name: name, Kind: Text, Personal: true}, func(d T) any { return value(d) }}
}

func whole[T any](name string, value func(T) int64) field[T] {
	return field[T]{Column{Name: name, Kind: Whole}, func(d T) any { return value(d) }}
}

func flag[T any](name string, value func(T) bool) field[T] {
	return field[T]{Column{Name: name, Kind: Flag}, func(d T) any { return value(d) }}
}

// maybe returns a column that is empty when value returns nil.
func maybe[T any](name string, kind Kind, value func(T) any) field[T] {
	return field[T]{Column{Name: name, Kind: kind}, value}
}

func moment[T any](name string, value func(T) time.Time) field[T] {
	return field[T]{Column{Name: name, Kind: Time}, func(d T) any { return value(d) }}
}

func moments[T any](name string, value func(T) *time.Time) field[T] {
	return maybe(name, Time, func(d T) any {
		if at := value(d); at != nil {
			return *at
		}
		return nil
	})
}
