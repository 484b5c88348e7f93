package movie

import "slices"

// Output is something that is made of the finished movie beside the MP4: a GIF, a sound file, an HLS folder. Decision 61.
type Output struct {
	Format  string       `json:"format" personal:"yes"` // format as the movie names it; an unknown format is possible
	Status  OutputStatus `json:"status"`
	Message string       `json:"message,omitempty" personal:"yes"` // why the output was not made
	// Files are the output's files. Clients get the address of the first file, which may name the others.
	Files    []OutputFile `json:"files,omitempty"`
	Width    int          `json:"width,omitempty"`    // width of the output's pictures; 0: it has none
	Height   int          `json:"height,omitempty"`   //
	Duration float64      `json:"duration,omitempty"` // length of the output in seconds; 0: it is a single picture, or not made
}

// OutputFile is one file of an output.
type OutputFile struct {
	Name string `json:"name" personal:"no"` // last part of the file's address; it does not depend on the movie, as in movie.gif
	Key  string `json:"key" personal:"no"`  // blob key of the file
	Size int64  `json:"size"`               // size of the file in bytes
	Hash string `json:"hash" personal:"no"` // hex SHA-256 of the file
}

// OutputStatus is the state of an output.
type OutputStatus string

// The statuses of an output.
const (
	OutputPending OutputStatus = "pending"
	OutputDone    OutputStatus = "done"
	OutputError   OutputStatus = "error"
)

// Size returns the length of all files of an output in bytes.
func (o Output) Size() (sum int64) {
	for _, f := range o.Files {
		sum += f.Size
	}
	return sum
}

// Failed returns an output of the same format, without files, with status error and a reason.
func (o Output) Failed(why string) Output {
	return Output{Format: o.Format, Status: OutputError, Message: why}
}

// FormatsToMake returns the formats of the outputs that are still to be made.
func FormatsToMake(outputs []Output) (formats []string) {
	for _, o := range outputs {
		if o.Status == OutputPending {
			formats = append(formats, o.Format)
		}
	}
	return formats
}

// OutputOf finds the output of a format.
func (f *File) OutputOf(format string) (Output, bool) {
	i := slices.IndexFunc(f.Outputs, func(o Output) bool { return o.Format == format })
	if i < 0 {
		return Output{}, false
	}
	return f.Outputs[i], true
}

// OutputFiles returns the files of all outputs.
func (f *File) OutputFiles() (files []OutputFile) {
	for _, o := range f.Outputs {
		files = append(files, o.Files...)
	}
	return files
}

// Keys returns the blob keys of all files that were made for a movie.
func (f *File) Keys() (keys []string) {
	for _, key := range []string{f.Key, f.Thumbnail, f.Subtitles} {
		if key != "" {
			keys = append(keys, key)
		}
	}
	for _, file := range f.OutputFiles() {
		keys = append(keys, file.Key)
	}
	return keys
}

// withoutFiles returns the outputs without their stored files.
func withoutFiles(outputs []Output) []Output {
	all := slices.Clone(outputs)
	for i := range all {
		all[i].Files = nil
	}
	return all
}
