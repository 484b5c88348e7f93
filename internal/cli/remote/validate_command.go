package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/sirupsen/logrus"
	"github.com/spf13/cobra"
	"moviola.example/client"

	"moviola/domain/document"
	"moviola/domain/lint"
	"moviola/internal/cli/exit"
	"moviola/internal/cli/input"
	"moviola/internal/config"
	"moviola/internal/drawing/survey"
	"moviola/internal/drawing/text"
)

// validating holds the flags of `moviola validate`.
type validating struct {
	asJSON    bool
	service   apiClient         // client of the service that validates; without its URL no service is used
	templates map[string]string // names of the files with templates, by template id
}

// ValidateCommand is `moviola validate`.
func ValidateCommand() *cobra.Command {
	var v validating
	cmd := &cobra.Command{
		Use:   "validate FILE|-",
		Short: "Say everything that is wrong with a movie JSON, and what it would cost",
		Long: "Say everything that is wrong with a movie JSON, or is not done as it is written: each with its line and " +
			"column, and what to change;\n" +
			"then its size, length and credits. FILE may be - for standard input. Nothing is fetched.\n\n" +
			"With --url, a service is asked, with the key in " + apiKeyEnv +
			": it knows saved templates and connections, providers, plans and\n" +
			"what is left of the credits. Without one, --template ID=FILE gives the movie JSON of a saved template that the " +
			"movie refers to.\n\n" +
			"The exit status is 0 when no error was found, 1 when one was, and 2 when the movie could not be checked.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := readMovie(args[0], cmd.InOrStdin())
			if err == nil {
				err = v.run(cmd, args[0], raw)
			}
			var ends exit.Error
			if err != nil && !errors.As(err, &ends) {
				err = exit.With(err, exit.NotChecked)
			}
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&v.asJSON, "json", false, "print one JSON object, as the server answers")
	f.StringToStringVar(&v.templates, "template", nil, "file with the movie JSON of a saved template, as ID=FILE; may be repeated")
	v.service.bind(f)
	return cmd
}

func readMovie(name string, stdin io.Reader) ([]byte, error) {
	return input.Read(name, stdin, input.MaxMovie)
}

// run validates one movie and prints the findings.
func (v validating) run(cmd *cobra.Command, name string, raw []byte) error {
	if v.service.URL != "" && len(v.templates) > 0 {
		return errors.New("--url and --template: give one of them, a service has its own templates")
	}
	check := v.alone
	if v.service.URL != "" {
		check = v.service.validate
	}
	found, err := during(cmd, "checking the movie", func() (verdict, error) { return check(cmd.Context(), raw) })
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if v.asJSON {
		err = found.printJSON(w)
	} else {
		err = found.printLines(w, name)
	}
	if errs := found.errors(); err == nil && errs > 0 {
		err = exit.With(fmt.Errorf("%s: %s", name, counted(errs, "error")), exit.Findings)
	}
	return err
}

// alone validates a movie without a service.
func (v validating) alone(ctx context.Context, raw []byte) (verdict, error) {
	in, unchecked, err := v.read(raw)
	if err != nil {
		return verdict{}, err
	}
	found := verdict{Problems: []client.Problem{}, Unchecked: unchecked}
	if in.Movie != nil {
		o := document.OutlookOf(in.Movie)
		found.describe(in.Movie, o)
		looked := survey.New(openFonts).Survey(ctx, in.Movie, o.Exact)
		in.Notes, found.Unchecked = looked.Notes, append(found.Unchecked, looked.Unchecked...)
		if in.Refused == nil && document.Validate(in.Movie) == nil {
			in.Refused = looked.Err
		}
	}
	found.take(lint.Check(in))
	return found, nil
}

// errNotGiven is the error for a template for which no file was given.
type errNotGiven struct{ id string }

func (e errNotGiven) Error() string { return "template " + e.id + " was not given" }

// read reads a movie and the templates that it refers to. unchecked lists what could not be read.
func (v validating) read(raw []byte) (in lint.Input, unchecked []string, err error) {
	in = lint.Read(raw)
	switch {
	case in.Movie == nil:
		return in, []string{}, nil
	case in.Movie.Project != "" && len(in.Movie.Scenes)+len(in.Movie.Elements) == 0:
		in.Movie = nil
		return in, []string{"The movie that 'project' renders again: only a service has it. Give --url"}, nil
	case !document.NeedsTemplates(in.Body.Raw):
		return in, []string{}, nil
	}
	in.Movie, in.Refused = nil, nil
	filled, err := document.Fill(in.Body.Raw, func(id, _ string) ([]byte, error) {
		name, ok := v.templates[id]
		if !ok {
			return nil, errNotGiven{id}
		}
		body, err := readMovie(name, nil)
		in.Templates = append(in.Templates, lint.Text{Template: id, Raw: lint.Plain(body)})
		return lint.Plain(body), err
	})
	var missing errNotGiven
	switch {
	case errors.As(err, &missing):
		return in, []string{"The saved template " + document.Shorten(missing.id) +
			": give --template ID=FILE, or --url to ask a service that has it"}, nil
	case isRefusal(err):
		in.Refused = err
		return in, []string{}, nil
	case err != nil:
		return in, nil, err
	}
	in.Movie, in.Filled, in.Refused = document.ParseTree(filled)
	return in, []string{}, nil
}

// openFonts opens the fonts of this machine.
func openFonts() (*text.Engine, error) {
	quiet := logrus.New()
	quiet.SetOutput(io.Discard)
	if cache := config.UserCache(); cache != "" {
		return text.NewEngine(filepath.Join(cache, "fonts"), quiet)
	}
	dir, err := os.MkdirTemp("", "moviola-fonts-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // removes the font index, which is not used again
	return text.NewEngine(dir, quiet)
}
