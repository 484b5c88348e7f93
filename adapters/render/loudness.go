package render

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/mp4file"
	"moviola/domain/movie"
)

// The limits of the loudness. The decoded sound of a movie should have true peaks of at most -1 dBTP (EBU R 128).
// Encoding can raise peaks, by an amount that only a measurement of the encoded sound shows: a mix that is too loud is
// limited, or limited further, and encoded again. After peakTries encodings the last one is used, whatever its peaks.
const (
	peakMost  = -1.05 // dBTP of the encoded sound; meters with one decimal show -1.0 at most
	peakFirst = -1.4  // dBTP ceiling of the first limiter, with room for the usual increase by encoding
	peakTries = 6     // largest number of times that a mix is encoded
	// quietestPeak is the true peak in dBTP below which a sound counts as silent: the smallest step of 16 bits.
	quietestPeak = -90.3
	ungated      = -70 // LUFS that ebur128 reports when no part of the sound is loud enough to be measured
)

// limiterAt returns a filter that limits true peaks to a number of dBTP. True peaks lie between samples, so the filter works at
// four times the sample rate.
func limiterAt(ceiling float64) string {
	return fmt.Sprintf("aresample=%d,alimiter=limit=%.5f:level=false:latency=true,aresample=%d",
		4*sampleRate, math.Max(math.Pow(10, ceiling/20), 0.0625), sampleRate)
}

// encodeSound encodes the mix of the movie's sound. If peaks of the encoded sound exceed the limit, it limits the mix and
// encodes it again, at most peakTries times in all. A mix without sounds becomes silence.
func (r *run) encodeSound(ctx context.Context, m mix, dir string) (path string, level *movie.Loudness, err error) {
	path = filepath.Join(dir, "sound.m4a")
	if len(m.voices) == 0 {
		return path, nil, mp4file.WriteSilence(path, samples(r.plan.Frames, r.plan.FPS))
	}
	limit, ceiling := "", peakFirst
	for try := 1; ; try++ {
		err := r.engine.cfg.Tools.Run(ctx, ffmpeg.Command{
			Inputs: m.inputs, Graph: m.script(r.plan.Frames, limit), Dir: dir, Read: []string{r.in},
			Output: append(append([]string{"-map", "[out]"}, soundEncoder...), "sound.m4a"),
		})
		if err != nil {
			return "", nil, r.atFault(ctx, fmt.Errorf("render sound: %w", err), soundsOf(r.plan))
		}
		integrated, peak, err := r.meter(ctx, path, dir)
		if err != nil {
			return "", nil, fmt.Errorf("measure the sound: %w", err)
		}
		if peak <= peakMost || try == peakTries {
			return path, loudnessOf(integrated, peak), nil
		}
		if limit != "" {
			ceiling -= peak - peakMost + 0.1
		}
		limit = limiterAt(ceiling)
	}
}

// tooLoud returns a warning about a movie's sound that is too loud in spite of peakTries encodings.
func tooLoud(l *movie.Loudness) []string {
	if l == nil || l.TruePeak <= -1 {
		return nil
	}
	return []string{fmt.Sprintf("The sound of the movie has true peaks of %.1f dBTP, more than -1 dBTP: make loud elements quieter "+
		"with 'volume'", l.TruePeak)}
}

// meter measures a sound: integrated loudness in LUFS, and true peak in dBTP, -Inf for digital silence.
func (r *run) meter(ctx context.Context, path, dir string) (integrated, peak float64, err error) {
	err = r.engine.cfg.Tools.Run(ctx, ffmpeg.Command{
		Inputs: []ffmpeg.Input{{Path: path, Format: "mov"}}, Dir: dir, Read: []string{filepath.Dir(path)},
		Graph: fmt.Sprintf("[0:a]asplit[a][b];\n"+
			"[a]ebur128=metadata=1,ametadata=mode=print:key=lavfi.r128.I:file=integrated.txt,anullsink;\n"+
			"[b]aresample=%d,aformat=sample_fmts=fltp,asetnsamples=n=%d:p=0,astats=metadata=1:"+
			"measure_perchannel=none:measure_overall=Peak_level,"+
			"ametadata=mode=print:key=lavfi.astats.Overall.Peak_level:file=peak.txt[out]\n", 4*sampleRate, 4*sampleRate),
		Output: []string{"-map", "[out]", "-f", "null", "-"},
	})
	if err != nil {
		return 0, 0, err
	}
	if integrated, err = lastOf(filepath.Join(dir, "integrated.txt"), ungated); err != nil {
		return 0, 0, err
	}
	peak, err = lastOf(filepath.Join(dir, "peak.txt"), math.Inf(-1))
	return integrated, peak, err
}

// lastOf returns the last value in a file of metadata with lines such as "lavfi.r128.I=-14.230". It returns the parameter usual
// if the file has no value.
func lastOf(path string, usual float64) (float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if _, text, found := strings.Cut(lines.Text(), "="); found {
			if usual, err = strconv.ParseFloat(text, 64); err != nil {
				return 0, fmt.Errorf("read %s: %w", filepath.Base(path), err)
			}
		}
	}
	return usual, lines.Err()
}

// loudnessOf returns the loudness to report for a movie, rounded to one decimal like meters; nil: silence.
func loudnessOf(integrated, peak float64) *movie.Loudness {
	if peak < quietestPeak {
		return nil
	}
	round := func(v float64) float64 { return math.Round(v*10)/10 + 0 } // + 0 turns -0 into 0
	l := &movie.Loudness{TruePeak: round(peak)}
	if integrated > ungated {
		value := round(integrated)
		l.Integrated = &value
	}
	return l
}
