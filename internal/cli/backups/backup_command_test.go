package backups

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"moviola/adapters/archive"
	"moviola/adapters/blobs"
	"moviola/domain/blobkey"
	"moviola/internal/backup"
	"moviola/internal/config"
	"moviola/internal/secret"
	"moviola/internal/stores"
)

// fleeting are files of which some are deleted after they were seen.
type fleeting struct {
	*blobs.Bucket
	gone []string
}

func (f fleeting) Walk(ctx context.Context, prefix string, visit func(string, time.Time) error) error {
	err := f.Bucket.Walk(ctx, prefix, visit)
	for _, key := range f.gone {
		err = errors.Join(err, f.Delete(ctx, key))
	}
	return err
}

// TestBackup_deletedMeanwhile: what is deleted while a backup runs is counted, and nothing else is missing but downloads, which can be made again.
func TestBackup_deletedMeanwhile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	bucket, err := blobs.Open(ctx, t.TempDir(), blobkey.DocumentPrefixes()...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = bucket.Close() }() // nothing is written last
	for _, key := range []string{"movies/a/1.json", "movies/a/2.json", "renders/1/movie.mp4", "renders/2/movie.mp4", blobkey.Sources.Prefix() + "a/files/h.1"} {
		if err := bucket.Put(ctx, key, strings.NewReader(key)); err != nil {
			t.Fatal(err)
		}
	}
	place, err := archive.NewFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	target, err := backup.Create(ctx, backup.Config{Place: place})
	if err != nil {
		t.Fatal(err)
	}
	w, err := target.Begin(ctx, time.Now(), "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := saveFiles(ctx, w, fleeting{bucket, []string{"movies/a/1.json", "renders/2/movie.mp4"}}, &fileKeys{}, false, false); err != nil {
		t.Fatal(err)
	}
	done, err := w.Finish(ctx)
	if err != nil || w.Manifest.Gone != 2 {
		t.Fatalf("%d gone, %v", w.Manifest.Gone, err)
	}
	s, err := target.Snapshot(ctx, done.ID)
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]string{backup.Documents: "movies/a/2.json", backup.Files: "renders/1/movie.mp4"} {
		err := s.Walk(ctx, part, func(item backup.Item, r io.Reader) error {
			if content, err := io.ReadAll(r); err != nil || item.Name != want || string(content) != want {
				t.Errorf("%s holds %s with %q, %v", part, item.Name, content, err)
			}
			return nil
		})
		if err != nil || len(s.Manifest.Parts[part]) != 1 {
			t.Errorf("%s: %v", part, err)
		}
	}
}

// TestSettings_withoutSecrets: what is noted of the flags has no password and no key in it, and can be read back.
func TestSettings_withoutSecrets(t *testing.T) {
	t.Parallel()
	var cfg config.Config
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	cfg.Bind(f)
	err := f.Parse([]string{
		"--data", t.TempDir(), "--mongo", "mongodb://user:canary@host/db", "--eventstore", "esdb://admin:canary@a:2113,b:2113?tls=false",
		"--smtp", "smtp://mail%40example.com:canary@host:587", "--speech-key", "canary", "--image-key", "canary",
		"--blobs", "s3://bucket?region=x&secret_key=canary&endpoint=y", "--roles", "api,keeper", "--plans", "our plans.yaml", "--smtp-from", "a b",
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Given = config.Given(f)
	if err := config.Note(cfg); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cfg.Data, config.FlagFolder, "api+keeper.json")
	content, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(content), "canary") {
		t.Errorf("%v\n%s", err, content)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	noted, err := config.Noted(cfg.Data)
	if err != nil || len(noted) != 1 {
		t.Fatalf("%v, %v", noted, err)
	}
	line := noted["api+keeper.json"].CommandLine(map[string]string{"data": "new"})
	for _, want := range []string{
		" --data=new ", "mongodb://user:***@host/db", "'esdb://admin:***@a:2113,b:2113?tls=false'", "--image-key='***'", "--roles=api,keeper",
		"region=x&secret_key=***&endpoint=y", "--smtp-from='a b'", "/our plans.yaml'",
	} {
		if !strings.Contains(line, want) {
			t.Errorf("%s is not in %s", want, line)
		}
	}
}

// TestBackup_refuses what would leave something out.
func TestBackup_refuses(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		noted []map[string]string
		cfg   config.Config
		want  string
	}{
		"nothing noted":     {nil, config.Config{}, ""},
		"files on S3":       {[]map[string]string{{"blobs": "s3://b"}}, config.Config{}, "--blobs s3://b"},
		"files on S3, said": {[]map[string]string{{"blobs": "s3://b"}}, config.Config{Blobs: "s3://b"}, ""},
		"a log elsewhere":   {[]map[string]string{{"eventstore": "esdb://h"}}, config.Config{}, "--eventstore"},
		"a log elsewhere, said": {[]map[string]string{{"eventstore": "esdb://h"}}, config.Config{EventStore: "esdb://h"},
			""},
		"keys in MongoDB": {[]map[string]string{{"encrypt-accounts": "true", "mongo": "mongodb://h/d"}}, config.Config{},
			"--mongo"},
		"no keys in MongoDB":     {[]map[string]string{{"mongo": "mongodb://h/d"}}, config.Config{}, ""},
		"another process's log":  {[]map[string]string{{}, {"eventstore": "unix:///x"}}, config.Config{}, ""},
		"plans that were noted":  {[]map[string]string{{"plans": "/p.yaml"}}, config.Config{}, ""},
		"no data folder at hand": {nil, config.Config{Data: "/nowhere/at/all"}, "--data"},
	} {
		b := backingUp{cfg: row.cfg}
		if b.cfg.Data == "" {
			b.cfg.Data = t.TempDir()
		}
		for i, flags := range row.noted {
			one := config.Config{Data: b.cfg.Data, Roles: config.AllRoles[i : i+1], Given: flags}
			if err := config.Note(one); err != nil {
				t.Fatal(err)
			}
		}
		_, err := b.check()
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
		if slices.ContainsFunc(row.noted, func(f map[string]string) bool { return f["plans"] != "" }) && b.cfg.Plans != "/p.yaml" {
			t.Errorf("%s: plans %q", name, b.cfg.Plans)
		}
	}
}

// TestArchiveFlags_refuse what is nearly an address: a folder of that name would be made otherwise.
func TestArchiveFlags_refuse(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"", "s3:/bucket", "s3:bucket", "s3://", "s3:///bucket", "s3://?region=x", "file:///x", "https://host/x",
		"gs:bucket", "azblob:/box", "gs://", "gs:///b", "gs://bucket", "azblob://box?storage_account=acme"} {
		var f archiveFlags
		if _, err := f.config(t.Context(), where); err == nil {
			t.Errorf("%q was taken", where)
		}
	}
	f := archiveFlags{parts: map[string]string{"secret": t.TempDir()}}
	if _, err := f.config(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "secrets") {
		t.Errorf("an unknown part: %v", err)
	}
}

// TestRestore_cutShort: what a restore has left that was killed is no installation, and is in nobody's way.
func TestRestore_cutShort(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := stores.RefuseHalfRestored(dir); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, stores.Restoring, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := stores.RefuseHalfRestored(dir); err == nil {
		t.Error("a service begins where a restore was cut short")
	}
	if err := emptyFolder(dir); err != nil || stores.RefuseHalfRestored(dir) != nil {
		t.Errorf("a second restore: %v", err)
	}
	for _, name := range []string{stores.Restoring, secret.File} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := emptyFolder(dir); err == nil {
		t.Error("a restore goes over a secret")
	}
}
