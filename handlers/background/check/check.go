// Package check compares stored files, caches and read models with the log. It reports which files are missing, damaged or
// orphaned, and on request which documents of the read models differ from the result of folding the log.
package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"moviola/commands"
	"moviola/commands/storage"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
)

// The kinds of findings.
const (
	Missing  = storage.FlawMissing
	Damaged  = storage.FlawDamaged
	Orphaned = storage.FlawOrphaned
	Unread   = "unread"
)

// Finding is a difference between the stored data and the log.
type Finding struct {
	Kind string `json:"kind"` // kind of the difference: missing, damaged, orphaned or unread
	What string `json:"what"` // kind of the object, as the report names it: stored file, read model, …
	// name of the object: key of a stored file; path of a file or folder of a cache; name of a read model, and a document
	// in it; or an event and its stream
	Name     string `json:"name"`
	Detail   string `json:"detail,omitempty"` // description of the difference
	Remedy   string `json:"remedy"`           // what the operator can do about the finding
	Repaired bool   `json:"repaired"`

	remove []string // files and folders of a cache that --repair removes
	stream string   // stream of the stored file; empty: not a stored file, or its key does not tell the stream
	want   want
}

// Report is the result of a check.
type Report struct {
	Events   int       `json:"events"` // number of events read
	Files    int       `json:"files"`  // number of files that the log names and that were checked
	Stored   int       `json:"stored"` // number of files in the storage
	Cached   int       `json:"cached"` // number of files that were looked at in caches
	Findings []Finding `json:"findings"`
	// Unlisted is the number of events that cannot be read and are not in Findings, which has the first of them only.
	Unlisted int `json:"unlisted,omitempty"`
	// Models says why the read models were not compared although this was requested; empty: no such reason.
	Models string `json:"read_models,omitempty"`
}

// Left returns the number of findings that were not repaired, including those that are not listed.
func (r Report) Left() int {
	left := r.Unlisted
	for _, f := range r.Findings {
		if !f.Repaired {
			left++
		}
	}
	return left
}

// Config is what Run needs. Log, Files and Walk are required.
type Config struct {
	Log   *eventstore.Log
	Files commands.Files // the stored files; Files decrypts documents when they are read
	// Walk calls visit with every key below a prefix, and the time when the key's file was written.
	Walk func(ctx context.Context, prefix string, visit func(key string, written time.Time) error) error
	// Archive calls visit with the key of every archive file of the log, and with the fault of the file, if it has one. nil: there
	// is no archive.
	Archive func(ctx context.Context, visit func(key string, flaw error) error) error
	// Caches are the caches of this machine.
	Caches []Cache
	// Holder returns the name that stands for an account in the keys of shared files: files that all hosts of the
	// installation use. nil: shared files are not checked.
	Holder func(account domain.AccountID) string
	// Lapse is how long a shared file is used after it was written.
	Lapse time.Duration
	// Quick skips reading the contents of movies, of their outputs and of files in caches: of movies and outputs, only the
	// sizes in bytes are compared.
	Quick bool
	// Verify compares the read models with the log; nil: they are not compared. With the error projections.ErrUnlike, all read
	// models are a finding.
	Verify func(ctx context.Context) ([]projections.Difference, error)
	// Repair removes orphans and faulty files of caches, restores a finished movie from a copy of its file, and rebuilds
	// the read models by calling Rebuild.
	Repair  bool
	Rebuild func(ctx context.Context) error
	// Grace is the age from which on a file can be an orphan: the log may be about to name a
	// younger file. Default: 24 hours.
	Grace time.Duration
	Now   func() time.Time
}

// mostFindings is the number of findings from which on no further event and no further file is reported. Events are still counted
// (Report.Unlisted). The documents of read models are limited by projections.Verify.
const mostFindings = 10_000

// checker is the state of a check.
type checker struct {
	Config
	inventory *inventory
	report    Report
	orphans   int // number of stored files that the log does not name, also of those that are not in the report
}

// Run compares the stored data with the log. An error means that the comparison or the repair could not be finished.
func Run(ctx context.Context, config Config) (Report, error) {
	if config.Grace <= 0 {
		config.Grace = 24 * time.Hour
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	c := &checker{Config: config, inventory: newInventory()}
	if whole, err := c.archive(ctx); err != nil || !whole {
		return c.report, err
	}
	for _, step := range []func(context.Context) error{c.readLog, c.wanted, c.stored, c.caches, c.models} {
		if err := step(ctx); err != nil {
			return c.report, err
		}
	}
	if c.Repair {
		return c.report, c.repair(ctx)
	}
	return c.report, nil
}

func (c *checker) found(f Finding) { c.report.Findings = append(c.report.Findings, f) }

// readLog reads the log to find out which files must exist.
func (c *checker) readLog(ctx context.Context) error {
	for event, err := range c.Log.Store().ReadAll(ctx, eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
		c.report.Events++
		switch err := c.inventory.add(c.Log.Codec(), event); {
		case err != nil && len(c.report.Findings) >= mostFindings:
			c.report.Unlisted++
		case errors.Is(err, errUnread):
			c.found(Finding{
				Kind: Unread, What: "event", Name: fmt.Sprintf("%s, event %d of %s", event.Type, event.Revision, event.Stream),
				Detail: err.Error(),
				Remedy: "check with that version",
			})
		case err != nil:
			c.found(Finding{
				Kind: Damaged, What: "event", Name: fmt.Sprintf("event %d of %s", event.Revision, event.Stream), Detail: err.Error(),
				Remedy: "restore the newest backup",
			})
		}
	}
	return nil
}

// wanted checks every file that the log names, except those of streams with an event that this program cannot read.
func (c *checker) wanted(ctx context.Context) error {
	for stream, s := range c.inventory.subjects {
		if c.inventory.unread[stream] {
			continue
		}
		for _, w := range s.wants(c.Now()) {
			c.report.Files++
			kind, detail, err := c.examine(ctx, w)
			if err != nil {
				return err
			}
			if kind == "" || len(c.report.Findings) >= mostFindings {
				continue
			}
			still, err := c.stillWanted(ctx, stream, w) // the file may have been deleted since the log was read
			if err != nil {
				return err
			}
			if still {
				c.found(Finding{Kind: kind, What: w.what, Name: w.key, Detail: detail, Remedy: "restore it from a backup",
					stream: stream, want: w})
			}
		}
	}
	return nil
}

// examine checks a file. An empty kind means that nothing is wrong.
func (c *checker) examine(ctx context.Context, w want) (kind, detail string, err error) {
	file, err := c.Files.Open(ctx, w.key)
	switch {
	case errors.Is(err, commands.ErrFileNotFound):
		if w.required {
			return Missing, "", nil
		}
		return "", "", nil
	case errors.Is(err, commands.ErrDamaged):
		return Damaged, err.Error(), nil
	case err != nil:
		return "", "", fmt.Errorf("open %s: %w", w.key, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if w.size > 0 && file.Size() != w.size {
		return Damaged, fmt.Sprintf("it has %d bytes instead of %d", file.Size(), w.size), nil
	}
	if w.hash == "" || c.Quick && w.size > 0 {
		return "", "", nil
	}
	hash, err := commands.HashOf(file)
	if err != nil {
		return Damaged, "it cannot be read: " + err.Error(), nil
	}
	if hash != w.hash {
		return Damaged, "it does not have the recorded hash", nil
	}
	return "", "", nil
}

// stored looks for orphans: stored files that the log does not name, and shared files that nothing uses any more.
func (c *checker) stored(ctx context.Context) error {
	until, closed := c.Now().Add(-c.Grace), c.closedHolders()
	return c.Walk(ctx, "", func(key string, written time.Time) error {
		c.report.Stored++
		if blobkey.Sources.Is(key) {
			c.shared(key, written, closed)
			return nil
		}
		if !written.Before(until) || c.inventory.owned(key, c.Now()) {
			return nil
		}
		if len(c.report.Findings) >= mostFindings {
			c.orphans++
			return nil
		}
		stream := c.inventory.streamOf(key)
		if stream != "" { // The file may be named by an event that was appended after the log was read.
			fresh, err := c.again(ctx, stream)
			if err != nil {
				return err
			}
			if fresh.owned(key, c.Now()) {
				return nil
			}
		}
		c.orphans++
		c.found(Finding{Kind: Orphaned, What: "stored file", Name: key, Detail: "nothing in the log names it",
			Remedy: "--repair removes it", stream: stream})
		return nil
	})
}

// models compares the read models with the log.
func (c *checker) models(ctx context.Context) error {
	if c.Verify == nil {
		return nil
	}
	differences, err := c.Verify(ctx)
	if err != nil {
		if !errors.Is(err, projections.ErrUnlike) {
			return fmt.Errorf("compare the read models with the log: %w", err)
		}
		c.report.Models = err.Error()
		c.found(Finding{Kind: Damaged, What: "read models", Name: "all", Detail: err.Error(),
			Remedy: "--repair, or moviola rebuild, makes them again"})
		return nil
	}
	for _, d := range differences {
		kind := Damaged
		switch d.What {
		case "missing":
			kind = Missing
		case "superfluous":
			kind = Orphaned
		}
		c.found(Finding{
			Kind: kind, What: "document of a read model", Name: d.Model + "/" + d.ID, Detail: d.What,
			Remedy: "--repair, or moviola rebuild, makes the read models again",
		})
	}
	return nil
}

// errTooMany says that most stored files are unknown to the log, so the log is probably that of
// another installation.
var errTooMany = errors.New("most files belong to nothing in the log; is this the event store that belongs to them? Nothing " +
	"was removed")

// fewOrphans is the number of orphans up to which all are removed without comparing their number with that of all files.
const fewOrphans = 100

// repair repairs the findings that can be repaired.
func (c *checker) repair(ctx context.Context) error {
	if c.orphans > fewOrphans && 2*c.orphans > c.report.Stored {
		return fmt.Errorf("%d of %d files: %w", c.orphans, c.report.Stored, errTooMany)
	}
	rebuilt := false
	for i := range c.report.Findings {
		f := &c.report.Findings[i]
		var err error
		switch {
		case strings.Contains(f.What, "read model"):
			if !rebuilt && c.Rebuild != nil {
				err, rebuilt = c.Rebuild(ctx), true
			}
			f.Repaired = rebuilt && err == nil
		case f.remove != nil:
			err = evict(f.remove)
			f.Repaired = err == nil
		case f.Kind == Orphaned:
			err = c.Files.Delete(ctx, f.Name)
			f.Repaired = err == nil
		case f.What == "finished movie":
			f.Repaired, err = c.copyTwin(ctx, f)
		}
		if err != nil {
			return fmt.Errorf("repair %s: %w", f.Name, err)
		}
	}
	return nil
}

// copyTwin restores the file of a finished movie from the file of an equal movie: from the file of which it was a copy, or
// from another copy of the same file. It returns false when no equal movie has a file without fault.
func (c *checker) copyTwin(ctx context.Context, f *Finding) (bool, error) {
	broken, ok := c.inventory.subjects[f.stream].(*movieFiles)
	if !ok {
		return false, nil
	}
	first := broken.project
	if broken.copiedOf != "" {
		first = broken.copiedOf
	}
	for stream, s := range c.inventory.subjects {
		twin, ok := s.(*movieFiles)
		if !ok || stream == f.stream || twin.file == nil || twin.file.Size != f.want.size {
			continue
		}
		if stream != movie.Stream(first) && twin.copiedOf != first {
			continue
		}
		if kind, _, err := c.examine(ctx, want{key: twin.file.Key, size: twin.file.Size,
			hash: cmp.Or(f.want.hash, twin.file.Hash), required: true}); kind != "" || err != nil {
			continue
		}
		file, err := c.Files.Open(ctx, twin.file.Key)
		if err != nil {
			return false, err
		}
		err = errors.Join(c.Files.Put(ctx, f.Name, file), file.Close())
		return err == nil, err
	}
	return false, nil
}
