package check

import (
	"context"
	"errors"
	"fmt"

	"moviola/commands"
	"moviola/eventstore/archived"
)

// archive checks the archive files, which contain the archived events of the log, and reports whether all of them are
// there and undamaged. When one is not, the log may lack its events, and Run compares nothing else with the log.
func (c *checker) archive(ctx context.Context) (whole bool, err error) {
	if c.Archive == nil {
		return true, nil
	}
	err = c.Archive(ctx, func(key string, flaw error) error {
		f := Finding{What: "archive file", Name: key,
			Remedy: "restore it from a backup; nothing else was checked, since the log lacks its events"}
		switch {
		case flaw == nil:
			return nil
		case errors.Is(flaw, commands.ErrFileNotFound):
			f.Kind = Missing
		case errors.Is(flaw, archived.ErrDamaged), errors.Is(flaw, commands.ErrDamaged):
			f.Kind, f.Detail = Damaged, "it does not have the recorded hash"
		default:
			return fmt.Errorf("read archive file %s: %w", key, flaw)
		}
		if c.found(f); len(c.report.Findings) >= mostFindings {
			return errTooManyFlaws
		}
		return nil
	})
	if errors.Is(err, errTooManyFlaws) {
		err = nil
	}
	return len(c.report.Findings) == 0, err
}

// errTooManyFlaws ends the search for flaws, because enough were found.
var errTooManyFlaws = errors.New("there are enough findings")
