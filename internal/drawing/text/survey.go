package text

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"moviola/commands"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

// The bounds of a survey: what it may cost, and how long it waits for others.
const (
	surveyCost = 200 * time.Millisecond // of processor time
	surveyWait = 2 * time.Second
)

// Surveyor lays out movies, and their texts with the fonts of this machine, before their sources are there.
type Surveyor struct {
	open  func() (*Engine, error)
	slots chan struct{}
}

var _ commands.Surveyor = (*Surveyor)(nil)

// NewSurveyor returns a Surveyor. open returns the engine, when it is first needed; without one, texts are not looked at.
func NewSurveyor(open func() (*Engine, error)) *Surveyor {
	return &Surveyor{open: open, slots: make(chan struct{}, max(1, runtime.NumCPU()/2))}
}

// Survey implements commands.Surveyor.
func (s *Surveyor) Survey(ctx context.Context, m *document.Movie, exact bool) commands.Survey {
	ctx, cancel := context.WithTimeout(ctx, surveyWait)
	defer cancel()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return commands.Survey{Unchecked: []string{"The layout: the service is busy with others"}}
	}
	runtime.LockOSThread() // whose processor time is measured
	defer runtime.UnlockOSThread()
	began := threadTime()
	more := func() bool { return threadTime()-began < surveyCost }
	look := timeline.Look(m, exact, more)
	survey := commands.Survey{Notes: look.Notes, Err: look.Err}
	if look.Left > 0 {
		survey.Unchecked = append(survey.Unchecked, fmt.Sprintf("The layout of %d elements: it takes too long", look.Left))
	}
	s.fit(look.Placed, more, &survey)
	return survey
}

// fit holds texts against their boxes.
func (s *Surveyor) fit(placed []timeline.Placed, more func() bool, survey *commands.Survey) {
	texts, fetched, left := 0, 0, 0
	var engine *Engine
	for _, p := range placed {
		switch {
		case p.Text == nil:
			continue
		case p.Text.Settings.FontSource != "":
			fetched++
			continue
		}
		if texts++; texts == 1 {
			var err error
			if engine, err = s.open(); err != nil {
				survey.Unchecked = append(survey.Unchecked, "Whether texts fit into their boxes: this process has no fonts")
				return
			}
		}
		if !more() {
			left++
			continue
		}
		block, err := engine.Lay(*p.Text, Options{}, p.Box.W, p.Box.H)
		if err != nil {
			continue // the render says why
		}
		if n, overflows := Overflow(p.Ref, block, p.Box); overflows {
			survey.Notes = append(survey.Notes, n)
		}
	}
	if fetched > 0 {
		survey.Unchecked = append(survey.Unchecked, fmt.Sprintf("Whether %d texts fit into their boxes: their fonts are not fetched", fetched))
	}
	if left > 0 {
		survey.Unchecked = append(survey.Unchecked, fmt.Sprintf("Whether %d more texts fit into their boxes: it takes too long", left))
	}
}

// TextOverflow is the code of Overflow.
const TextOverflow = "text_overflow"

// Overflow notes a text that needs more room than its box has. Less than a pixel counts for nothing.
func Overflow(ref timeline.Ref, block *Block, box timeline.Box) (document.Note, bool) {
	w, h := block.Size()
	if w < float64(box.W)+1 && h < float64(box.H)+1 {
		return document.Note{}, false
	}
	return document.Note{
		Ref: ref, Path: "/text", Code: TextOverflow, Remedy: "Make the 'font-size' smaller, the text shorter, or the element larger",
		Text: fmt.Sprintf("The text needs %.0f×%.0f pixels, and its box has %d×%d", w, h, box.W, box.H),
	}, true
}

// threadTime is the processor time that this thread has used.
func threadTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
