// Package check holds everything that is stored against the log: which files are missing, damaged or nobody's, and which
// documents of the read models are not what the log makes of them.
package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
)

// The kinds of findings.
const (
	Missing  = commands.FlawMissing
	Damaged  = commands.FlawDamaged
	Orphaned = commands.FlawOrphaned
	Unread   = "unread"
)

// Finding is something that is not as the log says.
type Finding struct {
	Kind     string `json:"kind"`             // missing, damaged, orphaned or unread
	What     string `json:"what"`             // it is, for people
	Name     string `json:"name"`             // key of the file, read model and document, or event and stream
	Detail   string `json:"detail,omitempty"` // what is wrong with it
	Remedy   string `json:"remedy"`           // what helps
	Repaired bool   `json:"repaired"`

	remove []string // files of a cache that go with it
	stream string   // that names it; empty: none does
	want   want
}

// Report is what a check came to.
type Report struct {
	Events   int       `json:"events"` // that were read
	Files    int       `json:"files"`  // that the log names and that were looked at
	Stored   int       `json:"stored"` // files that are there
	Cached   int       `json:"cached"` // files in caches
	Findings []Finding `json:"findings"`
	// Models says why the read models could not be compared; empty: they were, or nobody asked.
	Models string `json:"read_models,omitempty"`
}

// Left counts the findings that were not repaired.
func (r Report) Left() int {
	left := 0
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
	Files commands.Files // documents are decrypted when they are read
	// Walk hands every key below a prefix, and when it was written, to visit.
	Walk func(ctx context.Context, prefix string, visit func(key string, written time.Time) error) error
	// Caches are those of this machine.
	Caches []Cache
	// Holder names an account in the keys of what its hosts share, and Lapse is how long that is used after it was written; nil:
	// it is not looked at.
	Holder func(account domain.AccountID) string
	Lapse  time.Duration
	// Quick leaves finished movies and the files of caches unread: of movies the lengths are compared.
	Quick bool
	// Verify compares the read models with the log; nil: they are left out.
	Verify func(ctx context.Context) ([]projections.Difference, error)
	// Repair removes what is nobody's and what is wrong in caches, copies what another movie has, and makes the read models again
	// with Rebuild.
	Repair  bool
	Rebuild func(ctx context.Context) error
	// Grace is how old a file must be to be nobody's: a younger one may be about to be recorded. Default: 24 hours.
	Grace time.Duration
	Now   func() time.Time
}

// mostFindings bounds what is remembered of one kind.
const mostFindings = 10_000

// checker is a check on its way.
type checker struct {
	Config
	inventory *inventory
	report    Report
}

// Run checks. An error means that it could not.
func Run(ctx context.Context, config Config) (Report, error) {
	if config.Grace <= 0 {
		config.Grace = 24 * time.Hour
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	c := &checker{Config: config, inventory: newInventory()}
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

// readLog learns which files there have to be.
func (c *checker) readLog(ctx context.Context) error {
	for event, err := range c.Log.Store().ReadAll(ctx, eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
		c.report.Events++
		switch err := c.inventory.add(c.Log.Codec(), event); {
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

// wanted looks at every file that the log names.
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
			still, err := c.stillWanted(ctx, stream, w) // it may have been deleted since the log was read
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

// examine says what is wrong with a file; an empty kind: nothing is.
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

// stillWanted reads a stream anew, and its account: a departed one has no files to miss.
func (c *checker) stillWanted(ctx context.Context, stream string, w want) (bool, error) {
	s := c.inventory.subjects[stream]
	owner := ownerOf(s, w.key)
	_, forAWhile := s.(*preloadFiles)
	if c.inventory.departed[owner] || forAWhile && c.inventory.emptied[owner] {
		return false, nil
	}
	fresh, err := c.again(ctx, stream)
	if err != nil {
		return false, err
	}
	s = fresh.subjects[stream]
	return s != nil && slices.Contains(s.wants(c.Now()), w), nil
}

// ownerOf is the account that a file is stored for.
func ownerOf(s subject, key string) domain.AccountID {
	switch s := s.(type) {
	case *movieFiles:
		return s.owner
	case *preloadFiles:
		return s.owner
	case *placeFile:
		if parts := strings.Split(key, "/"); len(parts) > 1 {
			return domain.AccountID(parts[1])
		}
	}
	return ""
}

// again makes the inventory of one stream as it is now.
func (c *checker) again(ctx context.Context, stream string) (*inventory, error) {
	fresh := newInventory()
	for event, err := range c.Log.Store().ReadStream(ctx, stream, eventstore.Forwards, 0) {
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", stream, err)
		}
		if err := fresh.add(c.Log.Codec(), event); err != nil && !errors.Is(err, errUnread) {
			return nil, err
		}
	}
	return fresh, nil
}

// stored looks for files that nothing in the log names.
func (c *checker) stored(ctx context.Context) error {
	until, closed := c.Now().Add(-c.Grace), c.closedHolders()
	return c.Walk(ctx, "", func(key string, written time.Time) error {
		c.report.Stored++
		if blobkey.Sources.Is(key) {
			c.shared(key, written, closed)
			return nil
		}
		if !written.Before(until) || c.inventory.owned(key, c.Now()) || len(c.report.Findings) >= mostFindings {
			return nil
		}
		stream := c.inventory.streamOf(key)
		if stream != "" { // it may be named since the log was read
			fresh, err := c.again(ctx, stream)
			if err != nil {
				return err
			}
			if fresh.owned(key, c.Now()) {
				return nil
			}
		}
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
		if ctx.Err() != nil {
			return err
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

// errTooMany says that nearly nothing of what is stored is known.
var errTooMany = errors.New("most files belong to nothing in the log; is this the event store that belongs to them? Nothing " +
	"was removed")

// fewOrphans is how many files may be removed whatever else there is.
const fewOrphans = 100

// repair does what can be done.
func (c *checker) repair(ctx context.Context) error {
	orphans, rebuilt := 0, false
	for _, f := range c.report.Findings {
		if f.Kind == Orphaned && f.What == "stored file" {
			orphans++
		}
	}
	if orphans > fewOrphans && 2*orphans > c.report.Stored {
		return fmt.Errorf("%d of %d files: %w", orphans, c.report.Stored, errTooMany)
	}
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

// copyTwin stores a finished movie again that another one is a copy of, or that is a copy of another one.
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
