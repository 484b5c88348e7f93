package speech_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/speech"
	"moviola/commands"
	"moviola/internal/jail/jailtest"
)

// quiet drops what is logged.
func quiet() *logrus.Logger {
	log := logrus.New()
	log.SetOutput(io.Discard)
	return log
}

func needEspeak(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		t.Skip("espeak-ng is not installed, so there is no built-in voice to test")
	}
}

// newEngine returns an engine in a folder of the test. Fields of cfg that are not set get the values of tests.
func newEngine(t *testing.T, cfg speech.Config) *speech.Engine {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	if cfg.Log == nil {
		cfg.Log = quiet()
	}
	if cfg.Jail == nil && cfg.Espeak == "" { // fake programs of tests write files, which the jail forbids
		cfg.Jail = jailtest.New(t)
	}
	if cfg.Retries == nil {
		cfg.Retries = []time.Duration{time.Millisecond, time.Millisecond}
	}
	e, err := speech.New(t.Context(), cfg)
	if err != nil {
		t.Fatalf("new engine: %v", err)
	}
	return e
}

func mustSpeak(t *testing.T, e *speech.Engine, request commands.SpeechRequest) commands.Speech {
	t.Helper()
	spoken, err := e.Speak(t.Context(), request)
	if err != nil {
		t.Fatalf("speak %q: %v", request.Text, err)
	}
	return spoken
}

// pcm is the samples of a WAV file as this package writes it, and their rate.
func pcm(t *testing.T, path string) ([]int16, int) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) < 44 || string(raw[:4]) != "RIFF" || string(raw[36:40]) != "data" {
		t.Fatalf("%s is no WAV file with one chunk of data", path)
	}
	if size := binary.LittleEndian.Uint32(raw[40:]); int(size) != len(raw)-44 {
		t.Fatalf("%s says %d bytes and has %d", path, size, len(raw)-44)
	}
	samples := make([]int16, (len(raw)-44)/2)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(raw[44+2*i:]))
	}
	return samples, int(binary.LittleEndian.Uint32(raw[24:]))
}

// provider is an endpoint of OpenAI's protocol that records what it was asked and answers as the test says.
type provider struct {
	*httptest.Server
	requests chan received
}

type received struct {
	path, key, kind string
	body            []byte
}

func newProvider(t *testing.T, answer func(try int, w http.ResponseWriter)) *provider {
	t.Helper()
	p := &provider{requests: make(chan received, 100)}
	tries := make(chan int, 1)
	tries <- 0
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read request: %v", err)
		}
		p.requests <- received{r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), body}
		try := <-tries
		tries <- try + 1
		answer(try, w)
	}))
	t.Cleanup(p.Close)
	return p
}

// tones is a WAV file of 16 kHz with a tone wherever on says so, of the given length.
func tones(length time.Duration, on func(at time.Duration) bool) []byte {
	const rate = 16000
	n := int(length.Seconds() * rate)
	raw := []byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00")
	raw = binary.LittleEndian.AppendUint32(raw, rate)
	raw = binary.LittleEndian.AppendUint32(raw, 2*rate)
	raw = append(raw, "\x02\x00\x10\x00data\xff\xff\xff\xff"...) // a stream does not know its length
	for i := range n {
		v := int16(0)
		if on(time.Duration(i) * time.Second / rate) {
			v = int16(8000 * (1 - 2*(i/20%2)))
		}
		raw = binary.LittleEndian.AppendUint16(raw, uint16(v))
	}
	return raw
}

func write(t *testing.T, w http.ResponseWriter, body []byte) {
	t.Helper()
	if _, err := w.Write(body); err != nil {
		t.Errorf("answer: %v", err)
	}
}

func showWords(s commands.Speech) []string {
	var all []string
	for _, w := range s.Words {
		all = append(all, fmt.Sprintf("%d-%d %s", w.Start.Milliseconds(), w.End.Milliseconds(), w.Text))
	}
	return all
}

// loudParts are where a sound is loud, with silences under 200 ms counted in.
func loudParts(samples []int16, rate int) [][2]time.Duration {
	var parts [][2]time.Duration
	window := rate / 100
	for from := 0; from+window <= len(samples); from += window {
		sum := 0.0
		for _, v := range samples[from : from+window] {
			sum += float64(v) * float64(v)
		}
		if math.Sqrt(sum/float64(window)) < 60 {
			continue
		}
		start := time.Duration(from) * time.Second / time.Duration(rate)
		if n := len(parts); n > 0 && start-parts[n-1][1] < 200*time.Millisecond {
			parts[n-1][1] = start + 10*time.Millisecond
		} else {
			parts = append(parts, [2]time.Duration{start, start + 10*time.Millisecond})
		}
	}
	return parts
}
