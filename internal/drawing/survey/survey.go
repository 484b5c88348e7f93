// Package survey lays out movies before their sources are available, to find mistakes of the layout, and texts, components and
// captions that do not fit.
package survey

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"moviola/commands"
	"moviola/domain/caption"
	"moviola/domain/document"
	"moviola/domain/timeline"
	"moviola/internal/drawing/captions"
	"moviola/internal/drawing/component"
	"moviola/internal/drawing/text"
)

// The bounds of a survey: its processor time, and its wait for other surveys.
const (
	surveyCost = 200 * time.Millisecond // processor time for one survey
	surveyWait = 2 * time.Second
)

// Surveyor lays out movies and their texts with the fonts of this machine, before the sources are available.
type Surveyor struct {
	open  func() (*text.Engine, error)
	slots chan struct{}
}

// New returns a Surveyor. A survey calls open, which returns the text engine, at its first text, component or caption. After an
// error of open the survey checks none of these.
func New(open func() (*text.Engine, error)) *Surveyor {
	return &Surveyor{open: open, slots: make(chan struct{}, max(1, runtime.NumCPU()/2))}
}

// Survey lays out a movie without its sources. exact says whether the times of the movie are independent of its sources. See
// movies.Surveyor of handlers/http.
func (s *Surveyor) Survey(ctx context.Context, m *document.Movie, exact bool) commands.Survey {
	ctx, cancel := context.WithTimeout(ctx, surveyWait)
	defer cancel()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return commands.Survey{Unchecked: []string{"The layout: the service is busy with others"}}
	}
	runtime.LockOSThread() // processor time is measured per thread
	defer runtime.UnlockOSThread()
	began := threadTime()
	more := func() bool { return threadTime()-began < surveyCost }
	look := timeline.Estimate(m, exact, more)
	survey := commands.Survey{Notes: look.Notes, Err: look.Err}
	if look.Left > 0 {
		survey.Unchecked = append(survey.Unchecked, fmt.Sprintf("The layout of %d elements: it takes too long", look.Left))
	}
	f := fitting{open: s.open, more: more, survey: &survey}
	f.all(look, m.Width, m.Height)
	return survey
}

// fitting checks the texts of one movie.
type fitting struct {
	open   func() (*text.Engine, error)
	engine *text.Engine
	more   func() bool
	survey *commands.Survey

	fetched, left int // numbers of unchecked texts: those whose fonts must be fetched, and those that would take too long
}

func (f *fitting) all(look timeline.Survey, w, h int) {
	ok := true
	for _, p := range look.Placed {
		switch {
		case !ok:
			return
		case p.Text != nil:
			ok = f.text(p)
		case p.Component != nil:
			ok = f.component(p)
		}
	}
	if ok && look.Subtitles != nil {
		f.captions(look.Subtitles, w, h)
	}
	if f.fetched > 0 {
		f.unchecked("Whether %d texts fit into their boxes: their fonts are not fetched", f.fetched)
	}
	if f.left > 0 {
		f.unchecked("Whether %d more texts fit into their boxes: it takes too long", f.left)
	}
}

func (f *fitting) unchecked(format string, args ...any) {
	f.survey.Unchecked = append(f.survey.Unchecked, fmt.Sprintf(format, args...))
}

// begin opens the text engine. It returns false when this process has no fonts: then nothing can be checked.
func (f *fitting) begin() (open bool) {
	if f.engine != nil {
		return true
	}
	engine, err := f.open()
	if err != nil {
		f.unchecked("Whether texts fit into their boxes: this process has no fonts")
		return false
	}
	f.engine = engine
	return true
}

// ready reports whether a text can be checked now: its font is available, and time is left.
func (f *fitting) ready(font string) bool {
	switch {
	case font != "":
		f.fetched++
		return false
	case !f.more():
		f.left++
		return false
	}
	return true
}

func (f *fitting) text(p timeline.Placed) (open bool) {
	if !f.begin() {
		return false
	}
	if !f.ready(p.Text.Settings.FontSource) {
		return true
	}
	block, err := f.engine.Lay(*p.Text, text.Options{}, p.Box.W, p.Box.H)
	if err != nil {
		return true // a text that cannot be laid out gets no note: the render reports the cause
	}
	if n, overflows := text.Overflow(p.Ref, block, p.Box); overflows {
		f.survey.Notes = append(f.survey.Notes, n)
	}
	return true
}

func (f *fitting) component(p timeline.Placed) (open bool) {
	if !f.begin() {
		return false
	}
	if document.NamesFont(p.Component.Settings) {
		f.fetched++
		return true
	}
	if !f.ready("") {
		return true
	}
	notes, err := component.New(f.engine, nil).Notes(p.Ref, *p.Component, p.Box.W, p.Box.H)
	if err == nil { // a component that cannot be laid out gets no note: the render reports the cause
		f.survey.Notes = append(f.survey.Notes, notes...)
	}
	return true
}

// captions checks captions that are written in the movie. Caption files are not fetched, and those of voices have no times yet.
func (f *fitting) captions(s *timeline.Subtitles, w, h int) {
	if s.Captions == "" {
		return
	}
	track, err := caption.Parse([]byte(s.Captions))
	if err != nil || !f.begin() || !f.ready(s.Style.FontURL) {
		return
	}
	notes, left, err := captions.Overflow(f.engine, s, s.Style.Apply(track), w, h, f.more)
	if err == nil {
		f.survey.Notes = append(f.survey.Notes, notes...)
		f.left += left
	}
}

// threadTime is the processor time of the current thread.
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
