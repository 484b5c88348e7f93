package document

import (
	"fmt"
	"slices"
	"strings"
)

// The formats of a movie's outputs other than its MP4. Decision 61.
const (
	OutputWebM        = "webm"
	OutputGIF         = "gif"
	OutputPNGSequence = "png-sequence"
	OutputPNG         = "png"
	OutputJPG         = "jpg"
	OutputMP3         = "mp3"
	OutputWAV         = "wav"
	OutputM4A         = "m4a"
	OutputHLS         = "hls"
	OutputStoryboard  = "storyboard"
	OutputHEVC        = "mp4-hevc" // an MP4 with HEVC; the property codec asks for it
	OutputAV1         = "mp4-av1"  // an MP4 with AV1; the property codec asks for it
)

// MovieFormat is the format that every movie has.
const MovieFormat = "mp4"

// OutputFormats are the values of format in an export object.
var OutputFormats = []string{MovieFormat, OutputWebM, OutputGIF, OutputPNGSequence, OutputPNG, OutputJPG, OutputMP3, OutputWAV,
	OutputM4A, OutputHLS, OutputStoryboard}

// OutputCodecs are the values of codec in an export object, beside h264, which is the codec of every movie's MP4.
var OutputCodecs = []string{"hevc", "av1"}

// outputAliases maps other spellings to formats.
var outputAliases = map[string]string{"jpeg": OutputJPG, "still": OutputJPG, "frames": OutputPNGSequence}

// transparentOutputs are the output formats that keep transparency.
var transparentOutputs = []string{OutputWebM, OutputPNGSequence, OutputPNG}

// Transparent reports whether an output format keeps transparency.
func Transparent(format string) bool { return slices.Contains(transparentOutputs, format) }

// noteOpaque warns of scenes that set no background in a movie with a transparent one, if an output keeps transparency. Such
// scenes are black, and opaque in the transparent outputs as well.
func (m *Movie) noteOpaque() {
	asked := slices.ContainsFunc(m.Outputs, func(o Output) bool { return o.Problem == "" && Transparent(o.Format) })
	if m.Background.A == opaqueAlpha || !asked {
		return
	}
	for _, s := range m.Scenes {
		if s.plain {
			m.note(Note{Ref: Ref{Scene: s.Number}, Path: "/background-color", Code: PropertyIdle,
				Text:   "The movie's background is transparent, and the scene's is black: the outputs are opaque there",
				Remedy: "Give the scene \"background-color\": \"transparent\""})
		}
	}
}

const opaqueAlpha = 255

// maxOutputs is the maximum number of formats that are read from a document. The built-in plans have lower limits.
const maxOutputs = 20

// Output is one file, or set of files, that a movie asks for beside its MP4.
type Output struct {
	Format  string
	Problem string // reason why the output cannot be made; empty: it can be made
}

// ReadOutputFormat returns the format that a name means. It returns false when no format has that name.
func ReadOutputFormat(name string) (string, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if known, ok := outputAliases[name]; ok {
		name = known
	}
	return name, slices.Contains(OutputFormats, name) || name == OutputHEVC || name == OutputAV1
}

// readOutputs reads format and codec of the movie's export object. A fault in one of them becomes a warning, and an Output with a
// Problem.
func readOutputs(m *Movie, exports any) []Output {
	objects, isList := exports.([]any)
	path := "/exports/0"
	if !isList {
		objects, path = []any{exports}, "/exports"
	}
	if len(objects) != 1 {
		return nil
	}
	export, ok := objects[0].(map[string]any)
	if !ok {
		return nil
	}
	o := outputReader{movie: m}
	formats, isList := export["format"].([]any)
	switch {
	case !isList && export["format"] != nil:
		o.format(path+"/format", export["format"])
	default:
		for i, given := range formats {
			o.format(fmt.Sprintf("%s/format/%d", path, i), given)
		}
	}
	if export["codec"] != nil {
		o.codec(path+"/codec", export["codec"])
	}
	return o.found
}

// outputReader collects the outputs of a movie, each of them once.
type outputReader struct {
	movie *Movie
	found []Output
}

func (o *outputReader) format(path string, given any) {
	name, ok := given.(string)
	if !ok {
		name = fmt.Sprint(given)
	}
	format, known := ReadOutputFormat(name)
	switch {
	case known && format == MovieFormat:
	case known:
		o.add(path, Output{Format: format})
	default:
		o.add(path, Output{Format: Shorten(name), Problem: fmt.Sprintf("There is no output format '%s': use one of %s",
			Shorten(name), strings.Join(OutputFormats, ", "))})
	}
}

func (o *outputReader) codec(path string, given any) {
	name, _ := given.(string)
	name = strings.ToLower(strings.TrimSpace(name))
	switch {
	case name == "h264":
	case slices.Contains(OutputCodecs, name):
		o.add(path, Output{Format: MovieFormat + "-" + name})
	default:
		shown := Shorten(fmt.Sprint(given))
		o.add(path, Output{Format: MovieFormat + "-" + shown, Problem: fmt.Sprintf("There is no codec '%s': use one of h264, %s",
			shown, strings.Join(OutputCodecs, ", "))})
	}
}

func (o *outputReader) add(path string, found Output) {
	if slices.ContainsFunc(o.found, func(known Output) bool { return known.Format == found.Format }) || len(o.found) == maxOutputs {
		return
	}
	if found.Problem != "" {
		o.movie.note(Note{Path: path, Code: ValueUnknown, Text: found.Problem, Remedy: "Name another one, or remove it"})
	}
	o.found = append(o.found, found)
}
