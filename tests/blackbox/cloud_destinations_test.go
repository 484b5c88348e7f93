package blackbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"moviola/tests/harness"
	"moviola/tests/harness/servers"
	"moviola/tests/harness/storages"
)

// TestCloudDestinations delivers a movie to Google Cloud Storage and to Azure Blob Storage by saved connections, which are tried
// out before. What a movie may not say of them is an error of that destination alone. Decision 80.
func TestCloudDestinations(t *testing.T) {
	t.Parallel()
	google, azure := servers.StartGCS(t), servers.StartAzure(t)
	signIn, key := storages.StartSignIn(t)
	box := storages.NewContainer(t, azure, "box")
	service := harness.NewService(t, "--allow-host", google.Address, "--allow-host", azure.Address, "--allow-host", signIn)
	service.StartAPI()
	client := service.NewAccount("clouds", 60)
	for _, c := range []object{
		{"id": "g", "type": "gcs", "bucket": google.Bucket, "credentials": key, "endpoint": google.URL, "remote-path": "saved"},
		{
			"id": "z", "type": "azure-blob", "account": azure.Account, "container": "box", "account-key": azure.Key,
			"endpoint": azure.URL,
		},
	} {
		body, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if answer := client.Do(http.MethodPost, "/connections", body); answer.Status != http.StatusOK {
			t.Fatalf("save %v: %d %s", c["id"], answer.Status, answer.Body)
		}
		var tested struct{ Status, Message string }
		client.Do(http.MethodPost, "/connections/test?id="+c["id"].(string), nil).Into(t, &tested)
		if tested.Status != "ok" {
			t.Errorf("test %v: %s", c["id"], tested.Message)
		}
	}
	project := client.Submit(object{"scenes": list{object{"duration": 1}}, "exports": list{object{"destinations": list{
		object{"id": "g", "file": "__yyyy__/__filename__"},
		object{"type": "azure-blob", "id": "z", "remote-path": "in/__yyyy__", "file": "__filename_without_extension__.mp4"},
		object{"type": "gcs", "id": "g", "bucket": "other"},
		object{"type": "azure-blob", "id": "z", "container": "other"},
		object{"type": "gcs", "remote-path": "x"},
	}}}})
	movie := client.WaitFor(project, "done")
	video := string(client.Download(*movie.URL, nil).Body)
	var results []map[string]any
	harness.Eventually(t, "every destination has its result", func() bool {
		results = client.Get(project).Movie.DestinationsResult
		return len(results) == 5
	})
	for i, want := range []string{"gcs ok", "azure-blob ok", "gcs error", "azure-blob error", "gcs error"} {
		if got := results[i]["type"].(string) + " " + results[i]["status"].(string); got != want {
			t.Errorf("destination %d: %v, want %s", i, results[i], want)
		}
	}
	year := time.Now().UTC().Format("2006")
	if objects := google.Objects(t); len(objects) != 1 || objects["saved/"+year+"/"+project+".mp4"] != video {
		t.Errorf("%d objects at Google, not the movie alone", len(objects))
	}
	blob, err := box.NewBlobClient("in/"+year+"/"+project+".mp4").DownloadStream(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = blob.Body.Close() }()
	stored, err := io.ReadAll(blob.Body)
	if err != nil || string(stored) != video {
		t.Errorf("%d bytes at Azure, %v, want %d", len(stored), err, len(video))
	}
	if out := service.API.Output(); strings.Contains(out, azure.Key) || strings.Contains(out, "PRIVATE KEY") {
		t.Error("the log has a key")
	}
}
