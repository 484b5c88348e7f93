package escape_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"moviola/adapters/browser"
	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/speech"
	"moviola/internal/jail"
)

// baseVariable makes this program attack from the folder it names.
const baseVariable = "ESCAPE_BASE"

// neither is a machine with nothing but filters of system calls and limits.
const neither = "neither namespaces nor Landlock"

// machines are those of which the jails are tried: what each of them lacks.
var machines = []struct {
	name    string
	without []jail.Layer
}{
	{"all layers", nil},
	{"no namespaces", []jail.Layer{jail.Namespaces}},
	{"no Landlock", []jail.Layer{jail.Landlock}},
	{neither, []jail.Layer{jail.Namespaces, jail.Landlock}},
}

// world is what there is to be attacked. See probe.
type world struct {
	Data, Shared, Job, Home, Disk string
	Socket, Datagram, Abstract    string
	Store, Ops, UDP               int
	Victim                        int
	Buffer                        uint64
	Key                           int
	Queue                         string
	Leaked                        int
}

const attackTime = 10 * time.Minute

// attack runs the probe in every jail of every machine and then outside, and prints what it said.
func attack(base string) {
	ctx, cancel := context.WithTimeout(context.Background(), attackTime)
	defer cancel()
	if err := attackFrom(ctx, base); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func attackFrom(ctx context.Context, base string) (err error) {
	w, end, err := makeWorld(ctx, base)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	asked, err := json.Marshal(w)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	probe := filepath.Join(base, "bin", "probe")
	var runs []run
	for _, m := range machines {
		j, err := jail.New(jail.Config{Self: self, Without: m.without})
		if err != nil {
			return err
		}
		policies, err := w.policies(base, j)
		if err != nil {
			return err
		}
		for _, p := range policies {
			c, err := j.Child(ctx, p, probe, []string{string(asked)})
			if err = errors.Join(err, fill(base)); err != nil {
				return err
			}
			place := m.name
			if bare(j) {
				place = neither
			}
			runs = append(runs, collect(p.Program+", "+place, c.Cmd))
			c.Release()
			if c.Handover != nil {
				_ = c.Handover.Close()
			}
		}
	}
	if err := fill(base); err != nil {
		return err
	}
	runs = append(runs, collect(outside, exec.CommandContext(ctx, probe, string(asked))))
	return json.NewEncoder(os.Stdout).Encode(runs)
}

// bare says that a jail has neither namespaces nor Landlock, because this machine has not either.
func bare(j *jail.Jail) bool {
	for _, s := range j.Report(speech.Policy()) {
		if s.Condition != jail.Missing && (s.Layer == jail.Namespaces || s.Layer == jail.Landlock) {
			return false
		}
	}
	return true
}

// policies are those of the programs that the service starts.
func (w world) policies(base string, j *jail.Jail) ([]jail.Policy, error) {
	all := append(ffmpeg.Policies(filepath.Join(base, "source"), w.Job), speech.Policy())
	if j.Refuses(jail.AllSpaces) == nil {
		return append(all, browser.Policy()), nil
	}
	home, err := os.MkdirTemp(base, "home-")
	if err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 {
		err = os.Chown(home, jail.Nobody, jail.Nobody)
	}
	// Without namespaces and Chromium's sandbox the browser writes to a folder, and connects to ports of this host.
	open := browser.Policy()
	open.Spaces, open.Maps, open.Home, open.Ports = jail.NoSpaces, false, home, []uint16{1, 2}
	return append(all, open), err
}

// collect runs a probe and reads what it says.
func collect(place string, cmd *exec.Cmd) run {
	r := run{Place: place}
	var said, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaint
	if err := cmd.Run(); err != nil {
		r.Error = fmt.Sprintf("%v: %s", err, complaint.String())
	}
	for dec := json.NewDecoder(&said); dec.More(); {
		var row result
		if err := dec.Decode(&row); err != nil {
			r.Error += err.Error()
			break
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

// makeWorld makes everything that is attacked. end takes it away.
func makeWorld(ctx context.Context, base string) (w world, end func() error, err error) {
	in := func(path string) string { return filepath.Join(base, path) }
	w = world{
		Data: in("data"), Shared: in("shared"), Job: in("data/work/job"), Home: in("home/file"), Disk: disk(),
		Socket: in("data/store.sock"), Datagram: in("data/datagram.sock"), Abstract: "@" + base, Leaked: 200,
		Key: os.Getpid(), Queue: filepath.Base(base),
	}
	for _, folder := range []string{"data", "data/work", "data/work/job", "data/work/other", "shared", "home"} {
		if err := os.Mkdir(in(folder), 0o700); err != nil {
			return w, nil, err
		}
	}
	if err := fill(base); err != nil {
		return w, nil, err
	}
	if err := w.listen(); err != nil {
		return w, nil, err
	}
	if err := w.leave(); err != nil {
		return w, nil, err
	}
	end, err = w.startVictim(ctx, in("bin/probe"))
	return w, end, err
}

// fill makes the files anew that an attack may have changed.
func fill(base string) error {
	for _, file := range []string{
		"data/secret", "data/events.db", "data/work/other/source", "data/delete", "data/rename", "data/truncate", "home/file", "source",
	} {
		if err := os.WriteFile(filepath.Join(base, file), []byte("what nobody else may read"), 0o600); err != nil {
			return err
		}
	}
	return os.RemoveAll(filepath.Join(base, "data/work/job/link"))
}

// listen opens the sockets. They are closed with this process.
func (w *world) listen() error {
	if _, err := net.Listen("unix", w.Socket); err != nil {
		return err
	}
	if _, err := net.Listen("unix", w.Abstract); err != nil {
		return err
	}
	if _, err := net.ListenPacket("unixgram", w.Datagram); err != nil {
		return err
	}
	for _, port := range []*int{&w.Store, &w.Ops} {
		ln, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return err
		}
		*port = ln.Addr().(*net.TCPAddr).Port
	}
	udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	w.UDP = udp.LocalAddr().(*net.UDPAddr).Port
	return nil
}

// leave leaves what belongs to the whole system: shared memory, a queue, and a descriptor that every child inherits.
func (w world) leave() error {
	if _, err := unix.SysvShmGet(w.Key, 4096, unix.IPC_CREAT|0o600); err != nil {
		return fmt.Errorf("make shared memory: %w", err)
	}
	if err := openQueue(w.Queue); err != nil {
		return fmt.Errorf("make a queue: %w", err)
	}
	fd, err := unix.Open(filepath.Join(w.Data, "secret"), unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	return unix.Dup3(fd, w.Leaked, 0)
}

// startVictim starts the process that others want to get at. end says whether its memory is as it was.
func (w *world) startVictim(ctx context.Context, probe string) (end func() error, err error) {
	victim := exec.CommandContext(ctx, probe, "victim")
	in, err := victim.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := victim.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := victim.Start(); err != nil {
		return nil, err
	}
	if _, err := fmt.Fscan(bufio.NewReader(out), &w.Victim, &w.Buffer); err != nil {
		return nil, err
	}
	key, queue := w.Key, w.Queue
	return func() error {
		if id, err := unix.SysvShmGet(key, 0, 0); err == nil {
			_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		}
		_ = removeQueue(queue)
		err := in.Close()
		_ = victim.Wait() // it may have been limited and traced
		return err
	}, nil
}

// disk is a device of the system, or a name that is none.
func disk() string {
	found, err := filepath.Glob("/sys/block/*/size")
	if err != nil {
		return "/dev/sda"
	}
	for _, path := range found {
		if size, err := os.ReadFile(path); err == nil && string(size) != "0\n" {
			return filepath.Join("/dev", filepath.Base(filepath.Dir(path)))
		}
	}
	return "/dev/sda"
}
