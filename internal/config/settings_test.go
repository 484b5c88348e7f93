package config

import "testing"

// TestSettings_commandLine: a secret is named once, by its file if it was read from one.
func TestSettings_commandLine(t *testing.T) {
	t.Parallel()
	noted := Settings{Flags: map[string]string{"listen": ":1", "mongo": "mongodb://me:***@h/d", "mongo-file": "/run/m"}}
	for _, tt := range []struct {
		replaced map[string]string
		want     string
	}{
		{nil, "moviola serve --listen=:1 --mongo-file=/run/m"},
		{map[string]string{"mongo": "mongodb://h/new"}, "moviola serve --listen=:1 --mongo=mongodb://h/new"},
	} {
		if got := noted.CommandLine(tt.replaced); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.replaced, got, tt.want)
		}
	}
}
