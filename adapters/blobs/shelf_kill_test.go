package blobs_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"moviola/adapters/blobs"
)

// childFolder names the variable that makes the test binary a process that puts documents into a folder until it is killed.
const childFolder = "MOVIOLA_TEST_SHELF_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		fmt.Fprintln(os.Stderr, putForEver(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// content is what a test stores under a key: some of it fits into a page of the file, most of it does not.
func content(key string) string {
	return strings.Repeat(key+" ", 1+int(crc32.ChecksumIEEE([]byte(key))%1000))
}

// putForEver puts documents with many hands, and names each on standard output once it is stored. Every third is removed again.
func putForEver(dir string) error {
	bucket, err := blobs.Open(context.Background(), dir, "movies/")
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent
		os.Exit(2)
	}()
	var mu sync.Mutex
	say := func(what, key string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(what, key)
	}
	failed := make(chan error)
	for hand := range 8 {
		go func() {
			for i := 0; ; i++ {
				key := fmt.Sprintf("movies/%d/%d-%d.json", os.Getpid(), hand, i)
				err := bucket.Put(context.Background(), key, strings.NewReader(content(key)))
				if err == nil {
					say("stored", key)
				}
				if err == nil && i%3 == 0 {
					say("removing", key)
					if err = bucket.Delete(context.Background(), key); err == nil {
						say("removed", key)
					}
				}
				if err != nil {
					failed <- err
				}
			}
		}()
	}
	return <-failed
}

// ended runs a child until it has said a number of lines, lets end end it, and returns all that it said.
func ended(t *testing.T, dir string, lines int, end func(child *os.Process)) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childFolder+"="+dir)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Error(err)
		return nil
	}
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return nil
	}
	defer stdin.Close()
	var said []string
	for in := bufio.NewScanner(stdout); in.Scan(); {
		if said = append(said, in.Text()); len(said) == lines {
			end(cmd.Process) // what it has said before is read to the end
		}
	}
	if err := cmd.Wait(); len(said) < lines {
		t.Errorf("the child ended by itself: %v, %s", err, complaints.String())
	}
	return said
}

func kill(child *os.Process) { _ = child.Kill() } // it is there, nobody else waits for it

// TestShelf_Kill kills two processes that share a folder, again and again. What they have said is stored is there and whole, and
// what they have said is removed is gone.
func TestShelf_Kill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for round := range 6 {
		var all sync.WaitGroup
		said := make([][]string, 2)
		for child := range said {
			all.Go(func() { said[child] = ended(t, dir, 40+100*round, kill) })
		}
		all.Wait()
		requireKept(t, mustOpen(t, dir, "movies/"), append(said[0], said[1]...))
	}
}

// requireKept compares what processes have said with what is stored.
func requireKept(t *testing.T, bucket *blobs.Bucket, said []string) {
	t.Helper()
	state := map[string]string{}
	for _, line := range said {
		if what, key, whole := strings.Cut(line, " "); whole && strings.HasSuffix(key, ".json") {
			state[key] = what
		}
	}
	stored, removed := 0, 0
	for key, what := range state {
		got, err := readAll(t, bucket, key)
		switch {
		case what == "stored" && (err != nil || got != content(key)):
			t.Errorf("%s was stored: %q, %v", key, got, err)
		case what == "removed" && err == nil:
			t.Errorf("%s was removed, and is there", key)
		case err == nil && got != content(key):
			t.Errorf("%s is not whole: %q", key, got)
		}
		if what == "stored" {
			stored++
		} else if what == "removed" {
			removed++
		}
	}
	if stored == 0 || removed == 0 {
		t.Errorf("%d were stored and %d removed", stored, removed)
	}
}

func readAll(t *testing.T, bucket *blobs.Bucket, key string) (string, error) {
	t.Helper()
	file, err := bucket.Open(t.Context(), key)
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(file)
	return string(body), errors.Join(err, file.Close())
}
