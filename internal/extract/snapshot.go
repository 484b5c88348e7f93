package extract

import (
	"context"
	"fmt"
	"strings"
	"time"

	"moviola/adapters/sqlite"
	"moviola/projections"
)

// snapshotForm is the version of a snapshot's schema. It rises when a column is removed or changes its meaning, not when one is
// added.
const snapshotForm = 1

// timeForm is the format of times in snapshots, and in exports except for Parquet.
const timeForm = "2006-01-02T15:04:05.000Z"

// Snapshot writes all tables into a new SQLite file, and returns the numbers of rows by table. All rows are of one moment, if the
// store has consistent reads.
func Snapshot(
	ctx context.Context, from *projections.Extract, path string, withPersonal bool, now time.Time,
) (rows map[string]int, err error) {
	rows = make(map[string]int)
	err = from.AtOneMoment(ctx, func(from *projections.Extract) error {
		position, err := from.Position(ctx)
		if err != nil {
			return err
		}
		tables := []sqlite.PlainTable{{
			Name: "snapshot",
			Columns: []string{`"form" INTEGER NOT NULL`, `"taken_at" TEXT NOT NULL`, `"log_position" INTEGER NOT NULL`,
				`"with_personal" INTEGER NOT NULL`},
			Rows: func(insert func([]any) error) error {
				return insert([]any{int64(snapshotForm), plain(now), int64(position), plain(withPersonal)})
			},
		}}
		for _, table := range Tables() {
			tables = append(tables, table.inFile(ctx, from, withPersonal, rows))
		}
		return sqlite.WritePlain(ctx, path, tables)
	})
	return rows, err
}

// inFile returns the definition of a table in a snapshot, with a function that inserts the rows and counts them in rows.
func (t Table) inFile(ctx context.Context, from *projections.Extract, withPersonal bool, rows map[string]int) sqlite.PlainTable {
	types := map[Kind]string{Text: "TEXT", Whole: "INTEGER", Real: "REAL", Flag: "INTEGER", Time: "TEXT", JSON: "TEXT"}
	out := sqlite.PlainTable{Name: t.Name}
	for _, column := range t.Columns {
		out.Columns = append(out.Columns, fmt.Sprintf("%q %s", column.Name, types[column.Kind]))
	}
	for _, index := range t.Indexes {
		out.Indexes = append(out.Indexes, `"`+strings.Join(index, `", "`)+`"`)
	}
	out.Rows = func(insert func([]any) error) error {
		return t.Rows(ctx, from, Want{WithPersonal: withPersonal}, func(row Row) error {
			rows[t.Name]++
			for i, value := range row.Values {
				row.Values[i] = plain(value)
			}
			return insert(row.Values)
		})
	}
	return out
}

// plain converts a value to a type of SQLite: text, integer, real or null.
func plain(value any) any {
	switch v := value.(type) {
	case time.Time:
		return v.UTC().Format(timeForm)
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	default:
		return value
	}
}
