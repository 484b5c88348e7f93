package projections

import (
	"context"
	"fmt"
	"time"
)

// processes is the collection with a row for each process. Like presence, it is not folded from events.
var processes = Collection{Name: "processes"}

// Process is the row of one process. It is for operators to read; no decision depends on it.
type Process struct {
	Name      string         `json:"name"` // name of the process, as in its claims
	Version   string         `json:"version"`
	Roles     []string       `json:"roles"`
	Slots     []ProcessSlots `json:"slots"`
	Layers    []ProcessLayer `json:"layers"` // layers of the sandbox; none without the role renderer
	Places    []ProcessPlace `json:"places"` // bytes stored in each place for files, with its limits
	DiskFree  int64          `json:"disk_free"`
	DiskTotal int64          `json:"disk_total"`
	StartedAt time.Time      `json:"started_at"`
	// ReadsEncrypted reports that the process can read events with encrypted personal data. Earlier versions of the program do not
	// set it.
	ReadsEncrypted bool `json:"reads_encrypted"`
	// ReadsCollapsed reports that the process can read archived streams of which the log has no event. Earlier versions of the
	// program do not set it.
	ReadsCollapsed bool      `json:"reads_collapsed"`
	At             time.Time `json:"at"` // when the row was written
}

// ProcessSlots is the number of items of a kind that a process works on at the same time.
type ProcessSlots struct {
	Kind  string `json:"kind"`
	Slots int    `json:"slots"`
}

// ProcessLayer is the state of one layer of the sandbox around a program.
type ProcessLayer struct {
	Program string `json:"program"`
	Layer   string `json:"layer"`
	State   string `json:"state"`
	Detail  string `json:"detail"`
}

// ProcessPlace is the number of bytes stored in a place, and its limits; 0: none.
type ProcessPlace struct {
	Place        string `json:"place"`
	Bytes        int64  `json:"bytes"`
	Files        int64  `json:"files"`
	AccountBytes int64  `json:"account_bytes"`
	TotalBytes   int64  `json:"total_bytes"`
	Refused      int64  `json:"refused"`
}

// ProcessBoard lists the running processes. It is safe for concurrent use.
type ProcessBoard struct {
	rows board[Process]
	now  func() time.Time
}

func newProcessBoard(docs Documents, now func() time.Time) *ProcessBoard {
	return &ProcessBoard{rows: board[Process]{docs: docs, collection: processes.Name, what: "row of a process"}, now: now}
}

// Run writes the row of this process every ten seconds until ctx ends, and removes it then. Errors are passed to
// failed. After a failed write, the next one tries again.
func (b *ProcessBoard) Run(ctx context.Context, describe func() Process, failed func(error)) error {
	if err := b.forget(ctx); err != nil {
		failed(err)
	}
	name := ""
	for {
		row := describe()
		name = row.Name
		if err := b.write(ctx, row); err != nil && ctx.Err() == nil {
			failed(err)
		}
		if !sleep(ctx, signInterval) {
			break
		}
	}
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), behindTime)
	defer cancel()
	if err := b.remove(leaving, name); err != nil {
		failed(err)
	}
	return nil
}

func (b *ProcessBoard) write(ctx context.Context, row Process) error {
	row.At, row.StartedAt = millis(b.now()), millis(row.StartedAt)
	return b.rows.change(ctx, row.Name, func(Process, bool) (Process, time.Time, bool) { return row, time.Time{}, true })
}

func (b *ProcessBoard) remove(ctx context.Context, name string) error {
	return b.rows.change(ctx, name, func(row Process, exists bool) (Process, time.Time, bool) {
		return row, millis(b.now()), exists
	})
}

// forget removes the rows of processes that were killed.
func (b *ProcessBoard) forget(ctx context.Context) error {
	all, err := b.all(ctx)
	for _, row := range all {
		if err == nil && b.silent(row) {
			err = b.remove(ctx, row.Name)
		}
	}
	return err
}

func (b *ProcessBoard) silent(row Process) bool { return b.now().Sub(row.At) > signAge }

func (b *ProcessBoard) all(ctx context.Context) ([]Process, error) {
	return b.rows.all(ctx, Query{Index: IDIndex, Limit: MaxPage}, func(row Process) []any { return []any{row.Name} })
}

// List returns the processes that have written their row within the last minute, by name.
func (b *ProcessBoard) List(ctx context.Context) ([]Process, error) {
	all, err := b.all(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	var alive []Process
	for _, row := range all {
		if !b.silent(row) {
			alive = append(alive, row)
		}
	}
	return alive, nil
}
