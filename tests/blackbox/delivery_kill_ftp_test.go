package blackbox_test

import (
	"bufio"
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"moviola/tests/harness"
	"moviola/tests/harness/servers"
)

// gate stands before the control connections of an FTP server. The first reply of a code ends the service with SIGKILL: before it is
// passed on, so that nobody can know of it, or behind it, before it can be recorded. Files go past the gate.
type gate struct {
	t        *testing.T
	server   servers.FileServer
	listener net.Listener
	open     sync.WaitGroup

	mu      sync.Mutex
	process *harness.Process // process that is to be killed; nil: it was killed
	reply   string           // code of the reply at which the process is killed
	late    bool             // the process is killed after the reply was passed on, not before
	files   []string         // names of the files that were sent
	left    []byte           // what had arrived of the first file when the process was killed
}

func newGate(t *testing.T, server servers.FileServer) *gate {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{t: t, server: server, listener: listener}
	g.open.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // the test is over
			}
			g.open.Go(func() { g.serve(client) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		g.open.Wait()
	})
	return g
}

// serve passes one control connection on, line by line, until either side ends it.
func (g *gate) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", net.JoinHostPort(g.server.Host, g.server.Port))
	if err != nil {
		g.t.Error(err)
		return
	}
	defer server.Close()
	g.open.Go(func() {
		defer server.Close()
		for commands := bufio.NewReader(client); ; {
			line, err := commands.ReadString('\n')
			if err != nil {
				return
			}
			g.note(line)
			if _, err := server.Write([]byte(line)); err != nil {
				return
			}
		}
	})
	for replies := bufio.NewReader(server); ; {
		line, err := replies.ReadString('\n')
		if err != nil || !g.pass(client, line) {
			return
		}
	}
}

// note remembers the file that a command sends.
func (g *gate) note(command string) {
	if name, ok := strings.CutPrefix(strings.TrimSpace(command), "STOR "); ok {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.files = append(g.files, name)
	}
}

// pass passes a reply on, and kills if it is the one. False: the connection is over.
func (g *gate) pass(client net.Conn, reply string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.process == nil || len(g.files) == 0 || !strings.HasPrefix(reply, g.reply+" ") {
		_, err := client.Write([]byte(reply))
		return err == nil
	}
	var err error
	if g.left, err = os.ReadFile(filepath.Join(g.server.Folder, g.files[0])); err != nil {
		g.t.Error(err)
	}
	if g.late {
		if _, err := client.Write([]byte(reply)); err != nil {
			g.t.Error(err)
		}
	}
	g.process.Kill() // and waits
	g.process = nil
	return false
}

// arm makes the next reply of a code one that kills a process.
func (g *gate) arm(process *harness.Process, reply string, late bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.process, g.reply, g.late, g.files, g.left = process, reply, late, nil, nil
}

// taken are the names of the files that were sent since the gate was armed, and what had arrived when it killed.
func (g *gate) taken() (files []string, left []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.files, g.left
}

// TestKilledExport ends the whole service between an upload to a real FTP server and its record: the file is there, whole, once, and
// was sent at most twice. Decision 32; reliability §1.
func TestKilledExport(t *testing.T) {
	t.Parallel()
	steady, server := harness.NewReceiver(t), servers.StartFTP(t, nil)
	g := newGate(t, server)
	flags := []string{"--allow-host", steady.Host, "--allow-host", g.listener.Addr().String(), "--claim-timeout", "1h"}
	for _, address := range server.Addresses { // where files are taken
		flags = append(flags, "--allow-host", address)
	}
	service := harness.NewService(t, flags...)
	service.StartAPI()
	client := service.NewAccount("killed", 600)
	host, port, err := net.SplitHostPort(g.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, reply string
		late        bool
	}{
		{"before the file", "150", false},
		{"before the answer", "226", false},
		{"behind the answer", "226", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g.arm(service.API, tt.reply, tt.late)
			folder := strings.ReplaceAll(tt.name, " ", "-")
			movie := survive(t, service, client, steady, tt.name, object{
				"type": "ftp", "host": host, "port": port, "username": server.Username, "password": server.Password, "remote-path": folder,
			})
			video := client.Download(*movie.URL, nil).Body
			files, left := g.taken()
			t.Logf("sent: %v, %d bytes had arrived", files, len(left))
			if received := bytes.Equal(left, video); received != (tt.reply == "226") {
				t.Errorf("the service was killed when %d bytes of %d had arrived", len(left), len(video))
			}
			switch {
			case len(files) == 0 || len(files) > 2:
				t.Fatalf("%d uploads, want one or two", len(files))
			case len(files) == 1 && !tt.late:
				t.Error("one upload: the answer never came, yet it counts as delivered")
			case files[0] != files[len(files)-1]:
				t.Errorf("the second upload has another name: %v", files)
			}
			found, err := os.ReadDir(filepath.Join(server.Folder, folder))
			if err != nil || len(found) != 1 {
				t.Fatalf("arrived: %v, %v, want one file", found, err)
			}
			name := found[0].Name() // files are sent under another name, and renamed when they are whole
			got, err := os.ReadFile(filepath.Join(server.Folder, folder, name))
			if err != nil || !bytes.Equal(got, video) || strings.HasSuffix(name, ".part") || name == filepath.Base(files[0]) {
				t.Errorf("%d bytes arrived as %s, %v, the video has %d", len(got), name, err, len(video))
			}
		})
	}
}
