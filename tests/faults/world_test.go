package faults_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"moviola/tests/disk"
	"moviola/tests/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.RemoveBinaries()
	os.Exit(code)
}

type (
	object = map[string]any
	list   = []any
)

// claimTimeout is the silence after which a worker of the installation counts as dead.
const claimTimeout = 4 * time.Second

// member is a process of the installation. It reaches the event store through a wire of its own.
type member struct {
	name    string
	flags   []string
	wire    *harness.Wire
	process *harness.Process
}

// world is an installation in roles: an event store, an API, a process that projects, delivers and keeps, and two renderers.
type world struct {
	t       *testing.T
	service *harness.Service
	store   *harness.Process
	addr    string // address of the event store
	events  string // folder of the event store
	disk    *disk.Disk
	noDisk  error // why there is no disk to fill
	members []*member

	restarts int // how many times a process ended by itself
}

func newWorld(t *testing.T, allow ...string) *world {
	t.Helper()
	w := &world{t: t, addr: harness.FreeAddr(t)}
	if w.disk, w.noDisk = disk.Make(t, 256); w.noDisk == nil {
		w.events = filepath.Join(w.disk.Path, "events")
	} else {
		w.events = filepath.Join(t.TempDir(), "events")
	}
	w.startStore()
	flags := []string{"--claim-timeout", claimTimeout.String(), "--retry-limit", "5s"}
	for _, host := range allow {
		flags = append(flags, "--allow-host", host)
	}
	w.service = harness.NewService(t, flags...)
	for _, m := range []member{
		{name: "api", flags: []string{"--roles", "api"}},
		{name: "back", flags: []string{"--roles", "projector,deliverer,keeper"}},
		{name: "renderer-1", flags: []string{"--roles", "renderer"}},
		{name: "renderer-2", flags: []string{"--roles", "renderer"}},
	} {
		m.wire = harness.NewWire(t, w.addr)
		m.flags = append(m.flags, "--eventstore", "esdb://"+m.wire.Addr+"?tls=false")
		w.members = append(w.members, &m)
		w.start(&m)
	}
	w.service.WaitReady()
	return w
}

func (w *world) startStore() {
	w.t.Helper()
	w.store = harness.StartEventStore(w.t, w.events, w.addr)
}

func (w *world) start(m *member) {
	w.t.Helper()
	if m.name == "api" {
		w.service.LaunchAPI(m.flags...)
		m.process = w.service.API
		return
	}
	m.process = w.service.StartProcess(m.name, m.flags...)
}

// deploy replaces a process as a container runtime does: SIGTERM, ten seconds of grace, SIGKILL. It says whether the grace was enough.
func (w *world) deploy(m *member) (inTime bool) {
	w.t.Helper()
	m.process.Signal(syscall.SIGTERM)
	inTime = m.process.EndsWithin(10 * time.Second)
	m.process.Kill()
	w.start(m)
	return inTime
}

// mend takes back every fault and starts what has ended, as a supervisor does.
func (w *world) mend() {
	w.t.Helper()
	for _, m := range w.members {
		m.wire.Mend()
	}
	if w.store.Exited() {
		w.ended(w.store)
		w.startStore()
	}
	for _, m := range w.members {
		if m.process.Exited() {
			w.ended(m.process)
			w.start(m)
		}
	}
}

// ended looks at a process that has ended without being told to: it may give up what it cannot reach, but must not crash.
func (w *world) ended(p *harness.Process) {
	w.t.Helper()
	w.restarts++
	for _, sign := range []string{"panic:", "fatal error:", "DATA RACE"} {
		if strings.Contains(p.Output(), sign) {
			w.t.Errorf("a process crashed:\n%s", p.Output())
		}
	}
}

func (m *member) String() string { return fmt.Sprintf("%s (process %d)", m.name, m.process.Pid()) }
