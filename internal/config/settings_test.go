package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

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

// TestSettings_otherwise: what is noted can be given to the service again, from another folder, with the same variables and the
// same file of --config. Secrets of these are not in the command line, where asterisks would stand in place of them.
func TestSettings_otherwise(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	if err := os.WriteFile("moviola.yaml", []byte("smtp: smtp://me:canary@h:25\nlog-level: warn\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"SPEECH_KEY": "canary", "MONGO": "mongodb://me:canary@h/d", "PLANS": "", "PUBLIC_URL": "https://v.example.com",
	} {
		t.Setenv(EnvPrefix+name, value)
	}
	var cfg Config
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	cfg.Bind(flags)
	err := flags.Parse([]string{"--data", folder, "--roles", "api", "--config", "moviola.yaml", "--tls-cert", "c.pem", "--tls-key", "k.pem",
		"--metrics-token-file", "token", "--blobs", "files", "--image-key", "canary", `--export-folder="n=/a,b"`,
		"--anchor-to", "https://a.example/in?token=canary", "--anchor-to", "/srv/a"})
	if err = errors.Join(err, FromEnvironment(flags), FromFile(flags), FromFiles(flags)); err != nil {
		t.Fatal(err)
	}
	cfg.Given, cfg.Settings = Given(flags), List(flags)
	if err := Note(cfg); err != nil {
		t.Fatal(err)
	}
	noted, err := Noted(folder)
	if err != nil {
		t.Fatal(err)
	}
	one := noted["api.json"]
	if !slices.Contains(one.Environment, "MOVIOLA_MONGO") || slices.Contains(one.Environment, "MOVIOLA_PUBLIC_URL") {
		t.Errorf("variables with secrets: %q", one.Environment)
	}
	if one.Flags["mongo"] != "mongodb://me:***@h/d" {
		t.Errorf("mongo is noted as %q", one.Flags["mongo"])
	}
	in := func(name string) string { return filepath.Join(folder, name) }
	want := "moviola serve --anchor-to='https://a.example/in?token=***,/srv/a' --blobs=" + in("files") + " --config=" + in("moviola.yaml") +
		" --data=new --export-folder='\"n=/a,b\"' --image-key='***' --log-level=warn --metrics-token-file=" + in("token") +
		" --plans='' --public-url=https://v.example.com --roles=api --tls-cert=" + in("c.pem") + " --tls-key=" + in("k.pem")
	if got := one.CommandLine(map[string]string{"data": "new"}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestRequireStores: a command that would use another store than the service is refused.
func TestRequireStores(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		noted []map[string]string // a process each
		cfg   Config
		want  string
	}{
		"nothing is noted":      {},
		"all is here":           {noted: []map[string]string{{"listen": ":1"}}},
		"models elsewhere":      {noted: []map[string]string{{}, {"mongo": "mongodb://h/d"}}, want: "--mongo mongodb://h/d"},
		"files elsewhere":       {noted: []map[string]string{{"blobs": "s3://b"}}, want: "--blobs s3://b"},
		"a log elsewhere":       {noted: []map[string]string{{"eventstore": "esdb://h"}}, want: "--eventstore esdb://h"},
		"a log elsewhere, said": {noted: []map[string]string{{"eventstore": "esdb://h"}}, cfg: Config{EventStore: "esdb://h:1"}},
		"a log that is shared":  {noted: []map[string]string{{"eventstore": "esdb://127.0.0.1:1"}, {}}},
		"a log at a socket":     {noted: []map[string]string{{"eventstore": "unix:///d/s"}}, want: "--eventstore unix:///d/s"},
	} {
		row.cfg.Data = t.TempDir()
		for i, flags := range row.noted {
			if err := Note(Config{Data: row.cfg.Data, Roles: AllRoles[i : i+1], Given: flags}); err != nil {
				t.Fatal(err)
			}
		}
		err := row.cfg.RequireStores()
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}
