package render

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"moviola/adapters/render/artwork"
	"moviola/adapters/render/ffmpeg"
)

// pcmRate is the number of samples per second of the sound from which its envelope is measured.
const pcmRate = 8000

// envelope measures the mixed sound, once per movie.
func (r *run) envelope(ctx context.Context) (*artwork.Envelope, error) {
	r.heardOnce.Do(func() { r.loudness, r.heardErr = r.measure(ctx) })
	return r.loudness, r.heardErr
}

func (r *run) measure(ctx context.Context) (*artwork.Envelope, error) {
	sound, err := r.sound(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(r.dir, "pcm-")
	if err != nil {
		return nil, fmt.Errorf("make folder of the waveform: %w", err)
	}
	err = r.engine.cfg.Tools.Run(ctx, ffmpeg.Command{
		Inputs: []ffmpeg.Input{{Path: sound, Format: "mov"}}, Dir: dir, Read: []string{r.parts},
		Output: []string{"-map", "0:a", "-ac", "1", "-ar", fmt.Sprint(pcmRate), "-f", "s16le", "-c:a", "pcm_s16le", "sound.pcm"},
	})
	if err != nil {
		return nil, fmt.Errorf("measure the sound: %w", err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "sound.pcm"))
	if err != nil {
		return nil, fmt.Errorf("measure the sound: %w", err)
	}
	const step = pcmRate / artwork.EnvelopeRate
	e := &artwork.Envelope{Peaks: make([]float32, 0, len(raw)/2/step+1)}
	for at := 0; at+1 < len(raw); at += 2 * step {
		peak := 0
		for i := at; i+1 < len(raw) && i < at+2*step; i += 2 {
			v := int(int16(binary.LittleEndian.Uint16(raw[i:])))
			peak = max(peak, v, -v)
		}
		e.Peaks = append(e.Peaks, float32(peak)/math.MaxInt16)
	}
	return e, nil
}
