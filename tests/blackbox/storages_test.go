package blackbox_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"moviola/adapters/blobs"
	"moviola/tests/harness"
	"moviola/tests/harness/storages"
)

// inStorage is an installation whose files are in a bucket.
type inStorage struct {
	*harness.Client
	service *harness.Service
	account string
	bucket  storages.Bucket
	files   *blobs.Bucket // the same bucket, as the test sees it
	in      commands
	assets  *harness.Assets
}

func startInStorage(t *testing.T, b storages.Bucket) (*inStorage, *harness.Log) {
	t.Helper()
	files, err := blobs.OpenWithKey(t.Context(), b.Address, b.Key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	addr := harness.FreeAddr(t)
	s := &inStorage{bucket: b, files: files, in: append(b.Environment, "MOVIOLA_SECRET=0123456789abcdef0123456789abcdef",
		"MOVIOLA_ADMIN_TOKEN="+harness.AdminToken)}
	s.assets = harness.NewAssets(t)
	s.service = harness.NewService(t, "--blobs", b.Address, "--allow-host", s.assets.Host, "--eventstore-listen", addr,
		"--claim-timeout", "1h", "--retry-limit", "1s")
	s.service.Environment = s.in
	s.service.StartAPI()
	s.account, s.Client = s.service.OpenAccount("stored", 600)
	return s, harness.OpenLog(t, addr)
}

// TestStorages keeps the files of an installation in Google Cloud Storage and in Azure Blob Storage: a movie whose process is killed while it renders
// is made and played back, uploads pass through the service, and what the commands of an operator do with files works there too. ADR 045.
func TestStorages(t *testing.T) {
	t.Parallel()
	for kind, start := range map[string]func(testing.TB) storages.Bucket{"gcs": storages.GCS, "azure": storages.Azure} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s, log := startInStorage(t, start(t))
			upload := s.uploads(t)
			project := s.rendersAfterKill(t, log, upload)
			s.keepsForOperators(t)
			s.removes(t, project)
		})
	}
}

// uploads sends a file to the library by an address of the service, and returns the address at which it can be fetched.
func (s *inStorage) uploads(t *testing.T) string {
	t.Helper()
	picture, err := os.ReadFile(writtenPNG(t))
	if err != nil {
		t.Fatal(err)
	}
	upload, file := registerFile(t, s.Client, "p.png", "image/png", len(picture))
	if !strings.Contains(upload, "/v2/media/upload/") || strings.Contains(upload, s.bucket.Host) {
		t.Errorf("the address %s for uploads is not the service's own", upload)
	}
	if status, err := sendFile(t.Context(), upload, "image/png", len(picture), bytes.NewReader(picture)); err != nil || status != 200 {
		t.Fatalf("upload: %d %v", status, err)
	}
	uploaded(t, s.Client, "p.png")
	if answer := s.Download(file, map[string]string{"Range": "bytes=1-3"}); answer.Status != 206 || string(answer.Body) != "PNG" {
		t.Errorf("a part of the upload: %d %q", answer.Status, answer.Body)
	}
	return file
}

// rendersAfterKill kills the process while it renders. The movie is made by the next one, whole and with parts of its file on request.
func (s *inStorage) rendersAfterKill(t *testing.T, log *harness.Log, picture string) string {
	t.Helper()
	made, credits := longMovie(s.assets)
	made["elements"] = list{object{"type": "image", "src": picture, "width": 100, "height": 100}}
	project := s.Submit(made)
	if !end(t, s.service, log, project, 1, syscall.SIGKILL) {
		t.Fatal("the movie ended before its process was killed")
	}
	movie := s.WaitFor(project, "done")
	checkOutcome(t, s.Client, log, movie, credits)
	whole := s.Download(*movie.URL, nil)
	if got := s.Download(*movie.URL, map[string]string{"Range": "bytes=-1000"}); got.Status != 206 ||
		!bytes.Equal(got.Body, whole.Body[len(whole.Body)-1000:]) {
		t.Errorf("the end of the movie: %d, %d bytes", got.Status, len(got.Body))
	}
	if got := s.Download(*movie.URL, map[string]string{"Range": "bytes=100-299"}); got.Status != 206 ||
		!bytes.Equal(got.Body, whole.Body[100:300]) {
		t.Errorf("a part of the movie: %d, %d bytes", got.Status, len(got.Body))
	}
	if color := harness.PlayInBrowser(t, *movie.URL); !strings.HasPrefix(color, "1280x720") {
		t.Errorf("the browser shows %s", color)
	}
	again := s.WaitFor(s.Submit(made), "done")
	if got := s.Download(*again.URL, nil); !bytes.Equal(got.Body, whole.Body) {
		t.Errorf("the same movie from the cache: %d, %d bytes instead of %d", got.Status, len(got.Body), len(whole.Body))
	}
	return project
}

// keepsForOperators looks at the files with the commands of an operator: check, doctor, and a backup that lists what stays in the bucket. The
// service is stopped.
func (s *inStorage) keepsForOperators(t *testing.T) {
	t.Helper()
	s.service.API.Terminate()
	if out := s.in.run(t, "check", "--data", s.service.Data, "--blobs", s.bucket.Address); !strings.Contains(out, ": 0 findings") {
		t.Errorf("check says %s", out)
	}
	doctor, _ := s.in.command(t, "doctor", "--blobs", s.bucket.Address, "--fonts-url", "").CombinedOutput()
	if !strings.Contains(string(doctor), "to this service  ") {
		t.Errorf("doctor says %s", doctor)
	}
	said := s.in.run(t, "backup", "--data", s.service.Data, "--blobs", s.bucket.Address, "--to", s.bucket.Beside())
	if !strings.Contains(said, "stay in their bucket") {
		t.Errorf("backup says %s", said)
	}
	data := filepath.Join(t.TempDir(), "restored")
	said = s.in.run(t, "restore", "--from", s.bucket.Beside(), "--data", data, "--blobs", s.bucket.Address)
	if out := s.in.run(t, "check", "--files-only", "--data", data, "--blobs", s.bucket.Address); !strings.Contains(out, ": 0 findings") {
		t.Errorf("restore says %s, check %s", said, out)
	}
	noted, err := os.ReadFile(filepath.Join(s.service.Data, "flags", "api+deliverer+keeper+projector+renderer.json"))
	for what, text := range map[string]string{"the backup": said, "the flags": string(noted), "the log": s.service.API.Output()} {
		if err != nil || strings.Contains(text, s.bucket.Key[:20]) {
			t.Errorf("%s shows the key, %v", what, err)
		}
	}
}

// removes waits until a movie that is not kept has expired, and until a closed account has nothing left in the bucket.
func (s *inStorage) removes(t *testing.T, project string) {
	t.Helper()
	s.service.StartAPI("--file-retention", "1s", "--sweep-every", "1s", "--clear-again", "1s")
	short := s.Submit(object{"resolution": "sd", "scenes": list{object{"duration": 1}}})
	harness.Eventually(t, "the movie is made", func() bool { return s.Get(short).Movie.Status == "done" })
	s.empty(t, "renders/"+short+"/")
	s.in.run(t, "accounts", "close", s.account, "--yes", "--url", s.Base)
	for _, folder := range []string{"media/" + s.account, "movies/" + s.account, "renders/" + project} {
		s.empty(t, folder+"/")
	}
}

func (s *inStorage) empty(t *testing.T, prefix string) {
	t.Helper()
	harness.Eventually(t, prefix+" is empty", func() bool {
		keys, err := s.files.List(t.Context(), prefix)
		if err != nil {
			t.Fatal(err)
		}
		return len(keys) == 0
	})
}
