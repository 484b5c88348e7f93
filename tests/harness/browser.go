package harness

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"moviola/adapters/browser"
)

// playingPage plays a film and tells its server the size and the colour of its first pixel.
const playingPage = `<!doctype html><video id="v" muted crossorigin="anonymous" src="%s"></video><script>
const v = document.getElementById('v');
const tell = text => fetch('/told?' + encodeURIComponent(text));
v.onerror = () => tell('error: ' + (v.error && v.error.message));
v.ontimeupdate = () => {
  if (v.currentTime < 0.2) return;
  v.ontimeupdate = null;
  const c = document.createElement('canvas'), g = c.getContext('2d');
  c.width = v.videoWidth; c.height = v.videoHeight; g.drawImage(v, 0, 0);
  const [r, , , a] = g.getImageData(c.width / 2, c.height / 2, 1, 1).data;
  tell(v.videoWidth + 'x' + v.videoHeight + ' ' + (a < 10 ? 'clear' : r > 200 ? 'red' : 'other'));
};
v.play().catch(e => tell('error: ' + e));
</script>`

// PlayInBrowser plays a film in Chromium and returns what is visible: its size, and whether it is transparent or red.
func PlayInBrowser(t testing.TB, address string) string {
	t.Helper()
	told := make(chan string, 4)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/told" {
			text, err := url.QueryUnescape(r.URL.RawQuery)
			told <- text + problem(err)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, playingPage, address) // an error is ignored: the browser reports what is missing
	}))
	defer page.Close()
	profile := t.TempDir()
	t.Cleanup(func() { waitIdle(t, profile) })
	p := Start(t, "chromium", browser.DefaultPath, nil, "--headless", "--no-sandbox", "--disable-gpu", "--mute-audio",
		"--autoplay-policy=no-user-gesture-required", "--remote-debugging-port=0", "--user-data-dir="+profile, page.URL)
	defer p.Kill()
	select {
	case text := <-told:
		return text
	case <-time.After(Patience):
		t.Fatal("the browser plays nothing")
		return ""
	}
}

// problem returns the text of an error; empty: there is none.
func problem(err error) string {
	if err == nil {
		return ""
	}
	return " (" + err.Error() + ")"
}

// RunFFmpeg makes a file for a test.
func RunFFmpeg(t testing.TB, args ...string) {
	t.Helper()
	ffmpeg(t, args...)
}
