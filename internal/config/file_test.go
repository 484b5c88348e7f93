package config

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// configured reads arguments, variables and a file as the program does.
func configured(t *testing.T, content string, args ...string) (Config, *pflag.FlagSet, error) {
	t.Helper()
	var cfg Config
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	cfg.Bind(flags)
	if err := flags.Parse(append([]string{"--config", fileWith(t, content)}, args...)); err != nil {
		t.Fatal(err)
	}
	for _, step := range []func(*pflag.FlagSet) error{FromEnvironment, FromFile, FromFiles} {
		if err := step(flags); err != nil {
			return cfg, flags, err
		}
	}
	return cfg, flags, cfg.Validate()
}

// A flag wins over a variable, that over the file, that over the default.
func TestFile_precedence(t *testing.T) {
	t.Setenv("MOVIOLA_CLAIM_TIMEOUT", "7s")
	t.Setenv("MOVIOLA_RETRY_LIMIT", "7m")
	cfg, flags, err := configured(t, `
claim-timeout: 5s
retry-limit: 5m
drain-timeout: 5s
fetch-slots: 5
library: false
roles: [api, projector]
allow-host: "a:1,b:2"
mongo: mongodb://user:hush@127.0.0.1/moviola
`, "--retry-limit", "9m")
	if err != nil {
		t.Fatal(err)
	}
	got := []time.Duration{cfg.RetryLimit, cfg.ClaimTimeout, cfg.DrainTimeout, cfg.WebhookTimeout}
	if diff := cmp.Diff([]time.Duration{9 * time.Minute, 7 * time.Second, 5 * time.Second, 30 * time.Second}, got); diff != "" {
		t.Errorf("flag, variable, file and default (-want +got):\n%s", diff)
	}
	if cfg.FetchSlots != 5 || cfg.Library || strings.Join(cfg.Roles, "+") != "api+projector" || strings.Join(cfg.AllowHosts, "+") != "a:1+b:2" {
		t.Errorf("from the file: %+v", cfg)
	}
	if names := Exposed(flags); len(names) > 0 {
		t.Errorf("%v are said to stand in the command line", names)
	}
	if given := Given(flags); given["fetch-slots"] != "5" || strings.Contains(given["mongo"], "hush") {
		t.Errorf("noted are %v", given)
	}
	var printed strings.Builder
	if err := Print(&printed, flags); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"claim-timeout: 7s # variable\n", "retry-limit: 9m0s # flag\n", "fetch-slots: 5 # file\n", "webhook-timeout: 30s # default\n"} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("no %q in:\n%s", want, &printed)
		}
	}
	if strings.Contains(printed.String(), "hush") {
		t.Errorf("a password is printed:\n%s", &printed)
	}
}

// What is printed can be read again, and says the same.
func TestPrint_isAFile(t *testing.T) {
	before, flags, err := configured(t, "fetch-slots: 5\nlog-level: debug\nallow-host: ['a:1', 'b:2']\n")
	if err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	if err := Print(&printed, flags); err != nil {
		t.Fatal(err)
	}
	after, _, err := configured(t, printed.String())
	if diff := cmp.Diff(fmt.Sprintf("%+v", before), fmt.Sprintf("%+v", after)); err != nil || diff != "" {
		t.Errorf("read again: %v (-before +after):\n%s\n%s", err, diff, &printed)
	}
}

func TestFile_complaints(t *testing.T) {
	for _, tt := range []struct{ name, content, want string }{
		{"an unknown name", "listn: ':1'", `line 1: there is no flag "listn"; did you mean "listen"?`},
		{"an unknown name that is near none", "zzzzzzz: 1", `line 1: there is no flag "zzzzzzz"`},
		{"a name twice", "listen: ':1'\nlisten: ':2'", "already defined"},
		{"no names", "- listen", "give names of flags"},
		{"no YAML", "listen: [", "--config"},
		{"a value of another type", "fetch-slots: many", "fetch-slots"},
		{"a list for one value", "listen: [':1', ':2']", "listen: give one value"},
		{"names for one value", "listen: {port: 1}", "listen: give a plain value"},
		{"nothing for a value", "listen:", "listen: give a plain value"},
		{"itself", "config: other.yaml", `there is no flag "config"`},
		{"nothing at all", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := configured(t, tt.content)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("complaint %v, want %q", err, tt.want)
			}
		})
	}
	_, flags, err := configured(t, "listn: ':1'", "--config-unknown", "warn")
	if err != nil || len(Warnings(flags)) != 1 {
		t.Errorf("with --config-unknown warn: %v, warnings %q", err, Warnings(flags))
	}
}

// A mistyped variable keeps the service from starting, an unknown one is warned of, and what Kubernetes injects is neither.
func TestCheckVariables(t *testing.T) {
	for _, tt := range []struct {
		variable string
		refused  bool
		warnings int
	}{
		{"MOVIOLA_LISTEN=:1", false, 0},
		{"MOVIOLA_LISTN=:1", true, 0},
		{"MOVIOLA_SECRETS=x", true, 0},
		{"MOVIOLA_SECRET=x", false, 0},
		{"MOVIOLA_API_KEY=mv_x", false, 0},
		{"MOVIOLA_SOMETHING_ELSE=1", false, 1},
		{"MOVIOLA_TEST_LONG=1", false, 0},
		{"MOVIOLA_SERVICE_HOST=10.0.0.1", false, 0},
		{"MOVIOLA_SERVICE_PORT=80", false, 0},
		{"MOVIOLA_SERVICE_PORT_HTTP=80", false, 0},
		{"MOVIOLA_PORT=tcp://10.0.0.1:80", false, 0},
		{"MOVIOLA_PORT=80", false, 1},
		{"MOVIOLA_PORT_80_TCP=tcp://10.0.0.1:80", false, 0},
		{"MOVIOLA_PORT_80_TCP_ADDR=10.0.0.1", false, 0},
		{"OTHER_LISTN=:1", false, 0},
	} {
		for _, how := range []string{"refuse", "warn"} {
			_, flags, err := configured(t, "", "--config-unknown", how)
			if err != nil {
				t.Fatal(err)
			}
			err = CheckVariables(flags, []string{tt.variable}, flagNames(flags))
			warnings := tt.warnings
			if tt.refused && how == "warn" {
				warnings = 1
			}
			if (err != nil) != (tt.refused && how == "refuse") || len(Warnings(flags)) != warnings || err != nil && strings.Contains(err.Error(), ":1") {
				t.Errorf("%s, %s: %v, warnings %q", tt.variable, how, err, Warnings(flags))
			}
		}
	}
}

// TestFile_alias: a list may be given by an alias of another one.
func TestFile_alias(t *testing.T) {
	cfg, _, err := configured(t, "allow-host: &hosts ['a:1', 'b:2']\nops-host: *hosts\n")
	if err != nil || len(cfg.AllowHosts) != 2 || len(cfg.OpsHosts) != 2 {
		t.Errorf("%q, %q, %v", cfg.AllowHosts, cfg.OpsHosts, err)
	}
}
