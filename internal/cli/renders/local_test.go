package renders

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moviola/commands"
	"moviola/domain"
	"moviola/third_party/photographs"
)

// A src of the command line is a path, or an address that stays as it is.
func TestLocalFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a b.jpg")
	if err := os.WriteFile(file, []byte("picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := newLocalFiles("https://service.example", dir)
	const read, as = "read", "as it is"
	for src, want := range map[string]string{
		"a b.jpg": read, "./a b.jpg": read, "../" + filepath.Base(dir) + "/a b.jpg": read, file: read,
		"file://" + dir + "/a%20b.jpg": read, "FILE://localhost" + dir + "/a%20b.jpg": read,
		"https://other.example/a.jpg": as, "http://a.jpg": as, "data:image/png;base64,AA": as, "//other.example/a.jpg": as,
		"b.jpg": "relative paths begin in the folder of the movie JSON, " + dir, dir: "a folder or device", "/dev/null": "a folder or device",
		dir + "/b.jpg": "there is no such file", "file://other/a.jpg": "file:///folder/name", "file:a.jpg": "file:///folder/name",
	} {
		address, err := l.Address(src)
		switch {
		case err != nil:
			var refusal *domain.Error
			if !errors.As(err, &refusal) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", src, err, want)
			}
		case address == src:
			if want != as {
				t.Errorf("%s stays as it is, want %s", src, want)
			}
		case want != read || opened(t, l, address) != "picture" || l.plain("say "+address) != "say "+file:
			t.Errorf("%s: %s, want %s", src, address, want)
		}
	}
}

func opened(t *testing.T, l *localFiles, address string) string {
	t.Helper()
	in, err := l.OpenOwn(t.Context(), "local", strings.TrimPrefix(address, l.base))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	all, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

// Only what was named as a src has an address, and it cannot be guessed from the path.
func TestLocalFiles_guessed(t *testing.T) {
	t.Parallel()
	l := newLocalFiles("https://service.example", "/")
	for _, path := range []string{localPath + "etc/passwd", "/local//etc/passwd", localPath, "/etc/passwd", "/local"} {
		if _, err := l.OpenOwn(t.Context(), "local", path); !errors.Is(err, commands.ErrFileNotFound) {
			t.Errorf("%s: %v", path, err)
		}
	}
	in, err := l.OpenOwn(t.Context(), "local", photographs.Path+"stream.jpg")
	if err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
}

// A file that is written anew has another address, so that nothing kept of it is used; one that comes is noticed.
func TestLocalFiles_changed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLocalFiles("https://service.example", dir)
	write := func(content string) {
		if err := os.WriteFile(filepath.Join(dir, "a.jpg"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Address("a.jpg"); err == nil || l.changed() {
		t.Errorf("%v, changed %v", err, l.changed())
	}
	write("one")
	if !l.changed() {
		t.Error("a file that came is not noticed")
	}
	one, err := l.Address("a.jpg")
	if err != nil || l.changed() {
		t.Fatalf("%v, changed %v", err, l.changed())
	}
	if again, err := l.Address("a.jpg"); err != nil || again != one {
		t.Errorf("%s, then %s, %v", one, again, err)
	}
	write("three")
	if two, err := l.Address("a.jpg"); err != nil || two == one || opened(t, l, two) != "three" {
		t.Errorf("%s, %v", two, err)
	}
}

// TestLocalFiles_changedOnce: each change is reported once, also that of a file that the movie does not name any more, and
// the file gets another address.
func TestLocalFiles_changedOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.jpg")
	l := newLocalFiles("https://service.example", "/")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	one, err := l.Address(file)
	if err != nil {
		t.Fatal(err)
	}
	write("three")
	if !l.changed() || l.changed() {
		t.Error("the change was not reported once")
	}
	if two, err := l.Address(file); err != nil || two == one || opened(t, l, two) != "three" {
		t.Errorf("%s, then %s, %v", one, two, err)
	}
}
