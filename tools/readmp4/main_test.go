package main

import (
	"testing"

	"github.com/abema/go-mp4"
)

// TestDescribe_empty: a track may have no samples.
func TestDescribe_empty(t *testing.T) {
	got, err := describe(&mp4.Track{Codec: mp4.CodecMP4A, MP4A: &mp4.MP4AInfo{}, Timescale: 48000}, 100)
	if err != nil || got.Samples != 0 || !got.Shown {
		t.Errorf("got %+v, %v", got, err)
	}
}
