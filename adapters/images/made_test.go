package images_test

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/assets"
	"moviola/adapters/blobs"
	"moviola/adapters/images"
	"moviola/commands"
)

type noProber struct{}

func (noProber) Probe(context.Context, string, string) (commands.Media, error) {
	return commands.Media{}, commands.ErrNotMedia
}

// TestGenerate_OtherHost: what was made for one host is not paid for again by another that has only the storage in common with it.
func TestGenerate_OtherHost(t *testing.T) {
	t.Parallel()
	store, err := blobs.Open(t.Context(), (&url.URL{Scheme: "file", Path: t.TempDir()}).String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	p := newProvider(t, numbered(t))
	host := func() *images.Generator {
		made, err := assets.New(assets.Config{Client: http.DefaultClient, Dir: t.TempDir(), Prober: noProber{}, Shared: store})
		if err != nil {
			t.Fatal(err)
		}
		return p.generator(t, func(c *images.Config) { c.Made = made })
	}
	request := commands.ImageRequest{Account: "a", Prompt: "A quiet harbour"}
	first := mustGenerate(t, host(), request)
	p.Close()
	second := host()
	got := mustGenerate(t, second, request)
	a, errA := os.ReadFile(first.Asset.Path)
	b, errB := os.ReadFile(got.Asset.Path)
	if errA != nil || errB != nil || !bytes.Equal(a, b) || got.Asset.Path == first.Asset.Path || !got.Cached {
		t.Errorf("%v, %v, %d and %d bytes, in %s, cached %v", errA, errB, len(a), len(b), got.Asset.Path, got.Cached)
	}
	got.Asset.Path, got.Cached = first.Asset.Path, first.Cached
	if diff := cmp.Diff(first, got); diff != "" {
		t.Errorf("(-first +other host):\n%s", diff)
	}
	if _, err := second.Generate(t.Context(), commands.ImageRequest{Account: "b", Prompt: request.Prompt}); err == nil {
		t.Error("another account has it")
	}
}
