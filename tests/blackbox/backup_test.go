package blackbox_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	agelib "filippo.io/age"

	"moviola/tests/harness"
	"moviola/tests/harness/servers"
)

// worked is an account in which every kind of work has happened.
type worked struct {
	*harness.Client
	account string
	paths   []string // below /v2, of what can be asked for
	files   []string // addresses that were handed out
	film    string   // a movie's project
}

// do sends a request that must succeed.
func (w *worked) do(t *testing.T, method, path string, body object, into any) {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	answer := w.Do(method, path, encoded)
	if answer.Status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, answer.Status, answer.Body)
	}
	if into != nil {
		answer.Into(t, into)
	}
}

// workOf opens an account and has every kind of work done for it.
func workOf(t *testing.T, service *harness.Service, picture, hook string) *worked {
	t.Helper()
	w := &worked{}
	w.account, w.Client = service.OpenAccount("saved", 600)
	small := func(more object) object {
		movie := object{"resolution": "custom", "width": 64, "height": 64}
		for name, value := range more {
			movie[name] = value
		}
		return movie
	}
	scenes := list{object{"duration": 1}}

	w.do(t, "POST", "/keys", object{"name": "kept", "role": "render"}, nil)
	var key struct{ ID string }
	w.do(t, "POST", "/keys", object{"name": "revoked", "role": "viewer"}, &key)
	w.do(t, "DELETE", "/keys?id="+key.ID, nil, nil)
	w.do(t, "POST", "/connections", object{"id": "signed", "type": "webhook", "endpoint": hook + "/?token=canary", "signed": true}, nil)
	w.do(t, "POST", "/media/folder", object{"folder": "logos"}, nil)
	upload, file := registerFile(t, w.Client, "p.txt", "text/plain", 5)
	if status, err := sendFile(t.Context(), upload, "text/plain", 5, strings.NewReader("hello")); err != nil || status != 200 {
		t.Fatalf("upload: %d %v", status, err)
	}
	var batch struct {
		ID     string `json:"preload_id"`
		Status string
		Items  []struct{ URL string }
	}
	w.do(t, "POST", "/preloads", object{"preload": list{
		object{"id": "kept", "type": "image", "src": picture, "save-to-media": true}, object{"id": "cached", "type": "image", "src": picture},
	}}, &batch)
	preload := batch.ID
	harness.Eventually(t, "the batch is done", func() bool {
		w.Do("GET", "/preloads/"+preload, nil).Into(t, &batch)
		return batch.Status == "done"
	})
	template := w.SaveTemplate(`{"name":"Sale","tags":["a"],"movie":{"resolution":"sd","variables":{"headline":"Sale"},"scenes":[{"duration":1}]}}`)

	w.film = w.Submit(small(object{
		"elements":    list{object{"type": "image", "src": picture, "duration": 1}},
		"client-data": object{"order": 7},
		"exports":     list{object{"destinations": list{object{"type": "webhook", "endpoint": hook}, object{"id": "signed"}}}},
	}))
	ofTemplate := w.Submit(object{"template": template, "resolution": "custom", "width": 64, "height": 64, "variables": object{"headline": "Now"}})
	deleted := w.Submit(small(object{"scenes": scenes, "client-data": object{"n": 1}}))
	failed := w.Submit(small(object{"elements": list{object{"type": "image", "src": picture + ".missing", "duration": 1}}}))
	film := w.WaitFor(w.film, "done")
	w.WaitFor(ofTemplate, "done")
	w.WaitFor(deleted, "done")
	w.WaitFor(failed, "error")
	w.do(t, "DELETE", "/movies?project="+deleted, nil, nil)
	sent(t, w.Client, w.film, 2)

	w.files = []string{file, batch.Items[0].URL, batch.Items[1].URL, *film.URL}
	w.paths = []string{
		"/movies", "/movies?format=simple", "/movies?limit=2", "/keys", "/connections", "/media", "/media/folder?tree=true", "/media/file?path=p.txt",
		"/templates", "/templates?id=" + template, "/templates?tag=a", "/templates/library", "/credits", "/credits/ledger", "/credits/ledger?format=csv",
		"/preloads/" + preload,
	}
	for _, project := range []string{w.film, ofTemplate, deleted, failed} {
		w.paths = append(w.paths, "/movies?project="+project, "/movies/events?project="+project)
	}
	return w
}

// passing is what answers hold of the moment or of chance: when they were given, and cursors.
var passing = regexp.MustCompile(`"(timestamp|next_token|prev_token)":\s*"[^"]*"`)

// alike waits until a restored service answers as the one that was saved: status and body of every answer, and every file.
func (w *worked) alike(t *testing.T, restored *harness.Service) {
	t.Helper()
	other := restored.Client(w.Key)
	var want, got string
	defer func() {
		if t.Failed() {
			t.Logf("the last answers that were compared:\n%s\n%s", want, got)
		}
	}()
	for _, path := range w.paths {
		ask := func(c *harness.Client) string {
			answer, ok := c.Try(http.MethodGet, path, nil)
			return fmt.Sprintf("%v %d %s", ok, answer.Status, passing.ReplaceAll(answer.Body, []byte(`"$1":""`)))
		}
		harness.Eventually(t, "the answers to GET "+path+" are alike", func() bool {
			want, got = ask(w.Client), ask(other)
			return want == got && strings.HasPrefix(want, "true 200 ")
		})
	}
	for _, address := range w.files {
		want := w.Download(address, nil)
		got := other.Download(strings.Replace(address, w.Base, other.Base, 1), nil)
		if want.Status != 200 || got.Status != 200 || !bytes.Equal(want.Body, got.Body) {
			t.Errorf("%s: %d, %d bytes; restored %d, %d bytes", address, want.Status, len(want.Body), got.Status, len(got.Body))
		}
	}
	operator := http.Header{"X-Admin-Token": {harness.AdminToken}}
	for _, path := range []string{"/admin/accounts", "/admin/acts", "/admin/keys?account=" + w.account} {
		harness.Eventually(t, "the answers to GET "+path+" are alike", func() bool {
			want, got := w.Send("GET", path, nil, operator), other.Send("GET", path, nil, operator)
			clean := func(a harness.Answer) string { return string(passing.ReplaceAll(a.Body, []byte(`"$1":""`))) }
			return want.Status == 200 && got.Status == 200 && clean(want) == clean(got)
		})
	}
}

// TestBackup saves an installation after every kind of work has happened, running and stopped, and brings it back into an empty folder:
// the audit passes, every answer is the same, and work goes on.
func TestBackup(t *testing.T) {
	t.Parallel()
	picture, host := servePicture(t)
	receiver := harness.NewReceiver(t)
	plans := filepath.Join(t.TempDir(), "our plans.yaml")
	builtIn, err := os.ReadFile(filepath.Join(harness.Root(t), "adapters", "plansfile", "plans.yaml"))
	if err = errors.Join(err, os.WriteFile(plans, builtIn, 0o600)); err != nil {
		t.Fatal(err)
	}
	service := harness.NewService(t, "--allow-host", host, "--allow-host", receiver.Host)
	base := service.Client("").Base
	service.StartAPI("--public-url", base, "--plans", plans)
	w := workOf(t, service, picture, receiver.URL)
	settle(t, service.Data)
	to := filepath.Join(t.TempDir(), "backups")

	first := moviola(t, "backup", "--data", service.Data, "--to", to)
	if !strings.Contains(first, "holds the secret") || !strings.Contains(first, "everything was read back") {
		t.Errorf("the backup said\n%s", first)
	}
	private(t, to)

	restored := harness.NewService(t, "--allow-host", host, "--allow-host", receiver.Host)
	said := moviola(t, "restore", "--from", to, "--data", restored.Data)
	if !strings.Contains(said, "moviola serve") || !strings.Contains(said, "--public-url="+base) || !strings.Contains(said, "--plans="+filepath.Join(restored.Data, "plans.yaml")) {
		t.Errorf("restore said\n%s", said)
	}
	if got := refused(t, "restore", "--from", to, "--data", restored.Data); !strings.Contains(got, "not empty") {
		t.Errorf("a second restore said %s", got)
	}
	if got, err := os.ReadFile(filepath.Join(restored.Data, "plans.yaml")); err != nil || !bytes.Equal(got, builtIn) {
		t.Errorf("plans: %v\n%s", err, got)
	}
	restored.StartAPI("--public-url", base)
	w.alike(t, restored)
	checked(t, restored.Data, 0)
	if saved, back := settle(t, service.Data), settle(t, restored.Data); saved != back {
		t.Errorf("the audits differ: %s, restored %s", saved, back)
	}
	w.delivers(t, restored)

	w.WaitFor(w.Submit(object{"resolution": "custom", "width": 64, "height": 64, "scenes": list{object{"duration": 2}}}), "done")
	settle(t, service.Data)
	service.API.Terminate()
	moviola(t, "secrets", "rotate", "--data", service.Data)
	second := moviola(t, "backup", "--data", service.Data, "--to", to)
	if !strings.Contains(second, "everything was read back") {
		t.Errorf("the second backup said\n%s", second)
	}
	passphrase, sealed := filepath.Join(t.TempDir(), "passphrase"), filepath.Join(t.TempDir(), "sealed")
	if err := os.WriteFile(passphrase, []byte("correct horse battery staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	moviola(t, "backup", "--data", service.Data, "--to", sealed, "--passphrase-file", passphrase)
	stopped := harness.NewService(t, "--allow-host", host, "--allow-host", receiver.Host)
	if got := refused(t, "restore", "--from", sealed, "--data", stopped.Data); !strings.Contains(got, "encrypted") {
		t.Errorf("without the passphrase restore says %s", got)
	}
	moviola(t, "restore", "--from", sealed, "--data", stopped.Data, "--passphrase-file", passphrase)
	service.StartAPI("--public-url", base)
	stopped.StartAPI("--public-url", base)
	w.alike(t, stopped)
	w.delivers(t, stopped)
}

// delivers renders a movie and sends it to the saved connection, whose address a restored service can read only with the secrets.
func (w *worked) delivers(t *testing.T, restored *harness.Service) {
	t.Helper()
	c := restored.Client(w.Key)
	project := c.Submit(object{
		"resolution": "custom", "width": 64, "height": 64, "scenes": list{object{"duration": 1}},
		"exports": list{object{"destinations": list{object{"id": "signed"}}}},
	})
	c.WaitFor(project, "done")
	sent(t, c, project, 1)
}

// sent waits until a movie was sent to all of its destinations, and checks that they took it.
func sent(t *testing.T, c *harness.Client, project string, destinations int) {
	t.Helper()
	var results []map[string]any
	harness.Eventually(t, "the movie has been sent", func() bool {
		if !bytes.Contains(c.Do("GET", "/movies/events?project="+project, nil).Body, []byte(`"DeliveryFinished"`)) {
			return false // the last of its events
		}
		results = c.Get(project).Movie.DestinationsResult
		return len(results) == destinations && !slices.ContainsFunc(results, func(r map[string]any) bool { return r["status"] == "pending" })
	})
	for _, r := range results {
		if r["status"] != "ok" {
			t.Errorf("%s was not sent: %v", project, r)
		}
	}
}

// settle waits until an audit passes and finds nothing that is still to come, and returns its seal.
func settle(t *testing.T, data string) string {
	t.Helper()
	var report sealed
	harness.Eventually(t, "everything is settled", func() bool {
		out, err := exec.CommandContext(t.Context(), harness.Binary(t), "audit", "--data", data).Output()
		report = sealed{Open: 1}
		return err == nil && json.Unmarshal(out, &report) == nil && report.Open == 0
	})
	return report.Digest
}

// private checks that nobody else can read what lies in a folder.
func private(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return there(err)
		}
		info, err := entry.Info()
		if err != nil {
			return there(err)
		}
		if want := map[bool]os.FileMode{true: 0o700, false: 0o600}[entry.IsDir()]; info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		files++
		return nil
	})
	if err != nil || files < 8 {
		t.Errorf("%d files, %v", files, err)
	}
}

// TestBackup_elsewhere saves an installation whose log is another process's, whose files are on S3 and whose secret is a variable, into a
// bucket, encrypted to a key that the host has not, with the settings apart; and brings it back into another event store.
func TestBackup_elsewhere(t *testing.T) {
	t.Parallel()
	blobs, environment := servers.StartS3Bucket(t)
	environment = append(environment, "MOVIOLA_SECRET=0123456789abcdef0123456789abcdef")
	in := commands(environment)
	backups, _ := servers.StartS3Bucket(t)
	to, apart := backups+"&prefix=nightly/", filepath.Join(t.TempDir(), "settings")
	identity, err := agelib.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "key.txt")
	if err := os.WriteFile(key, []byte(identity.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := func() string {
		addr := harness.FreeAddr(t)
		harness.StartEventStore(t, filepath.Join(t.TempDir(), "events"), addr)
		return "esdb://" + addr + "?tls=false"
	}
	log, other := store(), store()

	service := harness.NewService(t, "--eventstore", log, "--blobs", blobs)
	service.Environment = environment
	base := service.Client("").Base
	service.StartAPI("--public-url", base)
	w := &worked{}
	w.account, w.Client = service.OpenAccount("elsewhere", 600)
	template := w.SaveTemplate(`{"name":"Sale","movie":{"resolution":"sd","scenes":[{"duration":1}]}}`)
	project := w.Submit(object{"resolution": "custom", "width": 64, "height": 64, "scenes": list{object{"duration": 1}}})
	w.files = []string{*w.WaitFor(project, "done").URL}
	w.paths = []string{"/movies", "/movies?project=" + project, "/movies/events?project=" + project, "/templates?id=" + template, "/credits/ledger", "/keys"}
	harness.Eventually(t, "everything is settled", func() bool {
		out, err := in.command(t, "audit", "--data", service.Data, "--eventstore", log).Output()
		report := sealed{Open: 1}
		return err == nil && json.Unmarshal(out, &report) == nil && report.Open == 0
	})

	if got := in.refused(t, "backup", "--data", service.Data, "--to", to); !strings.Contains(got, "give it to this command too") {
		t.Errorf("without its flags the backup says %s", got)
	}
	save := func() string {
		return in.run(t, "backup", "--data", service.Data, "--eventstore", log, "--blobs", blobs, "--to", to, "--recipient", identity.Recipient().String(), "--part", "settings="+apart)
	}
	if first := save(); !strings.Contains(first, "stay in their bucket") || !strings.Contains(first, "MOVIOLA_SECRET") {
		t.Errorf("the backup said\n%s", first)
	}
	if second := save(); !strings.Contains(second, "only seen to be there") {
		t.Errorf("the second backup said\n%s", second)
	}
	restored := harness.NewService(t, "--eventstore", other, "--blobs", blobs)
	restored.Environment = environment
	back := func(more ...string) []string {
		return append([]string{"restore", "--from", to, "--data", restored.Data, "--eventstore", other, "--blobs", blobs, "--part", "settings=" + apart}, more...)
	}
	if got := in.refused(t, back()...); !strings.Contains(got, "encrypted") {
		t.Errorf("without the key restore says %s", got)
	}
	if said := in.run(t, back("--identity", key)...); !strings.Contains(said, "Set these variables") || !strings.Contains(said, "MOVIOLA_SECRET") {
		t.Errorf("restore said\n%s", said)
	}
	restored.StartAPI("--public-url", base)
	w.alike(t, restored)
}
