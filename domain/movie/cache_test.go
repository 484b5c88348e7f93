package movie_test

import (
	"testing"

	"moviola/domain/movie"
)

// TestCacheKey: what does not change the video does not change the key; everything else does. Decision 20.
func TestCacheKey(t *testing.T) {
	t.Parallel()
	key := func(document string, sources map[string]string) string {
		t.Helper()
		got, err := movie.CacheKey([]byte(document), sources)
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
	for name, got := range map[string]string{
		"another property":   key(`{"scenes":[{"comment":"x"}],"fps":30}`, asset),
		"one property more":  key(`{"scenes":[{"comment":"x"}],"fps":25,"quality":"low"}`, asset),
		"another content":    key(`{"scenes":[{"comment":"x"}],"fps":25}`, map[string]string{"https://a/1.png": "aa", "https://a/2.png": "cc"}),
		"contents exchanged": key(`{"scenes":[{"comment":"x"}],"fps":25}`, map[string]string{"https://a/1.png": "bb", "https://a/2.png": "aa"}),
		"another number":     key(`{"scenes":[{"comment":"x"}],"fps":25.00000000000000001}`, asset),
		"cache false":        key(`{"scenes":[{"comment":"x"}],"fps":25,"cache":false}`, asset),
		"no sources":         key(`{"scenes":[{"comment":"x"}],"fps":25}`, nil),
	} {
		if got == want {
			t.Errorf("%s has the same key", name)
		}
	}
	if _, err := movie.CacheKey([]byte("{"), nil); err == nil {
		t.Error("no JSON has a key")
	}
}
