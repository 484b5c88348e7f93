package eventstores

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"moviola/eventstore/embedded"
	"moviola/eventstore/embedded/entry"
	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/eventstoredb"
	"moviola/internal/config"
	"moviola/internal/stores"
)

func eventStoreBackupCommand() *cobra.Command {
	var data, to string
	cmd := &cobra.Command{
		Use:   "backup",
		Short: "Copy the event log into a file, also while it is in use",
		Long: "Copy the event log into a file: all of it as it is at one moment, also while the service or the event store runs.\n" +
			"The copy is verified before it gets its name. To restore it, put it into an empty folder under the name events.db.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				to = filepath.Join(".", "events-"+time.Now().UTC().Format("20060102T150405Z")+".db")
			}
			report, err := logfile.Backup(cmd.Context(), data, to)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s holds %d events of %d streams, up to position %d\n",
				to, report.Events, report.Streams, report.Last)
			return err
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().StringVar(&to, "to", "", "file to write (default: events-<time>.db in this folder); it must not be there")
	return cmd
}

func eventStoreVerifyCommand() *cobra.Command {
	var data, file string
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check the event log, or a backup of it, from end to end",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path := data
			if file != "" {
				path = file
			}
			report, err := logfile.Verify(cmd.Context(), path)
			if err != nil {
				return err
			}
			return printReport(cmd.OutOrStdout(), path, report)
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().StringVar(&file, "file", "", "the file of a backup, instead of a folder")
	return cmd
}

func dataFlag(cmd *cobra.Command, data *string) {
	cmd.Flags().StringVar(data, "data", "./data/events", "folder of the log")
}

// printReport prints the problems of a log, one a line, and returns an error if there are any.
func printReport(w io.Writer, path string, report logfile.Report) error {
	var err error
	for _, problem := range report.Problems {
		_, printed := fmt.Fprintln(w, problem)
		err = errors.Join(err, printed)
	}
	if n := len(report.Problems) + report.More; n > 0 {
		return errors.Join(fmt.Errorf("%s is not sound: %d problems found", path, n), err)
	}
	_, printed := fmt.Fprintf(w, "%s is sound: %d events of %d streams, %d removed by retention, up to position %d\n",
		path, report.Events, report.Streams, report.Removed, report.Last)
	return errors.Join(err, printed)
}

func eventStoreCopyCommand() *cobra.Command {
	var data, from, to, level, where, key string
	cmd := &cobra.Command{
		Use:   "copy",
		Short: "Copy the event log into another event store",
		Long: "Copy the event log into another event store, with ids, order and revisions kept. A copy that was cut short " +
			"goes on where\n" +
			"it was; so the bulk can be copied while the service runs, and the rest in a second run after it was stopped.",
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
			copied := CopyLog(cmd.Context(), cmd.OutOrStdout(), source, stores.EventStoreAt(to), files, open)
			return errors.Join(copied, stop())
		},
	}
	dataFlag(cmd, &data)
	f := cmd.Flags()
	f.StringVar(&from, "from", "", "event store to copy from, unix:// or esdb:// (default: the log in the data folder)")
	f.StringVar(&to, "to", "", "event store to copy into, unix:// or esdb://")
	config.BindBlobs(f, &where, &key, "where the archived movies are, s3://bucket?…, gs://… or azblob://… (default: the folder "+
		"files beside the log)")
	config.BindBlobsKeyFile(f)
	f.StringVar(&level, "log-level", "info", "trace, debug, info, warn or error")
	return cmd
}

// copySource returns the log to copy from: the one at an address, or the one of a data folder. For a data folder it uses the
// running server, or starts one.
func copySource(ctx context.Context, data, from string) (source eventstoredb.Config, stop func() error, err error) {
	none := func() error { return nil }
	if from != "" {
		return stores.EventStoreAt(from), none, nil
	}
	if _, err := logfile.LogFile(data); err != nil {
		return source, none, err
	}
	server, err := embedded.Open(embedded.Config{Dir: data, NeedsPass: true})
	if errors.Is(err, logfile.ErrInUse) {
		source.Addr, err = entry.SocketAddr(data)
		return source, none, err
	}
	if err != nil {
		return source, none, err
	}
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan error, 1)
	go func() { served <- serveEventStore(running, server) }()
	return eventstoredb.Config{Addr: server.Addr()}, func() error { end(); return <-served }, nil
}

// CopyLog copies a log together with its archive, and prints the progress. The target has all events and no archive.
func CopyLog(ctx context.Context, w io.Writer, source, target eventstoredb.Config, files *stores.HistoryFiles,
	open func(eventstoredb.Config, string) (*eventstoredb.Store, error)) (err error) {
	client, err := open(source, "source")
	if err != nil {
		return errors.Join(fmt.Errorf("open the source: %w", err), files.Close())
	}
	from := WithArchive(client, files)
	defer func() { err = errors.Join(err, CloseStore(ctx, from)) }()
	to, err := open(target, "target")
	if err != nil {
		return fmt.Errorf("open the target: %w", err)
	}
	defer func() { err = errors.Join(err, CloseStore(ctx, to)) }()
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
	_, err = fmt.Fprintf(w, "source and target have the same %d events in the same order, SHA-256 %s\n", compared.Events,
		compared.Digest)
	return err
}

// copyProgress prints once a second how much is copied and the estimated end.
type copyProgress struct {
	w           io.Writer
	begun, next time.Time
	first       uint64 // position of the source at the first report
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

// CloseStore closes a store or a log.
func CloseStore(ctx context.Context, store interface {
	Close(ctx context.Context) error
}) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stores.CloseTime)
	defer cancel()
	return store.Close(ctx)
}
