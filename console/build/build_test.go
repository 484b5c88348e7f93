package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func rootOf(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestBuilt: the files that the program is built with are those that the sources give, byte for byte.
func TestBuilt(t *testing.T) {
	t.Parallel()
	root := rootOf(t)
	files, err := build(root)
	if err != nil {
		t.Fatal(err)
	}
	present, err := os.ReadDir(filepath.Join(root, built))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range present {
		if _, made := files[entry.Name()]; !made {
			t.Errorf("%s is not made from the sources: run make console", entry.Name())
		}
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, built, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the sources give: run make console (%v)", name, err)
		}
	}
}

// firstView is how many bytes a browser may load before it shows the first page.
const firstView = 150_000

// imported is a part that is loaded together with the one that names it; import(…) is loaded later, when a page needs it.
var imported = regexp.MustCompile(`(?:from|import)"\./([^"]+)"`)

// TestFirstView: what the first page needs is small, as it goes over the wire.
func TestFirstView(t *testing.T) {
	t.Parallel()
	files, err := build(rootOf(t))
	if err != nil {
		t.Fatal(err)
	}
	needed := []string{"index.html", "main.js", "styles.css", "icon.svg"}
	counted, total := map[string]bool{}, 0
	for len(needed) > 0 {
		name := needed[0]
		needed = needed[1:]
		if counted[name] {
			continue
		}
		counted[name] = true
		total += packed(t, files[name])
		for _, part := range imported.FindAllSubmatch(files[name], -1) {
			needed = append(needed, string(part[1]))
		}
	}
	t.Logf("%d bytes in %d files", total, len(counted))
	if total == 0 || total > firstView {
		t.Errorf("the first view is %d bytes, the most is %d", total, firstView)
	}
	for name := range counted {
		if bytes.Contains(files[name], []byte("cm-editor")) {
			t.Errorf("the editor is loaded with the first view, in %s", name)
		}
	}
}

func packed(t *testing.T, content []byte) int {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

// TestPackages: the packages are as they were published: each file has the sum that is written down, and none is there besides.
func TestPackages(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(rootOf(t), packages)
	list, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(list)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			t.Fatalf("SHA256SUMS has the line %q", line)
		}
		sums[name] = sum
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Dir(path) == dir {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		if got := hex.EncodeToString(sum[:]); sums[filepath.ToSlash(name)] != got {
			t.Errorf("%s has the sum %s, SHA256SUMS says %q", name, got, sums[filepath.ToSlash(name)])
		}
		delete(sums, filepath.ToSlash(name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range sums {
		t.Errorf("%s is missing", name)
	}
}

// inline is what the policy of the console's pages forbids, and their source must not have.
var inline = regexp.MustCompile(`(?i)<style|\sstyle="|\son\w+="|<script(?:\s+type="module")?>`)

// TestPage: the page has no script and no style of its own, and asks for what is there.
func TestPage(t *testing.T) {
	t.Parallel()
	files, err := build(rootOf(t))
	if err != nil {
		t.Fatal(err)
	}
	page := files["index.html"]
	if found := inline.Find(page); found != nil {
		t.Errorf("index.html has %q", found)
	}
	links := regexp.MustCompile(`(?:src|href)="/console/assets/([^"]+)"`).FindAllSubmatch(page, -1)
	if len(links) < 3 {
		t.Errorf("index.html asks for %d files", len(links))
	}
	for _, link := range links {
		if files[string(link[1])] == nil {
			t.Errorf("index.html asks for %s, which is not built", link[1])
		}
	}
}
