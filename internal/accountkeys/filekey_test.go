package accountkeys_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"moviola/internal/accountkeys"
)

// segment is the size of a segment of an encrypted file.
const segment = 1<<20 + 28

func fileKey(t *testing.T, random byte) accountkeys.FileKey {
	t.Helper()
	key, err := accountkeys.NewFileKey(bytes.Repeat([]byte{random}, accountkeys.Bytes))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sealed(t *testing.T, key accountkeys.FileKey, name, content string) []byte {
	t.Helper()
	all, err := io.ReadAll(key.Seal(name, iotest.HalfReader(strings.NewReader(content))))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFileKey: files of all sizes around that of a segment come back, are encrypted alike each time, and show nothing.
func TestFileKey(t *testing.T) {
	t.Parallel()
	key := fileKey(t, 1)
	for _, size := range []int{0, 1, 1<<20 - 1, 1 << 20, 1<<20 + 1, 3 << 20} {
		content := strings.Repeat("canary", size/6+1)[:size]
		first := sealed(t, key, "media/ada/a", content)
		if !bytes.Equal(first, sealed(t, key, "media/ada/a", content)) {
			t.Errorf("%d bytes are encrypted differently each time", size)
		}
		if bytes.Contains(first, []byte("canary")) || size > 0 && bytes.Equal(first, sealed(t, key, "media/ada/b", content)) {
			t.Errorf("%d bytes can be seen", size)
		}
		if want := size + 28*max(1, (size+1<<20-1)>>20); len(first) != want {
			t.Errorf("%d bytes become %d, want %d", size, len(first), want)
		}
		if got := accountkeys.OpenedSize(int64(len(first))); got != int64(size) {
			t.Errorf("of %d bytes it is said that they were %d", size, got)
		}
		back, err := io.ReadAll(key.Open("media/ada/a", iotest.OneByteReader(bytes.NewReader(first))))
		if err != nil || string(back) != content {
			t.Errorf("%d bytes came back as %d, %v", size, len(back), err)
		}
	}
}

// TestFileKey_changed: whatever is done to an encrypted file of three segments is found, before a changed byte is returned.
func TestFileKey_changed(t *testing.T) {
	t.Parallel()
	key := fileKey(t, 1)
	content := strings.Repeat("0123456789abcdef", 5<<20/2/16)
	whole := sealed(t, key, "a", content)
	flipped := bytes.Clone(whole)
	flipped[segment+100] ^= 1
	for name, row := range map[string]struct {
		key  accountkeys.FileKey
		as   string
		file []byte
	}{
		"another account's key":     {fileKey(t, 2), "a", whole},
		"under another name":        {key, "b", whole},
		"a changed byte":            {key, "a", flipped},
		"without its last segment":  {key, "a", whole[:2*segment]},
		"cut within a segment":      {key, "a", whole[:segment+500]},
		"without its first segment": {key, "a", whole[segment:]},
		"two segments swapped":      {key, "a", slices.Concat(whole[segment:2*segment], whole[:segment], whole[2*segment:])},
		"with a segment twice":      {key, "a", slices.Concat(whole, whole[2*segment:])},
		"without anything":          {key, "a", nil},
		"with a byte more":          {key, "a", append(bytes.Clone(whole), 0)},
	} {
		got, err := io.ReadAll(row.key.Open(row.as, bytes.NewReader(row.file)))
		if err == nil || !strings.HasPrefix(content, string(got)) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if _, err := accountkeys.NewFileKey(make([]byte, 31)); err == nil {
		t.Error("a key of 31 bytes is taken")
	}
}

// TestFileKey_unreadable: the error of reading a file is returned, and is no end of the file.
func TestFileKey_unreadable(t *testing.T) {
	t.Parallel()
	key := fileKey(t, 1)
	broken := func(content string) io.Reader {
		return io.MultiReader(strings.NewReader(content), iotest.ErrReader(io.ErrClosedPipe))
	}
	for _, size := range []int{0, 10, 1 << 20} {
		if _, err := io.ReadAll(key.Seal("a", broken(strings.Repeat("x", size)))); err != io.ErrClosedPipe { //nolint:errorlint // the very error
			t.Errorf("after %d bytes: %v", size, err)
		}
	}
}
