package web_test

import (
	"context"
	"io"
	"testing"

	"moviola/handlers/http/web"
)

// TestComplete names what a configuration lacks.
func TestComplete(t *testing.T) {
	t.Parallel()
	type config struct {
		Out   io.Writer
		Do    func(context.Context) error
		Key   []byte
		URL   string
		Limit int
	}
	full := config{Out: io.Discard, Do: func(context.Context) error { return nil }, Key: make([]byte, 16), URL: "http://x", Limit: 1}
	short, without := full, full
	short.Key, without.Limit = short.Key[:15], 0
	tests := []struct {
		config   config
		optional []string
		want     string
	}{
		{full, nil, ""},
		{without, []string{"Limit"}, ""},
		{without, nil, "web_test: Limit is missing"},
		{short, nil, "web_test: Key is shorter than 16 bytes"},
		{config{}, []string{"URL"}, "web_test: Out is missing\nweb_test: Do is missing\nweb_test: Key is missing\nweb_test: Limit is missing"},
	}
	for _, tt := range tests {
		got := ""
		if err := web.Complete(tt.config, tt.optional...); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.config, got, tt.want)
		}
	}
}
