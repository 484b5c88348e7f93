// Package extract holds the tables that analysts take out of an installation: what their columns are called, what they hold, and which of it is
// about people. Snapshots and exports in every format are made of the same tables. No table holds a secret that opens a door: no token of a
// file, no key.
package extract

import (
	"context"
	"slices"
	"time"

	"moviola/projections"
)

// Kind is what a column holds.
type Kind int

// The kinds of columns.
const (
	Text Kind = iota
	Whole
	Real
	Flag // 0 or 1
	Time // ISO 8601, UTC, with milliseconds
	JSON // an array or object, as text
)

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
	// Personal columns are empty unless they were asked for.
	Personal bool
}

// Row is a row of a table.
type Row struct {
	ID     string    // rows come in the order of their ids
	At     time.Time // what --since is held against
	Values []any     // by column: string, int64, float64, bool, time.Time, or nil
}

// Table is something to extract.
type Table struct {
	Name    string
	Doc     string // one sentence
	Columns []Column
	Indexes [][]string // of a snapshot: columns
	read    func(ctx context.Context, from *projections.Extract, after string, visit func(Row) error) error
}

// Tables are all tables, in the order in which a snapshot has them.
func Tables() []Table { return []Table{movies(), deliveries(), usage(), ledgerTable()} }

// Named is the table of a name, and false when there is none.
func Named(name string) (Table, bool) {
	all := Tables()
	i := slices.IndexFunc(all, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return Table{}, false
	}
	return all[i], true
}

// Want says which rows are wanted.
type Want struct {
	After        string    // the id of the last row that is known; empty: none is
	Since        time.Time // the earliest row; zero: no bound
	WithPersonal bool
}

// Rows hands out the rows of a table that are wanted, in the order of their ids, in memory that does not grow with their number.
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

// field is a column and its value in a document.
type field[T any] struct {
	Column
	value func(T) any
}

// tableOf makes a table of a read model's documents.
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

// maybe is a column that is empty where value returns nil.
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
