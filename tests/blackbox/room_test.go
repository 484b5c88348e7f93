package blackbox_test

import (
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
	if !strings.Contains(get(t, "http://"+ops+"/metrics"), "\nmoviola_disk_low 1\n") || !strings.Contains(service.API.Output(), "no new work is taken") {
		t.Error("neither the metrics nor the log tell of it")
	}
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
