package assets_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/assets"
	"moviola/commands"
)

// TestCache_Fetch_damaged: a file of the cache that is no longer what was downloaded is never used. It is fetched again, and the operator is told.
func TestCache_Fetch_damaged(t *testing.T) {
	t.Parallel()
	good := pngOf(3, 2)
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 1
	for name, damaged := range map[string][]byte{"a bit": flipped, "cut off": good[:len(good)/2], "empty": {}, "longer": append(bytes.Clone(good), 0)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var logged bytes.Buffer
			s := newSite(t, commands.Media{}, func(cfg *assets.Config) {
				log := logrus.New()
				log.SetOutput(&logged)
				cfg.Log = log
			})
			s.serve("/a.png", good)
			s.serve("/same.png", good)
			for i, step := range []struct {
				path string
				hits int64
			}{{"/a.png", 1}, {"/a.png", 2}, {"/same.png", 3}, {"/same.png", 4}} {
				if i > 0 { // also when the same content comes from another address
					kept := s.files("files/*[0-9a-f]")
					if len(kept) != 1 {
						t.Fatalf("kept: %q", kept)
					}
					// Written in another second, as damage by a program is: two writes within a tick of the clock look the same.
					later := time.Now().Add(time.Duration(i) * time.Minute)
					if err := os.WriteFile(kept[0], damaged, 0o600); err != nil {
						t.Fatal(err)
					}
					if err := os.Chtimes(kept[0], later, later); err != nil {
						t.Fatal(err)
					}
				}
				got, err := s.fetch(step.path)
				if err != nil || s.hits.Load() != step.hits {
					t.Fatalf("step %d: %v, asked %d times, want %d", i, err, s.hits.Load(), step.hits)
				}
				if raw, err := os.ReadFile(got.Path); err != nil || !bytes.Equal(raw, good) {
					t.Fatalf("step %d: %d bytes of another content, %v", i, len(raw), err)
				}
			}
			if !strings.Contains(logged.String(), "damaged") {
				t.Errorf("the operator was not told: %s", &logged)
			}
			if _, err := s.fetch("/a.png"); err != nil || s.hits.Load() != 4 {
				t.Errorf("a whole file: %v, asked %d times", err, s.hits.Load())
			}
		})
	}
}
