package eventstores

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"moviola/eventstore"
	"moviola/eventstore/embedded/logfile"
	"moviola/eventstore/eventstoredb"
)

func eventStoreStreamsCommand() *cobra.Command {
	var data, prefix, after string
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "streams",
		Short: "List the streams of the event log, also while it is in use",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			streams, err := logfile.Streams(cmd.Context(), data, prefix, after, limit)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), append([]logfile.StreamInfo{}, streams...))
			}
			out := newTable(cmd.OutOrStdout(), "STREAM", "EVENTS", "FIRST", "LAST", "NEWEST")
			for _, s := range streams {
				first, last, newest := fmt.Sprint(s.First), fmt.Sprint(s.Last), s.Newest.Format(time.RFC3339)
				switch {
				case s.Deleted:
					first, last = "-", "deleted"
				case s.Collapsed:
					first, newest = "-", "-"
				}
				out.row(s.Name, s.Events, first, last, newest)
			}
			if err := out.Flush(); err != nil {
				return err
			}
			if len(streams) > 0 && len(streams) == limit {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "There may be more: --after %s, or a larger --limit.\n", streams[len(streams)-1].Name)
			}
			return err
		},
	}
	dataFlag(cmd, &data)
	f := cmd.Flags()
	f.StringVar(&prefix, "prefix", "", "only streams whose name begins so, such as movie-")
	f.StringVar(&after, "after", "", "only streams behind this name")
	f.IntVar(&limit, "limit", 100, "at most so many")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func eventStoreStatsCommand() *cobra.Command {
	var data string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count what is in the event log, also while it is in use",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			stats, err := logfile.LogStats(cmd.Context(), data)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), stats)
			}
			out := newTable(cmd.OutOrStdout())
			out.row("events", stats.Events)
			out.row("removed by retention", stats.Removed)
			out.row("streams", stats.Streams)
			out.row("collapsed streams", stats.Collapsed)
			out.row("last position", stats.Last)
			if stats.Events > 0 {
				out.row("oldest event", stats.Oldest.Format(time.RFC3339))
				out.row("newest event", stats.Newest.Format(time.RFC3339))
			}
			out.row("file", inMegabytes(stats.FileBytes))
			out.row("free in the file", inMegabytes(stats.FreeBytes))
			out.row("write-ahead log", inMegabytes(stats.WALBytes))
			out.row("persistent subscriptions", stats.Groups)
			out.row()
			out.row("CATEGORY", "STREAMS", "EVENTS")
			for _, c := range stats.Categories {
				out.row(c.Name, c.Streams, c.Events)
			}
			return out.Flush()
		},
	}
	dataFlag(cmd, &data)
	jsonFlag(cmd, &asJSON)
	return cmd
}

func inMegabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

func eventStoreGroupsCommand() *cobra.Command {
	var data string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "groups",
		Short: "List the persistent subscriptions and how far they have come, also while they are in use",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			groups, err := logfile.Groups(cmd.Context(), data)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), append([]logfile.GroupInfo{}, groups...))
			}
			out := newTable(cmd.OutOrStdout(), "STREAM", "GROUP", "STRATEGY", "CHECKPOINT", "NEWEST", "PARKED")
			for _, g := range groups {
				out.row(g.Stream, g.Name, g.Strategy, orDash(g.Checkpoint), orDash(g.Known), g.Parked)
			}
			return out.Flush()
		},
	}
	dataFlag(cmd, &data)
	jsonFlag(cmd, &asJSON)
	return cmd
}

func orDash(place int64) string {
	if place < 0 {
		return "-"
	}
	return fmt.Sprint(place)
}

func eventStoreScavengeCommand() *cobra.Command {
	var data, at string
	cmd := &cobra.Command{
		Use:   "scavenge",
		Short: "Remove at once what retention leaves out; a server does it by itself every ten seconds, and all of it every hour",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			source, stop, err := copySource(cmd.Context(), data, at)
			if err != nil {
				return err
			}
			removed, err := eventstoredb.Scavenge(cmd.Context(), source)
			if err = errors.Join(err, stop()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d events removed\n", removed)
			return err
		},
	}
	dataFlag(cmd, &data)
	atFlag(cmd, &at)
	return cmd
}

func eventStoreReadCommand() *cobra.Command {
	var data, at string
	var from int64
	var count int
	var backwards, asJSON bool
	cmd := &cobra.Command{
		Use:   "read STREAM",
		Short: "Print the events of a stream, or of the whole log ('$all')",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			direction := eventstore.Forwards
			if backwards {
				direction = eventstore.Backwards
			}
			return withStore(cmd.Context(), data, at, func(store *eventstoredb.Store) error {
				events := store.ReadStream(cmd.Context(), args[0], direction, eventstore.Revision(from))
				if args[0] == "$all" {
					events = store.ReadAll(cmd.Context(), direction, eventstore.Position{})
				}
				return printEvents(cmd.OutOrStdout(), events, count, asJSON)
			})
		},
	}
	dataFlag(cmd, &data)
	atFlag(cmd, &at)
	f := cmd.Flags()
	f.Int64Var(&from, "from-revision", -1, "begin at this revision (default: the beginning, or with --backwards the end)")
	f.IntVar(&count, "count", 20, "at most so many; 0: all")
	f.BoolVar(&backwards, "backwards", false, "from new to old")
	jsonFlag(cmd, &asJSON)
	cmd.PreRun = func(*cobra.Command, []string) {
		if from < 0 && !backwards {
			from = 0
		}
	}
	return cmd
}

func eventStoreTailCommand() *cobra.Command {
	var data, at string
	var last int
	var categories []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Print the newest events of the log, and those that come, until it is interrupted",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withStore(cmd.Context(), data, at, func(store *eventstoredb.Store) error {
				return tailLog(cmd.Context(), cmd.OutOrStdout(), store, eventstore.Filter{Categories: categories}, last, asJSON)
			})
		},
	}
	dataFlag(cmd, &data)
	atFlag(cmd, &at)
	f := cmd.Flags()
	f.IntVar(&last, "last", 10, "begin with so many that are there")
	f.StringSliceVar(&categories, "category", nil, "only streams of this category, such as movie; may be given more than once")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// tailLog prints the last matching events, and then new ones as they come. An interrupt is no error.
func tailLog(ctx context.Context, w io.Writer, store eventstore.Store, filter eventstore.Filter, last int, asJSON bool) error {
	head, err := store.Head(ctx)
	if err != nil {
		return err
	}
	var newest []eventstore.Recorded
	for event, err := range store.ReadAll(ctx, eventstore.Backwards, eventstore.Position{}) {
		if err != nil {
			return err
		}
		if len(newest) >= last {
			break
		}
		if filter.Matches(event) && event.Position.Compare(head) <= 0 {
			newest = append(newest, event)
		}
	}
	for _, event := range slices.Backward(newest) {
		if err := printEvent(w, event, asJSON); err != nil {
			return err
		}
	}
	subscription, err := store.Subscribe(ctx, head, filter)
	if err != nil {
		return err
	}
	defer subscription.Close()
	for {
		notice, err := subscription.Next(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if notice.Event != nil {
			if err := printEvent(w, *notice.Event, asJSON); err != nil {
				return err
			}
		}
	}
}

// withStore connects to an event store: the one at an address, or the one of a data folder. For a data folder it uses the running
// server, or starts one.
func withStore(ctx context.Context, data, at string, do func(*eventstoredb.Store) error) error {
	source, stop, err := copySource(ctx, data, at)
	if err != nil {
		return err
	}
	store, err := eventstoredb.Open(source)
	if err != nil {
		return errors.Join(err, stop())
	}
	err = waitForStore(ctx, store)
	if err == nil {
		err = do(store)
	}
	return errors.Join(err, CloseStore(ctx, store), stop())
}

// storePatience is how long a command waits for an event store to respond: it may be starting, or its cluster may be electing a
// leader.
const storePatience = 30 * time.Second

func waitForStore(ctx context.Context, store eventstore.Store) error {
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	for {
		_, err := store.Head(ctx)
		if err == nil || !errors.Is(err, eventstore.ErrUnavailable) || ctx.Err() != nil {
			return err
		}
	}
}

func printEvents(w io.Writer, events iter.Seq2[eventstore.Recorded, error], count int, asJSON bool) error {
	printed := 0
	for event, err := range events {
		if err != nil {
			return err
		}
		if err := printEvent(w, event, asJSON); err != nil {
			return err
		}
		if printed++; printed == count {
			return nil
		}
	}
	return nil
}

// maxShown is the largest number of bytes of an event's data that a line for people shows.
const maxShown = 160

// printEvent prints an event on one line.
func printEvent(w io.Writer, event eventstore.Recorded, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(map[string]any{
			"stream": event.Stream, "revision": event.Revision, "position": event.Position.Commit, "id": event.ID, "type": event.Type,
			"created": event.Created.UTC(), "data": asRawJSON(event.Data), "metadata": asRawJSON(event.Metadata),
		})
	}
	data := string(event.Data)
	if len(data) > maxShown {
		data = strings.ToValidUTF8(data[:maxShown], "") + "…"
	}
	_, err := fmt.Fprintf(w, "%s  %d@%s  %s  %s\n", event.Created.UTC().Format(time.RFC3339), event.Revision, event.Stream,
		event.Type, data)
	return err
}

// asRawJSON returns valid JSON unchanged; encoding/json writes other bytes as base64.
func asRawJSON(data []byte) any {
	if json.Valid(data) {
		return json.RawMessage(data)
	}
	return data
}

func atFlag(cmd *cobra.Command, at *string) {
	cmd.Flags().StringVar(at, "at", "", "address of an event store, unix:// or esdb://, instead of a folder")
}

func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

func printJSON(w io.Writer, value any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(value)
}

// table prints rows in columns. Errors are returned by Flush.
type table struct{ *tabwriter.Writer }

func newTable(w io.Writer, head ...any) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	if len(head) > 0 {
		t.row(head...)
	}
	return t
}

func (t table) row(cells ...any) {
	for i, cell := range cells {
		if i > 0 {
			_, _ = fmt.Fprint(t, "\t")
		}
		_, _ = fmt.Fprint(t, cell)
	}
	_, _ = fmt.Fprintln(t)
}
