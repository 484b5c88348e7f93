package servers

import (
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"moviola/tests/harness"
)

// FileServer is a server on loopback that stores files in a folder.
type FileServer struct {
	Host, Port         string
	Addresses          []string // all addresses on which it listens, host:port
	Username, Password string
	Folder             string // where the files arrive
}

// listening waits until something accepts connections at an address.
func listening(t testing.TB, p *harness.Process, address string) {
	t.Helper()
	harness.Eventually(t, p.Name+" listens", func() bool {
		if p.Exited() {
			t.Fatalf("%s ended:\n%s", p.Name, p.Output())
		}
		conn, err := net.DialTimeout("tcp", address, harness.Patience)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
}

// split splits an address into host and port.
func split(t testing.TB, address string) (host, port string) {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return host, port
}

// StartFTP runs ProFTPD with one user. With a certificate it requires encryption on the control and the data connection.
func StartFTP(t testing.TB, secure *Certificate) FileServer {
	t.Helper()
	dir, address := t.TempDir(), harness.FreeAddr(t)
	s := FileServer{Username: "movies", Password: "ftp-secret-" + strconv.Itoa(os.Getpid()), Folder: filepath.Join(dir, "home"),
		Addresses: []string{address}}
	s.Host, s.Port = split(t, address)
	const passive = 9 // several passive ports: a port stays in use for a while after its connection was closed
	first := harness.FreePorts(t, passive)
	for port := first; port < first+passive; port++ {
		s.Addresses = append(s.Addresses, harness.LoopbackAddr(port))
	}
	hash, err := exec.Command("openssl", "passwd", "-6", s.Password).Output()
	if err != nil {
		t.Fatalf("openssl passwd: %v", err)
	}
	user := fmt.Sprintf("%s:%s:%d:%d::%s:/bin/sh\n", s.Username, strings.TrimSpace(string(hash)), os.Getuid(), os.Getgid(), s.Folder)
	conf := `
ServerType standalone
DefaultAddress 127.0.0.1
Port ` + s.Port + `
PassivePorts ` + strconv.Itoa(first) + " " + strconv.Itoa(first+passive-1) + `
User ` + nameOf(t, "-un") + `
Group ` + nameOf(t, "-gn") + `
AuthUserFile ` + dir + `/users
AuthOrder mod_auth_file.c
RequireValidShell off
RootLogin on
UseReverseDNS off
WtmpLog off
AllowOverwrite on
TimesGMT off
PidFile ` + dir + `/pid
ScoreboardFile ` + dir + `/scoreboard
DelayEngine off
SystemLog ` + dir + `/log
`
	if secure != nil {
		conf += `
LoadModule mod_tls.c
TLSEngine on
TLSRequired on
TLSRSACertificateFile ` + secure.CertFile + `
TLSRSACertificateKeyFile ` + secure.KeyFile + `
TLSProtocol TLSv1.2 TLSv1.3
TLSSessionTickets on
`
		conf = strings.ReplaceAll(conf, "TLSRSACertificate", "TLSECCertificate")
	}
	for name, content := range map[string]string{"users": user, "conf": conf} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(s.Folder, 0o750); err != nil {
		t.Fatal(err)
	}
	p := harness.Start(t, "proftpd", program(t, "proftpd"), nil, "-n", "-c", filepath.Join(dir, "conf"))
	listening(t, p, address)
	return s
}

// nameOf is the name of the user (-un) or group (-gn) that runs the test.
func nameOf(t testing.TB, which string) string {
	t.Helper()
	out, err := exec.Command("id", which).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// SSHServer is an OpenSSH server that accepts one key.
type SSHServer struct {
	FileServer
	PrivateKey  string // the accepted key
	Fingerprint string // fingerprint of the server's own key
}

// StartSSH runs OpenSSH with its SFTP subsystem for the user that runs the test. Files arrive at absolute paths below Folder.
func StartSSH(t testing.TB) SSHServer {
	t.Helper()
	dir, address := t.TempDir(), harness.FreeAddr(t)
	s := SSHServer{FileServer: FileServer{Username: nameOf(t, "-un"), Folder: filepath.Join(dir, "home"),
		Addresses: []string{address}}}
	s.Host, s.Port = split(t, address)
	hostKey, hostPublic := newSSHKey(t)
	userKey, userPublic := newSSHKey(t)
	s.PrivateKey, s.Fingerprint = userKey, ssh.FingerprintSHA256(hostPublic)
	conf := `
ListenAddress ` + address + `
HostKey ` + dir + `/host
AuthorizedKeysFile ` + dir + `/authorized
StrictModes no
UsePAM no
PidFile none
PermitRootLogin yes
PasswordAuthentication no
Subsystem sftp internal-sftp
`
	for name, content := range map[string]string{"host": hostKey, "authorized": string(ssh.MarshalAuthorizedKey(userPublic)),
		"conf": conf} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(s.Folder, 0o750); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // where OpenSSH separates privileges
			t.Fatal(err)
		}
	}
	p := harness.Start(t, "sshd", program(t, "sshd"), nil, "-D", "-e", "-f", filepath.Join(dir, "conf"))
	listening(t, p, address)
	return s
}

// newSSHKey returns a private key in OpenSSH's form, and its public half.
func newSSHKey(t testing.TB) (string, ssh.PublicKey) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "test")
	if err != nil {
		t.Fatal(err)
	}
	known, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return string(encodePEM(block.Type, block.Bytes)), known
}

// program finds the program of a server, which may be in a folder that is only in root's path.
func program(t testing.TB, name string) string {
	t.Helper()
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/sbin") {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
			return path
		}
	}
	t.Fatalf("%s is not installed: run scripts/deps.sh test", name)
	return ""
}

// moduleOf returns a folder below tests that is a module of its own. It works in the tests of the console, too, which are
// another module.
func moduleOf(name string) (string, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "moviola").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(root)), "tests", name), nil
}

// cachePath returns a path that all packages of tests share, in an existing folder.
func cachePath(name string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	path := filepath.Join(cache, "moviola-tests", name)
	return path, os.MkdirAll(filepath.Dir(path), 0o750)
}

// buildServer builds, once for all packages of tests, a server whose version a module below tests pins. The server is large, and
// changes only with the version.
func buildServer(module, program string) (string, error) {
	dir, err := moduleOf(module)
	if err != nil {
		return "", err
	}
	path, err := cachePath(filepath.Base(program))
	if err != nil {
		return "", err
	}
	return path, harness.Locked(path, func() error {
		return harness.Run(dir, append(os.Environ(), "CGO_ENABLED=0"), "go", "build", "-o", path, program)
	})
}

// Storage is an S3 server with one bucket.
type Storage struct {
	FileServer
	URL, Bucket, Region string
}

// StartS3 builds and runs Versity's S3 gateway over a folder: it checks signatures. Username and password are the key id and the
// secret.
func StartS3(t testing.TB) Storage {
	t.Helper()
	return startS3(t, nil, "--nometa")
}

// StartS3Bucket is StartS3 with a storage that keeps the types of files, for an installation that stores its own files there.
// address is the value of --blobs; environment has the credentials. pages are origins (at most one) whose pages may upload.
func StartS3Bucket(t testing.TB, pages ...string) (address string, environment []string) {
	t.Helper()
	var allowed []string
	for _, origin := range pages {
		allowed = append(allowed, "--cors-allow-origin", origin)
	}
	return bucketOf(startS3(t, allowed))
}

// StartS3Versions is StartS3Bucket with a storage that can keep former versions of files. The bucket does not yet.
func StartS3Versions(t testing.TB) (address string, environment []string) {
	t.Helper()
	return bucketOf(startS3(t, nil, "--versioning-dir", t.TempDir()))
}

func bucketOf(s Storage) (address string, environment []string) {
	query := url.Values{"region": {s.Region}, "endpoint": {s.URL}, "use_path_style": {"true"}}
	return "s3://" + s.Bucket + "?" + query.Encode(), []string{"AWS_ACCESS_KEY_ID=" + s.Username, "AWS_SECRET_ACCESS_KEY=" +
		s.Password}
}

// startS3 runs the gateway with flags of its own and flags of its storage.
func startS3(t testing.TB, own []string, flags ...string) Storage {
	t.Helper()
	path, err := buildServer("s3server", "github.com/versity/versitygw/cmd/versitygw")
	if err != nil {
		t.Fatal(err)
	}
	dir, address := t.TempDir(), harness.FreeAddr(t)
	s := Storage{URL: "http://" + address, Bucket: "bucket", Region: "eu-test-1", FileServer: FileServer{
		Username: "TESTACCESSKEY", Password: "s3-secret-" + strconv.Itoa(os.Getpid()), Folder: filepath.Join(dir, "bucket"),
		Addresses: []string{address},
	}}
	s.Host, s.Port = split(t, address)
	if err := os.Mkdir(s.Folder, 0o750); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--port", address, "--access", s.Username, "--secret", s.Password, "--region", s.Region,
		"--quiet"}, own...)
	args = append(append(append(args, "posix"), flags...), dir)
	p := harness.Start(t, "versitygw", path, nil, args...)
	listening(t, p, address)
	return s
}
