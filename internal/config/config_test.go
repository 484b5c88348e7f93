package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// parse reads flags as serve does.
func parse(t *testing.T, args ...string) (Config, error) {
	t.Helper()
	var cfg Config
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	cfg.Bind(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := FromEnvironment(flags); err != nil {
		return cfg, err
	}
	return cfg, cfg.Validate()
}

func TestConfig_complaints(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string // empty: no complaint
	}{
		{"the defaults", nil, ""},
		{"a role that does not exist", []string{"--roles", "api,singer"}, `--roles: "singer"`},
		{"two event stores", []string{"--eventstore", "esdb://h:1", "--eventstore-listen", "127.0.0.1:1"}, "--eventstore-listen"},
		{"an event store for the world", []string{"--eventstore-listen", "0.0.0.0:2113"}, "loopback"},
		{"an event store on loopback", []string{"--eventstore-listen", "127.0.0.1:2113"}, ""},
		{"no slots", []string{"--preload-slots", "0"}, "--preload-slots"},
		{"an allowed host without port", []string{"--allow-host", "localhost"}, "--allow-host localhost"},
		{"an export folder", []string{"--export-folder", "nas=/srv/out:default", "--export-folder", "b=/srv/b"}, ""},
		{"an export folder without a name", []string{"--export-folder", "/srv/out"}, "--export-folder /srv/out: give NAME=DIR"},
		{"an export folder that is somewhere", []string{"--export-folder", "nas=out"}, "--export-folder nas=out: give the folder by its whole path"},
		{"an export folder for a bad account", []string{"--export-folder", "nas=/out:a/b"}, "give the ids of accounts"},
		{"an export folder twice", []string{"--export-folder", "nas=/a,nas=/b"}, "--export-folder: the name nas is given twice"},
		{"places of anchors", []string{"--anchor-to", "/srv/a", "--anchor-to", "s3://b?region=x&lock-days=9"}, ""},
		{"a place of anchors that is somewhere", []string{"--anchor-to", "anchors"}, "--anchor-to: give a folder by its whole path"},
		{"a place of anchors twice", []string{"--anchor-to", "/srv/a,/srv/b", "--anchor-to", "/srv/a"}, "--anchor-to: place 3 of 3 was given before"},
		{"a place of anchors twice, as path and address", []string{"--anchor-to", "/srv/a,file:///srv/b/../a/"},
			"--anchor-to: place 2 of 2 was given before"},
		{"a bucket of anchors twice", []string{"--anchor-to", "s3://b?region=x&prefix=a,s3://b?prefix=a&region=x"},
			"--anchor-to: place 2 of 2 was given before"},
		{"two buckets of anchors", []string{"--anchor-to", "s3://b?region=x", "--anchor-to", "s3://b?region=y"}, ""},
		{"anchors by mail without a server", []string{"--anchor-to", "mailto:a@example.com"}, "--anchor-to mailto:…: give --smtp"},
		{"anchors all the time", []string{"--anchor-every", "1s"}, "--anchor-every 1s: "},
		{"a public address without host", []string{"--public-url", "video"}, "--public-url"},
		{"a public address that browsers do not know", []string{"--public-url", "ftp://video.example.com"}, "--public-url ftp://video.example.com: "},
		{"a public address with a query", []string{"--public-url", "https://video.example.com?a=1"}, "--public-url"},
		{"a time that is over before it begins", []string{"--render-timeout", "-5s"}, "--render-timeout -5s: "},
		{"no time", []string{"--upload-url-ttl", "0"}, "--upload-url-ttl 0s: "},
		{"no time to drain", []string{"--drain-timeout", "0"}, ""},
		{"an origin without scheme", []string{"--cors-origin", "app.example.com"}, "--cors-origin app.example.com: "},
		{"an origin with a path", []string{"--cors-origin", "https://app.example.com/"}, "--cors-origin https://app.example.com/: "},
		{"origins", []string{"--cors-origin", "https://app.example.com,http://localhost:3000", "--cors-origin", "*"}, ""},
		{"storage of another kind", []string{"--blobs", "ftp://bucket"}, "--blobs ftp…: "},
		{"a database of another kind", []string{"--mongo", "http://host"}, "--mongo http…: "},
		{"an event store of another kind", []string{"--eventstore", "http://host"}, "--eventstore http…: "},
		{"a database without scheme", []string{"--mongo", "user:secret@host"}, "--mongo …: "},
		{"storage with a slash too few", []string{"--blobs", "s3:/bucket"}, "--blobs …: "},
		{"storage without slashes", []string{"--blobs", "s3:bucket"}, "--blobs …: "},
		{"storage without a colon", []string{"--blobs", "s3//bucket"}, "--blobs …: "},
		{"storage in capitals", []string{"--blobs", "S3://bucket"}, "--blobs S3…: "},
		{"storage without a bucket", []string{"--blobs", "s3://"}, "--blobs s3…: "},
		{"Google's storage", []string{"--blobs", "gs://bucket?prefix=moviola/", "--blobs-key", "default"}, ""},
		{"Google's storage without a key", []string{"--blobs", "gs://bucket"}, "--blobs: gs://…: a key is missing"},
		{"Azure's storage", []string{"--blobs", "azblob://box?storage_account=acme", "--blobs-key", "a2V5"}, ""},
		{"Azure's storage without an account", []string{"--blobs", "azblob://box", "--blobs-key", "a2V5"}, "--blobs: azblob://…: name the account"},
		{"a key for S3", []string{"--blobs", "s3://bucket", "--blobs-key", "key"}, "--blobs: only gs:// and azblob:// take a key"},
		{"a key for a folder", []string{"--blobs-key", "key"}, "--blobs: only gs:// and azblob:// take a key"},
		{"an event store with a slash too few", []string{"--eventstore", "esdb:/host:2113"}, "--eventstore …: "},
		{"a database with a slash too few", []string{"--mongo", "mongodb:/host"}, "--mongo …: "},
		{"a folder with a colon", []string{"--blobs", "./files:1"}, ""},
		{"a folder for files, plain", []string{"--blobs", "/srv/files"}, ""},
		{"a folder for files", []string{"--blobs", "file:///srv/files"}, ""},
		{"a certificate without its key", []string{"--tls-cert", "cert.pem"}, "--tls-cert and --tls-key: give both or none"},
		{"a listening address without port", []string{"--listen", "here"}, "--listen here"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parse(t, tt.args...)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("complaint %v, want %q", err, tt.want)
			}
		})
	}
}

// A shutdown ends below the ten seconds that container runtimes wait, and work is handed back three seconds before.
func TestConfig_drainTimeout(t *testing.T) {
	cfg, err := parse(t)
	if err != nil || cfg.DrainTimeout != 8*time.Second {
		t.Errorf("the time of a shutdown is %v (%v), want 8s", cfg.DrainTimeout, err)
	}
}

func TestConfig_publicURL(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"--listen=:9000", "http://localhost:9000"},
		{"--listen=127.0.0.1:8081", "http://localhost:8081"},
		{"--listen=:9000 --tls-cert=cert.pem --tls-key=key.pem", "https://localhost:9000"},
		{"--public-url=https://video.example.com/", "https://video.example.com"},
	} {
		cfg, err := parse(t, strings.Fields(tt.args)...)
		if err != nil || cfg.PublicURL != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.args, cfg.PublicURL, err, tt.want)
		}
	}
}

// A flag wins over its environment variable, which wins over the default.
func TestConfig_environment(t *testing.T) {
	t.Setenv("MOVIOLA_RENDER_TIMEOUT", "3m")
	t.Setenv("MOVIOLA_CLAIM_TIMEOUT", "7s")
	t.Setenv("MOVIOLA_ALLOW_HOST", "a:1,b:2")
	cfg, err := parse(t, "--claim-timeout", "9s")
	if err != nil {
		t.Fatal(err)
	}
	if cfg.RenderTimeout != 3*time.Minute || cfg.ClaimTimeout != 9*time.Second {
		t.Errorf("render timeout %v, claim timeout %v", cfg.RenderTimeout, cfg.ClaimTimeout)
	}
	if diff := cmp.Diff([]string{"a:1", "b:2"}, cfg.AllowHosts); diff != "" {
		t.Errorf("allowed hosts (-want +got):\n%s", diff)
	}
	t.Setenv("MOVIOLA_EXPORT_FOLDER", "a=/a,b=/b:default")
	if cfg, err = parse(t); err != nil || !cmp.Equal([]string{"a=/a", "b=/b:default"}, cfg.ExportFolders) {
		t.Errorf("export folders %q, %v", cfg.ExportFolders, err)
	}
	t.Setenv("MOVIOLA_CORES", "many")
	if _, err := parse(t); err == nil || !strings.Contains(err.Error(), "MOVIOLA_CORES") {
		t.Errorf("a broken variable: %v", err)
	}
}
