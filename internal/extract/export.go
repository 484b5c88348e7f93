package extract

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"moviola/projections"
)

// markEvery is the number of rows between two marks. An interrupted export continues from its last mark.
const markEvery = 10_000

// Export writes one table into one file.
type Export struct {
	Table  Table
	Format Format
	Want   Want // the rows to export; Run sets Want.After from the mark
	Path   string
}

// mark records the progress of an export. It is stored as a file beside the unfinished file.
type mark struct {
	Table    string `json:"table"`
	Format   Format `json:"format"`
	Since    string `json:"since"`
	Personal bool   `json:"with_personal"`
	After    string `json:"after"`
	Bytes    int64  `json:"bytes"`
	Rows     int    `json:"rows"`
}

// sameAs reports whether two marks belong to the same export.
func (m mark) sameAs(other mark) bool {
	m.After, m.Bytes, m.Rows = other.After, other.Bytes, other.Rows
	return m == other
}

// Run writes the file, or continues an interrupted export, and returns the number of rows that the file has then, with those
// of earlier runs. The file gets its name when it is complete.
func (e Export) Run(ctx context.Context, from *projections.Extract) (int, error) {
	if _, err := os.Lstat(e.Path); err == nil {
		return 0, fmt.Errorf("%s is there already: remove it, or name another file", e.Path)
	}
	part, at, err := e.begin()
	if err != nil {
		return 0, err
	}
	w := &exporting{Export: e, part: part, out: bufio.NewWriterSize(part, 1<<16), at: at}
	err = w.run(ctx, from)
	if err != nil {
		return w.at.Rows, errors.Join(err, part.Close())
	}
	if err := w.complete(); err != nil {
		return w.at.Rows, err
	}
	return w.at.Rows, os.Remove(e.Path + ".mark")
}

// begin opens the unfinished file of the export and seeks to the position up to which it is complete. That position is in
// the mark, a small file that records the progress of an interrupted export. Without a mark begin starts at the
// beginning. A mark of another export is an error.
func (e Export) begin() (*os.File, mark, error) {
	at := mark{Table: e.Table.Name, Format: e.Format, Personal: e.Want.WithPersonal}
	if !e.Want.Since.IsZero() {
		at.Since = e.Want.Since.UTC().Format(timeForm)
	}
	switch content, err := os.ReadFile(e.Path + ".mark"); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, at, err
	default:
		var noted mark
		if json.Unmarshal(content, &noted) != nil || !noted.sameAs(at) {
			return nil, at, fmt.Errorf("%s.mark is of another export: say the same table, --format, --since and --with-personal, or "+
				"remove it and %[1]s.part", e.Path)
		}
		at = noted
	}
	part, err := os.OpenFile(e.Path+".part", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, at, err
	}
	info, err := part.Stat()
	if err == nil && info.Size() < at.Bytes {
		err = fmt.Errorf("%s.part is shorter than %[1]s.mark says: remove both", e.Path)
	}
	if err == nil {
		err = part.Truncate(at.Bytes)
	}
	if err == nil {
		_, err = part.Seek(at.Bytes, io.SeekStart)
	}
	if err != nil {
		return nil, at, errors.Join(err, part.Close())
	}
	return part, at, nil
}

// exporting is a running export.
type exporting struct {
	Export
	part *os.File
	out  *bufio.Writer
	at   mark
}

func (w *exporting) run(ctx context.Context, from *projections.Extract) error {
	lines := w.Format.lines(w.Table)
	write := func(line []byte) error {
		n, err := w.out.Write(line)
		w.at.Bytes += int64(n)
		return err
	}
	if w.at.Bytes == 0 {
		if err := write(lines.head()); err != nil {
			return err
		}
	}
	want := w.Want
	want.After = w.at.After
	err := w.Table.Rows(ctx, from, want, func(row Row) error {
		line, err := lines.line(row)
		if err == nil {
			err = write(line)
		}
		if err != nil {
			return fmt.Errorf("write row %s: %w", row.ID, err)
		}
		w.at.After = row.ID
		if w.at.Rows++; w.at.Rows%markEvery == 0 {
			return w.note()
		}
		return nil
	})
	if err == nil || ctx.Err() != nil { // an interrupted export also keeps the rows that it has written
		err = errors.Join(err, w.note())
	}
	return err
}

// note writes the rows in the buffer to disk, and then records the progress of the export in a file, the mark. An
// interrupted export continues from there.
func (w *exporting) note() error {
	if err := w.out.Flush(); err != nil {
		return err
	}
	if err := w.part.Sync(); err != nil {
		return err
	}
	content, err := json.Marshal(w.at)
	if err != nil {
		return err
	}
	next := w.Path + ".mark.next"
	if err := os.WriteFile(next, content, 0o600); err != nil {
		return err
	}
	return os.Rename(next, w.Path+".mark")
}

// complete gives the file its name. For Parquet, the file is made from the written rows only now: its metadata is at its end, so
// an unfinished Parquet file could not be continued.
func (w *exporting) complete() error {
	if w.Format != Parquet {
		return errors.Join(w.part.Close(), os.Rename(w.part.Name(), w.Path))
	}
	if _, err := w.part.Seek(0, io.SeekStart); err != nil {
		return errors.Join(err, w.part.Close())
	}
	made, err := os.CreateTemp(filepath.Dir(w.Path), filepath.Base(w.Path)+".*")
	if err != nil {
		return errors.Join(err, w.part.Close())
	}
	err = toParquet(w.Table, w.part, made)
	if err == nil {
		err = made.Sync()
	}
	err = errors.Join(err, made.Close(), w.part.Close())
	if err == nil {
		err = os.Rename(made.Name(), w.Path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(made.Name()))
	}
	return os.Remove(w.part.Name())
}
