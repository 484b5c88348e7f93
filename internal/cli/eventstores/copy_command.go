package eventstores

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"moviola/eventstore/eventstoredb"
	"moviola/internal/config"
	"moviola/internal/stores"
)

func eventStoreCopyCommand() *cobra.Command {
	var data, from, to, level, where, key, mongo string
	var encrypt bool
	cmd := &cobra.Command{
		Use:   "copy",
		Short: "Copy the event log into another event store",
		Long: "Copy the event log into another event store, with ids, order and revisions kept. A copy that was cut short " +
			"goes on where\n" +
			"it was; so the bulk can be copied while the service runs, and the rest in a second run after it was stopped.\n" +
			"With --encrypt the copy has personal data encrypted under the keys of accounts, as with --encrypt-accounts: of accounts\n" +
			"that were erased it has none. docs/erasure.md tells the steps.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return errors.New("--to is missing: say which event store to copy into, such as esdb://host:2113")
			}
			log, err := config.NewLog(cmd.ErrOrStderr(), level, "text")
			if err != nil {
				return err
			}
			source, stop, err := copySource(cmd.Context(), data, from)
			if err != nil {
				return err
			}
			open := func(target eventstoredb.Config, part string) (*eventstoredb.Store, error) {
				target.Log = log.WithField("part", part)
				return eventstoredb.Open(target)
			}
			files := stores.NewHistoryFiles(filepath.Dir(filepath.Clean(data)), where, key)
			c := copying{source: source, target: stores.EventStoreAt(to), files: files, open: open}
			if encrypt {
				err = copyEncrypted(cmd.Context(), cmd.OutOrStdout(), c, data, mongo)
			} else {
				err = c.run(cmd.Context(), cmd.OutOrStdout())
			}
			return errors.Join(err, stop())
		},
	}
	dataFlag(cmd, &data)
	f := cmd.Flags()
	f.StringVar(&from, "from", "", "event store to copy from, unix:// or esdb:// (default: the log in the data folder)")
	f.StringVar(&to, "to", "", "event store to copy into, unix:// or esdb://")
	config.BindBlobs(f, &where, &key, "where the archived movies are, s3://bucket?…, gs://… or azblob://… (default: the folder "+
		"files beside the log)")
	config.BindBlobsKeyFile(f)
	f.BoolVar(&encrypt, "encrypt", false, "encrypt personal data under the keys of its accounts, which are made where they "+
		"are missing")
	f.StringVar(&mongo, "mongo", "", "MongoDB of the installation, mongodb://…/database, which has the keys of accounts for "+
		"--encrypt (default: the folder account-keys beside the log)")
	f.StringVar(&level, "log-level", "info", "trace, debug, info, warn or error")
	return cmd
}

// copying copies a log, together with its archive, into another event store. That event store then has all events and no archive.
type copying struct {
	source, target eventstoredb.Config
	files          *stores.HistoryFiles
	open           OpenStore
	through        func(eventstoredb.Source) eventstoredb.Source // changes the events that are copied; nil: they stay as they are
}

// CopyLog copies a log, together with its archive, into the event store target, and prints the progress. The target then has all
// events and no archive.
func CopyLog(
	ctx context.Context, w io.Writer, source, target eventstoredb.Config, files *stores.HistoryFiles, open OpenStore,
) error {
	return copying{source: source, target: target, files: files, open: open}.run(ctx, w)
}

// run copies, prints the progress, and compares the copy with its source.
func (c copying) run(ctx context.Context, w io.Writer) (err error) {
	client, err := c.open(c.source, "source")
	if err != nil {
		return errors.Join(fmt.Errorf("open the source: %w", err), c.files.Close())
	}
	archive := WithArchive(client, c.files)
	defer func() { err = errors.Join(err, CloseStore(ctx, archive)) }()
	to, err := c.open(c.target, "target")
	if err != nil {
		return fmt.Errorf("open the target: %w", err)
	}
	defer func() { err = errors.Join(err, CloseStore(ctx, to)) }()
	from := eventstoredb.Source(archive)
	if c.through != nil {
		from = c.through(archive)
	}
	progress := &copyProgress{w: w, begun: time.Now()}
	done, err := eventstoredb.Copy(ctx, from, to, progress.show)
	begun := "copied"
	if done.Resumed {
		begun = "an earlier copy was continued: copied"
	}
	_, printed := fmt.Fprintf(w, "%s %d events in %s; %d placeholders stand for events that retention has removed\n",
		begun, done.Events, time.Since(progress.begun).Round(time.Second/10), done.Filled)
	if err = errors.Join(err, printed); err != nil {
		return err
	}
	compared, err := eventstoredb.Compare(ctx, from, to, done.Position)
	if err != nil {
		return err
	}
	alike := "source and target have the same %d events in the same order, SHA-256 %s\n"
	if c.through != nil {
		alike = "the target has the %d events of the source in the same order, SHA-256 %s\n"
	}
	_, err = fmt.Fprintf(w, alike, compared.Events, compared.Digest)
	return err
}

// copyProgress prints once a second how much is copied and the estimated end.
type copyProgress struct {
	w           io.Writer
	begun, next time.Time
	first       uint64 // position in the source that the copy had reached at the first call of show; 0: no call yet
}

func (p *copyProgress) show(c eventstoredb.Copied) {
	now := time.Now()
	if p.first == 0 {
		p.first = c.Position.Commit
	}
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(time.Second)
	line, elapsed := fmt.Sprintf("%d events copied", c.Events), now.Sub(p.begun)
	if seconds := elapsed.Seconds(); seconds >= 1 {
		line += fmt.Sprintf(", %.0f a second", float64(c.Events)/seconds)
	}
	if come, all := c.Position.Commit-p.first, c.End.Commit-p.first; come > 0 && all >= come {
		left := time.Duration(float64(elapsed) * float64(all-come) / float64(come))
		line += fmt.Sprintf(", about %s left", left.Round(time.Second))
	}
	_, _ = fmt.Fprintln(p.w, line)
}
