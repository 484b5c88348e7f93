package speech

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/semaphore"

	"moviola/domain"
	"moviola/domain/caption"
	"moviola/internal/jail"
)

// espeak is the built-in voice.
type espeak struct {
	program string
	jail    *jail.Jail
	version string
	running *semaphore.Weighted // one part for each speech that is made: as many as there are processors
	voices  map[string]bool     // installed voices, by their language tags in lower case, such as "en-gb"
}

const (
	usualRate  = 165 // normal speed of speech, in words per minute
	usualPitch = 50
	runLimit   = 2 * time.Minute // limit of the elapsed time of one run of espeak-ng; Policy limits its processor time
	maxOutput  = 64 << 20
	endDelay   = 30 * time.Second
)

// openEspeak finds the program, its version and its voices.
func openEspeak(ctx context.Context, cfg Config) (*espeak, error) {
	name := cfg.Espeak
	if name == "" {
		name = "espeak-ng"
	}
	program, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("find espeak-ng: %w", err)
	}
	if program, err = filepath.Abs(program); err != nil {
		return nil, fmt.Errorf("find espeak-ng: %w", err)
	}
	e := &espeak{
		program: program, jail: cfg.Jail, running: semaphore.NewWeighted(int64(runtime.NumCPU())), voices: map[string]bool{},
	}
	version, err := e.run(ctx, "", "--version")
	if err != nil {
		return nil, fmt.Errorf("ask espeak-ng for its version: %w", err)
	}
	e.version, _, _ = strings.Cut(strings.TrimSpace(string(version)), "  ")
	list, err := e.run(ctx, "", "--voices")
	if err != nil {
		return nil, fmt.Errorf("ask espeak-ng for its voices: %w", err)
	}
	for _, line := range strings.Split(string(list), "\n")[1:] {
		if fields := strings.Fields(line); len(fields) > 1 {
			e.voices[strings.ToLower(fields[1])] = true
		}
	}
	return e, nil
}

// speak makes the sound of a script and measures the times of its words.
func (e *espeak) speak(ctx context.Context, j job) (spoken, error) {
	if err := e.running.Acquire(ctx, 1); err != nil {
		return spoken{}, fmt.Errorf("wait for a free voice: %w", err)
	}
	defer e.running.Release(1)
	var all spoken
	for _, p := range j.script {
		if err := e.passage(ctx, &all, j, p); err != nil {
			return spoken{}, err
		}
	}
	if all.samples == 0 {
		return spoken{}, domain.Errorf(domain.Invalid, codeVoice, "The built-in voice has nothing to say for this text; "+
			"write it in letters of the voice's language")
	}
	return all, nil
}

// passage speaks one passage and appends its sound and words to all.
func (e *espeak) passage(ctx context.Context, all *spoken, j job, p passage) error {
	rates := []string{
		"-s", strconv.Itoa(int(min(max(usualRate*j.speed*p.rate, 80), 450))),
		"-p", strconv.Itoa(int(min(max(usualPitch*p.pitch, 0), 99))),
	}
	sayAs := func(voice string) func(text string) (sound, error) {
		return func(text string) (sound, error) {
			raw, err := e.run(ctx, text, append([]string{"--stdin", "-b", "1", "--stdout", "-v", voice}, rates...)...)
			if err != nil {
				return sound{}, fmt.Errorf("speak with voice %s: %w", voice, err)
			}
			return readWAV(raw)
		}
	}
	clean, err := sayAs(j.voice)(p.text)
	if err != nil {
		return err
	}
	words, err := timeVariant(clean, j.voice, p.text, sayAs)
	if err != nil {
		return err
	}
	all.rate = clean.rate
	all.add(make([]int16, int(p.pause.Seconds()*float64(clean.rate))), nil)
	all.add(clean.samples, words)
	return nil
}

// timeVariant returns the times of the words in the sound clean, spoken by the given voice. Marks cannot be measured when
// the voice is a variant of a language's voice. Then the words are timed in a sound of the language's voice, which is
// aligned to clean.
func timeVariant(clean sound, voice, text string, sayAs func(string) func(string) (sound, error)) ([]caption.Word, error) {
	own, _, isVariant := strings.Cut(voice, "+")
	if !isVariant {
		return timeWords(clean, text, sayAs(voice))
	}
	base, err := sayAs(own)(text)
	if err != nil {
		return nil, err
	}
	words, err := timeWords(base, text, sayAs(own))
	if err != nil {
		return nil, err
	}
	onto := warp(base, clean, int(((base.length()-clean.length()).Abs()+400*time.Millisecond).Seconds()*framesPerSecond))
	for i := range words {
		words[i].Start = onto(words[i].Start)
		words[i].End = max(onto(words[i].End), words[i].Start)
	}
	return words, nil
}

// femaleVariant makes the voice of a language female. It is part of every installation of espeak-ng.
const femaleVariant = "+f3"

// voiceFor returns the voice for a voice name that a movie gives; an empty name means an English voice. If no installed
// voice has the name, it is the voice for the language in the name, otherwise an English one, with a warning. For the name
// of a female voice of Azure Speech, it is a female variant of that voice. Decision 27.
func (e *espeak) voiceFor(name string) (voice, warning string) {
	name = strings.TrimSpace(name)
	if name == "" {
		return e.first("en-gb", "en", "en-us"), ""
	}
	lower := strings.ToLower(name)
	if e.voices[lower] {
		return lower, ""
	}
	voice = e.byLanguage(lower)
	if voice == "" {
		voice = e.first("en-gb", "en", "en-us")
	}
	kind, language := "voice", voice
	if azure, ok := readAzureName(name); ok && azure.gender.word() != "" {
		kind = azure.gender.word() + " voice"
		if azure.gender == female { // the default voices of languages are male
			voice += femaleVariant
		}
	}
	return voice, fmt.Sprintf("The voice '%s' is not available, the built-in %s for %s is used", shown(name), kind, language)
}

// regions maps language tags in lower case to the voices of espeak-ng that speak them. For a tag without an entry, the voice
// with that name is used.
var regions = map[string]string{
	"en-us": "en-us", "en-ca": "en-us", "en-ph": "en-us", "en": "en-gb",
	"zh": "cmn", "zh-hk": "yue", "wuu": "cmn", "nb": "nb", "no": "nb", "nn": "nb", "fil": "en-us", "iw": "he",
	"fr": "fr-fr", "fr-be": "fr-be", "fr-ch": "fr-ch", "pt": "pt", "pt-br": "pt-br", "vi": "vi", "jv": "id", "su": "id",
	"es-mx": "es-419", "es-ar": "es-419", "es-co": "es-419", "es-cl": "es-419", "es-us": "es-419", "es-pe": "es-419",
}

// byLanguage returns the voice for the language in a name such as de-de-katjaneural; empty: none is installed.
func (e *espeak) byLanguage(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' })
	if len(parts) == 0 || len(parts[0]) < 2 || len(parts[0]) > 3 {
		return ""
	}
	base := parts[0]
	if len(parts) > 1 {
		both := base + "-" + parts[1]
		if voice := e.first(both, regions[both]); voice != "" {
			return voice
		}
	}
	return e.first(regions[base], base)
}

// first returns the first of the given voices that is installed; empty: none is.
func (e *espeak) first(voices ...string) string {
	for _, v := range voices {
		if e.voices[v] {
			return v
		}
	}
	return ""
}

// Policy is the jail policy of the built-in voice: espeak-ng may read no file of this service, and write none. The limit
// FileBytes is not zero, because the system's code for playing sound maps memory as files, which counts as file size.
func Policy() jail.Policy {
	return jail.Policy{
		Program: "espeak-ng", Calls: jail.DecoderCalls,
		Limits: jail.Limits{AddressSpace: 8 << 30, OpenFiles: 256, CPUSeconds: 60, FileBytes: 256 << 20, Tasks: 64, Memory: 1 << 30},
	}
}

// run runs espeak-ng with text on its standard input, in its own process group, and returns its output.
func (e *espeak) run(ctx context.Context, text string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	cmd, err := e.jail.Child(ctx, Policy(), e.program, args)
	if err != nil {
		return nil, err
	}
	// espeak-ng loads the system's code for playing sound. That code would create a folder in the home directory, although nothing
	// is played.
	cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/dev/null"}
	cmd.Stdin = strings.NewReader(text)
	out := &limited{left: maxOutput}
	complaints := &limited{left: 4 << 10, drop: true}
	cmd.Stdout, cmd.Stderr = out, complaints
	cmd.WaitDelay = endDelay
	// Pdeathsig kills espeak-ng when this process ends. The kernel sends the signal already when the thread that started espeak-ng
	// ends, so this goroutine keeps the thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = cmd.Start()
	cmd.Release()
	if err == nil {
		err = cmd.Wait()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // ends processes that espeak-ng has started; usually none are left
	}
	cmd.End()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case out.full:
		return nil, errTooMuch
	case err != nil:
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(complaints.kept.String()))
	}
	return out.kept.Bytes(), nil
}

var errTooMuch = errors.New("it printed too much")

// limited is a buffer that takes left more bytes. Further bytes are dropped if drop is true; otherwise Write returns an error for
// them. limited does not embed a buffer, because the method ReadFrom of the buffer would bypass the limit.
type limited struct {
	kept bytes.Buffer
	left int
	drop bool
	full bool
}

func (l *limited) Write(p []byte) (int, error) {
	fits := min(len(p), l.left)
	l.kept.Write(p[:fits])
	l.left -= fits
	if fits < len(p) {
		l.full = true
		if !l.drop {
			return fits, errTooMuch
		}
	}
	return len(p), nil
}
