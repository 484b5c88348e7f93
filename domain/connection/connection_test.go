package connection_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/connection"
)

var t0 = time.Date(2026, 11, 21, 9, 5, 7, 0, time.UTC)

// requireCode checks the code of a refusal; "" stands for no error.
func requireCode(t *testing.T, name string, err error, code string) {
	t.Helper()
	var refusal *domain.Error
	if err == nil && code == "" || errors.As(err, &refusal) && refusal.Code == code {
		return
	}
	t.Errorf("%s: error %v, want code %q", name, err, code)
}

func TestCheckID(t *testing.T) {
	t.Parallel()
	for id, code := range map[string]string{
		"a": "", "My_ftp-1.x": "", strings.Repeat("a", 64): "", "": "id_required", strings.Repeat("a", 65): "id_invalid", "-a": "id_invalid", ".": "id_invalid",
		"a b": "id_invalid", "a/b": "id_invalid", "é": "id_invalid", "a\n": "id_invalid",
	} {
		requireCode(t, id, connection.CheckID(id), code)
	}
}

// serviceAccount is a key as Google hands it out, without what is not looked at.
const serviceAccount = `{"type":"service_account","client_email":"a@b.example","private_key":"hush"}`

func TestRead(t *testing.T) {
	t.Parallel()
	ftp := connection.Settings{"host": "a.example", "username": "me", "password": "hush"}
	tests := []struct {
		name   string
		kind   connection.Kind
		sent   map[string]any
		before connection.Settings
		want   connection.Settings
		code   string
	}{
		{"a webhook", connection.Webhook, map[string]any{"endpoint": " https://a.example/x?y ", "signed": true}, nil, connection.Settings{"endpoint": "https://a.example/x?y", "signed": "true"}, ""},
		{"ftp", connection.FTP, map[string]any{"host": "a.example", "port": 2121.0, "username": "me", "secure": "true"}, nil,
			connection.Settings{"host": "a.example", "port": "2121", "username": "me", "secure": "true"}, ""},
		{"several addresses", connection.Email, map[string]any{"to": []any{"a@example.com", " b@example.com "}}, nil, connection.Settings{"to": "a@example.com, b@example.com"}, ""},
		{"a secret that stays", connection.FTP, map[string]any{"host": "a.example", "username": "other"}, ftp, connection.Settings{"host": "a.example", "username": "other", "password": "hush"}, ""},
		{"a masked secret stays", connection.FTP, map[string]any{"host": "a.example", "username": "me", "password": "***"}, ftp, ftp, ""},
		{"a new secret", connection.FTP, map[string]any{"host": "a.example", "username": "me", "password": "new"}, ftp, connection.Settings{"host": "a.example", "username": "me", "password": "new"}, ""},
		{"a secret that is removed", connection.FTP, map[string]any{"host": "a.example", "username": "me", "password": ""}, ftp, connection.Settings{"host": "a.example", "username": "me"}, ""},
		{"no secret goes to another host", connection.FTP, map[string]any{"host": "evil.example", "username": "me", "password": "***"}, ftp, connection.Settings{"host": "evil.example", "username": "me"}, ""},
		{"nor is it sent in the clear", connection.FTP, map[string]any{"host": "a.example", "username": "me", "secure": true}, ftp, connection.Settings{"host": "a.example", "username": "me", "secure": "true"}, ""},
		{"a required secret is asked for again", connection.S3, map[string]any{"bucket": "other", "region": "r"},
			connection.Settings{"bucket": "b", "region": "r", "access-key-id": "k", "secret-access-key": "s"}, nil, "setting_required"},
		{"Google Cloud Storage", connection.GCS, map[string]any{"bucket": "b-1", "credentials": serviceAccount}, nil,
			connection.Settings{"bucket": "b-1", "credentials": serviceAccount}, ""},
		{"a key of another kind", connection.GCS, map[string]any{"bucket": "b-1", "credentials": `{"type":"authorized_user"}`}, nil, nil, "setting_invalid"},
		{"no JSON", connection.GCS, map[string]any{"bucket": "b-1", "credentials": "key"}, nil, nil, "setting_invalid"},
		{"a bucket with its scheme", connection.GCS, map[string]any{"bucket": "gs://b-1", "credentials": serviceAccount}, nil, nil, "setting_invalid"},
		{"Google's key is asked for again", connection.GCS, map[string]any{"bucket": "b-1", "endpoint": "https://evil.example"},
			connection.Settings{"bucket": "b-1", "credentials": serviceAccount}, nil, "setting_required"},
		{"Azure", connection.AzureBlob, map[string]any{"account": "acme1", "container": "a-b", "account-key": "MDEyMzQ1Njc4OTAxMjM0NQ=="}, nil,
			connection.Settings{"account": "acme1", "container": "a-b", "account-key": "MDEyMzQ1Njc4OTAxMjM0NQ=="}, ""},
		{"Azure's key is asked for again", connection.AzureBlob, map[string]any{"account": "other1", "container": "a-b"},
			connection.Settings{"account": "acme1", "container": "a-b", "account-key": "MDEyMzQ1Njc4OTAxMjM0NQ=="}, nil, "setting_required"},
		{"a bad account", connection.AzureBlob, map[string]any{"account": "a.example/", "container": "a-b", "account-key": "MDEyMzQ1Njc4OTAxMjM0NQ=="}, nil, nil, "setting_invalid"},
		{"a bad container", connection.AzureBlob, map[string]any{"account": "acme1", "container": "../x", "account-key": "MDEyMzQ1Njc4OTAxMjM0NQ=="}, nil, nil, "setting_invalid"},
		{"a key that is none", connection.AzureBlob, map[string]any{"account": "acme1", "container": "a-b", "account-key": "hush"}, nil, nil, "setting_invalid"},
		{"unknown", connection.Webhook, map[string]any{"endpoint": "https://a.example", "host": "x"}, nil, nil, "setting_unknown"},
		{"missing", connection.SFTP, map[string]any{"host": "a.example"}, nil, nil, "setting_required"},
		{"a masked secret that never was", connection.APIKey, map[string]any{"url": "https://a.example", "key": "***"}, nil, nil, "setting_required"},
		{"a bad address", connection.Webhook, map[string]any{"endpoint": "ftp://a.example"}, nil, nil, "setting_invalid"},
		{"a bad port", connection.FTP, map[string]any{"host": "a", "username": "u", "port": 70000.0}, nil, nil, "setting_invalid"},
		{"a bad host", connection.FTP, map[string]any{"host": "a.example/x", "username": "u"}, nil, nil, "setting_invalid"},
		{"a bad host key", connection.SFTP, map[string]any{"host": "a", "username": "u", "host-key": "MD5:00"}, nil, nil, "setting_invalid"},
		{"an address as it is shown", connection.Webhook, map[string]any{"endpoint": "https://a.example/***"},
			connection.Settings{"endpoint": "https://a.example/hook?k=1"}, connection.Settings{"endpoint": "https://a.example/hook?k=1"}, ""},
		{"another address as it is shown", connection.Webhook, map[string]any{"endpoint": "https://b.example/***"},
			connection.Settings{"endpoint": "https://a.example/hook?k=1"}, nil, "setting_invalid"},
		{"a password that looks like one", connection.FTP, map[string]any{"host": "a", "username": "u", "password": "http://a/***"},
			connection.Settings{"host": "a", "username": "u", "password": "http://a/x"},
			connection.Settings{"host": "a", "username": "u", "password": "http://a/***"}, ""},
		{"a new address as it is shown", connection.Webhook, map[string]any{"endpoint": "https://a.example/***"}, nil, nil, "setting_invalid"},
		{"a host as long as may be", connection.FTP, map[string]any{"host": strings.Repeat("a", 253), "username": "u"}, nil,
			connection.Settings{"host": strings.Repeat("a", 253), "username": "u"}, ""},
		{"a host of one letter more", connection.FTP, map[string]any{"host": strings.Repeat("a", 254), "username": "u"}, nil, nil, "setting_invalid"},
		{"a bucket of one letter more", connection.GCS, map[string]any{"bucket": strings.Repeat("b", 223), "credentials": serviceAccount}, nil, nil, "setting_invalid"},
		{"a bucket of two letters", connection.GCS, map[string]any{"bucket": "bb", "credentials": serviceAccount}, nil, nil, "setting_invalid"},
		{"a container of one letter more", connection.AzureBlob, map[string]any{"account": "acme1", "container": strings.Repeat("a", 64),
			"account-key": "MDEyMzQ1Njc4OTAxMjM0NQ=="}, nil, nil, "setting_invalid"},
		{"an object", connection.FTP, map[string]any{"host": map[string]any{}, "username": "u"}, nil, nil, "setting_invalid"},
		{"a name of as many letters as there may be, two bytes each", connection.FTP, map[string]any{"host": "a", "username": strings.Repeat("é", 4096)}, nil,
			connection.Settings{"host": "a", "username": strings.Repeat("é", 4096)}, ""},
		{"a name of one letter more", connection.FTP, map[string]any{"host": "a", "username": strings.Repeat("é", 4097)}, nil, nil, "setting_invalid"},
		{"a line break in a name", connection.FTP, map[string]any{"host": "a", "username": "u\r\nDELE x"}, nil, nil, "setting_invalid"},
		{"as many addresses as there may be", connection.Email, map[string]any{"to": strings.Repeat("a@example.com, ", 9) + "a@example.com"}, nil,
			connection.Settings{"to": strings.Repeat("a@example.com, ", 9) + "a@example.com"}, ""},
		{"too many addresses", connection.Email, map[string]any{"to": strings.Repeat("a@example.com, ", 10) + "a@example.com"}, nil, nil, "setting_invalid"},
		{"a provider of OpenAI's protocol", connection.APIKey, map[string]any{"url": "https://a.example/v1", "key": "k", "provider": "openai"}, nil,
			connection.Settings{"url": "https://a.example/v1", "key": "k", "provider": "openai"}, ""},
		{"a provider without an address", connection.APIKey, map[string]any{"key": "k"}, nil, nil, "setting_required"},
		{"Azure Speech of a region", connection.APIKey, map[string]any{"provider": "azure-speech", "region": "westeurope", "key": "k"}, nil,
			connection.Settings{"provider": "azure-speech", "region": "westeurope", "key": "k"}, ""},
		{"Azure Speech of nowhere", connection.APIKey, map[string]any{"provider": "azure-speech", "key": "k"}, nil, nil, "setting_required"},
		{"a region that is a host", connection.APIKey, map[string]any{"provider": "azure-speech", "region": "evil.example/", "key": "k"}, nil, nil, "setting_invalid"},
		{"ElevenLabs", connection.APIKey, map[string]any{"provider": "elevenlabs", "key": "k", "voice": "Rachel"}, nil,
			connection.Settings{"provider": "elevenlabs", "key": "k", "voice": "Rachel"}, ""},
		{"another provider", connection.APIKey, map[string]any{"provider": "polly", "url": "https://a.example", "key": "k"}, nil, nil, "setting_invalid"},
		{"naming the usual provider keeps the key", connection.APIKey, map[string]any{"provider": "openai", "url": "https://a.example", "key": "***"},
			connection.Settings{"url": "https://a.example", "key": "k"}, connection.Settings{"provider": "openai", "url": "https://a.example", "key": "k"}, ""},
		{"no key goes to another provider", connection.APIKey, map[string]any{"provider": "elevenlabs", "key": "***"},
			connection.Settings{"provider": "azure-speech", "region": "westeurope", "key": "k"}, nil, "setting_required"},
		{"nor to another region", connection.APIKey, map[string]any{"provider": "azure-speech", "region": "eastus", "key": "***"},
			connection.Settings{"provider": "azure-speech", "region": "westeurope", "key": "k"}, nil, "setting_required"},
		{"a folder", connection.Folder, map[string]any{"folder": "nas", "remote-path": "in/__yyyy__", "overwrite": true}, nil,
			connection.Settings{"folder": "nas", "remote-path": "in/__yyyy__", "overwrite": "true"}, ""},
		{"a folder without a name", connection.Folder, map[string]any{"file": "x"}, nil, nil, "setting_required"},
		{"a folder by its path", connection.Folder, map[string]any{"folder": "/srv/exports"}, nil, nil, "setting_invalid"},
		{"a folder by a path of dots", connection.Folder, map[string]any{"folder": ".."}, nil, nil, "setting_invalid"},
		{"a way out of a folder", connection.Folder, map[string]any{"folder": "nas", "file": "a/../../x"}, nil, nil, "setting_invalid"},
		{"a whole path in a folder", connection.Folder, map[string]any{"folder": "nas", "remote-path": "/etc"}, nil, nil, "setting_invalid"},
		{"a path with backslashes in a folder", connection.Folder, map[string]any{"folder": "nas", "file": `..\x`}, nil, nil, "setting_invalid"},
		{"a bad e-mail address", connection.Email, map[string]any{"to": "nobody"}, nil, nil, "setting_invalid"},
	}
	for _, tt := range tests {
		got, err := connection.Read(tt.kind, tt.sent, tt.before)
		requireCode(t, tt.name, err, tt.code)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Movie-schema §11; no secret is sent where the movie's author likes.
func TestKind_Override(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		kind  connection.Kind
		given map[string]any
		want  string // of the setting that is named in it, after the equals sign
		code  string
	}{
		{"a path", connection.FTP, map[string]any{"id": "x", "type": "ftp", "remote-path": "b"}, "remote-path=b", ""},
		{"an empty one is none", connection.FTP, map[string]any{"remote-path": ""}, "remote-path=a", ""},
		{"a user", connection.FTP, map[string]any{"username": "other"}, "username=other", ""},
		{"a password", connection.FTP, map[string]any{"password": "x"}, "", "setting_secret"},
		{"a host", connection.FTP, map[string]any{"host": "evil.example"}, "", "setting_bound"},
		{"the same host", connection.FTP, map[string]any{"host": "a.example"}, "host=a.example", ""},
		{"an unknown property", connection.FTP, map[string]any{"bucket": "x"}, "", "setting_unknown"},
		{"a bad value", connection.Email, map[string]any{"to": "x"}, "", "setting_invalid"},
		{"a subject", connection.Email, map[string]any{"subject": "s"}, "subject=s", ""},
		{"an address of a webhook", connection.Webhook, map[string]any{"endpoint": "https://b.example"}, "endpoint=https://b.example", ""},
	}
	saved := connection.Settings{"host": "a.example", "username": "me", "password": "hush", "remote-path": "a", "endpoint": "https://a.example"}
	for _, tt := range tests {
		got, err := tt.kind.Override(saved, tt.given)
		requireCode(t, tt.name, err, tt.code)
		if name, value, _ := strings.Cut(tt.want, "="); tt.want != "" && got[name] != value {
			t.Errorf("%s: %s is %q", tt.name, name, got[name])
		}
		if saved["remote-path"] != "a" {
			t.Fatalf("%s changed the saved connection", tt.name)
		}
	}
}

func TestKind_Inline(t *testing.T) {
	t.Parallel()
	got, err := connection.FTP.Inline(map[string]any{"type": "ftp", "host": "a", "username": "u", "password": "p", "colour": "red"})
	if want := (connection.Settings{"host": "a", "username": "u", "password": "p"}); err != nil || !cmp.Equal(want, got) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestKind_Split(t *testing.T) {
	t.Parallel()
	shown, secret := connection.Webhook.Split(connection.Settings{"endpoint": "https://user:pw@a.example:81/x?y#z", "signed": "true"})
	if diff := cmp.Diff(connection.Settings{"endpoint": "https://a.example:81/***", "signed": "true"}, shown); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	if secret["endpoint"] != "https://user:pw@a.example:81/x?y#z" || len(secret) != 1 {
		t.Errorf("secret %v", secret)
	}
}

func TestKind_Fill(t *testing.T) {
	t.Parallel()
	facts := connection.Facts{At: t0.In(time.FixedZone("east", 3*3600)), Random: "00042", Source: "Abcd1234Efgh5678.mp4", VideoURL: "https://v/x.mp4"}
	tests := []struct {
		name        string
		kind        connection.Kind
		given       connection.Settings
		setting     string
		want        string
		file        string
		destination string
	}{
		{"every macro", connection.FTP, connection.Settings{"file": "__yyyy__-__mm__-__dd__ __hh__:__nn__:__ss__ __random__ __filename__ __filename_without_extension__ __filename_extension__"},
			"file", "2026-11-21 09:05:07 00042 Abcd1234Efgh5678.mp4 Abcd1234Efgh5678 mp4", "", ""},
		{"the address is for e-mail only", connection.FTP, connection.Settings{"file": "__video_url__"}, "file", "__video_url__", "", ""},
		{"the address", connection.Email, connection.Settings{"message": "See __video_url__"}, "message", "See https://v/x.mp4", "", ""},
		{"an unknown macro", connection.S3, connection.Settings{"file": "__zz____yyyy__"}, "file", "__zz__2026", "", ""},
		{"the default name", connection.SFTP, connection.Settings{}, "file", "2026-11-21-00042.mp4", "2026-11-21-00042.mp4", "."},
		{"a folder", connection.SFTP, connection.Settings{"remote-path": "/a//b/./__yyyy__/", "file": "x/y.mp4"}, "remote-path", "/a//b/./2026/", "/a/b/2026/x/y.mp4", "/a/b/2026/x"},
		{"a macro in a macro's value", connection.Email, connection.Settings{"subject": "__filename__"}, "subject", "Abcd1234Efgh5678.mp4", "", ""},
	}
	for _, tt := range tests {
		got := tt.kind.Fill(tt.given, facts)
		if got[tt.setting] != tt.want {
			t.Errorf("%s: %s is %q, want %q", tt.name, tt.setting, got[tt.setting], tt.want)
		}
		if tt.file != "" && (got.RemoteFile() != tt.file || got.RemoteFolder() != tt.destination) {
			t.Errorf("%s: %s in %s", tt.name, got.RemoteFile(), got.RemoteFolder())
		}
	}
}

// The example of the Standard Webhooks specification.
func TestSign(t *testing.T) {
	t.Parallel()
	const secret, id, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", `{"test": 2432232314}`
	at := time.Unix(1614265330, 0)
	if got := connection.Sign([]string{secret}, id, at, []byte(body)); got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Errorf("signature %s", got)
	}
	other := connection.NewSigningSecret([]byte(strings.Repeat("x", 32)))
	both := strings.Fields(connection.Sign([]string{other, secret}, id, at, []byte(body)))
	if len(both) != 2 || both[1] != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" || both[0] == both[1] {
		t.Errorf("signatures %v", both)
	}
}

func TestConnection(t *testing.T) {
	t.Parallel()
	c := connection.New()
	if _, err := c.Delete("x", t0); err == nil || c.RecordTest(1, connection.Tested{}) != nil {
		t.Error("a connection that never was is deleted, or tested")
	}
	apply := func(events []domain.Event, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			c.Apply(e)
		}
	}
	first := connection.Saved{Kind: connection.SFTP, Settings: connection.Settings{"host": "a"}, At: t0}
	apply(c.Save(first), nil)
	apply(c.RecordTest(1, connection.Tested{Success: true, HostKey: "SHA256:one", At: t0}), nil)
	apply(c.RecordTest(1, connection.Tested{Success: true, HostKey: "SHA256:two", At: t0}), nil)
	if !c.Exists() || c.HostKey() != "SHA256:one" || c.Saved().Version != 1 {
		t.Errorf("%+v with host key %s", c.Saved(), c.HostKey())
	}
	apply(c.Save(first), nil)
	if c.HostKey() != "SHA256:one" || c.Saved().Version != 2 {
		t.Error("saving the same host again forgets its key, or the version stays")
	}
	first.Settings = connection.Settings{"host": "b"}
	apply(c.Save(first), nil)
	if c.HostKey() != "" {
		t.Error("another host has the key of the one before")
	}
	if c.RecordTest(2, connection.Tested{HostKey: "SHA256:one"}) != nil {
		t.Error("a test of the host before is recorded for this one")
	}
	apply(c.Delete("x", t0))
	if _, err := c.Delete("x", t0); c.Exists() || err == nil || c.NextVersion() != 4 {
		t.Errorf("after deletion: exists %v, %v, next version %d", c.Exists(), err, c.NextVersion())
	}
}

// TestConnection_HostKey: the first key that the server has shown is kept until the connection leads elsewhere or demands another
// one; a key that was refused never is.
func TestConnection_HostKey(t *testing.T) {
	t.Parallel()
	one, two := "SHA256:"+strings.Repeat("1", 43), "SHA256:"+strings.Repeat("2", 43)
	saved := func(key string) domain.Event {
		return connection.Saved{Version: 1, Kind: connection.SFTP, Settings: connection.Settings{"host": "a", "host-key": key}}
	}
	seen := func(key string) domain.Event { return connection.Tested{HostKey: key} }
	for name, tt := range map[string]struct {
		events []domain.Event
		want   string
	}{
		"the first is kept":              {[]domain.Event{saved(""), seen(one), seen(two)}, one},
		"a refused one is not":           {[]domain.Event{saved(one), seen(two)}, ""},
		"nor when none is demanded more": {[]domain.Event{saved(one), seen(two), saved("")}, ""},
		"the demanded one is kept":       {[]domain.Event{saved(one + "="), seen(one), saved("")}, one},
		"another one is demanded":        {[]domain.Event{saved(""), seen(one), saved(two)}, ""},
		"and seen":                       {[]domain.Event{saved(""), seen(one), saved(two), seen(two), saved("")}, two},
	} {
		c := connection.New()
		for _, e := range tt.events {
			c.Apply(e)
		}
		if c.HostKey() != tt.want {
			t.Errorf("%s: %q", name, c.HostKey())
		}
	}
}

// TestKinds: what each kind is. Spec: Delivery rules; decisions 33, 50 and 55.
func TestKinds(t *testing.T) {
	t.Parallel()
	type traits struct{ Destination, Video, Path, SavedOnly, Recipients bool }
	got := map[string]traits{}
	for _, name := range connection.Kinds() {
		k := connection.Kind(name)
		got[name] = traits{k.IsDestination(), k.TakesFiles(), k.HasPath(), k.SavedOnly(), k.HasRecipients()}
	}
	want := map[string]traits{
		"webhook":    {Destination: true},
		"ftp":        {Destination: true, Video: true, Path: true},
		"sftp":       {Destination: true, Video: true, Path: true},
		"aws-s3":     {Destination: true, Video: true, Path: true, SavedOnly: true},
		"gcs":        {Destination: true, Video: true, Path: true, SavedOnly: true},
		"azure-blob": {Destination: true, Video: true, Path: true, SavedOnly: true},
		"folder":     {Destination: true, Video: true, Path: true},
		"email":      {Destination: true, Video: true, Recipients: true},
		"apikey":     {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"webhook", "ftp", "sftp", "aws-s3", "gcs", "azure-blob", "folder", "email"}, connection.DestinationKinds()); diff != "" {
		t.Error(diff)
	}
	if _, err := connection.ParseKind("gopher"); err == nil || err.Error() != "type must be webhook, ftp, sftp, aws-s3, gcs, azure-blob, folder, email or apikey" {
		t.Errorf("an unknown kind: %v", err)
	}
}
