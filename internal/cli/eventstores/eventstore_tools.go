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
	return eventstoredb.Config{Addr: server.Addr(), Patience: stores.StartTime}, func() error { end(); return <-served }, nil
}

// CloseStore closes a store or a log.
func CloseStore(ctx context.Context, store interface {
	Close(ctx context.Context) error
}) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stores.CloseTime)
	defer cancel()
	return store.Close(ctx)
}
