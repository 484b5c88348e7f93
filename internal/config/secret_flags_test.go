package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// fileWith writes a file as an editor or a secret store does, with a line ending.
func fileWith(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func parseSecrets(t *testing.T, args ...string) (Config, *pflag.FlagSet, error) {
	t.Helper()
	var cfg Config
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	cfg.Bind(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := FromEnvironment(flags); err != nil {
		return cfg, flags, err
	}
	return cfg, flags, FromFiles(flags)
}

func TestSecretFiles(t *testing.T) {
	t.Setenv("MOVIOLA_IMAGE_KEY_FILE", fileWith(t, "  image\n"))
	large := strings.Repeat("x", maxSecretFile)
	cfg, flags, err := parseSecrets(t, "--transcription-key-file", fileWith(t, large), "--speech-key-file", fileWith(t, "speech\r\n"),
		"--mongo-file", fileWith(t, "mongodb://u:p@h/d"))
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Transcription.Key != large {
		t.Errorf("of a file as large as it may be %d bytes are read", len(cfg.Transcription.Key))
	}
	if diff := cmp.Diff([]string{"speech", "image", "mongodb://u:p@h/d"}, []string{cfg.Speech.Key, cfg.Images.Key, cfg.Mongo}); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if names := Exposed(flags); len(names) != 0 {
		t.Errorf("%v are said to stand in the command line", names)
	}
	if noted := Given(flags); noted["speech-key"] != hidden || !strings.HasSuffix(noted["speech-key-file"], "secret") {
		t.Errorf("noted are %v", noted)
	}
}

func TestSecretFiles_complaints(t *testing.T) {
	full := fileWith(t, "x")
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"both", []string{"--speech-key", "a", "--speech-key-file", full}, "--speech-key and --speech-key-file: give one"},
		{"missing", []string{"--smtp-file", full + ".gone"}, "--smtp-file: "},
		{"empty", []string{"--mongo-file", fileWith(t, " \n")}, "is empty"},
		{"large", []string{"--smtp-file", fileWith(t, strings.Repeat("x", maxSecretFile+1))}, "is larger than 64 KiB"},
		{"large, of white space", []string{"--smtp-file", fileWith(t, "x"+strings.Repeat("\n", maxSecretFile))}, "is larger than 64 KiB"},
		{"a folder", []string{"--blobs-file", t.TempDir()}, "--blobs-file: "},
	} {
		if _, _, err := parseSecrets(t, tt.args...); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestExposed: a secret in the command line is warned about, and no other flag.
func TestExposed(t *testing.T) {
	t.Setenv("MOVIOLA_SPEECH_KEY", "from the environment")
	_, flags, err := parseSecrets(t, "--image-key", "k", "--mongo", "mongodb://user:canary@h/d", "--smtp", "smtp://host", "--eventstore", "esdb://h:1")
	if err != nil {
		t.Fatal(err)
	}
	names := Exposed(flags)
	if diff := cmp.Diff([]string{"mongo", "image-key"}, names); diff != "" {
		t.Errorf("exposed (-want +got):\n%s", diff)
	}
	var said []string
	cfg := Config{Exposed: names}
	cfg.WarnOfExposed(func(words ...any) { said = append(said, words[0].(string)) })
	if len(said) != 2 || !strings.Contains(said[1], "MOVIOLA_IMAGE_KEY or --image-key-file") ||
		slices.ContainsFunc(said, func(line string) bool { return strings.Contains(line, "canary") }) {
		t.Errorf("said was %q", said)
	}
}

func TestOperatorToken(t *testing.T) {
	long := strings.Repeat("t", minOperatorToken)
	for _, tt := range []struct {
		name, variable, file string
		want, complaint      string
	}{
		{"none", "", "", "", ""},
		{"the variable", long, "", long, ""},
		{"a file", "", long + "\n", long, ""},
		{"both", long, long, "", "give one of them"},
		{"a short one", long[1:], "", "", "at least 24 characters"},
		{"a short one in a file", "", "short\n", "", "at least 24 characters"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(AdminTokenEnv, tt.variable)
			file := ""
			if tt.file != "" {
				file = fileWith(t, tt.file)
			}
			token, err := OperatorToken(file)
			if err == nil {
				err = CheckOperatorToken(token)
			}
			if tt.complaint == "" && (err != nil || token != tt.want) {
				t.Errorf("%q, %v, want %q", token, err, tt.want)
			}
			if tt.complaint != "" && (err == nil || !strings.Contains(err.Error(), tt.complaint) || strings.Contains(err.Error(), "short\n")) {
				t.Errorf("%v, want %q", err, tt.complaint)
			}
		})
	}
}

// TestWithoutSecret: keys are hidden, and the path of a key is not.
func TestWithoutSecret(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ flag, value, want string }{
		{"speech-key", "sk-1", hidden}, {"tls-key", "/etc/key.pem", "/etc/key.pem"}, {"speech-key-file", "/etc/k", "/etc/k"},
		{"anchor-to", "https://a.example/in?token=x", "https://a.example/in?token=" + hidden},
		{"wrong-token-delay", "1s", "1s"},
		// Passwords that had to be escaped, and are not.
		{"mongo", "mongodb://u:p/w@h/d", "mongodb://u:***@h/d"}, {"mongo", "mongodb://u:p@s/w@h/d", "mongodb://u:***@h/d"},
		{"mongo", "mongodb://u/v:pw@h/d", "mongodb://u/v:***@h/d"}, {"eventstore", "esdb://u:7/w@h:2113", "esdb://u:***@h:2113"},
		{"smtp", "smtp://u:p?w#x@h:25", "smtp://u:***@h:25"}, {"speech-url", "http://u:p/w@h/v1", "http://u:***@h/v1"},
		{"mongo", "mongodb://h:27017/d", "mongodb://h:27017/d"}, {"mongo", "mongodb://a:1,b:2/d", "mongodb://a:1,b:2/d"},
		{"image-url", "http://h:80/a@b", "http://h:80/a@b"},
		{"mongo", "mongodb://h/d?authMechanismProperties=AWS_SESSION_TOKEN:x&a=b", "mongodb://h/d?authMechanismProperties=***&a=b"},
		{"anchor-to", "https://h/in?sp=r&sig=x", "https://h/in?sp=r&sig=***"}, {"anchor-to", "https://h/in?code=x", "https://h/in?code=***"},
		{"mongo", "mongodb://h/d?authSource=admin", "mongodb://h/d?authSource=admin"},
	} {
		if got := WithoutSecret(one.flag, one.value); got != one.want {
			t.Errorf("--%s %s is shown as %s, want %s", one.flag, one.value, got, one.want)
		}
	}
}

// TestFromFiles_list: a file has a value of a list in each line.
func TestFromFiles_list(t *testing.T) {
	t.Parallel()
	var cfg Config
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	cfg.Bind(flags)
	if err := flags.Parse([]string{"--anchor-to-file", fileWith(t, "/srv/a\nhttps://a.example/in\n")}); err != nil {
		t.Fatal(err)
	}
	if err := FromFiles(flags); err != nil || strings.Join(cfg.AnchorTo, " ") != "/srv/a https://a.example/in" {
		t.Errorf("%q, %v", cfg.AnchorTo, err)
	}
}

// TestSecretsInComplaints: a value that cannot be read is not shown as far as it is a secret, wherever it comes from.
func TestSecretsInComplaints(t *testing.T) {
	const broken = `https://a.example/in?token=ca"nary`
	said := func(args ...string) {
		t.Helper()
		if _, _, err := parseSecrets(t, args...); err == nil || strings.Contains(err.Error(), "nary") ||
			!strings.Contains(err.Error(), "a.example") {
			t.Errorf("%q: %v", args, err)
		}
	}
	said("--anchor-to-file", fileWith(t, broken))
	t.Setenv("MOVIOLA_ANCHOR_TO", broken)
	said()
}
