package blackbox_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// libraryListing is what the tests read of a listing.
type libraryListing struct {
	Files []struct{ Name, Status, URL string }
}

// names are the names of the files, in order.
func (l libraryListing) names() string {
	var all []string
	for _, f := range l.Files {
		all = append(all, f.Name)
	}
	return strings.Join(all, " ")
}

// untilListed waits until a client is shown certain files in a folder; none: the folder may be gone.
func untilListed(t *testing.T, c *harness.Client, folder, want string) {
	t.Helper()
	harness.Eventually(t, c.Base+" lists "+want+" in "+folder, func() bool {
		var got libraryListing
		answer := c.Do("GET", "/media/folder?path="+folder, nil)
		return answer.Status == 404 && want == "" || json.Unmarshal(answer.Body, &got) == nil && answer.Status == 200 && got.names() == want
	})
}

// TestMedia_twoProcesses shares one library between two processes over MongoDB and an event store apart: what is done at one is there at
// the other, and what the other prepares is kept where the first lists it.
func TestMedia_twoProcesses(t *testing.T) {
	t.Parallel()
	picture, host := servePicture(t)
	events := harness.FreeAddr(t)
	harness.StartEventStore(t, filepath.Join(t.TempDir(), "events"), events)
	service := harness.NewService(t, "--allow-host", host, "--eventstore", "esdb://"+events+"?tls=false", "--mongo", harness.StartMongo(t))
	base := service.Client("").Base
	service.StartAPI("--roles", "api,projector,keeper", "--public-url", base)
	address := harness.FreeAddr(t)
	service.StartProcess("second", "--listen", address, "--public-url", base)
	first := service.NewAccount("shared", 600)
	second := *first
	second.Base = "http://" + address
	harness.Eventually(t, "the second process answers", func() bool {
		answer, ok := second.Try("GET", "/media", nil)
		return ok && answer.Status == 200
	})
	at := func(c *harness.Client, address string) string { return c.Base + strings.TrimPrefix(address, base) }

	upload, file := registerFile(t, first, "p.txt", "text/plain", 5)
	if status, err := sendFile(t.Context(), at(&second, upload), "text/plain", 5, strings.NewReader("hello")); err != nil || status != 200 {
		t.Fatalf("upload at the second: %d %v", status, err)
	}
	for _, c := range []*harness.Client{first, &second} {
		harness.Eventually(t, c.Base+" serves the file", func() bool {
			answer := c.Download(at(c, file), nil)
			return answer.Status == 200 && string(answer.Body) == "hello"
		})
		harness.Eventually(t, c.Base+" knows the file", func() bool {
			return strings.Contains(string(c.Do("GET", "/media/file?path=p.txt", nil).Body), `"uploaded"`)
		})
		untilListed(t, c, "/", "p.txt")
	}
	if answer := second.Do("PUT", "/media/file", []byte(`{"name":"p.txt","destination":"moved"}`)); answer.Status != 200 {
		t.Fatalf("move: %d %s", answer.Status, answer.Body)
	}
	harness.Eventually(t, "the file has left its place", func() bool { return first.Download(file, nil).Status == 404 })
	untilListed(t, first, "/", "")
	untilListed(t, first, "moved", "p.txt")

	var batch struct {
		ID     string `json:"preload_id"`
		Status string
		Items  []struct{ Status, URL, Error string }
	}
	first.Do("POST", "/preloads", []byte(`{"preload":[{"id":"pic","type":"image","src":"`+picture+`","save-to-media":true}]}`)).Into(t, &batch)
	id := batch.ID
	harness.Eventually(t, "the batch is done", func() bool {
		first.Do("GET", "/preloads/"+id, nil).Into(t, &batch)
		return batch.Status == "done"
	})
	if item := batch.Items[0]; item.Status != "ready" || first.Download(item.URL, nil).Status != 200 {
		t.Errorf("item %+v", item)
	}
	harness.Eventually(t, "the batch is done at the second, too", func() bool {
		second.Do("GET", "/preloads/"+id, nil).Into(t, &batch)
		return batch.Status == "done"
	})
	for _, c := range []*harness.Client{first, &second} {
		untilListed(t, c, "generated", id+"-pic.png")
	}
	if answer := first.Do("DELETE", "/media", []byte(`{"path":"moved/p.txt"}`)); answer.Status != 200 {
		t.Errorf("delete: %d %s", answer.Status, answer.Body)
	}
	untilListed(t, &second, "moved", "")
}
