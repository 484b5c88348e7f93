package render

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"moviola/adapters/render/artwork"
	"moviola/adapters/render/ffmpeg"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/caption"
	"moviola/domain/timeline"
)

// The limits of the parts in which the movie's sound is sent to a provider for transcription. Providers accept files of up
// to 25 MB, and sound of up to 25 minutes. Ten minutes of compressed speech are under 4 MB.
const (
	hearLongest = 600.0 // largest length, in seconds, of a part of the movie's sound that is transcribed in one go
	hearReach   = 60.0  // how many seconds before hearLongest a part may end, at a quiet moment, so that no word is cut
	hearQuiet   = 0.3   // length of a quiet moment in seconds
	// hearFaintest is the peak level, on a scale of 0 to 1, below which a part of the sound counts as silent. Silent parts are
	// not transcribed, because providers invent words for silence.
	hearFaintest = 0.002
)

// hearEncoder are the encoder options for speech: one channel, 48 kbit/s.
var hearEncoder = []string{"-c:a", "aac", "-b:a", "48k", "-ar", "24000", "-ac", "1", "-map_metadata", "-1", "-fflags",
	"+bitexact", "-f", "mp4"}

// heard returns the words that a provider transcribes from the movie's sound.
func (r *run) heard(ctx context.Context, s *timeline.Subtitles) ([]caption.Word, error) {
	switch {
	case len(r.plan.Audio) == 0:
		r.warn(s.Ref.String() + ": There is no sound to make captions of")
		return nil, nil
	case r.engine.cfg.Words == nil:
		return nil, domain.Errorf(domain.Invalid, "transcription_unavailable",
			"Captions cannot be made of the sound without a transcription provider. Give 'captions', or use voice elements")
	}
	loud, err := r.envelope(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(r.dir, "heard-")
	if err != nil {
		return nil, fmt.Errorf("make folder of the sound to hear: %w", err)
	}
	var words []caption.Word
	for i, part := range stretches(loud) {
		if loud.Loudest(part.from, part.to) < hearFaintest {
			continue
		}
		path, err := r.packed(ctx, part, dir, i)
		if err != nil {
			return nil, err
		}
		said, err := r.engine.cfg.Words.Transcribe(ctx, commands.TranscriptionRequest{
			Account: r.job.Account, Path: path, Language: s.Language, Keywords: s.Style.Keywords,
			Model: s.Model, Connection: s.Connection,
		})
		if err != nil {
			return nil, err
		}
		words = append(words, part.moved(said)...)
	}
	return words, nil
}

// packed writes a part of the sound as a small file.
func (r *run) packed(ctx context.Context, part stretch, dir string, n int) (string, error) {
	sound, err := r.sound(ctx)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("%d.m4a", n)
	err = r.engine.cfg.Tools.Run(ctx, ffmpeg.Command{
		Inputs: []ffmpeg.Input{{Path: sound, Format: "mov", Seek: part.from, Length: part.to - part.from}}, Dir: dir,
		Read:   []string{r.parts},
		Output: append(append([]string{"-map", "0:a"}, hearEncoder...), name),
	})
	if err != nil {
		return "", fmt.Errorf("pack sound to hear: %w", err)
	}
	return filepath.Join(dir, name), nil
}

// stretch is a time interval of the movie, in seconds.
type stretch struct{ from, to float64 }

// moved shifts the times of words from the interval's start to the movie's start. It leaves out words that do not begin
// before the interval's end.
func (s stretch) moved(words []caption.Word) []caption.Word {
	from, length := time.Duration(s.from*float64(time.Second)), time.Duration((s.to-s.from)*float64(time.Second))
	moved := make([]caption.Word, 0, len(words))
	for _, w := range words {
		if w.Start < length {
			w.Start, w.End = w.Start+from, min(w.End, length)+from
			moved = append(moved, w)
		}
	}
	return moved
}

// stretches divides the sound at quiet moments into parts that providers accept.
func stretches(e *artwork.Envelope) []stretch {
	total := float64(len(e.Peaks)) / artwork.EnvelopeRate
	var all []stretch
	from := 0.0
	for total-from > hearLongest {
		cut := quietest(e, from+hearLongest-hearReach, from+hearLongest)
		all = append(all, stretch{from, cut})
		from = cut
	}
	return append(all, stretch{from, total})
}

// quietest is the middle of the quietest moment in an interval.
func quietest(e *artwork.Envelope, from, to float64) float64 {
	best, at := math.Inf(1), to
	for t := from; t+hearQuiet <= to; t += 1.0 / artwork.EnvelopeRate {
		sum := 0.0
		for i := int(t * artwork.EnvelopeRate); i < int((t+hearQuiet)*artwork.EnvelopeRate); i++ {
			sum += float64(e.Peaks[i])
		}
		if sum < best {
			best, at = sum, t+hearQuiet/2
		}
	}
	return math.Round(at*artwork.EnvelopeRate) / artwork.EnvelopeRate
}
