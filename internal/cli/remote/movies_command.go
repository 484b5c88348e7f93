package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"moviola.example/client"

	"moviola/internal/cli/exit"
	"moviola/internal/cli/input"
	"moviola/internal/cli/progress"
)

// asking is what the commands for customers share: the service, and how its answers are shown.
type asking struct {
	apiClient
	asJSON bool
}

// command returns a command that calls the service.
func (a *asking) command(use, short string, args cobra.PositionalArgs, do func(*cobra.Command, *client.Client, []string) error,
) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: asked(func(cmd *cobra.Command, args []string) error {
			service, err := a.service()
			if err != nil {
				return err
			}
			return a.hint(do(cmd, service, args))
		}),
	}
}

// group returns a command that has subcommands and does nothing itself.
func (a *asking) group(use, short string) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: short + ": --url names the service, " + apiKeyEnv + " carries the key.\n\n" +
		"The exit status is 0 when all is well, 1 when a movie is refused or has failed, and 2 when the service could not be asked."}
	a.bind(cmd.PersistentFlags())
	a.bindJSON(cmd)
	return cmd
}

// bindJSON declares --json for a command and its subcommands.
func (a *asking) bindJSON(cmd *cobra.Command) {
	cmd.PersistentFlags().BoolVar(&a.asJSON, "json", false, "print the answer of the service")
}

// asks is the text that a terminal shows while a command waits for an answer of the service.
const asks = "asking the service"

// during makes a call. If the call takes long, a terminal shows that the command waits for it.
func during[T any](cmd *cobra.Command, what string, call func() (T, error)) (T, error) {
	return progress.During(cmd.Context(), cmd.ErrOrStderr(), what, call)
}

// newBar begins a bar on the command's standard error, up to a total.
func newBar(cmd *cobra.Command, what string, total int64) *progress.Bar {
	return progress.NewBar(cmd.Context(), cmd.ErrOrStderr(), what, total)
}

// print prints an answer as JSON, or as lines for people.
func (a *asking) print(w io.Writer, answer any, lines func(io.Writer)) error {
	if a.asJSON {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(answer)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	lines(table)
	return table.Flush()
}

// MoviesCommand is `moviola movies`.
func MoviesCommand() *cobra.Command {
	a := &asking{}
	cmd := a.group("movies", "Make movies on a service, look at them, wait for them, and fetch their files")
	cmd.AddCommand(a.submitCommand(), a.moviesList(), a.movieShow(), a.movieWait(), a.movieCancel(), a.movieDelete())
	return cmd
}

func (a *asking) submitCommand() *cobra.Command {
	var vars input.Variables
	var options client.Options
	var wait bool
	var out string
	cmd := a.command("submit FILE|-", "Submit a movie; its project is printed, alone, on standard output", cobra.ExactArgs(1),
		func(cmd *cobra.Command, service *client.Client, args []string) error {
			if err := checkMovieFile(out); err != nil {
				return err
			}
			raw, err := input.Read(args[0], cmd.InOrStdin(), input.MaxMovie)
			if err == nil {
				raw, err = vars.Over(raw)
			}
			if err != nil {
				return err
			}
			if !json.Valid(raw) {
				return refusedMovie(fmt.Errorf("%s is no JSON: see `moviola validate %s`", args[0], args[0]))
			}
			submitted, err := during(cmd, "submitting the movie", func() (*client.Submitted, error) {
				return service.Submit(cmd.Context(), json.RawMessage(raw), &options)
			})
			if err != nil {
				return refusedMovie(err)
			}
			if wait || out != "" {
				if !a.asJSON {
					_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "project", submitted.Project)
				}
				return a.follow(cmd, service, submitted.Project, out)
			}
			return a.print(cmd.OutOrStdout(), submitted, func(w io.Writer) { _, _ = fmt.Fprintln(w, submitted.Project) })
		})
	f := cmd.Flags()
	vars.Bind(f)
	f.StringVar(&options.IdempotencyKey, "idempotency-key", "",
		"a name for this submission: repeating it with the same name makes no second movie")
	f.Int64Var(&options.MaxCredits, "max-credits", 0, "refuse a movie that would cost more (default: no bound)")
	f.BoolVar(&wait, "wait", false, "wait until the movie has ended")
	f.StringVarP(&out, "output", "o", "", "wait, and write the MP4 to this file")
	return cmd
}

// refusedMovie adds the exit status for a refused movie to an error, unless the service was not reached or answered with a
// status other than 400.
func refusedMovie(err error) error {
	var refusal *client.Error
	if errors.As(err, &refusal) && refusal.Status != http.StatusBadRequest {
		return err
	}
	var unreached *url.Error
	if errors.As(err, &unreached) {
		return err
	}
	return exit.With(err, exit.Findings)
}

// follow waits for the end of a movie, under a progress bar, and writes the rendered file to out unless out is empty.
func (a *asking) follow(cmd *cobra.Command, service *client.Client, project, out string) error {
	bar := newBar(cmd, "rendering", 100)
	done, err := service.Wait(cmd.Context(), project, func(m client.Status) { bar.Reach(m.Progress, 100) })
	bar.Close()
	var failed *client.FailedError
	if errors.As(err, &failed) {
		err = exit.With(fmt.Errorf("movie %s: %w", project, err), exit.Findings)
	}
	if err == nil && out != "" {
		err = fetchMovie(cmd, done, out)
	}
	if done == nil || err != nil && failed == nil {
		return err
	}
	return errors.Join(a.print(cmd.OutOrStdout(), done, func(w io.Writer) { movieLine(w, *done) }), err)
}

// checkMovieFile refuses the name of an output file that does not end in .mp4. An empty name means that no file is wanted.
func checkMovieFile(out string) error {
	if out != "" && filepath.Ext(out) != ".mp4" {
		return fmt.Errorf("--output %s: a movie is an .mp4", out)
	}
	return nil
}

// downloadTime bounds the download of a movie.
const downloadTime = time.Hour

// fetchMovie writes the file of a movie, completely or not at all. The request carries no API key: whoever knows the address may
// read the file.
func fetchMovie(cmd *cobra.Command, movie *client.Status, out string) error {
	if movie.URL == nil {
		return fmt.Errorf("movie %s has no file any more", movie.Project)
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), downloadTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, *movie.URL, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // closing an answer that was only read loses nothing
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the file of movie %s was answered with %s", movie.Project, response.Status)
	}
	temp, err := os.CreateTemp(filepath.Dir(out), ".moviola-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }() // removes the file of a failed download; after a success it has another name
	bar := newBar(cmd, "downloading", max(0, response.ContentLength))
	_, err = io.Copy(temp, bar.Reader(response.Body))
	bar.Close()
	if err := errors.Join(err, temp.Chmod(0o644), temp.Close()); err != nil {
		return fmt.Errorf("write %s: %w", out, err)
	}
	return os.Rename(temp.Name(), out)
}

// movieLine shows a movie for people.
func movieLine(w io.Writer, m client.Status) {
	about := ""
	switch {
	case m.Message != "":
		about = m.Message
	case m.URL != nil:
		about = *m.URL
	}
	_, _ = fmt.Fprintf(w, "%s\t%s\t%d%%\t%s\t%s\n", m.Project, m.Status, m.Progress, m.CreatedAt.Format(time.RFC3339), about)
}

func (a *asking) moviesList() *cobra.Command {
	var status string
	var limit int
	cmd := a.command("list", "List the newest movies", cobra.NoArgs,
		func(cmd *cobra.Command, service *client.Client, _ []string) error {
			query := url.Values{"limit": {strconv.Itoa(limit)}}
			if status != "" {
				query.Set("status", status)
			}
			page, err := during(cmd, asks, func() (*client.List, error) { return service.Movies(cmd.Context(), query) })
			if err != nil {
				return err
			}
			return a.print(cmd.OutOrStdout(), page, func(w io.Writer) {
				for _, m := range page.Movies {
					movieLine(w, m)
				}
			})
		})
	cmd.Flags().StringVar(&status, "status", "", "only movies that are pending, running, done, error or timeout")
	cmd.Flags().IntVar(&limit, "limit", 20, "how many, at most 100")
	return cmd
}

func (a *asking) movieShow() *cobra.Command {
	return a.command("show PROJECT", "Show a movie as it stands", cobra.ExactArgs(1),
		func(cmd *cobra.Command, service *client.Client, args []string) error {
			movie, err := during(cmd, asks, func() (*client.Status, error) { return service.Movie(cmd.Context(), args[0]) })
			if err != nil {
				return err
			}
			return a.print(cmd.OutOrStdout(), movie, func(w io.Writer) {
				movieLine(w, *movie)
				for _, warning := range movie.Warnings {
					_, _ = fmt.Fprintln(w, "warning:", warning)
				}
			})
		})
}

func (a *asking) movieWait() *cobra.Command {
	var out string
	cmd := a.command("wait PROJECT", "Wait until a movie has ended", cobra.ExactArgs(1),
		func(cmd *cobra.Command, service *client.Client, args []string) error {
			if err := checkMovieFile(out); err != nil {
				return err
			}
			return a.follow(cmd, service, args[0], out)
		})
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the MP4 to this file")
	return cmd
}

func (a *asking) movieCancel() *cobra.Command {
	return a.command("cancel PROJECT", "End a movie that waits or renders", cobra.ExactArgs(1),
		func(cmd *cobra.Command, service *client.Client, args []string) error {
			done, err := during(cmd, asks, func() (*client.Cancelled, error) { return service.Cancel(cmd.Context(), args[0]) })
			if err != nil {
				return err
			}
			return a.print(cmd.OutOrStdout(), done, func(w io.Writer) { _, _ = fmt.Fprintln(w, done.Project, "was cancelled") })
		})
}

func (a *asking) movieDelete() *cobra.Command {
	return a.command("delete PROJECT", "Remove the file of a movie", cobra.ExactArgs(1),
		func(cmd *cobra.Command, service *client.Client, args []string) error {
			done, err := during(cmd, asks, func() (*client.Deleted, error) { return service.Delete(cmd.Context(), args[0]) })
			if err != nil {
				return err
			}
			return a.print(cmd.OutOrStdout(), done, func(w io.Writer) { _, _ = fmt.Fprintln(w, done.Project, "has no file any more") })
		})
}
