package harness

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// AdminToken guards the operator interface of every service under test.
const AdminToken = "test-admin-token-0123456789"

// Service is a running installation: an API process and whatever stands beside it.
type Service struct {
	t     testing.TB
	Data  string // data folder, shared by all processes of the installation
	addr  string
	flags []string // flags of every process
	API   *Process

	// Environment are variables, as name=value, that processes started from now on have besides the test's own variables.
	Environment []string

	// Program is the program that processes started from now on run. Default: the one that Binary builds.
	Program string
}

// NewService prepares an installation in a fresh data folder; flags go to every process of it.
func NewService(t testing.TB, flags ...string) *Service {
	t.Helper()
	if wait := untilMonth(time.Now()); wait > 0 {
		<-time.After(wait)
	}
	s := &Service{t: t, Data: t.TempDir(), addr: FreeAddr(t), flags: flags}
	t.Cleanup(s.WaitIdle)
	return s
}

// WaitIdle waits until no process of the installation is left.
func (s *Service) WaitIdle() {
	s.t.Helper()
	waitIdle(s.t, s.Data)
}

// Processes returns the commands of the processes that work in the data folder or name it in their arguments.
func (s *Service) Processes() []string {
	s.t.Helper()
	return processesIn(s.t, s.Data)
}

// StartAPI starts the process that serves HTTP (and, unless told otherwise, plays every other role) and waits until it answers.
func (s *Service) StartAPI(flags ...string) {
	s.t.Helper()
	s.LaunchAPI(flags...)
	s.WaitReady()
}

// LaunchAPI is StartAPI without the wait.
func (s *Service) LaunchAPI(flags ...string) {
	s.t.Helper()
	s.API = s.StartProcess("api", append([]string{"--listen", s.addr}, flags...)...)
}

// StartProcess starts `moviola serve` on the installation's data folder. The process takes work however little room
// the disk has; a test about room sets its own reserve by a flag.
func (s *Service) StartProcess(name string, flags ...string) *Process {
	s.t.Helper()
	args := append([]string{"serve", "--data", s.Data, "--ops-listen", "", "--library=false", "--wrong-token-delay", "1ms"},
		s.flags...)
	program := s.Program
	if program == "" {
		program = Binary(s.t)
	}
	environment := append([]string{"MOVIOLA_ADMIN_TOKEN=" + AdminToken, "MOVIOLA_FONTS_URL=", "MOVIOLA_DISK_RESERVE=off"},
		s.Environment...)
	return Start(s.t, name, program, environment, append(args, flags...)...)
}

// WaitReady waits until the HTTP interface answers.
func (s *Service) WaitReady() {
	s.t.Helper()
	c := s.Client("")
	Eventually(s.t, "the HTTP interface answers", func() bool {
		if s.API.Exited() {
			s.t.Fatalf("the service ended:\n%s", s.API.Output())
		}
		answer, ok := c.Try(http.MethodGet, "/movies", nil)
		return ok && answer.Status == http.StatusUnauthorized
	})
}

// Client returns a client with a key.
func (s *Service) Client(key string) *Client {
	return &Client{t: s.t, Base: "http://" + s.addr, Key: key}
}

// NewAccount opens an account and returns a client with its admin key. Credits below 0 leave the default.
func (s *Service) NewAccount(name string, credits int) *Client {
	s.t.Helper()
	_, client := s.OpenAccount(name, credits)
	return client
}

// OpenAccount is NewAccount, and also returns the account's id.
func (s *Service) OpenAccount(name string, credits int) (account string, client *Client) {
	s.t.Helper()
	request := map[string]any{"name": name, "plan": "paid"}
	if credits >= 0 {
		request["credits"] = credits
	}
	body, err := json.Marshal(request)
	if err != nil {
		s.t.Fatal(err)
	}
	c := s.Client("")
	answer := c.send(http.MethodPost, c.Base+"/admin/accounts", body, map[string]string{"x-admin-token": AdminToken})
	var got struct {
		Success bool   `json:"success"`
		Account string `json:"account"`
		Key     string `json:"key"`
	}
	answer.Into(s.t, &got)
	if answer.Status != http.StatusOK || !got.Success || got.Key == "" {
		s.t.Fatalf("POST /admin/accounts: %d %s", answer.Status, answer.Body)
	}
	return got.Account, s.Client(got.Key)
}

// StartEventStore runs `moviola eventstore serve` on the folder dir until the test ends, and returns the process once it
// listens at addr.
func StartEventStore(t testing.TB, dir, addr string, flags ...string) *Process {
	t.Helper()
	args := append([]string{"eventstore", "serve", "--data", dir, "--listen", addr}, flags...)
	p := Start(t, "eventstore", Binary(t), nil, args...)
	Eventually(t, "the event store listens", func() bool {
		if p.Exited() {
			t.Fatalf("the event store ended:\n%s", p.Output())
		}
		return strings.Contains(p.Output(), addr)
	})
	return p
}

// StartMongo builds and runs the MongoDB-protocol server of tests/mongo and returns its address.
func StartMongo(t testing.TB) string {
	t.Helper()
	path := build(t, "ferret", filepath.Join(Root(t), "tests", "mongo"), append(os.Environ(), "CGO_ENABLED=0"), "./ferret")
	p := Start(t, "mongo", path, nil, "-listen", "127.0.0.1:0", "-dir", t.TempDir())
	var url string
	Eventually(t, "the MongoDB server is ready", func() bool {
		if p.Exited() {
			t.Fatalf("the MongoDB server ended:\n%s", p.Output())
		}
		for line := range bytes.Lines([]byte(p.Output())) {
			if at := bytes.Index(line, []byte("mongodb://")); at >= 0 && bytes.HasSuffix(line, []byte("\n")) {
				url = string(bytes.TrimSpace(line[at:]))
			}
		}
		return url != ""
	})
	return url
}
