package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"moviola.example/client"

	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/lint"
)

// verdict is the result of a validation, by this program or by a service, as the command line prints it.
type verdict struct {
	Valid     bool             `json:"valid"`
	Problems  []client.Problem `json:"problems"`
	Total     int64            `json:"problems_total"`
	Unchecked []string         `json:"unchecked"`
	Width     *int64           `json:"width"`
	Height    *int64           `json:"height"`
	FPS       *float64         `json:"fps"`
	Draft     *bool            `json:"draft"`
	Duration  *float64         `json:"duration"`
	Credits   *int64           `json:"credits"`
	Exact     *bool            `json:"exact"`

	answer []byte // the full response of a service; nil without a service
}

// verdictOf converts the answer of a service to a verdict.
func verdictOf(found client.Validation, answer []byte) verdict {
	return verdict{
		Valid: found.Valid, Problems: found.Problems, Total: found.ProblemsTotal, Unchecked: found.Unchecked, Width: found.Width,
		Height: found.Height, FPS: found.FPS, Draft: found.Draft, Duration: found.Duration, Credits: found.Credits, Exact: found.Exact,
		answer: answer,
	}
}

// describe fills in size, length and price of the finished movie.
func (v *verdict) describe(m *document.Movie, o document.Outlook) {
	fps := 1 / m.FPS.Seconds(1).Float()
	width, height := int64(m.Width), int64(m.Height)
	v.Width, v.Height, v.FPS, v.Draft = &width, &height, &fps, &m.Draft
	v.Duration, v.Credits, v.Exact = &o.Duration, &o.Credits, &o.Exact
}

func (v *verdict) take(report lint.Report) {
	for _, p := range report.Problems {
		v.Problems = append(v.Problems, client.Problem{
			Pointer: p.Pointer, Line: int64(p.Line), Column: int64(p.Column), Code: p.Code, Severity: string(p.Severity),
			Message: p.Message, Remedy: p.Remedy, Template: p.Template,
		})
	}
	v.Total, v.Valid = int64(report.Total), len(report.Errors()) == 0
}

// errors returns the number of problems with severity error.
func (v *verdict) errors() int {
	n := 0
	for _, p := range v.Problems {
		if p.Severity == string(lint.Error) {
			n++
		}
	}
	return n
}

// printJSON prints the service's response unchanged or, without a service, the same structure.
func (v *verdict) printJSON(w io.Writer) error {
	if v.answer != nil {
		var out bytes.Buffer
		if err := json.Indent(&out, v.answer, "", "  "); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "%s\n", out.Bytes())
		return err
	}
	encoded, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", encoded)
	return err
}

// printLines prints a line for each problem, in the format of compiler messages.
func (v *verdict) printLines(w io.Writer, name string) error {
	var out strings.Builder
	for _, p := range v.Problems {
		of := name
		if p.Template != "" {
			of = p.Template
		}
		fmt.Fprintf(&out, "%s:%d:%d: %s: %s", of, p.Line, p.Column, p.Severity, sentence(p.Message))
		if p.Remedy != "" {
			out.WriteString(" " + sentence(p.Remedy))
		}
		fmt.Fprintf(&out, " [%s]\n", p.Code)
	}
	for _, text := range v.Unchecked {
		fmt.Fprintf(&out, "%s: not checked: %s\n", name, text)
	}
	if v.Width != nil && v.Height != nil && v.FPS != nil && v.Duration != nil && v.Credits != nil && v.Exact != nil {
		least := ""
		if !*v.Exact {
			least = "at least "
		}
		fmt.Fprintf(&out, "%s: %d×%d pixels, %s frames per second, %s%s seconds, %s%s\n", name, *v.Width, *v.Height, short(*v.FPS),
			least, short(*v.Duration), least, counted(int(*v.Credits), "credit"))
	}
	fmt.Fprintf(&out, "%s: %s, %d of them errors\n", name, counted(int(v.Total), "problem"), v.errors())
	_, err := io.WriteString(w, out.String())
	return err
}

// sentence adds a full stop unless the text ends as a sentence.
func sentence(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "!") {
		return text
	}
	return text + "."
}

// counted returns a number with its noun in singular or plural.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// short formats a number without superfluous digits.
func short(n float64) string { return strconv.FormatFloat(n, 'g', 8, 64) }

// isRefusal reports whether an error is a mistake in the movie.
func isRefusal(err error) bool {
	var refusal *domain.Error
	return errors.As(err, &refusal)
}
