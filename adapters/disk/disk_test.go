package disk_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	logged "github.com/sirupsen/logrus/hooks/test"

	"moviola/adapters/disk"
)

const gb = 1 << 30

// TestReserve: how much is kept free of disks of several sizes.
func TestReserve(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flag        string
		total, want int64
	}{
		{"auto", 10 * gb, gb / 2},
		{"auto", 1000 * gb, 2 * gb},
		{"10%", 1000 * gb, 100 * gb},
		{"500MB", 10 * gb, 500 << 20},
		{"3gb", gb, 3 * gb},
		{"1TB", gb, 1024 * gb},
		{"off", 10 * gb, 0},
		{"0", 10 * gb, 0},
	} {
		var r disk.Reserve
		if err := r.Set(c.flag); err != nil {
			t.Errorf("%s: %v", c.flag, err)
			continue
		}
		if got := r.Of(c.total); got != c.want {
			t.Errorf("%s of %d: got %d, want %d", c.flag, c.total, got, c.want)
		}
	}
	for _, wrong := range []string{"", "much", "-1GB", "100%", "-2%", "5", "GB", "x%", "NaN%", "9000000TB"} {
		var r disk.Reserve
		if err := r.Set(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

// TestWatch: room is low below the reserve, every change is logged once, and a disk that cannot be asked counts as before.
func TestWatch(t *testing.T) {
	t.Parallel()
	space, failure := disk.Space{Free: 20 * gb, Total: 100 * gb}, error(nil)
	log, entries := logged.NewNullLogger()
	log.SetLevel(logrus.InfoLevel)
	w := disk.NewWatch(disk.Config{Folder: "x", Log: log, Free: func(string) (disk.Space, error) { return space, failure }})
	steps := []struct {
		free int64
		err  error
		low  bool
		logs int
	}{
		{2 * gb, nil, false, 0},
		{2*gb - 1, nil, true, 1},
		{0, nil, true, 1},
		{50 * gb, errors.New("away"), true, 1},
		{50 * gb, nil, false, 2},
	}
	for i, step := range steps {
		space.Free, failure = step.free, step.err
		if low := w.Low(); low != step.low {
			t.Errorf("step %d: low is %v", i, low)
		}
		if n := len(entries.AllEntries()); n != step.logs {
			t.Errorf("step %d: %d lines in the log", i, n)
		}
	}
	space.Free, failure = gb, nil
	if err := w.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "1024 MB free") {
		t.Errorf("the check says %v", err)
	}
}

// TestFree: the disk of the tests can be asked.
func TestFree(t *testing.T) {
	t.Parallel()
	space, err := disk.Free(t.TempDir())
	if err != nil || space.Free <= 0 || space.Total < space.Free {
		t.Errorf("got %+v, %v", space, err)
	}
}

// TestSize: sizes are read and written alike; what is none is refused.
func TestSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]disk.Size{"off": 0, "0": 0, "500MB": 500 << 20, "20gb": 20 << 30, "3TB": 3 << 40, "1024MB": 1 << 30} {
		var got, again disk.Size
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%s is %d (%v), want %d", text, got, err, want)
		}
		if err := again.Set(got.String()); err != nil || again != want {
			t.Errorf("%s is written %s, which is %d (%v)", text, got.String(), again, err)
		}
	}
	for _, text := range []string{"", "auto", "10%", "20", "-1GB", "1.5GB", "GB", "0%", "9000000TB"} {
		var got disk.Size
		if err := got.Set(text); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
}
