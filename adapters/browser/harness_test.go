package browser_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/browser"
	"moviola/internal/jail/jailtest"
	"moviola/tests/leaks"
)

func TestMain(m *testing.M) {
	if os.Getenv(helperEnv) != "" {
		helperMain()
	}
	leaks.Verify(m)
}

// patience is how long a test waits for what must happen; it only ends a test that hangs.
const patience = 2 * time.Minute

// namespaces tells why a process here can have no user namespace of its own: in a chroot, and in many containers.
var namespaces = sync.OnceValue(func() error {
	probe := exec.Command("true")
	probe.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}},
	}
	return probe.Run()
})

// jailedLevel and bareLevel are the strictest levels that this machine allows, with the jail and with nothing but Chromium itself.
func jailedLevel() int { return strictest(0) }
func bareLevel() int   { return strictest(4) }

func strictest(level int) int {
	for namespaces() != nil && browser.NeedsNamespaces(level) {
		level++
	}
	return level
}

// open returns a pool that dials whatever it is asked to and is patient with its pages, unless the configuration says otherwise.
func open(t testing.TB, cfg browser.Config) *browser.Pool {
	t.Helper()
	if cfg.Dial == nil {
		cfg.Dial = (&net.Dialer{}).DialContext
	}
	if cfg.Limit == 0 {
		cfg.Limit = patience
	}
	if cfg.Log == nil {
		log := logrus.New()
		log.SetOutput(testWriter{t})
		log.SetLevel(logrus.DebugLevel)
		cfg.Log = log
	}
	if cfg.Jail == nil {
		cfg.Jail = jailtest.New(t)
	}
	pool, err := browser.New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), patience)
		defer stop()
		if err := pool.Close(ctx); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return pool
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
}

// started asks for something anew as long as the browser does not come up in time: on a busy machine that may take longer than it is
// given. What a page itself does wrong is not asked for again.
func started[T any](ask func() (T, error)) (T, error) {
	got, err := ask()
	for began := time.Now(); errors.Is(err, context.DeadlineExceeded) && time.Since(began) < patience; {
		got, err = ask()
	}
	return got, err
}

// tryStill draws a page, which may not succeed.
func tryStill(t testing.TB, pool *browser.Pool, page browser.Page) (*image.NRGBA, error) {
	t.Helper()
	return started(func() (*image.NRGBA, error) { return pool.Still(t.Context(), page) })
}

// still draws a page that must succeed.
func still(t testing.TB, pool *browser.Pool, page browser.Page) *image.NRGBA {
	t.Helper()
	picture, err := tryStill(t, pool, page)
	if err != nil {
		t.Fatalf("Still: %v", err)
	}
	if got, want := picture.Bounds().Size(), image.Pt(page.Width, page.Height); got != want {
		t.Fatalf("picture is %v, want %v", got, want)
	}
	return picture
}

// box is a fragment that fills a corner of the page.
const box = `<style>body{margin:0}</style><div style="width:50px;height:50px;background:rgb(200,30,60)"></div>`

// at is a pixel as text: "200,30,60,255".
func at(picture *image.NRGBA, x, y int) string {
	c := picture.NRGBAAt(x, y)
	return fmt.Sprintf("%d,%d,%d,%d", c.R, c.G, c.B, c.A)
}
