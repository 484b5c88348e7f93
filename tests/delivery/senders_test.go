package delivery_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"moviola/adapters/ftp"
	"moviola/adapters/mail"
	"moviola/adapters/outbound"
	"moviola/adapters/s3"
	"moviola/commands"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/tests/harness"
	"moviola/tests/harness/servers"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.RemoveBinaries()
	os.Exit(code)
}

// video is what is sent: large enough to take more than one packet.
var video = strings.Repeat("moving pictures ", 1<<17)

// file is an open video that counts how much of it is in memory at once.
type file struct {
	*strings.Reader
	largest int
}

func (f *file) Read(p []byte) (int, error) {
	f.largest = max(f.largest, len(p))
	return f.Reader.Read(p)
}
func (*file) Close() error       { return nil }
func (*file) ModTime() time.Time { return time.Time{} }

func parcel(kind connection.Kind, s connection.Settings) deliveries.Parcel {
	facts := connection.Facts{
		At: time.Date(2026, 11, 21, 9, 8, 7, 0, time.UTC), Random: "04711", Source: "Abcd1234Efgh5678.mp4", VideoURL: "https://video.example/x.mp4",
	}
	return deliveries.Parcel{Account: "acct", Settings: kind.Fill(s, facts), ContentType: "video/mp4", Size: int64(len(video)), Open: func(context.Context) (commands.File, error) {
		return &file{Reader: strings.NewReader(video)}, nil
	}}
}

// road is the guarded dial function with some addresses open.
func road(t *testing.T, addresses ...string) func(ctx context.Context, network, address string) (net.Conn, error) {
	t.Helper()
	return guard(t, addresses...).Dialer(outbound.DialOptions{Connect: harness.Patience, Idle: harness.Patience})
}

func guard(t *testing.T, addresses ...string) *outbound.Guard {
	t.Helper()
	g, err := outbound.NewGuard(outbound.Config{Allow: addresses})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// check holds what arrived against what was sent.
func check(t *testing.T, path string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != video {
		t.Errorf("%s: %d bytes, %v; sent %d", path, len(got), err, len(video))
	}
}

// requireRefusal checks that an error is for the owner, says what it should and shows no secret.
func requireRefusal(t *testing.T, err error, says string, secrets ...string) {
	t.Helper()
	var refusal *domain.Error
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, says) {
		t.Errorf("error %v, want one that says %q", err, says)
		return
	}
	for _, secret := range secrets {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("error %v shows %s", err, secret)
		}
	}
}

func TestFTP(t *testing.T) {
	t.Parallel()
	secure := servers.NewCertificate(t)
	for name, certificate := range map[string]*servers.Certificate{"plain": nil, "encrypted": &secure} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := servers.StartFTP(t, certificate)
			settings := connection.Settings{
				"host": server.Host, "port": server.Port, "username": server.Username, "password": server.Password,
				"remote-path": "movies/__yyyy__/__mm__", "file": "__filename_without_extension__-__hh____nn____ss__.mp4",
			}
			if certificate != nil {
				settings["secure"] = "true"
			}
			sender := ftp.NewFTP(ftp.Config{Dial: road(t, server.Addresses...), Explain: outbound.Explain, TLS: &tls.Config{RootCAs: secure.Roots, MinVersion: tls.VersionTLS12}})
			for range 2 { // the folders are there the second time
				if _, err := sender.Send(t.Context(), parcel(connection.FTP, settings)); err != nil {
					t.Fatal(err)
				}
			}
			check(t, filepath.Join(server.Folder, "movies/2026/11/Abcd1234Efgh5678-090807.mp4"))
			delete(settings, "file")
			if _, err := sender.Send(t.Context(), parcel(connection.FTP, settings)); err != nil {
				t.Fatal(err)
			}
			check(t, filepath.Join(server.Folder, "movies/2026/11/2026-11-21-04711.mp4"))
			if _, err := sender.Test(t.Context(), parcel(connection.FTP, settings)); err != nil {
				t.Errorf("test: %v", err)
			}
			settings["password"] = "canary-wrong"
			_, err := sender.Send(t.Context(), parcel(connection.FTP, settings))
			requireRefusal(t, err, "Not delivered to ftp://"+server.Host+":"+server.Port+": the login failed (530)", "canary")
		})
	}
}

// torn is a video whose second half cannot be read.
func torn(p deliveries.Parcel) deliveries.Parcel {
	p.Open = func(context.Context) (commands.File, error) {
		return tornFile{&file{Reader: strings.NewReader(video)}}, nil
	}
	return p
}

type tornFile struct{ *file }

var errTorn = errors.New("the storage is away")

func (f tornFile) Read(p []byte) (int, error) {
	if f.Len() <= len(video)/2 {
		return 0, errTorn
	}
	return f.file.Read(p)
}

// onlyFile checks that a folder has nothing but the video under a name, and what begins with .ftp.
func onlyFile(t *testing.T, folder, name string) {
	t.Helper()
	check(t, filepath.Join(folder, name))
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if e.Name() != name && !strings.HasPrefix(e.Name(), ".ftp") {
			t.Errorf("%s is left beside %s", e.Name(), name)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// A transfer that breaks off leaves the file that has the name as it was, and no half one under another name.
func TestFTP_broken(t *testing.T) {
	t.Parallel()
	server := servers.StartFTP(t, nil)
	settings := connection.Settings{
		"host": server.Host, "port": server.Port, "username": server.Username, "password": server.Password, "file": "a.mp4",
	}
	breakOff(t, ftp.NewFTP(ftp.Config{Dial: road(t, server.Addresses...), Explain: outbound.Explain}), parcel(connection.FTP, settings), server.Folder)
}

func TestSFTP_broken(t *testing.T) {
	t.Parallel()
	server := servers.StartSSH(t)
	settings := connection.Settings{
		"host": server.Host, "port": server.Port, "username": server.Username, "private-key": server.PrivateKey,
		"remote-path": server.Folder + "/x", "file": "a.mp4",
	}
	sender := ftp.NewSFTP(ftp.Config{Dial: road(t, server.Addresses...), Explain: outbound.Explain})
	breakOff(t, sender, parcel(connection.SFTP, settings), server.Folder+"/x")
}

func breakOff(t *testing.T, sender deliveries.Sender, p deliveries.Parcel, folder string) {
	t.Helper()
	if _, err := sender.Send(t.Context(), torn(p)); !errors.Is(err, errTorn) {
		t.Errorf("a video that cannot be read: %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "a.mp4")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half of the video is there: %v", err)
	}
	if _, err := sender.Send(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	_, err := sender.Send(t.Context(), torn(p))
	if !errors.Is(err, errTorn) {
		t.Errorf("a video that cannot be read: %v", err)
	}
	onlyFile(t, folder, "a.mp4")
}

// A server that does not rename, or refuses names that begin with a dot, gets the file under its final name at once.
func TestFTP_withoutRenaming(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]string{
		"no renaming": "<Limit RNFR RNTO>\nDenyAll\n</Limit>\n",
		"no dot":      "PathDenyFilter \"\\\\.part$\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := servers.StartFTP(t, nil)
			if err := os.WriteFile(filepath.Join(server.Folder, ".ftpaccess"), []byte(rule), 0o644); err != nil {
				t.Fatal(err)
			}
			settings := connection.Settings{
				"host": server.Host, "port": server.Port, "username": server.Username, "password": server.Password, "file": "a.mp4",
			}
			sender := ftp.NewFTP(ftp.Config{Dial: road(t, server.Addresses...), Explain: outbound.Explain})
			for range 2 { // the second time the name is taken
				if _, err := sender.Send(t.Context(), parcel(connection.FTP, settings)); err != nil {
					t.Fatal(err)
				}
			}
			onlyFile(t, server.Folder, "a.mp4")
		})
	}
}

func TestFTP_TheGuard(t *testing.T) {
	t.Parallel()
	server := servers.StartFTP(t, nil)
	settings := connection.Settings{"host": server.Host, "port": server.Port, "username": server.Username, "password": server.Password}
	for name, tt := range map[string]struct {
		open []string
		says string
	}{
		"the server":          {nil, "the host is not a public address"},
		"the data connection": {server.Addresses[:1], "the host is not a public address"},
	} {
		sender := ftp.NewFTP(ftp.Config{Dial: road(t, tt.open...), Explain: outbound.Explain})
		if _, err := sender.Send(t.Context(), parcel(connection.FTP, settings)); err == nil {
			t.Errorf("%s: it was reached", name)
		} else {
			requireRefusal(t, err, tt.says)
		}
	}
}

func TestSFTP_OpenSSH(t *testing.T) {
	t.Parallel()
	server := servers.StartSSH(t)
	sender := ftp.NewSFTP(ftp.Config{Dial: road(t, server.Addresses...), Explain: outbound.Explain})
	settings := connection.Settings{
		"host": server.Host, "port": server.Port, "username": server.Username, "private-key": server.PrivateKey,
		"remote-path": server.Folder + "/a/b", "file": "__filename__",
	}
	receipt, err := sender.Send(t.Context(), parcel(connection.SFTP, settings))
	if err != nil || receipt.HostKey != server.Fingerprint {
		t.Fatalf("receipt %+v, %v; want host key %s", receipt, err, server.Fingerprint)
	}
	check(t, filepath.Join(server.Folder, "a/b/Abcd1234Efgh5678.mp4"))
	if _, err := sender.Test(t.Context(), parcel(connection.SFTP, settings)); err != nil {
		t.Errorf("test: %v", err)
	}
	settings["host-key"] = server.Fingerprint + "="
	if _, err := sender.Send(t.Context(), parcel(connection.SFTP, settings)); err != nil {
		t.Errorf("with its host key: %v", err)
	}
	delete(settings, "host-key")
	known := parcel(connection.SFTP, settings)
	known.HostKey = "SHA256:" + strings.Repeat("A", 43)
	receipt, err = sender.Send(t.Context(), known)
	requireRefusal(t, err, "the server's host key is "+server.Fingerprint+", not the one that is known")
	if receipt.HostKey != "" {
		t.Errorf("a host key that was refused is passed on: %s", receipt.HostKey)
	}
	settings["remote-path"] = "/proc/canary"
	_, err = sender.Send(t.Context(), parcel(connection.SFTP, settings))
	requireRefusal(t, err, "the folder could not be made", "canary")
	settings["private-key"] = "-----BEGIN canary"
	_, err = sender.Send(t.Context(), parcel(connection.SFTP, settings))
	requireRefusal(t, err, "the private key cannot be read", "canary")
	settings["private-key"], settings["password"] = "", "canary-wrong"
	_, err = sender.Send(t.Context(), parcel(connection.SFTP, settings))
	requireRefusal(t, err, "the login failed", "canary")
}

func TestS3(t *testing.T) {
	t.Parallel()
	server := servers.StartS3(t)
	sender := s3.New(s3.Config{Client: guard(t, server.Addresses...).Client(outbound.Options{}), Explain: outbound.Explain})
	settings := connection.Settings{
		"bucket": server.Bucket, "region": server.Region, "access-key-id": server.Username, "secret-access-key": server.Password,
		"endpoint": server.URL, "path-style": "true", "remote-path": "/movies/./__yyyy__", "file": "a b+ü.mp4",
	}
	if _, err := sender.Send(t.Context(), parcel(connection.S3, settings)); err != nil {
		t.Fatal(err)
	}
	check(t, filepath.Join(server.Folder, "movies/2026/a b+ü.mp4"))
	if _, err := sender.Test(t.Context(), parcel(connection.S3, settings)); err != nil {
		t.Errorf("test: %v", err)
	}
	if left, err := filepath.Glob(server.Folder + "/movies/*/*test*"); err != nil || len(left) != 0 {
		t.Errorf("a test left %v, %v", left, err)
	}
	for code, change := range map[string]connection.Settings{
		"SignatureDoesNotMatch": {"secret-access-key": "canary-wrong"}, "XAdminUserNotFound": {"access-key-id": "canaryother"}, "NoSuchBucket": {"bucket": "canary-other"},
	} {
		changed := connection.Settings{}
		for name, value := range settings {
			changed[name] = value
		}
		for name, value := range change {
			changed[name] = value
		}
		_, err := sender.Send(t.Context(), parcel(connection.S3, changed))
		requireRefusal(t, err, "Not delivered to "+server.URL+": the storage answered "+code, "canary", "AAA")
	}
	closed := s3.New(s3.Config{Client: guard(t).Client(outbound.Options{}), Explain: outbound.Explain})
	_, err := closed.Send(t.Context(), parcel(connection.S3, settings))
	requireRefusal(t, err, "the host is not a public address")
}

func TestMail(t *testing.T) {
	t.Parallel()
	certificate := servers.NewCertificate(t)
	for security, server := range map[string]*servers.MailServer{
		"none": servers.NewMailServer(t, nil, false), "starttls": servers.NewMailServer(t, &certificate, false), "tls": servers.NewMailServer(t, &certificate, true),
	} {
		sender, err := mail.New(mail.Config{Dial: road(t, server.Address), Explain: outbound.Explain, TLS: &tls.Config{RootCAs: certificate.Roots, MinVersion: tls.VersionTLS12}})
		if err != nil {
			t.Fatal(err)
		}
		settings := connection.Settings{
			"host": server.Host, "port": server.Port, "username": server.Username, "password": server.Password, "security": security,
			"from": "Moviola <movies@example.com>", "to": "a@example.com, Bea <b@example.com>",
			"subject": "Ready: __filename__", "message": "Grüße!\nSee __video_url__",
		}
		if _, err := sender.Send(t.Context(), parcel(connection.Email, settings)); err != nil {
			t.Errorf("%s: %v", security, err)
			continue
		}
		letters := server.Letters()
		if len(letters) != 1 || letters[0].From != "movies@example.com" || strings.Join(letters[0].To, " ") != "a@example.com b@example.com" {
			t.Fatalf("%s: %+v", security, letters)
		}
		for _, want := range []string{"Subject: Ready: Abcd1234Efgh5678.mp4\r\n", "https://video.example/x.mp4", "Gr=C3=BC=C3=9Fe!", "X-Moviola-Account: acct\r\n", "Feedback-ID: acct:movie:moviola\r\n"} {
			if !strings.Contains(letters[0].Body, want) {
				t.Errorf("%s: the e-mail lacks %q:\n%s", security, want, letters[0].Body)
			}
		}
		settings["password"] = "canary-wrong"
		_, err = sender.Send(t.Context(), parcel(connection.Email, settings))
		requireRefusal(t, err, "Not delivered to smtp://"+server.Address, "canary")
		settings["password"], settings["to"] = server.Password, "nobody@canary.example"
		_, err = sender.Send(t.Context(), parcel(connection.Email, settings))
		requireRefusal(t, err, "the mail server answered 550", "canary")
	}
}

// rude is a connection to a server that hangs up when it has taken a message.
type rude struct{ net.Conn }

func (r rude) Write(p []byte) (int, error) {
	if command := string(p); strings.HasPrefix(command, "QUIT") || strings.HasPrefix(command, "RSET") {
		return 0, errors.Join(net.ErrClosed, r.Close())
	}
	return r.Conn.Write(p)
}

// An e-mail that the server has taken is delivered, whatever the server does then.
func TestMail_ServersThatHangUp(t *testing.T) {
	t.Parallel()
	server := servers.NewMailServer(t, nil, false)
	dial := road(t, server.Address)
	sender, err := mail.New(mail.Config{Explain: outbound.Explain, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return rude{conn}, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = sender.Send(t.Context(), parcel(connection.Email, connection.Settings{
		"host": server.Host, "port": server.Port, "username": server.Username, "password": server.Password, "security": "none",
		"from": "a@example.com", "to": "b@example.com", "subject": "s", "message": "m",
	}))
	if got := len(server.Letters()); err != nil || got != 1 {
		t.Errorf("%d letters, %v", got, err)
	}
}

func TestMail_TheOperatorsServer(t *testing.T) {
	t.Parallel()
	server := servers.NewMailServer(t, nil, false)
	sender, err := mail.New(mail.Config{
		Dial: road(t, server.Address), Explain: outbound.Explain, From: "movies@example.com",
		Server: "smtp://" + server.Username + ":" + server.Password + "@" + server.Address + "?security=none",
	})
	if err != nil {
		t.Fatal(err)
	}
	settings := connection.Settings{"to": "a@example.com", "subject": "s\r\nBcc: canary@example.com", "message": "m", "from": "ceo@example.com"}
	if _, err := sender.Send(t.Context(), parcel(connection.Email, settings)); err != nil {
		t.Fatal(err)
	}
	letter := server.Letters()[0]
	if letter.From != "movies@example.com" || strings.Contains(letter.Body, "\nBcc:") {
		t.Errorf("the e-mail %+v", letter)
	}
	many := maps.Clone(settings)
	many["to"] = strings.Repeat("a@example.com, ", connection.MaxRecipients) + "a@example.com"
	_, err = sender.Send(t.Context(), parcel(connection.Email, many))
	requireRefusal(t, err, "an e-mail destination can have at most 10 recipients, this one has 11", "canary")
	none, err := mail.New(mail.Config{Dial: road(t), Explain: outbound.Explain})
	if err != nil {
		t.Fatal(err)
	}
	_, err = none.Send(t.Context(), parcel(connection.Email, settings))
	requireRefusal(t, err, "this server has none either")
	for _, bad := range []string{"http://a:1", "smtp://", "x"} {
		if _, err := mail.New(mail.Config{Server: bad, From: "a@b.c"}); err == nil {
			t.Errorf("%s is taken for a mail server", bad)
		}
	}
}

// A server that says nothing is left when the context ends, and none that stays silent keeps a sender for ever.
func TestSenders_SilentServers(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	held := make(chan net.Conn, 16)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			held <- conn // said nothing to, and never closed
		}
	}()
	address := listener.Addr().String()
	host, port, _ := net.SplitHostPort(address)
	settings := connection.Settings{
		"host": host, "port": port, "username": "u", "password": "p", "security": "none", "from": "a@b.c", "to": "a@b.c", "subject": "s", "message": "m",
		"bucket": "b", "region": "r", "access-key-id": "k", "secret-access-key": "s", "endpoint": "http://" + address, "path-style": "true",
	}
	impatient := guard(t, address).Dialer(outbound.DialOptions{Idle: 300 * time.Millisecond})
	letters, err := mail.New(mail.Config{Dial: impatient, Explain: outbound.Explain})
	if err != nil {
		t.Fatal(err)
	}
	client := guard(t, address).Client(outbound.Options{Header: 300 * time.Millisecond})
	for kind, sender := range map[connection.Kind]deliveries.Sender{
		connection.FTP: ftp.NewFTP(ftp.Config{Dial: impatient, Explain: outbound.Explain}), connection.SFTP: ftp.NewSFTP(ftp.Config{Dial: impatient, Explain: outbound.Explain}),
		connection.Email: letters, connection.S3: s3.New(s3.Config{Client: client, Explain: outbound.Explain}),
	} {
		_, err := sender.Send(t.Context(), parcel(kind, settings))
		requireRefusal(t, err, "no answer in time")
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := sender.Send(ended, parcel(kind, settings)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: an ended context gives %v", kind, err)
		}
	}
}

// What cannot be read is this side's trouble, and never the destination's.
func TestSenders_AVideoThatCannotBeRead(t *testing.T) {
	t.Parallel()
	server := servers.StartFTP(t, nil)
	settings := connection.Settings{"host": server.Host, "port": server.Port, "username": server.Username, "password": server.Password}
	sent := parcel(connection.FTP, settings)
	broken := errors.New("the disk is broken")
	sent.Open = func(context.Context) (commands.File, error) { return brokenFile{err: broken}, nil }
	sender := ftp.NewFTP(ftp.Config{Dial: road(t, server.Addresses...), Explain: outbound.Explain})
	if _, err := sender.Send(t.Context(), sent); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	sent.Open = func(context.Context) (commands.File, error) { return nil, commands.ErrFileNotFound }
	if _, err := sender.Send(t.Context(), sent); !errors.Is(err, commands.ErrFileNotFound) {
		t.Errorf("error %v", err)
	}
}

type brokenFile struct {
	io.ReadSeeker
	err error
}

func (b brokenFile) Read([]byte) (int, error) { return 0, b.err }
func (brokenFile) Close() error               { return nil }
func (brokenFile) Size() int64                { return 1 }
func (brokenFile) ModTime() time.Time         { return time.Time{} }
