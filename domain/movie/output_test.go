package movie_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/movie"
)

// TestFile_Keys: every stored file of a movie is among its keys, so that none is taken for one that nothing names.
func TestFile_Keys(t *testing.T) {
	t.Parallel()
	file := movie.File{Key: "1.mp4", Subtitles: "1.ass", Outputs: []movie.Output{
		{Format: "gif", Status: movie.OutputDone, Files: []movie.OutputFile{{Name: "movie.gif", Key: "1-movie.gif", Size: 3}}},
		{Format: "mp3", Status: movie.OutputError},
		{Format: "hls", Status: movie.OutputDone, Files: []movie.OutputFile{{Key: "1-index.m3u8", Size: 1}, {Key: "1-video.ts", Size: 9}}},
	}}
	if diff := cmp.Diff([]string{"1.mp4", "1.ass", "1-movie.gif", "1-index.m3u8", "1-video.ts"}, file.Keys()); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if hls, ok := file.OutputOf("hls"); !ok || hls.Size() != 10 {
		t.Errorf("hls %v %+v", ok, hls)
	}
}
