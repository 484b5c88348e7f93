package renders

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"moviola/commands"
	"moviola/domain"
	"moviola/handlers/http/files"
	"moviola/internal/app/rendering"
)

// localPath is the path, below the made-up address of a service, under which movies name files of this machine.
const localPath = "/local/"

var _ rendering.LocalFiles = (*localFiles)(nil)

// localFiles are the files of this machine that a movie names as src of its media elements. Each gets an address that cannot be
// guessed, so that nothing else in a movie can name it.
type localFiles struct {
	files.Photographs
	base   string // made-up address of a service, with which the addresses of files begin
	folder string // folder to which relative paths refer

	mu     sync.Mutex
	named  map[string]seenFile // states of the files, by their paths
	byPath map[string]string   // paths, by the last parts of their addresses
}

// seenFile is the state of a file when its address was last requested, or when the method changed last reported a change of
// it. token is the last part of its address; it is empty after such a report, and when the file could not be looked up.
type seenFile struct {
	token string
	state fileState
}

func newLocalFiles(base, folder string) *localFiles {
	return &localFiles{base: base, folder: folder, named: map[string]seenFile{}, byPath: map[string]string{}}
}

// scheme matches the beginning of an address, and of other texts that are no path.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// pathOf returns the path that a src names; false: the src is no path.
func (l *localFiles) pathOf(src string) (path string, ok bool, err error) {
	if rest := strings.ToLower(src); strings.HasPrefix(rest, "file:") {
		u, err := url.Parse(src)
		if err != nil || u.Opaque != "" || u.Host != "" && u.Host != "localhost" || u.Path == "" {
			return "", false, refuseLocal(src, "a file of this machine is written file:///folder/name")
		}
		return filepath.Clean(u.Path), true, nil
	}
	if scheme.MatchString(src) || strings.HasPrefix(src, "//") {
		return "", false, nil
	}
	if filepath.IsAbs(src) {
		return filepath.Clean(src), true, nil
	}
	return filepath.Join(l.folder, src), true, nil
}

func refuseLocal(src, why string) error {
	return domain.Errorf(domain.Invalid, "asset_download_failed", "The file '%.200s' cannot be read: %s", src, why)
}

// Address implements rendering.LocalFiles. A changed file has another address.
func (l *localFiles) Address(src string) (string, error) {
	path, ok, err := l.pathOf(src)
	if err != nil || !ok {
		return src, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := os.Stat(path)
	if err != nil {
		l.named[path] = seenFile{}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && filepath.IsAbs(src):
		return "", refuseLocal(src, "there is no such file")
	case errors.Is(err, fs.ErrNotExist):
		return "", refuseLocal(src, "there is no such file; relative paths begin in the folder of the movie JSON, "+l.folder)
	case err != nil:
		return "", refuseLocal(src, err.Error())
	case !info.Mode().IsRegular():
		return "", refuseLocal(src, "it is a folder or device, no file")
	}
	state := fileState{info.Size(), info.ModTime().UnixNano()}
	seen := l.named[path]
	if seen.token == "" || seen.state != state {
		seen = seenFile{rand.Text(), state}
		l.named[path], l.byPath[seen.token] = seen, path
	}
	return l.base + localPath + seen.token, nil
}

// OpenOwn opens a file that Address has given an address, or a photograph of the template library.
func (l *localFiles) OpenOwn(ctx context.Context, account domain.AccountID, path string) (io.ReadCloser, error) {
	token, ok := strings.CutPrefix(path, localPath)
	if !ok {
		return l.Photographs.OpenOwn(ctx, account, path)
	}
	l.mu.Lock()
	name, ok := l.byPath[token]
	l.mu.Unlock()
	if !ok {
		return nil, commands.ErrFileNotFound
	}
	return os.Open(name)
}

// changed reports whether a file that was asked for has changed since then. It reports each change once, because a movie
// that does not name the file any more never asks for it again.
func (l *localFiles) changed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := false
	for path, seen := range l.named {
		if now := stateOf(path); now != seen.state {
			l.named[path] = seenFile{state: now}
			found = true
		}
	}
	return found
}

// plain replaces the addresses of local files in a message by their paths.
func (l *localFiles) plain(text string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for token, path := range l.byPath {
		text = strings.ReplaceAll(text, l.base+localPath+token, path)
	}
	return text
}

// told returns an error whose message names local files by their paths.
func (l *localFiles) told(err error) error {
	if err == nil {
		return nil
	}
	if text := l.plain(err.Error()); text != err.Error() {
		return plainError{text, err}
	}
	return err
}

type plainError struct {
	text string
	error
}

func (e plainError) Error() string { return e.text }
func (e plainError) Unwrap() error { return e.error }

// folderOf returns the folder in which the relative paths of a movie begin.
func folderOf(file string) (string, error) {
	if file == "-" {
		return os.Getwd()
	}
	whole, err := filepath.Abs(file)
	if err != nil {
		return "", fmt.Errorf("find the folder of %s: %w", file, err)
	}
	return filepath.Dir(whole), nil
}
