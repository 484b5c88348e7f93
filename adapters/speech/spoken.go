package speech

import (
	"io"
	"slices"
	"time"

	"moviola/domain/caption"
)

// spoken is sound and the words in it: samples of one channel in parts, or a file as it came.
type spoken struct {
	rate     int
	parts    [][]int16
	samples  int // of all parts
	mp3      []byte
	mp3Time  time.Duration
	words    []caption.Word
	warnings []string
}

// add appends samples, and words that are timed from their beginning.
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

// length is how long it plays.
func (s *spoken) length() time.Duration {
	if s.mp3 != nil {
		return s.mp3Time
	}
	return playTime(s.samples, s.rate)
}

// extension is that of the file.
func (s *spoken) extension() string {
	if s.mp3 != nil {
		return ".mp3"
	}
	return ".wav"
}

// write writes the file.
func (s *spoken) write(w io.Writer) error {
	if s.mp3 != nil {
		_, err := w.Write(s.mp3)
		return err
	}
	return writeWAV(w, s.rate, s.parts)
}

// joined is all samples in one.
func (s *spoken) joined() []int16 { return slices.Concat(s.parts...) }
