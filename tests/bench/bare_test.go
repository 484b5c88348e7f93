package bench_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/mux"
)

// bareEnv names the variable that makes this test binary a bare handler: it holds the file whose content is the answer.
const bareEnv = "MOVIOLA_BENCH_ANSWER"

// serveBare answers one path of a router with the same bytes every time, until its standard input ends.
func serveBare(file string) error {
	answer, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	router := mux.NewRouter()
	router.HandleFunc("/v2/movies", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = w.Write(answer) // an error means that the client has gone
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: router, ReadHeaderTimeout: time.Minute}
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		_ = server.Close()
	}()
	fmt.Println(listener.Addr())
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// startBare runs a bare handler in a process of its own, as the service is one. It ends with the returned function.
func startBare(b *testing.B, answer []byte) (pid int, addr string, end func()) {
	b.Helper()
	file := filepath.Join(b.TempDir(), "answer")
	if err := os.WriteFile(file, answer, 0o600); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), bareEnv+"="+file)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatalf("the bare handler did not start: %v", err)
	}
	return cmd.Process.Pid, strings.TrimSpace(line), func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	}
}
