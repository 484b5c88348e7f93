package blackbox_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"moviola/domain/connection"
	"moviola/tests/harness"
	"moviola/tests/harness/servers"
)

// TestDestinations delivers one movie to a real server of every kind, by saved connections and inline, and looks for secrets wherever
// the installation keeps or says something.
func TestDestinations(t *testing.T) {
	t.Parallel()
	w := newDestinations(t)
	project := w.client.Submit(object{"id": "all", "scenes": list{object{"duration": 1}}, "exports": list{object{"destinations": list{
		object{"type": "webhook", "endpoint": w.hook.URL + "/hook?token=canary-path"},
		object{"id": "signed"},
		object{"type": "ftp", "host": w.ftp.Host, "port": w.ftp.Port, "username": w.ftp.Username, "password": w.ftp.Password, "file": "inline-__filename__"},
		object{"id": "files", "file": "sftp-__filename__"},
		object{"type": "aws-s3", "id": "bucket", "remote-path": "in/__yyyy__"},
		object{"type": "aws-s3", "id": "bucket", "bucket": "other"},
		object{"id": "letters", "subject": "Ready: __filename__"},
		object{"id": "unknown"},
	}}}})
	w.client.WaitFor(project, "done")
	var results []map[string]any
	harness.Eventually(t, "every destination has its result", func() bool {
		results = w.client.Get(project).Movie.DestinationsResult
		return len(results) == 8
	})
	for i, want := range []string{"webhook ok", "webhook ok", "ftp ok", "sftp ok", "aws-s3 ok", "aws-s3 error", "email ok", " error"} {
		if got := results[i]["type"].(string) + " " + results[i]["status"].(string); got != want || results[i]["attempts"] != 1.0 {
			t.Errorf("destination %d: %v, want %s", i, results[i], want)
		}
	}
	if message := results[5]["message"].(string); !strings.Contains(message, "remove bucket") {
		t.Errorf("an aws-s3 destination with another field: %s", message)
	}
	movie := w.client.Get(project).Movie
	video := w.client.Download(*movie.URL, nil).Body
	w.arrived(project, video)
	if !bytes.Contains(movie.JSON, []byte(`"password":"***"`)) {
		t.Errorf("json shows %s", movie.JSON)
	}
	w.noSecrets(project)
	w.redelivery(project)
}

// destinations is a service and a server of every kind.
type destinations struct {
	t       *testing.T
	service *harness.Service
	client  *harness.Client
	hook    *httptest.Server
	signed  chan *http.Request
	bodies  chan []byte
	secret  string // secret with which the signed webhook is signed
	ftp     servers.FileServer
	ssh     servers.SSHServer
	s3      servers.Storage
	mail    *servers.MailServer
	secrets []string
}

func newDestinations(t *testing.T) *destinations {
	t.Helper()
	certificate := servers.NewCertificate(t)
	w := &destinations{
		t: t, signed: make(chan *http.Request, 16), bodies: make(chan []byte, 16),
		ftp: servers.StartFTP(t, nil), ssh: servers.StartSSH(t), s3: servers.StartS3(t), mail: servers.NewMailServer(t, &certificate, false),
	}
	w.hook = httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		if r.URL.Path == "/signed" {
			w.signed <- r
			w.bodies <- body.Bytes()
		}
	}))
	w.hook.TLS = servers.ServerTLS(certificate)
	w.hook.StartTLS()
	t.Cleanup(w.hook.Close)
	var flags []string
	for _, address := range append(append(append(w.ftp.Addresses, w.ssh.Addresses...), w.s3.Addresses...), w.mail.Address, strings.TrimPrefix(w.hook.URL, "https://")) {
		flags = append(flags, "--allow-host", address)
	}
	w.service = harness.NewService(t, flags...)
	w.service.Environment = []string{"SSL_CERT_FILE=" + certificate.CertFile}
	w.service.StartAPI()
	w.client = w.service.NewAccount("destinations", 600)
	w.secrets = []string{"canary", w.ftp.Password, w.s3.Password, w.s3.Username, w.mail.Password, "OPENSSH PRIVATE KEY"}
	w.save()
	return w
}

// save saves a connection of every kind, and tries each out.
func (w *destinations) save() {
	w.t.Helper()
	for _, c := range []object{
		{"id": "signed", "type": "webhook", "endpoint": w.hook.URL + "/signed?token=canary", "signed": true},
		{"id": "files", "type": "sftp", "host": w.ssh.Host, "port": w.ssh.Port, "username": w.ssh.Username, "private-key": w.ssh.PrivateKey, "remote-path": w.ssh.Folder},
		{
			"id": "bucket", "type": "aws-s3", "bucket": w.s3.Bucket, "region": w.s3.Region, "access-key-id": w.s3.Username, "secret-access-key": w.s3.Password,
			"endpoint": w.s3.URL, "path-style": true,
		},
		{
			"id": "letters", "type": "email", "host": w.mail.Host, "port": w.mail.Port, "username": w.mail.Username, "password": w.mail.Password,
			"from": "movies@example.com", "to": list{"a@example.com"}, "message": "__video_url__",
		},
	} {
		body, err := json.Marshal(c)
		if err != nil {
			w.t.Fatal(err)
		}
		var saved struct{ Secret string }
		answer := w.client.Do(http.MethodPost, "/connections", body)
		answer.Into(w.t, &saved)
		if answer.Status != http.StatusOK || (saved.Secret != "") != (c["id"] == "signed") {
			w.t.Fatalf("save %v: %d %s", c["id"], answer.Status, answer.Body)
		}
		if saved.Secret != "" {
			w.secret = saved.Secret
			w.secrets = append(w.secrets, strings.TrimPrefix(saved.Secret, "whsec_"))
		}
		var tested struct{ Status, Message string }
		answer = w.client.Do(http.MethodPost, "/connections/test?id="+c["id"].(string), nil)
		answer.Into(w.t, &tested)
		if tested.Status != "ok" {
			w.t.Errorf("test %v: %d %s", c["id"], answer.Status, answer.Body)
		}
	}
	harness.Receive(w.t, "the test of the webhook", w.signed)
	if test := <-w.bodies; !bytes.Contains(test, []byte(`"test":true`)) {
		w.t.Errorf("the payload of a test: %s", test)
	}
}

// arrived looks at the other side of every destination.
func (w *destinations) arrived(project string, video []byte) {
	w.t.Helper()
	year := time.Now().UTC().Format("2006")
	for path, exact := range map[string]bool{
		w.ftp.Folder + "/inline-" + project + ".mp4": true, w.ssh.Folder + "/sftp-" + project + ".mp4": true, w.s3.Folder + "/in/" + year + "/" + year + "-*.mp4": false,
	} {
		found, err := filepath.Glob(path)
		if err != nil || len(found) != 1 {
			w.t.Errorf("%s (exact: %v): %v, %v", path, exact, found, err)
			continue
		}
		if got, err := os.ReadFile(found[0]); err != nil || !bytes.Equal(got, video) {
			w.t.Errorf("%s: %d bytes, %v, want %d", path, len(got), err, len(video))
		}
	}
	letters := w.mail.Letters()
	if len(letters) != 2 || !strings.Contains(letters[1].Body, "Subject: Ready: "+project+".mp4") || !strings.Contains(letters[1].Body, "/v2/renders/") {
		w.t.Errorf("letters %+v", letters)
	}
	w.checkSigned(harness.Receive(w.t, "the signed webhook", w.signed), <-w.bodies, project)
}

// checkSigned verifies a message as a receiver would.
func (w *destinations) checkSigned(r *http.Request, body []byte, project string) {
	w.t.Helper()
	seconds, err := time.ParseDuration(r.Header.Get("webhook-timestamp") + "s")
	if err != nil {
		w.t.Fatalf("timestamp: %v", err)
	}
	id, at := r.Header.Get("webhook-id"), time.Unix(int64(seconds.Seconds()), 0)
	if want := connection.Sign([]string{w.secret}, id, at, body); r.Header.Get("webhook-signature") != want || !strings.Contains(id, project) {
		w.t.Errorf("message %s signed %s, want %s", id, r.Header.Get("webhook-signature"), want)
	}
}

// noSecrets searches everything that the installation keeps, shows and says.
func (w *destinations) noSecrets(project string) {
	w.t.Helper()
	places := map[string][]byte{
		"the log of the process": []byte(w.service.API.Output()),
		"the connections":        w.client.Do(http.MethodGet, "/connections", nil).Body,
		"the movie":              w.client.Do(http.MethodGet, "/movies?project="+project, nil).Body,
		"the history":            w.client.Do(http.MethodGet, "/movies/events?project="+project, nil).Body,
	}
	err := filepath.WalkDir(w.service.Data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return there(err)
		}
		places[path], err = os.ReadFile(path)
		return there(err)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	for place, content := range places {
		for _, secret := range w.secrets {
			// An inline webhook's address is part of the JSON that its sender reads again: only there.
			if place == "the movie" || strings.HasSuffix(place, project+".json") {
				content = bytes.ReplaceAll(content, []byte("token=canary-path"), nil)
			}
			if bytes.Contains(content, []byte(secret)) {
				w.t.Errorf("%s holds %s", place, secret)
			}
		}
	}
}

// redelivery sends once more to one destination, signed by two secrets.
func (w *destinations) redelivery(project string) {
	w.t.Helper()
	former := w.secret
	var renewed struct{ Secret string }
	w.client.Do(http.MethodPost, "/connections/secret?id=signed", nil).Into(w.t, &renewed)
	if answer := w.client.Do(http.MethodPost, "/movies/redeliver?project="+project+"&index=1", nil); answer.Status != http.StatusOK {
		w.t.Fatalf("redeliver: %d %s", answer.Status, answer.Body)
	}
	r, body := harness.Receive(w.t, "the webhook that was sent again", w.signed), <-w.bodies
	signatures := strings.Fields(r.Header.Get("webhook-signature"))
	if len(signatures) != 2 {
		w.t.Fatalf("signatures %v", signatures)
	}
	for i, secret := range []string{renewed.Secret, former} {
		w.secret = secret
		r.Header.Set("webhook-signature", signatures[i])
		w.checkSigned(r, body, project)
	}
}
