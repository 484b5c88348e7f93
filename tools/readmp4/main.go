// Command readmp4 reads MP4 files with a library that the program does not contain: every box of each must be one that the
// standard names, be as long as it says, and hold what its version and flags say, and nothing else; the tables of samples must
// agree with each other and with the file. It prints what the tracks are, one line of JSON for each file, and ends with 1 at the
// first error.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/abema/go-mp4"
)

// file is what an MP4 file says of itself.
type file struct {
	FastStart bool    // the index (box moov) lies before the samples
	Seconds   float64 // duration of the whole movie
	Tracks    []track
}

// track is a track of a file.
type track struct {
	Codec   string  // codec of the track: "avc1" or "mp4a"
	Samples int     // number of pictures, or of frames of sound
	Seconds float64 // duration of the track by its header
	Even    bool    // every sample lasts as long as the first
	Shown   bool    // every place in the order of display is taken once, without a gap
	Bytes   uint64  // total size of all samples
	Width   int
	Height  int
}

func main() {
	for _, path := range os.Args[1:] {
		f, err := read(path)
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(f)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "readmp4: %s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

func read(path string) (f file, err error) {
	r, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer func() { _ = r.Close() }()
	info, err := r.Stat()
	if err != nil {
		return f, err
	}
	if _, err := mp4.ReadBoxStructure(r, strictly); err != nil {
		return f, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return f, err
	}
	probed, err := mp4.Probe(r)
	if err != nil {
		return f, err
	}
	f = file{FastStart: probed.FastStart, Seconds: float64(probed.Duration) / float64(probed.Timescale)}
	for _, t := range probed.Tracks {
		one, err := describe(t, uint64(info.Size()))
		if err != nil {
			return f, fmt.Errorf("track %d: %w", t.TrackID, err)
		}
		f.Tracks = append(f.Tracks, one)
	}
	return f, nil
}

// leaves are the boxes whose contents are media or free bytes.
var leaves = map[string]bool{"mdat": true, "free": true}

// strictly reads a box and the boxes in it. It returns an error for an unknown box, and for bytes that no field accounts for.
func strictly(h *mp4.ReadHandle) (any, error) {
	name := h.BoxInfo.Type.String()
	if leaves[name] {
		return nil, nil
	}
	if !h.BoxInfo.IsSupportedType() {
		return nil, fmt.Errorf("%v: nobody knows this box, or its version", h.Path)
	}
	_, n, err := h.ReadPayload()
	if err != nil {
		return nil, fmt.Errorf("%v: %w", h.Path, err)
	}
	inside, err := h.Expand()
	if err != nil {
		return nil, fmt.Errorf("%v: %w", h.Path, err)
	}
	if left := h.BoxInfo.Size - h.BoxInfo.HeaderSize - n; len(inside) == 0 && left != 0 {
		return nil, fmt.Errorf("%v: %d bytes follow what it holds", h.Path, left)
	}
	return name, nil
}

// describe returns what the tables of a track say, or an error when they contradict each other or the size of the file.
func describe(t *mp4.Track, size uint64) (out track, err error) {
	switch {
	case t.Codec == mp4.CodecAVC1 && t.AVC != nil:
		out = track{Codec: "avc1", Width: int(t.AVC.Width), Height: int(t.AVC.Height)}
	case t.Codec == mp4.CodecMP4A && t.MP4A != nil:
		out.Codec = "mp4a"
	default:
		return out, errors.New("an unknown codec")
	}
	out.Samples, out.Seconds, out.Even = len(t.Samples), float64(t.Duration)/float64(t.Timescale), true
	lasts := uint64(0)
	for _, s := range t.Samples {
		lasts += uint64(s.TimeDelta)
		out.Bytes += uint64(s.Size)
		out.Even = out.Even && s.TimeDelta == t.Samples[0].TimeDelta
	}
	if lasts != t.Duration {
		return out, fmt.Errorf("its samples last %d, it says %d", lasts, t.Duration)
	}
	n, end := 0, uint64(0)
	for _, c := range t.Chunks {
		if c.DataOffset < end {
			return out, fmt.Errorf("a chunk at %d lies before the end of the one before, %d", c.DataOffset, end)
		}
		end = c.DataOffset
		for range c.SamplesPerChunk {
			if n == len(t.Samples) {
				return out, errors.New("its chunks hold more samples than it has")
			}
			end, n = end+uint64(t.Samples[n].Size), n+1
		}
	}
	if n != len(t.Samples) || end > size {
		return out, fmt.Errorf("its chunks hold %d samples of %d, up to byte %d of %d", n, len(t.Samples), end, size)
	}
	out.Shown = len(t.Samples) == 0 || shown(t)
	return out, nil
}

// shown reports whether the times at which samples are shown are evenly spaced, without a gap, from the first one on. The track
// must have a sample.
func shown(t *mp4.Track) bool {
	step, first, at := int64(t.Samples[0].TimeDelta), int64(1)<<62, int64(0)
	times := map[int64]bool{}
	for _, s := range t.Samples {
		times[at+s.CompositionTimeOffset] = true
		first = min(first, at+s.CompositionTimeOffset)
		at += int64(s.TimeDelta)
	}
	for i := range int64(len(t.Samples)) {
		if !times[first+i*step] {
			return false
		}
	}
	return true
}
