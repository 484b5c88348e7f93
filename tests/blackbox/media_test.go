package blackbox_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"moviola/tests/harness"
	"moviola/tests/harness/servers"
)

// registerFile registers a file and returns the addresses of its upload and of itself.
func registerFile(t *testing.T, c *harness.Client, name, contentType string, size int) (upload, file string) {
	t.Helper()
	answer := c.Do("POST", "/media/file", fmt.Appendf(nil, `{"name":%q,"contentType":%q,"size":%d}`, name, contentType, size))
	var got struct{ UploadURL, FileURL string }
	answer.Into(t, &got)
	if answer.Status != 200 {
		t.Fatalf("register %s: %d %s", name, answer.Status, answer.Body)
	}
	return got.UploadURL, got.FileURL
}

// sendFile puts bytes to an address, as clients do: without a key.
func sendFile(ctx context.Context, address, contentType string, size int, body io.Reader) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, address, body)
	if err != nil {
		return 0, err
	}
	r.ContentLength = int64(size)
	r.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

// TestUploads_killed kills the service while files are uploaded: what is uploaded is whole, nothing else can be seen, and no space is
// lost. Reliability §7b.
func TestUploads_killed(t *testing.T) {
	t.Parallel()
	rounds := 20
	if os.Getenv("MOVIOLA_TEST_LONG") != "" {
		rounds = 200
	}
	service := harness.NewService(t, "--roles", "api,projector,keeper")
	service.StartAPI()
	client := service.NewAccount("uploads", 600)
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	whole := 0
	for n := range rounds {
		name := fmt.Sprintf("file-%03d", n)
		upload, file := registerFile(t, client, name, "application/octet-stream", len(content))
		sent := make(chan int, 1)
		go func() {
			status, _ := sendFile(t.Context(), upload, "application/octet-stream", len(content), bytes.NewReader(content)) // it may break off
			sent <- status
		}()
		wait := time.NewTimer(time.Duration(rand.N(int64(25 * time.Millisecond))))
		<-wait.C
		service.API.Kill()
		acknowledged := <-sent == http.StatusOK
		service.StartAPI()
		harness.CaughtUp(t, client.Base) // what the log has of the upload, if anything
		switch answer := client.Download(file, nil); {
		case answer.Status == http.StatusOK && bytes.Equal(answer.Body, content):
			whole++
		case answer.Status != http.StatusNotFound || acknowledged:
			t.Fatalf("%s: %d with %d bytes, acknowledged: %v", name, answer.Status, len(answer.Body), acknowledged)
		}
	}
	t.Logf("%d of %d uploads were whole when the service was killed", whole, rounds)
	service.API.Terminate()
	media := filepath.Join(service.Data, "files", "media")
	age(t, media)
	service.StartAPI("--sweep-every", "1s")
	harness.Eventually(t, "what nobody can see is removed", func() bool { return len(filesBelow(t, media)) == whole })
	var got struct {
		Storage struct {
			Used int `json:"used_bytes"`
		}
	}
	harness.Eventually(t, fmt.Sprintf("%d files of %d bytes are said to be stored", whole, len(content)), func() bool {
		client.Do("GET", "/media", nil).Into(t, &got)
		return got.Storage.Used == whole*len(content)
	})
}

// TestUploads_largest stores 500 MB to the byte, and serves the last of them. What is larger, or has no length, is refused beside the code.
func TestUploads_largest(t *testing.T) {
	t.Parallel()
	const largest = 524_288_000
	service := harness.NewService(t, "--roles", "api,projector,keeper")
	service.StartAPI()
	client := service.NewAccount("uploads", 600)
	upload, file := registerFile(t, client, "largest", "application/octet-stream", largest)
	if status, err := sendFile(t.Context(), upload, "application/octet-stream", largest, io.LimitReader(endless{}, largest)); err != nil || status != 200 {
		t.Fatalf("upload: %d %v", status, err)
	}
	answer := client.Download(file, map[string]string{"Range": "bytes=524287999-"})
	if answer.Status != 206 || string(answer.Body) != "x" || answer.Header.Get("Content-Range") != "bytes 524287999-524287999/524288000" {
		t.Errorf("the last byte: %d %q %v", answer.Status, answer.Body, answer.Header)
	}
	if body := fmt.Appendf(nil, `{"name":"larger","contentType":"a/b","size":%d}`, largest+1); client.Do("POST", "/media/file", body).Status != 413 {
		t.Error("a byte more could be registered")
	}
}

// endless yields the same byte for ever.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// filesBelow are the files below a folder.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return nil // what goes meanwhile is no error
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// age makes the files below a folder two hours old.
func age(t *testing.T, dir string) {
	t.Helper()
	past := time.Now().Add(-2 * time.Hour)
	for _, path := range filesBelow(t, dir) {
		if err := os.Chtimes(path, past, past); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPreload_plays lets a real browser play what a preload has made of films, and of a picture, that browsers cannot decode: with its
// transparency.
func TestPreload_plays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	harness.RunFFmpeg(t, "-f", "lavfi", "-i", "color=c=red@0.0:size=64x48:rate=25:duration=2,format=rgba", "-c:v", "prores_ks", "-profile:v", "4444",
		"-pix_fmt", "yuva444p10le", filepath.Join(dir, "clear.mov"))
	harness.RunFFmpeg(t, "-f", "lavfi", "-i", "color=c=red:size=64x48:rate=25:duration=2", "-c:v", "mpeg4", "-q:v", "2", filepath.Join(dir, "red.avi"))
	harness.RunFFmpeg(t, "-f", "lavfi", "-i", "color=c=red:size=64x48", "-frames:v", "1", "-pix_fmt", "rgb24", filepath.Join(dir, "red.tiff"))
	site := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(site.Close)
	service := harness.NewService(t, "--allow-host", strings.TrimPrefix(site.URL, "http://"))
	service.StartAPI()
	client := service.NewAccount("preloads", 600)
	answer := client.Do("POST", "/preloads", fmt.Appendf(nil,
		`{"preload":[{"id":"clear","type":"video","src":"%[1]s/clear.mov"},{"id":"red","type":"video","src":"%[1]s/red.avi"},
			{"id":"still","type":"image","src":"%[1]s/red.tiff"}]}`, site.URL))
	var requested struct {
		ID string `json:"preload_id"`
	}
	answer.Into(t, &requested)
	var batch struct {
		Status string
		Items  []struct{ ID, URL, WebURL, Error string }
	}
	harness.Eventually(t, "the batch is done", func() bool {
		client.Do("GET", "/preloads/"+requested.ID, nil).Into(t, &batch)
		return batch.Status == "done"
	})
	for i, want := range []struct{ extension, pixel string }{{".webm", "clear"}, {".mp4", "red"}, {".mp4", "red"}} {
		item := batch.Items[i]
		if !strings.HasSuffix(item.WebURL, want.extension) {
			t.Fatalf("%s: %+v", item.ID, item)
		}
		if got := harness.PlayInBrowser(t, item.WebURL); got != "64x48 "+want.pixel {
			t.Errorf("%s: the browser shows %s", item.ID, got)
		}
	}
}

// startS3Service starts a service whose files are on S3.
func startS3Service(t *testing.T, flags ...string) *harness.Service {
	t.Helper()
	address, environment := servers.StartS3Bucket(t)
	environment = append(environment, "MOVIOLA_SECRET=0123456789abcdef0123456789abcdef")
	service := harness.NewService(t, append(flags, "--blobs", address)...)
	service.Environment = environment
	service.StartAPI()
	return service
}

// uploaded waits until a file's bytes are known to be there.
func uploaded(t *testing.T, c *harness.Client, name string) {
	t.Helper()
	harness.Eventually(t, "the upload of "+name+" is confirmed", func() bool {
		return strings.Contains(string(c.Do("GET", "/media/file?path="+name, nil).Body), `"uploaded"`)
	})
}

// TestUploads_s3 sends files to the storage itself; they are confirmed, copied once, and drawn from.
func TestUploads_s3(t *testing.T) {
	t.Parallel()
	client := startS3Service(t).NewAccount("s3", 600)
	picture, err := os.ReadFile(writtenPNG(t))
	if err != nil {
		t.Fatal(err)
	}
	upload, file := registerFile(t, client, "p.png", "image/png", len(picture))
	if strings.HasPrefix(upload, client.Base) {
		t.Fatalf("the address %s is not the storage's own", upload)
	}
	if status, err := sendFile(t.Context(), upload, "image/jpeg", len(picture), bytes.NewReader(picture)); err != nil || status < 400 {
		t.Errorf("another type: %d %v", status, err)
	}
	if status, err := sendFile(t.Context(), upload, "image/png", len(picture), bytes.NewReader(picture)); err != nil || status != 200 {
		t.Fatalf("upload: %d %v", status, err)
	}
	uploaded(t, client, "p.png")
	other := bytes.Repeat([]byte{'x'}, len(picture))
	if _, err := sendFile(t.Context(), upload, "image/png", len(other), bytes.NewReader(other)); err != nil {
		t.Error(err)
	}
	if answer := client.Download(file, map[string]string{"Range": "bytes=1-3"}); answer.Status != 206 || string(answer.Body) != "PNG" {
		t.Errorf("after a second upload: %d %q", answer.Status, answer.Body)
	}
	project := client.Submit(object{"resolution": "sd", "elements": list{object{"type": "image", "src": file, "duration": 1}}})
	movie := client.WaitFor(project, "done")
	if answer := client.Download(*movie.URL, nil); answer.Status != 200 || len(answer.Body) == 0 {
		t.Errorf("the movie: %d", answer.Status)
	}
}

// TestUploads_s3Blocked: what comes to the storage itself while the balance is zero is taken in when there are credits again. Decision 39.
func TestUploads_s3Blocked(t *testing.T) {
	t.Parallel()
	service := startS3Service(t, "--upload-url-ttl", "1h")
	account, client := service.OpenAccount("spent", 1)
	upload, file := registerFile(t, client, "later.txt", "text/plain", 5)
	client.WaitFor(client.Submit(object{"resolution": "sd", "elements": list{object{"type": "text", "text": "1", "duration": 1}}}), "done")
	harness.Eventually(t, "the storage is blocked", func() bool {
		return strings.Contains(string(client.Do("GET", "/media", nil).Body), `"blocked":true`)
	})
	if status, err := sendFile(t.Context(), upload, "text/plain", 5, strings.NewReader("hello")); err != nil || status != 200 {
		t.Fatalf("upload: %d %v", status, err)
	}
	if answer := client.Download(file, nil); answer.Status != 404 {
		t.Errorf("without credits: %d", answer.Status)
	}
	grant := fmt.Appendf(nil, `{"account":%q,"amount":1,"reference":"more"}`, account)
	if answer := client.Send("POST", "/admin/credits", grant, http.Header{"X-Admin-Token": {harness.AdminToken}}); answer.Status != 200 {
		t.Fatalf("grant: %d %s", answer.Status, answer.Body)
	}
	uploaded(t, client, "later.txt")
	if answer := client.Download(file, nil); answer.Status != 200 || string(answer.Body) != "hello" {
		t.Errorf("with credits: %d %s", answer.Status, answer.Body)
	}
}

// servePicture serves a small picture and returns its address and the server's host.
func servePicture(t *testing.T) (address, host string) {
	t.Helper()
	site := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(writtenPNG(t)))))
	t.Cleanup(site.Close)
	return site.URL + "/p.png", strings.TrimPrefix(site.URL, "http://")
}

// writtenPNG is a small picture.
func writtenPNG(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.png")
	harness.WritePNG(t, path, 64, 64, harness.PictureLeft, harness.PictureRight)
	return path
}
