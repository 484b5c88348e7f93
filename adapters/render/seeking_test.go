//go:build !race

package render_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"moviola/tests/property"
)

// seeker is a page that seeks to moments of a movie and sends what it sees there.
const seeker = `<!doctype html><video id=v muted preload=auto src=/movie.mp4></video><script>
const send = (path, body) => fetch(path, {method: 'POST', body});
(async () => {
	const event = (name) => new Promise((done, fail) => {
		v.addEventListener(name, done, {once: true});
		v.addEventListener('error', () => fail(new Error(v.error.message)), {once: true});
	});
	try {
		if (!v.canPlayType('video/mp4; codecs="avc1.64001f, mp4a.40.2"')) throw new Error('no H.264');
		if (v.readyState < 2) await event('loadeddata');
		const canvas = document.createElement('canvas');
		canvas.width = v.videoWidth; canvas.height = v.videoHeight;
		const pencil = canvas.getContext('2d', {willReadFrequently: true});
		for (const time of await (await fetch('/times')).json()) {
			const there = event('seeked'), painted = new Promise(done => { v.requestVideoFrameCallback(done); setTimeout(done, 60000); });
			v.currentTime = time;
			await there;
			await painted; // the picture that is seen follows the seek
			pencil.drawImage(v, 0, 0);
			await send('/frame', pencil.getImageData(0, 0, canvas.width, canvas.height).data);
		}
		await send('/end', '');
	} catch (problem) { await send('/end', String(problem)); }
})();
</script>`

// headless is Chromium as the service uses it.
const headless = "/usr/lib/chromium/chromium-headless-shell"

// Chromium shows the right picture wherever in a movie with rests it begins: after 200 random seeks.
func TestEngine_Render_heldPicturesSought(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(headless); err != nil {
		t.Fatal("chromium-headless-shell is not installed: scripts/deps.sh test does that")
	}
	b := newBench(t)
	movie := b.mustRender(restingMovie(b)).Movie
	const width, height, fps = 202, 98, 25
	pixels, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-nostdin", "-i", movie, "-map", "0:v",
		"-vf", toRGB("bt709", "tv"), "-f", "rawvideo", "-pix_fmt", "rgba", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	const size = 4 * width * height
	seed := property.Seed()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var sought []int
	var times []string
	for len(sought) < 200 {
		n := r.IntN(len(pixels) / size)
		if len(sought) > 0 && n == sought[len(sought)-1] { // Chromium paints nothing anew then
			continue
		}
		sought = append(sought, n)
		times = append(times, fmt.Sprintf("%.4f", (float64(n)+0.5)/fps))
	}
	frames, ended := make(chan []byte, len(sought)), make(chan string, 1)
	pages := http.NewServeMux()
	pages.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, seeker)
	})
	pages.HandleFunc("GET /movie.mp4", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, movie) })
	pages.HandleFunc("GET /times", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, "[%s]", strings.Join(times, ","))
	})
	pages.HandleFunc("POST /{what}", func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.PathValue("what") == "frame" {
			frames <- body
		} else {
			ended <- string(body)
		}
	})
	server := httptest.NewServer(pages)
	defer server.Close()
	browse(t, server.URL)
	select {
	case problem := <-ended:
		if problem != "" {
			t.Fatalf("%d seeks, then: %s", len(frames), problem)
		}
	case <-time.After(5 * time.Minute):
		t.Fatalf("Chromium has not ended after %d seeks", len(frames))
	}
	for i, n := range sought {
		got, want := <-frames, pixels[n*size:][:size]
		if far := unlike(got, want); far > 4 {
			t.Errorf("seek %d, to frame %d: it is %.1f from the picture there", i, n, far)
		}
	}
}

// browse opens an address in a browser, until the test ends.
func browse(t *testing.T, address string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	browser := exec.CommandContext(ctx, headless, "--no-sandbox", "--disable-gpu", "--mute-audio", "--remote-debugging-port=0",
		"--user-data-dir="+t.TempDir(), address)
	var said bytes.Buffer
	browser.Stdout, browser.Stderr = &said, &said
	browser.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	browser.Cancel = func() error { return syscall.Kill(-browser.Process.Pid, syscall.SIGKILL) }
	browser.WaitDelay = 10 * time.Second
	if err := browser.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = browser.Wait() // it was killed
		if t.Failed() {
			t.Logf("Chromium: %s", strconv.Quote(said.String()))
		}
	})
}

// unlike is how far two pictures are from each other, on average over all values of pixels.
func unlike(a, b []byte) float64 {
	if len(a) != len(b) {
		return 255
	}
	sum := 0
	for i := range a {
		sum += max(int(a[i])-int(b[i]), int(b[i])-int(a[i]))
	}
	return float64(sum) / float64(len(a))
}
