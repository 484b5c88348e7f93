package speech

import (
	"io"
	"slices"
	"time"

	"moviola/domain/caption"
)

// spoken is a speech and its words: samples of one channel in parts, or an encoded file.
type spoken struct {
	rate     int
	parts    [][]int16
	samples  int // number of samples of the field parts, all parts together
	mp3      []byte
	mp3Time  time.Duration
	words    []caption.Word
	warnings []string
}

// add appends samples, and words whose times are counted from the first of these samples.
func (s *spoken) add(samples []int16, words []caption.Word) {
	offset := s.length()
	for _, w := range words {
		w.Start += offset
		w.End += offset
		s.words = append(s.words, w)
	}
	if len(samples) > 0 {
		s.parts = append(s.parts, samples)
		s.samples += len(samples)
	}
}

// length is the duration of the speech.
func (s *spoken) length() time.Duration {
	if s.mp3 != nil {
		return s.mp3Time
	}
	return playTime(s.samples, s.rate)
}

// extension is the file name extension for the format of the speech: .mp3 or .wav.
func (s *spoken) extension() string {
	if s.mp3 != nil {
		return ".mp3"
	}
	return ".wav"
}

// write writes the speech to w, as an MP3 or WAV file.
func (s *spoken) write(w io.Writer) error {
	if s.mp3 != nil {
		_, err := w.Write(s.mp3)
		return err
	}
	return writeWAV(w, s.rate, s.parts)
}

// joined returns the samples of all parts in one slice.
func (s *spoken) joined() []int16 { return slices.Concat(s.parts...) }
