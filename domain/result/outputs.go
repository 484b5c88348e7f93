package result

import (
	"moviola/domain"
	"moviola/domain/movie"
)

// Output is the description of an output of a movie for clients. Decision 61.
type Output struct {
	Format   string   `json:"format"`
	URL      *string  `json:"url"`
	Size     *int64   `json:"size"`
	Width    *int     `json:"width"`
	Height   *int     `json:"height"`
	Duration *float64 `json:"duration"`
	Status   string   `json:"status"`
	Message  string   `json:"message"`
}

// OutputsOf returns the outputs of a movie, with addresses below a public base address. A nil file means that no output is
// made yet, or that the movie has failed. gone reports whether the files are deleted.
func (t Tokens) OutputsOf(base string, project domain.ProjectID, file *movie.File, gone bool, outputs []movie.Output) []Output {
	var all []Output
	for _, o := range outputs {
		shown := Output{Format: o.Format, Status: string(o.Status), Message: o.Message, Width: orNone(o.Width),
			Height:   orNone(o.Height),
			Duration: orNone(o.Duration)}
		if len(o.Files) > 0 {
			size := o.Size()
			shown.Size = &size
		}
		if len(o.Files) > 0 && file != nil && !gone {
			address := t.OutputAddress(base, project, file, o.Files[0])
			shown.URL = &address
		}
		all = append(all, shown)
	}
	return all
}

// OutputAddress returns the address of a file of an output. All files of a movie have the same token.
func (t Tokens) OutputAddress(base string, project domain.ProjectID, file *movie.File, of movie.OutputFile) string {
	return base + FilesPath + t.of(project, file) + "/" + string(project) + "/" + of.Name
}

func orNone[T int | float64](value T) *T {
	if value == 0 {
		return nil
	}
	return &value
}
