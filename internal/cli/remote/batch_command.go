package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"moviola.example/client"

	"moviola/domain/batch"
	"moviola/handlers/http/web"
	"moviola/internal/cli/exit"
	"moviola/internal/cli/input"
)

// batchTime limits the request that starts a batch: the service reads up to a thousand movies for it.
const batchTime = 3 * time.Minute

// batchPoll is the interval at which --wait asks for the batch.
const batchPoll = 3 * time.Second

// BatchCommand is `moviola batch`.
func BatchCommand() *cobra.Command {
	c := &asking{}
	cmd := &cobra.Command{
		Use:   "batch",
		Short: "Make a movie of a template for each row of a CSV",
		Long: "Make a movie of a saved template for each row of a CSV, on a service: --url names it, " + apiKeyEnv +
			" carries the key.\n\n" +
			"The exit status is 0 when all is well, 1 when rows are invalid or movies have failed, and 2 when the service " +
			"could not be asked.",
	}
	c.bind(cmd.PersistentFlags())
	c.bindJSON(cmd)
	cmd.AddCommand(batchStart(c), batchList(c), batchShow(c), batchResults(c), batchCancel(c))
	return cmd
}

// asked wraps do, which runs a command that calls the service. If do returns an error that has no exit code, asked gives
// the error the exit code exit.NotChecked.
func asked(do func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := do(cmd, args)
		var ends exit.Error
		if err != nil && !errors.As(err, &ends) {
			err = exit.With(err, exit.NotChecked)
		}
		return err
	}
}

func batchStart(c *asking) *cobra.Command {
	var template, key string
	var all, wait, dry bool
	cmd := &cobra.Command{
		Use:   "start FILE|-",
		Short: "Start a batch: the first line of the CSV names the variables, each further one is a movie",
		Args:  cobra.ExactArgs(1),
		RunE: asked(func(cmd *cobra.Command, args []string) error {
			csv, err := input.Read(args[0], cmd.InOrStdin(), batch.MaxCSV)
			if err != nil {
				return err
			}
			header := http.Header{"Content-Type": {"text/csv"}}
			if key != "" {
				header.Set(web.IdempotencyHeader, key)
			}
			if dry {
				return c.priceBatch(cmd, template, csv)
			}
			query := url.Values{"template": {template}, "all_or_nothing": {fmt.Sprint(all)}}
			ctx, cancel := context.WithTimeout(cmd.Context(), batchTime)
			defer cancel()
			answer, err := during(cmd, "starting the batch", func() ([]byte, error) {
				return c.send(ctx, http.MethodPost, "/v2/batches?"+query.Encode(), header, csv)
			})
			if err != nil {
				return err
			}
			var started client.StartedBatch
			if err := json.Unmarshal(answer, &started); err != nil || started.Batch == "" {
				return fmt.Errorf("%s did not answer as this program does", c.URL)
			}
			out := cmd.OutOrStdout()
			if c.asJSON {
				_, err = fmt.Fprintln(out, string(answer))
			} else {
				_, err = fmt.Fprintf(out, "%s: %s, %s\n%s", started.Batch, counted(int(started.Movies), "movie"),
					counted(int(started.Credits), "credit"), flawLines(started.Errors))
			}
			switch {
			case err != nil:
				return err
			case wait:
				_, err := c.followBatch(cmd, started.Batch)
				return err
			case len(started.Errors) > 0:
				return exit.With(fmt.Errorf("%s invalid", counted(len(started.Errors), "row")), exit.Findings)
			}
			return nil
		}),
	}
	f := cmd.Flags()
	f.StringVar(&template, "template", "", "id of the saved template (required)")
	f.BoolVar(&all, "all-or-nothing", false, "start nothing when a row is invalid")
	f.BoolVar(&dry, "dry-run", false, "say what would be made, and its price, and start nothing")
	f.StringVar(&key, "idempotency-key", "", "a name for this start: repeating it with the same name starts nothing twice")
	f.BoolVar(&wait, "wait", false, "wait until every movie has ended")
	_ = cmd.MarkFlagRequired("template") // cannot fail: the flag exists
	return cmd
}

// priceBatch prints what a batch would make, and its price.
func (c *asking) priceBatch(cmd *cobra.Command, template string, csv []byte) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), batchTime)
	defer cancel()
	answer, err := during(cmd, "checking the rows", func() ([]byte, error) {
		return c.send(ctx, http.MethodPost, "/v2/batches/validate?"+url.Values{"template": {template}}.Encode(),
			http.Header{"Content-Type": {"text/csv"}}, csv)
	})
	if err != nil {
		return err
	}
	var priced client.PricedBatch
	if err := json.Unmarshal(answer, &priced); err != nil || !priced.Success {
		return fmt.Errorf("%s did not answer as this program does", c.URL)
	}
	line := fmt.Sprintf("%s, %s\n%s", counted(int(priced.Movies), "movie"), counted(int(priced.Credits), "credit"),
		flawLines(priced.Errors))
	if c.asJSON {
		line = string(answer) + "\n"
	}
	if _, err := io.WriteString(cmd.OutOrStdout(), line); err != nil {
		return err
	}
	if len(priced.Errors) > 0 {
		return exit.With(fmt.Errorf("%s invalid", counted(len(priced.Errors), "row")), exit.Findings)
	}
	return nil
}

func flawLines(flaws []client.BatchFlaw) string {
	var lines strings.Builder
	for _, f := range flaws {
		column := ""
		if f.Column != "" {
			column = ", column " + f.Column
		}
		_, _ = fmt.Fprintf(&lines, "row %d%s: %s [%s]\n", f.Row, column, f.Message, f.Code)
	}
	return lines.String()
}

// batchLine returns one line of text about the progress of a batch.
func batchLine(b client.BatchBatch) string {
	return fmt.Sprintf("%s: %s; %d done, %d running, %d waiting, %d failed, %d invalid", b.ID, b.Status, rowsThat(b, "done"),
		rowsThat(b, "running"), rowsThat(b, "waiting", "pending"), rowsThat(b, "error", "timeout"), rowsThat(b, "invalid"))
}

// rowsThat returns the number of rows with one of the statuses.
func rowsThat(b client.BatchBatch, statuses ...string) (n int) {
	for _, status := range statuses {
		count, _ := b.Counts[status].(float64) // a status that is absent counts no rows
		n += int(count)
	}
	return n
}

// batch requests the state of a batch.
func (c *apiClient) batch(ctx context.Context, id string) (b client.BatchBatch, answer []byte, err error) {
	var shown client.Batch
	answer, err = c.call(ctx, http.MethodGet, "/v2/batches/"+url.PathEscape(id), &shown)
	return shown.Batch, answer, err
}

// followBatch waits until every movie of a batch has ended or the batch is cancelled; ended is then true. Meanwhile it
// shows a progress bar on a terminal. If there is no terminal, it prints a line for each change. If rows were invalid, or
// their movies have failed or timed out, it returns an error, and ended is true all the same.
func (c *apiClient) followBatch(cmd *cobra.Command, id string) (ended bool, err error) {
	bar := newBar(cmd, "movies", 0)
	defer bar.Close()
	last := ""
	tick := time.NewTicker(batchPoll)
	defer tick.Stop()
	for {
		b, _, err := c.batch(cmd.Context(), id)
		if err != nil {
			return false, err
		}
		bar.Reach(int64(b.Rows)-int64(rowsThat(b, "running", "waiting", "pending")), int64(b.Rows))
		if line := batchLine(b); line != last && !bar.Seen {
			last = line
			_, _ = fmt.Fprintln(cmd.ErrOrStderr(), line)
		}
		failed := rowsThat(b, "error", "timeout", "invalid")
		switch ended := b.Status == "done" || b.Status == "cancelled"; {
		case ended && failed > 0:
			return true, exit.With(fmt.Errorf("%s without a movie: see `moviola batch results %s`", counted(failed, "row"), id),
				exit.Findings)
		case ended:
			return true, nil
		}
		select {
		case <-tick.C:
		case <-cmd.Context().Done():
			return false, cmd.Context().Err()
		}
	}
}

func batchList(c *asking) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the newest batches", Args: cobra.NoArgs,
		RunE: asked(func(cmd *cobra.Command, _ []string) error {
			var listed client.Batches
			answer, err := during(cmd, asks, func() ([]byte, error) {
				return c.call(cmd.Context(), http.MethodGet, "/v2/batches?limit=100", &listed)
			})
			if err != nil {
				return err
			}
			if c.asJSON {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), string(answer))
				return err
			}
			for _, b := range listed.Batches {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %-9s  %d movies, %d invalid rows, %d credits\n", b.ID,
					b.CreatedAt.Format(time.RFC3339Nano), b.State, b.Movies, b.Invalid, b.Credits)
				if err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

func batchShow(c *asking) *cobra.Command {
	var wait bool
	cmd := &cobra.Command{
		Use: "show ID", Short: "Say how far a batch is", Args: cobra.ExactArgs(1),
		RunE: asked(func(cmd *cobra.Command, args []string) error {
			var failed error
			if wait {
				ended, err := c.followBatch(cmd, args[0])
				if !ended {
					return err
				}
				failed = err
			}
			b, answer, err := c.batch(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			line := batchLine(b)
			if c.asJSON {
				line = string(answer)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), line)
			return cmp.Or(err, failed)
		}),
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until every movie has ended")
	return cmd
}

func batchResults(c *asking) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use: "results ID", Short: "Write what has become of each row, as CSV, or as JSON with --json", Args: cobra.ExactArgs(1),
		RunE: asked(func(cmd *cobra.Command, args []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), operatorTime)
			defer cancel()
			results := c.resultsCSV
			if c.asJSON {
				results = c.resultsJSON
			}
			answer, err := during(cmd, "fetching the results", func() ([]byte, error) {
				return results(ctx, "/v2/batches/"+url.PathEscape(args[0]))
			})
			switch {
			case err != nil:
				return err
			case out == "-":
				_, err = cmd.OutOrStdout().Write(answer)
				return err
			}
			return os.WriteFile(out, answer, 0o644)
		}),
	}
	cmd.Flags().StringVarP(&out, "output", "o", "-", "the file to write; - for standard output")
	return cmd
}

func (c *apiClient) resultsCSV(ctx context.Context, batch string) ([]byte, error) {
	return c.send(ctx, http.MethodGet, batch+"/results.csv", nil, nil)
}

// resultsJSON collects the rows of all pages.
func (c *apiClient) resultsJSON(ctx context.Context, batch string) ([]byte, error) {
	all := struct {
		Results []json.RawMessage `json:"results"`
	}{[]json.RawMessage{}}
	for query := ""; ; {
		var page struct {
			Results   []json.RawMessage `json:"results"`
			NextToken *string           `json:"next_token"`
		}
		if _, err := c.call(ctx, http.MethodGet, batch+query, &page); err != nil {
			return nil, err
		}
		all.Results = append(all.Results, page.Results...)
		if page.NextToken == nil {
			raw, err := json.Marshal(all)
			return append(raw, '\n'), err
		}
		query = "?next_token=" + url.QueryEscape(*page.NextToken)
	}
}

func batchCancel(c *asking) *cobra.Command {
	return &cobra.Command{
		Use: "cancel ID", Short: "End what waits or renders of a batch", Args: cobra.ExactArgs(1),
		RunE: asked(func(cmd *cobra.Command, args []string) error {
			var done client.CancelledBatch
			answer, err := during(cmd, asks, func() ([]byte, error) {
				return c.call(cmd.Context(), http.MethodPost, "/v2/batches/cancel?id="+url.QueryEscape(args[0]), &done)
			})
			if err != nil {
				return err
			}
			line := done.Batch + ": " + done.State
			if c.asJSON {
				line = string(answer)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), line)
			return err
		}),
	}
}
