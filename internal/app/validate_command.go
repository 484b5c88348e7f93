package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/sirupsen/logrus"
	"github.com/spf13/cobra"

	"moviola/adapters/render/text"
	"moviola/domain/document"
	"moviola/domain/lint"
)

// maxValidated is the largest movie that is read, as POST /movies has it.
const maxValidated = 2 << 20

func validateCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate FILE|-",
		Short: "Say everything that is wrong with a movie JSON, without a server",
		Long: "Say everything that is wrong with a movie JSON, or is not done as it is written: each with its line and column, and what to change.\n" +
			"FILE may be - for standard input. Nothing is fetched; saved templates, plans and connections are known to a server only: ask\n" +
			"POST /v2/movies/validate. The exit status is 0 when no error was found, 1 when one was, and 2 when the file could not be read.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := readMovie(args[0], cmd.InOrStdin())
			if err != nil {
				return exitError{err, exitNotChecked}
			}
			return validateFile(cmd.Context(), args[0], raw, asJSON, cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object, as the server answers")
	return cmd
}

func readMovie(name string, stdin io.Reader) ([]byte, error) {
	in := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxValidated+1))
	if err == nil && len(raw) > maxValidated {
		err = fmt.Errorf("%s is larger than the limit of %d bytes (2 MB)", name, maxValidated)
	}
	return raw, err
}

// validateFile checks one movie and prints what was found.
func validateFile(ctx context.Context, name string, raw []byte, asJSON bool, w io.Writer) error {
	in := lint.Read(raw)
	var unchecked []string
	if in.Movie != nil && (in.Movie.Template != "" || document.NeedsTemplates(in.Body.Raw)) {
		unchecked = append(unchecked, "The saved templates that the movie refers to: only a server has them")
		in.Movie = nil
	}
	if in.Movie != nil {
		surveyor := text.NewSurveyor(openFonts)
		found := surveyor.Survey(ctx, in.Movie, document.Exact(in.Movie))
		in.Notes, unchecked = found.Notes, append(unchecked, found.Unchecked...)
		if in.Refused == nil && document.Validate(in.Movie) == nil {
			in.Refused = found.Err
		}
	}
	report := lint.Check(in)
	errs := len(report.Errors())
	var err error
	if asJSON {
		err = printJSON(w, report, unchecked)
	} else {
		err = printLines(w, name, report, unchecked)
	}
	if err == nil && errs > 0 {
		err = exitError{fmt.Errorf("%s: %d errors", name, errs), exitFindings}
	}
	return err
}

// openFonts opens the fonts of this machine.
func openFonts() (*text.Engine, error) {
	dir, err := os.MkdirTemp("", "moviola-fonts-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the index of one run is of no use to the next one
	quiet := logrus.New()
	quiet.SetOutput(io.Discard)
	return text.NewEngine(dir, quiet)
}

// printJSON prints a report as the server answers it.
func printJSON(w io.Writer, report lint.Report, unchecked []string) error {
	type problem struct {
		Pointer  string `json:"pointer"`
		Line     int    `json:"line"`
		Column   int    `json:"column"`
		Code     string `json:"code"`
		Severity string `json:"severity"`
		Message  string `json:"message"`
		Remedy   string `json:"remedy"`
	}
	problems := []problem{}
	for _, p := range report.Problems {
		problems = append(problems, problem{p.Pointer, p.Line, p.Column, p.Code, string(p.Severity), p.Message, p.Remedy})
	}
	encoded, err := json.MarshalIndent(map[string]any{
		"valid": len(report.Errors()) == 0, "problems": problems, "problems_total": report.Total, "unchecked": append([]string{}, unchecked...),
	}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", encoded)
	return err
}

// printLines prints a report for people, one line a problem, as compilers do.
func printLines(w io.Writer, name string, report lint.Report, unchecked []string) error {
	for _, p := range report.Problems {
		if _, err := fmt.Fprintf(w, "%s:%d:%d: %s: %s. %s. [%s]\n", name, p.Line, p.Column, p.Severity, strings.TrimSuffix(p.Message, "."), p.Remedy, p.Code); err != nil {
			return err
		}
	}
	for _, text := range unchecked {
		if _, err := fmt.Fprintf(w, "%s: not checked: %s\n", name, text); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s: %d problems, %d of them errors\n", name, report.Total, len(report.Errors()))
	return err
}
