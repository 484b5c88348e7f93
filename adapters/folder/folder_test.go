package folder_test

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"moviola/adapters/folder"
	"moviola/commands"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
)

const video = "the bytes of a video"

type file struct{ io.Reader }

func (file) Close() error                   { return nil }
func (file) Seek(int64, int) (int64, error) { return 0, errors.ErrUnsupported }
func (file) Size() int64                    { return 0 }
func (file) ModTime() time.Time             { return time.Time{} }

// desk is an export folder and a sender to it.
type desk struct {
	t      *testing.T
	dir    string
	sender *folder.Sender
	room   int64
}

func newDesk(t *testing.T, accounts ...domain.AccountID) *desk {
	t.Helper()
	base := t.TempDir()
	d := &desk{t: t, dir: filepath.Join(base, "shared"), room: math.MaxInt64}
	data := filepath.Join(base, "data")
	for _, dir := range []string{d.dir, data} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	d.sender, err = folder.New(folder.Config{
		Folders: []folder.Folder{{Name: "shared", Dir: d.dir, Accounts: accounts}}, Own: []string{data},
		Room: func(string) (int64, error) { return d.room, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *desk) path(name string) string { return filepath.Join(d.dir, name) }

// parcel is a video for a destination whose settings are given as "name=value".
func parcel(content string, given ...string) deliveries.Parcel {
	settings := connection.Settings{"folder": "shared"}
	for _, one := range given {
		name, value, _ := strings.Cut(one, "=")
		settings[name] = value
	}
	facts := connection.Facts{At: time.Date(2026, 11, 21, 9, 8, 7, 0, time.UTC), Random: "04711", Source: "Abcd1234Efgh5678.mp4"}
	return deliveries.Parcel{
		Account: "alice", Settings: connection.Folder.Fill(settings, facts), Size: int64(len(content)),
		Open: func(context.Context) (commands.File, error) { return file{Reader: strings.NewReader(content)}, nil },
	}
}

// check holds a file against its content, and looks for what was left behind.
func (d *desk) check(name, want string) {
	d.t.Helper()
	if got, err := os.ReadFile(d.path(name)); err != nil || string(got) != want {
		d.t.Errorf("%s: %q, %v, want %q", name, got, err, want)
	}
	d.clean()
}

// clean fails when a working file is there.
func (d *desk) clean() {
	d.t.Helper()
	left, err := os.ReadDir(d.path(connection.WorkingFolder))
	if err != nil && !errors.Is(err, os.ErrNotExist) || len(left) > 0 {
		d.t.Errorf("left behind: %v, %v", left, err)
	}
}

// refuses sends and requires a message for the account that names no path of the host.
func (d *desk) refuses(p deliveries.Parcel, says string) {
	d.t.Helper()
	_, err := d.sender.Send(d.t.Context(), p)
	var refusal *domain.Error
	if !errors.As(err, &refusal) || !strings.HasPrefix(refusal.Message, "Not delivered to folder ") ||
		!strings.Contains(refusal.Message, says) {
		d.t.Errorf("%v: %v, want %q", p.Settings, err, says)
	}
	if err != nil && strings.Contains(err.Error(), filepath.Dir(d.dir)) {
		d.t.Errorf("a path of the host is shown: %v", err)
	}
	d.clean()
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func TestSender(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, tt := range []struct {
		given []string
		name  string
	}{
		{nil, "2026-11-21-04711.mp4"},
		{[]string{"remote-path=in/__yyyy__/__mm__", "file=__filename__"}, "in/2026/11/Abcd1234Efgh5678.mp4"},
		{[]string{"file=__yyyy__/__dd__/__hh____nn____ss__.__filename_extension__"}, "2026/21/090807.mp4"},
		{[]string{"remote-path=./", "file=a..b.mp4"}, "a..b.mp4"},
	} {
		if _, err := d.sender.Send(t.Context(), parcel(video, tt.given...)); err != nil {
			t.Errorf("%v: %v", tt.given, err)
		}
		d.check(tt.name, video)
	}
	if _, err := d.sender.Test(t.Context(), parcel("", "remote-path=tests")); err != nil {
		t.Errorf("test: %v", err)
	}
	if left, err := os.ReadDir(d.path("tests")); err != nil || len(left) > 0 {
		t.Errorf("a test leaves %v, %v", left, err)
	}
	d.clean()
}

// A file is replaced only when that is asked for; the same content again is a delivery that was repeated.
func TestSender_Overwrite(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must(os.WriteFile(d.path("a.mp4"), []byte("of another tool, longer"), 0o644))
	d.must(os.WriteFile(d.path("b.mp4"), []byte(strings.Repeat("x", len(video))), 0o644))
	d.must(os.Mkdir(d.path("c.mp4"), 0o755))
	d.must(syscall.Mkfifo(d.path("d.mp4"), 0o644))
	d.refuses(parcel(video, "file=a.mp4"), "a file of that name is there")
	d.check("a.mp4", "of another tool, longer")
	d.refuses(parcel(video, "file=b.mp4"), "a file of that name is there")
	d.check("b.mp4", strings.Repeat("x", len(video)))
	d.refuses(parcel(video, "file=c.mp4", "overwrite=true"), "a folder of that name is there")
	d.refuses(parcel(video, "file=d.mp4"), "a file of that name is there")
	for range 2 {
		for _, given := range [][]string{{"file=a.mp4", "overwrite=true"}, {"file=new.mp4"}} {
			if _, err := d.sender.Send(t.Context(), parcel(video, given...)); err != nil {
				t.Errorf("%v: %v", given, err)
			}
		}
	}
	d.check("a.mp4", video)
	d.check("new.mp4", video)
}

// Nothing leads out of the folder: not "..", not a whole path, not what macros become, and no link, wherever it points to.
func TestSender_Attacks(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	outside := filepath.Join(filepath.Dir(d.dir), "outside")
	d.must(os.Mkdir(outside, 0o755))
	d.must(os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644))
	d.must(os.Mkdir(d.path("inner"), 0o755))
	d.must(os.Symlink(outside, d.path("out")))
	d.must(os.Symlink("inner", d.path("in")))
	d.must(os.Symlink(filepath.Join(outside, "secret"), d.path("link.mp4")))
	d.must(os.Symlink(filepath.Join(outside, "made"), d.path("dangling.mp4")))
	d.must(os.WriteFile(d.path("plain"), []byte("plain"), 0o644))
	for _, tt := range []struct {
		says  string
		given []string
	}{
		{"file must be a path inside the folder", []string{"file=../x.mp4"}},
		{"file must be a path inside the folder", []string{"remote-path=inner", "file=../x.mp4"}},
		{"remote-path must be a path inside the folder", []string{"remote-path=inner/../../outside", "file=x.mp4"}},
		{"remote-path must be a path inside the folder", []string{"remote-path=" + outside, "file=x.mp4"}},
		{"file must be a path inside the folder", []string{"file=/x.mp4"}},
		{"file must be a path inside the folder", []string{`file=..\x.mp4`}},
		{"file must be a path inside the folder", []string{"file=__filename__/../../x.mp4"}},
		{"file must be a name", []string{"file=."}},
		{"is the service's own", []string{"remote-path=.moviola", "file=x"}},
		{"is the service's own", []string{"file=./.moviola/x"}},
		{"is the service's own", []string{"file=.Moviola/x"}},
		{"folders deep", []string{"remote-path=" + strings.Repeat("a/", 40), "file=x"}},
		{"links are not followed", []string{"remote-path=out", "file=x.mp4"}},
		{"links are not followed", []string{"remote-path=in", "file=x.mp4"}},
		{"links are not followed", []string{"file=link.mp4/x.mp4"}},
		{"a file is in place of a folder", []string{"remote-path=plain", "file=x.mp4"}},
		{"a file of that name is there", []string{"file=link.mp4"}},
		{"a file of that name is there", []string{"file=dangling.mp4"}},
		{"file name too long", []string{"file=" + strings.Repeat("n", 300)}},
	} {
		d.refuses(parcel(video, tt.given...), tt.says)
	}
	// overwrite takes the place of a link, and leaves alone what it points to.
	if _, err := d.sender.Send(t.Context(), parcel(video, "file=link.mp4", "overwrite=true")); err != nil {
		t.Error(err)
	}
	d.check("link.mp4", video)
	// The extension of an output without one is empty: the dots around it become "..".
	p := parcel(video, "file=x")
	p.Settings = connection.Folder.Fill(connection.Settings{"folder": "shared", "file": ".__filename_extension__./x"},
		connection.Facts{Source: "Abcd"})
	d.refuses(p, "file must be a path inside the folder")
	if got, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(got) != "secret" {
		t.Errorf("outside: %q, %v", got, err)
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
		t.Errorf("outside: %v, %v", left, err)
	}
	if left, err := os.ReadDir(d.path("inner")); err != nil || len(left) != 0 {
		t.Errorf("behind a link inside the folder: %v, %v", left, err)
	}
	// The working folder is no way out either.
	d.must(os.RemoveAll(d.path(connection.WorkingFolder)))
	d.must(os.Symlink(outside, d.path(connection.WorkingFolder)))
	_, err := d.sender.Send(t.Context(), parcel(video, "file=y.mp4"))
	if err == nil || !strings.Contains(err.Error(), "links are not followed") {
		t.Errorf("a link in place of the working folder: %v", err)
	}
}

// An account that a folder does not list hears the same as of a folder that is not there.
func TestSender_Accounts(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "bob")
	const says = "this server has no export folder of that name for this account"
	d.refuses(parcel(video), says)
	d.refuses(parcel(video, "folder=other"), says)
	if _, err := d.sender.Test(t.Context(), parcel(video)); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("test: %v", err)
	}
	if left, err := os.ReadDir(d.dir); err != nil || len(left) > 0 {
		t.Errorf("written for another account: %v, %v", left, err)
	}
	p := parcel(video, "file=x.mp4")
	p.Account = "bob"
	if _, err := d.sender.Send(t.Context(), p); err != nil {
		t.Error(err)
	}
	d.check("x.mp4", video)
}

// Writing stops at the reserve, before it begins and while it goes on.
func TestSender_Reserve(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.room = int64(len(video)) - 1
	d.refuses(parcel(video, "file=x.mp4"), "no room above its reserve")
	d.room = -1
	d.refuses(parcel(video, "file=x.mp4"), "no room above its reserve")
	d.room = math.MaxInt64
	large := parcel(video, "file=x.mp4")
	large.Open = func(context.Context) (commands.File, error) {
		d.room = -1 // others fill the disk meanwhile
		return file{Reader: strings.NewReader(video)}, nil
	}
	d.refuses(large, "no room above its reserve")
	if _, err := os.Lstat(d.path("x.mp4")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half a file is there: %v", err)
	}
}

// What fails on this side is no failure of the folder, and leaves nothing behind.
func TestSender_Trouble(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	broken := errors.New("the disk is broken")
	p := parcel(video, "file=x.mp4")
	p.Open = func(context.Context) (commands.File, error) {
		return file{Reader: io.MultiReader(strings.NewReader("half"), failing{broken})}, nil
	}
	var refusal *domain.Error
	if _, err := d.sender.Send(t.Context(), p); !errors.Is(err, broken) || errors.As(err, &refusal) {
		t.Errorf("a video that cannot be read: %v", err)
	}
	p.Open = func(context.Context) (commands.File, error) { return nil, commands.ErrFileNotFound }
	if _, err := d.sender.Send(t.Context(), p); !errors.Is(err, commands.ErrFileNotFound) {
		t.Errorf("a video that is gone: %v", err)
	}
	p = parcel(video, "file=x.mp4")
	p.Size++
	if _, err := d.sender.Send(t.Context(), p); err == nil || errors.As(err, &refusal) || !strings.Contains(err.Error(), "ends after") {
		t.Errorf("a video that ends early: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.sender.Send(ended, parcel(video, "file=x.mp4")); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	if _, err := os.Lstat(d.path("x.mp4")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("half a file is there: %v", err)
	}
	d.clean()
	// A killed process leaves its working file. It goes when it is old enough to be nobody's.
	left, fresh := d.path(connection.WorkingFolder+"/left.part"), d.path(connection.WorkingFolder+"/fresh.part")
	d.must(os.WriteFile(left, nil, 0o644))
	d.must(os.WriteFile(fresh, nil, 0o644))
	d.must(os.Chtimes(left, time.Now(), time.Now().Add(-2*time.Hour)))
	if _, err := d.sender.Send(t.Context(), parcel(video, "file=y.mp4")); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(d.path(connection.WorkingFolder))
	if err != nil || len(entries) != 1 || entries[0].Name() != "fresh.part" {
		t.Errorf("working files: %v, %v", entries, err)
	}
	d.must(os.Remove(fresh))
	// A file in place of the folder, and nothing at all.
	d.must(os.RemoveAll(d.dir))
	d.refuses(parcel(video, "file=x.mp4"), "the operator's folder is not there")
	d.must(os.WriteFile(d.dir, nil, 0o644))
	_, err = d.sender.Send(t.Context(), parcel(video))
	if err == nil || !strings.Contains(err.Error(), "the operator's folder is not there") {
		t.Errorf("a file in place of the folder: %v", err)
	}
	// A link to the data folder in its place.
	d.must(os.Remove(d.dir))
	d.must(os.Symlink(filepath.Join(filepath.Dir(d.dir), "data"), d.dir))
	d.refuses(parcel(video, "file=x.mp4"), "the operator's folder is not there")
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestParse(t *testing.T) {
	t.Parallel()
	got, err := folder.Parse("nas-1=/srv/out:alice:bob")
	if err != nil || got.Name != "nas-1" || got.Dir != "/srv/out" || len(got.Accounts) != 2 || got.Accounts[1] != "bob" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "nas", "=/srv", "nas=", "nas=srv", "nas=./srv", "n/s=/srv", "nas=/srv:", "nas=/srv:../x"} {
		if got, err := folder.Parse(bad); err == nil {
			t.Errorf("%q is %+v", bad, got)
		}
	}
}

// An export folder lies neither in nor above a folder of the service, whatever links lead there.
func TestNew(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for _, dir := range []string{"data/files", "data2", "free/deep"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"to-data": "data/files", "to-base": ".", "to-free": "free", "data-link": "data"} {
		if err := os.Symlink(to, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		own, says string
		dirs      []string
	}{
		{"data", "", []string{"free", "free/deep", "data2", "to-free"}},
		{"not-there", "", []string{"data"}},
		{"data", "lies inside or above", []string{"data"}},
		{"data", "lies inside or above", []string{"data/files"}},
		{"data", "lies inside or above", []string{"."}},
		{"data", "lies inside or above", []string{"to-data"}},
		{"data", "lies inside or above", []string{"to-base"}},
		{"data-link", "lies inside or above", []string{"data/files"}},
		{"data", "no such file", []string{"not-there"}},
		{"data", "is not a folder", []string{"file"}},
	} {
		var folders []folder.Folder
		for _, dir := range tt.dirs {
			folders = append(folders, folder.Folder{Name: strings.ReplaceAll(dir, "/", "-"), Dir: filepath.Join(base, dir)})
		}
		_, err := folder.New(folder.Config{Folders: folders, Own: []string{filepath.Join(base, tt.own)}})
		if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%v beside %s: %v, want %q", tt.dirs, tt.own, err, tt.says)
		}
	}
	twice := folder.Folder{Name: "a", Dir: filepath.Join(base, "free")}
	_, err := folder.New(folder.Config{Folders: []folder.Folder{twice, twice}})
	if err == nil || !strings.Contains(err.Error(), "given twice") {
		t.Errorf("a name given twice: %v", err)
	}
}
