package movie_test

import (
	"testing"

	"moviola/domain/movie"
)

// TestCacheKey: what does not change the video does not change the key; everything else does. Decision 20.
func TestCacheKey(t *testing.T) {
	t.Parallel()
	key := func(document string, sources map[string]string, outputs ...string) string {
		t.Helper()
		got, err := movie.CacheKey([]byte(document), sources, outputs)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	asset := map[string]string{"https://a/1.png": "aa", "https://a/2.png": "bb"}
	want := key(`{"scenes":[{"comment":"x"}],"fps":25}`, asset)
	for _, same := range []string{
		`{ "fps": 25, "scenes": [ {"comment":"x"} ] }`,
		`{"id":"mine","client-data":{"a":1},"client_data":{"b":1},"comment":"c","exports":[{}],"project":"p","scenes":[{"comment":"x"}],"fps":25}`,
		`{"cache":true,"scenes":[{"comment":"x","cache":true}],"fps":25}`,
	} {
		if got := key(same, asset); got != want {
			t.Errorf("%s has another key", same)
		}
	}
	if key(`{"scenes":[]}`, nil, "gif", "mp3") != key(`{"scenes":[]}`, nil, "mp3", "gif") {
		t.Error("the order of outputs matters")
	}
	for name, got := range map[string]string{
		"another property":   key(`{"scenes":[{"comment":"x"}],"fps":30}`, asset),
		"one property more":  key(`{"scenes":[{"comment":"x"}],"fps":25,"quality":"low"}`, asset),
		"another content":    key(`{"scenes":[{"comment":"x"}],"fps":25}`, map[string]string{"https://a/1.png": "aa", "https://a/2.png": "cc"}),
		"contents exchanged": key(`{"scenes":[{"comment":"x"}],"fps":25}`, map[string]string{"https://a/1.png": "bb", "https://a/2.png": "aa"}),
		"another number":     key(`{"scenes":[{"comment":"x"}],"fps":25.00000000000000001}`, asset),
		"cache false":        key(`{"scenes":[{"comment":"x"}],"fps":25,"cache":false}`, asset),
		"an output":          key(`{"scenes":[{"comment":"x"}],"fps":25}`, asset, "gif"),
		"no sources":         key(`{"scenes":[{"comment":"x"}],"fps":25}`, nil),
	} {
		if got == want {
			t.Errorf("%s has the same key", name)
		}
	}
	// Made when the look was 1, and its number no part of the key.
	if key(`{"scenes":[]}`, nil) == "25f53890f6712f0a8798c58a1ecd2e0011c5bb7fd893a118a19969f57c80fc8d" {
		t.Error("the look is no part of the key")
	}
	if _, err := movie.CacheKey([]byte("{"), nil, nil); err == nil {
		t.Error("no JSON has a key")
	}
}
