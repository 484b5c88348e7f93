package config

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func note(t *testing.T, cfg Config) {
	t.Helper()
	cfg.Given = map[string]string{}
	for flag, value := range map[string]string{"mongo": cfg.Mongo, "blobs": cfg.Blobs, "eventstore": cfg.EventStore} {
		if value != "" {
			cfg.Given[flag] = value
		}
	}
	if err := Note(cfg); err != nil {
		t.Fatal(err)
	}
}

func noted(t *testing.T, data string) map[string]Settings {
	t.Helper()
	all, err := Noted(data)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestDropFormer: after a change of roles, what processes with the former roles have recorded does not hold commands up.
func TestDropFormer(t *testing.T) {
	t.Parallel()
	const mongo, log = "mongodb://h/d", "esdb://h"
	for _, row := range []struct {
		name   string
		former Config
		now    Config
		served bool // a server has the log of the data folder open
		kept   bool
	}{
		{"all the same", Config{}, Config{}, false, true},
		{"MongoDB is new", Config{}, Config{Mongo: mongo}, false, false},
		{"MongoDB is left", Config{Mongo: mongo}, Config{}, false, false},
		{"a bucket is new", Config{}, Config{Blobs: "s3://b"}, false, false},
		{"another name of the MongoDB", Config{Mongo: "mongodb://other/d"}, Config{Mongo: mongo}, false, true},
		{"the log has moved", Config{}, Config{EventStore: log}, false, false},
		{"another process has the log", Config{}, Config{EventStore: log}, true, true},
		{"this process has the log", Config{EventStore: log}, Config{}, false, true},
	} {
		data := t.TempDir()
		row.former.Data, row.former.Roles = data, []string{RoleAPI, RoleKeeper}
		row.now.Data, row.now.Roles, row.now.Given = data, []string{RoleAPI}, map[string]string{}
		note(t, row.former)
		if err := DropFormer(row.now, row.served); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		note(t, row.now)
		want := []string{"api.json"}
		if row.kept {
			want = []string{"api+keeper.json", "api.json"}
		}
		if got := slices.Sorted(maps.Keys(noted(t, data))); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", row.name, got, want)
		}
		if err := row.now.RequireStores(); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

// TestLogElsewhere: the log of the service is in the data folder when one of its processes has it, or another program serves it.
func TestLogElsewhere(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	for _, row := range []struct {
		logs []string // values of --eventstore
		want string
	}{
		{nil, ""},
		{[]string{"esdb://h"}, "esdb://h"},
		{[]string{"esdb://h", "esdb://h"}, "esdb://h"},
		{[]string{"", "esdb://127.0.0.1:2113"}, ""},
		{[]string{"unix://" + filepath.Join(data, "events", "socket", "es")}, ""},
		{[]string{"unix:///elsewhere/events/socket/es"}, "unix:///elsewhere/events/socket/es"},
	} {
		all := map[string]Settings{}
		for i, where := range row.logs {
			all[strings.Repeat("x", i+1)] = Settings{Flags: map[string]string{"eventstore": where}}
		}
		if got := LogElsewhere(all, data); got != row.want {
			t.Errorf("%q: %q, want %q", row.logs, got, row.want)
		}
	}
}
