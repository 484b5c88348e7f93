package blackbox_test

import (
	"path/filepath"
	"testing"

	"moviola/adapters/blobs"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/tests/harness"
)

// TestOutputs_removed: what was made beside a movie is removed with it, when its time is over and when its account has had no credits
// for as long as files are kept then. The entries stay, without addresses.
func TestOutputs_removed(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"expiry": {"--file-retention", "1s"},
		"purge":  {"--zero-retention", "1s", "--clear-again", "1s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := harness.NewService(t)
			service.StartAPI(append(flags, "--sweep-every", "1s")...)
			client := service.NewAccount(name, 2) // as much as the movie costs
			project := client.Submit(object{"width": 64, "height": 64, "scenes": list{object{"duration": 2}}, "exports": list{
				object{"format": list{"gif", "hls"}},
			}})
			var movie harness.Movie
			harness.Eventually(t, "the movie is made, and its outputs are gone", func() bool {
				movie = client.Get(project).Movie
				return movie.Status == "done" && movie.URL == nil
			})
			if len(movie.Outputs) != 2 {
				t.Fatalf("%+v", movie)
			}
			for _, o := range movie.Outputs {
				if o.Status != "done" || o.URL != nil {
					t.Errorf("%+v", o)
				}
			}
			files, err := blobs.Open(t.Context(), filepath.Join(service.Data, "files"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = files.Close() })
			harness.Eventually(t, "nothing of the movie is kept", func() bool {
				kept, err := files.List(t.Context(), blobkey.RendersOf(domain.ProjectID(project)))
				if err != nil {
					t.Fatal(err)
				}
				return len(kept) == 0
			})
		})
	}
}
