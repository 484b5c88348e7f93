package blackbox_test

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// TestDiskReserve: below its reserve a service takes nothing new, and says so; what is there is read, delivered and deleted; what was waiting
// is rendered when there is room again.
func TestDiskReserve(t *testing.T) {
	t.Parallel()
	receiver := harness.NewReceiver(t)
	service := harness.NewService(t, "--allow-host", receiver.Host)
	service.StartAPI()
	client := service.NewAccount("room", 600)
	movie := object{"scenes": list{object{"duration": 0.2}}, "exports": list{object{"destinations": list{object{"type": "webhook", "endpoint": receiver.URL + "/done"}}}}}
	done := client.Submit(movie)
	client.WaitFor(done, "done")
	harness.Eventually(t, "the webhook has come", func() bool { return len(client.Get(done).Movie.DestinationsResult) == 1 })
	service.API.Terminate()
	service.StartAPI("--roles", "api,projector,keeper")
	waiting := client.Submit(object{"scenes": list{object{"duration": 0.2}}})
	service.API.Terminate()

	ops := harness.FreeAddr(t)
	service.StartAPI("--disk-reserve", "100000TB", "--ops-listen", ops)
	for path, body := range map[string]string{
		"/movies": `{"scenes":[{}]}`, "/templates": `{"name":"x","movie":{"scenes":[]}}`, "/media/file": `{"name":"x","contentType":"image/png","size":1}`,
		"/preloads": `{"preload":[{"type":"image","id":"a","src":"http://198.51.100.1/"}]}`,
	} {
		answer := client.Do(http.MethodPost, path, []byte(body))
		if answer.Status != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") == "" || !strings.Contains(string(answer.Body), "too little room") {
			t.Errorf("POST %s: %d %v %s", path, answer.Status, answer.Header, answer.Body)
		}
	}
	if answer := client.Do(http.MethodPost, "/movies/redeliver?project="+done, nil); answer.Status != http.StatusOK {
		t.Errorf("redeliver: %d %s", answer.Status, answer.Body)
	}
	harness.Eventually(t, "the webhook comes again", func() bool { return len(receiver.Hits()) == 2 })
	if status := client.Get(waiting).Movie.Status; status != "pending" {
		t.Errorf("the movie that waits is %s", status)
	}
	if answer := client.Do(http.MethodDelete, "/movies?project="+done, nil); answer.Status != http.StatusOK {
		t.Errorf("delete: %d %s", answer.Status, answer.Body)
	}
	harness.Eventually(t, "the metrics and the log tell of it", func() bool {
		return strings.Contains(get(t, "http://"+ops+"/metrics"), "\nmoviola_disk_low 1\n") &&
			strings.Contains(service.API.Output(), "new work is refused until there is room")
	})
	get(t, "http://"+ops+"/readyz")
	service.API.Terminate()

	service.StartAPI("--disk-reserve", "off")
	client.WaitFor(waiting, "done")
	out, err := exec.Command(harness.Binary(t), "doctor", "--data", service.Data, "--disk-reserve", "100000TB").CombinedOutput()
	if !strings.Contains(string(out), "low: ") {
		t.Errorf("the doctor says %s (%v)", out, err)
	}
}

// get is what an address answers with 200.
func get(t *testing.T, address string) string {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s %v", address, res.StatusCode, body, err)
	}
	return string(body)
}

// TestAccountStorage: an account stores no more than it may: what is too much is refused with the bound when it is registered, another account is not
// concerned, and what is deleted makes room.
func TestAccountStorage(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t, "--account-storage", "1MB")
	service.StartAPI()
	full, other := service.NewAccount("full", 600), service.NewAccount("other", 600)
	register := func(client *harness.Client, name string, size int) harness.Answer {
		return client.Do(http.MethodPost, "/media/file", fmt.Appendf(nil, `{"name":%q,"contentType":"a/b","size":%d}`, name, size))
	}
	answer := register(full, "a.bin", 700_000)
	var file struct {
		UploadURL string `json:"uploadUrl"`
	}
	answer.Into(t, &file)
	upload, err := http.NewRequest(http.MethodPut, file.UploadURL, strings.NewReader(strings.Repeat("x", 700_000)))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(upload)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("upload: %v %v", res, err)
	}
	_ = res.Body.Close()
	refused := func(what string, answer harness.Answer) {
		t.Helper()
		if answer.Status != http.StatusForbidden || !strings.Contains(string(answer.Body), `"storage_full"`) || !strings.Contains(string(answer.Body), "1 MB") {
			t.Errorf("%s: %d %s", what, answer.Status, answer.Body)
		}
	}
	refused("POST /media/file", register(full, "b.bin", 400_000))
	large := fmt.Appendf(nil, `{"comment":%q,"scenes":[{"duration":0.2}]}`, strings.Repeat("x", 400_000))
	refused("POST /movies", full.Do(http.MethodPost, "/movies", large))
	if answer := register(other, "b.bin", 400_000); answer.Status != http.StatusOK {
		t.Errorf("another account: %d %s", answer.Status, answer.Body)
	}
	if answer := full.Do(http.MethodDelete, "/media/file", []byte(`{"name":"a.bin"}`)); answer.Status != http.StatusOK {
		t.Fatalf("delete: %d %s", answer.Status, answer.Body)
	}
	harness.Eventually(t, "there is room again", func() bool { return full.Do(http.MethodPost, "/movies", large).Status == http.StatusOK })
}

// TestAccountFiles: an account stores no more files than it may, however small they are, documents of movies and templates alike; another account is
// not concerned.
func TestAccountFiles(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t, "--roles", "api,projector,keeper", "--account-files", "3")
	service.StartAPI()
	full, other := service.NewAccount("full", 600), service.NewAccount("other", 600)
	for range 3 {
		full.Submit(plainMovie)
	}
	answer := full.Do(http.MethodPost, "/movies", []byte(`{"scenes":[{"duration":0.2}]}`))
	if answer.Status != http.StatusForbidden || !strings.Contains(string(answer.Body), `"storage_full"`) || !strings.Contains(string(answer.Body), "3 files") {
		t.Errorf("a fourth movie: %d %s", answer.Status, answer.Body)
	}
	other.Submit(plainMovie)

	save := func(name string) harness.Answer {
		return other.Do(http.MethodPost, "/templates", fmt.Appendf(nil, `{"name":%q,"movie":{"comment":%q,"scenes":[{"duration":1}]}}`, name, name))
	}
	for _, name := range []string{"a", "b"} {
		if answer := save(name); answer.Status != http.StatusOK {
			t.Fatalf("save %s: %d %s", name, answer.Status, answer.Body)
		}
	}
	refused := func() {
		t.Helper()
		if answer := save("c"); answer.Status != http.StatusForbidden || !strings.Contains(string(answer.Body), `"storage_full"`) {
			t.Errorf("a template beyond the bound: %d %s", answer.Status, answer.Body)
		}
	}
	refused()
	service.API.Terminate()
	service.StartAPI() // where it is counted what is there
	refused()
}

// TestAccountRenders: what is rendered for an account is bounded as it is written: a movie too many ends with the bound, a later one is refused, another
// account is not concerned, and what is deleted makes room, after a start as well. Decision 71.
func TestAccountRenders(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t, "--account-render-files", "2")
	service.StartAPI("--roles", "api,projector,keeper")
	full, other := service.NewAccount("full", 600), service.NewAccount("other", 600)
	movie := func(n int) []byte {
		return fmt.Appendf(nil, `{"comment":"%d","width":100,"height":100,"scenes":[{"duration":0.2,"comment":"%d"}]}`, n, n)
	}
	submit := func(client *harness.Client, n int) string {
		answer := client.Do(http.MethodPost, "/movies", movie(n))
		var accepted struct{ Project string }
		if answer.Into(t, &accepted); answer.Status != http.StatusOK {
			t.Fatalf("POST /movies: %d %s", answer.Status, answer.Body)
		}
		return accepted.Project
	}
	projects := []string{submit(full, 1), submit(full, 2)}
	elsewhere := submit(other, 3)
	service.API.Terminate()
	ops := harness.FreeAddr(t)
	service.StartAPI("--ops-listen", ops)
	kept, ended := "", 0
	harness.Eventually(t, "both movies have ended", func() bool {
		kept, ended = "", 0
		for _, project := range projects {
			switch got := full.Get(project).Movie; got.Status {
			case "done":
				kept, ended = project, ended+1
			case "error":
				if ended++; !strings.Contains(got.Message, "rendered files of the account come to 2 files") {
					t.Fatalf("the movie ends with %q", got.Message)
				}
			}
		}
		return ended == 2
	})
	if kept == "" {
		t.Fatal("neither movie is there")
	}
	other.WaitFor(elsewhere, "done")
	refused := func() {
		t.Helper()
		harness.Eventually(t, "a movie is refused", func() bool {
			answer := full.Do(http.MethodPost, "/movies", movie(4))
			return answer.Status == http.StatusForbidden && strings.Contains(string(answer.Body), `"storage_full"`) && strings.Contains(string(answer.Body), "2 files")
		})
	}
	refused()
	if metrics := get(t, "http://"+ops+"/metrics"); !strings.Contains(metrics, `moviola_storage_limit_files{place="renders",scope="account"} 2`) ||
		strings.Contains(metrics, `moviola_storage_refusals_total{place="renders",scope="account"} 0`) {
		t.Error("the metrics do not tell of it")
	}
	service.API.Terminate()
	service.StartAPI("--roles", "api,projector,keeper") // where it is counted what is there, while movies are let through
	refused()
	if answer := full.Do(http.MethodDelete, "/movies?project="+kept, nil); answer.Status != http.StatusOK {
		t.Fatalf("delete: %d %s", answer.Status, answer.Body)
	}
	harness.Eventually(t, "there is room again", func() bool { return full.Do(http.MethodPost, "/movies", movie(5)).Status == http.StatusOK })
}
