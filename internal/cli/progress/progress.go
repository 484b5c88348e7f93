// Package progress shows on a terminal how far a command is, or that it waits. Elsewhere than on a terminal it prints nothing.
package progress

import (
	"context"
	"io"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"
)

// delay is how long a command waits before the terminal shows it.
const delay = time.Second

// barWidth is the width of a bar in columns, with its texts.
const barWidth = 60

// Bar is a progress bar.
type Bar struct {
	progress *mpb.Progress
	line     *mpb.Bar // nil: the context had ended before the bar began
	// Seen reports whether the bar is on a terminal.
	Seen bool
}

// NewBar begins a bar that ends at a total, and is drawn on w.
func NewBar(ctx context.Context, w io.Writer, what string, total int64) *Bar {
	b := &Bar{progress: mpb.NewWithContext(ctx, mpb.WithOutput(w), mpb.WithWidth(barWidth)), Seen: isTerminal(w)}
	line, err := b.progress.Add(total, mpb.BarStyle().Build(), mpb.PrependDecorators(decor.Name(what+" ")),
		mpb.AppendDecorators(decor.Percentage(), decor.Name(" "), decor.AverageETA(decor.ET_STYLE_GO)))
	if err == nil {
		b.line = line
	}
	return b
}

// Reader returns a reader for the bytes of the parameter from. The bar advances with every byte that is read through it.
func (b *Bar) Reader(from io.Reader) io.Reader {
	if b.line == nil {
		return from
	}
	return b.line.ProxyReader(from)
}

// Reach sets how far the bar has come, current, and the total at which the bar ends.
func (b *Bar) Reach(current, total int64) {
	if b.line != nil {
		b.line.SetTotal(total, false)
		b.line.SetCurrent(current)
	}
}

// Close ends the bar and leaves it as it is on the terminal.
func (b *Bar) Close() {
	if b.line != nil {
		b.line.Abort(false)
	}
	b.progress.Wait()
}

// During does something whose progress is not known. If it takes longer than a second, a line on w says what it is and for how
// long it has taken; the line is removed at the end.
func During[T any](ctx context.Context, w io.Writer, what string, do func() (T, error)) (T, error) {
	if !isTerminal(w) {
		return do()
	}
	done, removed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(removed)
		late := time.NewTimer(delay)
		defer late.Stop()
		select {
		case <-late.C:
			spin(ctx, w, what, done)
		case <-done:
		}
	}()
	defer func() {
		close(done)
		<-removed
	}()
	return do()
}

// spin shows the text what and the elapsed time on w, until done is closed.
func spin(ctx context.Context, w io.Writer, what string, done <-chan struct{}) {
	progress := mpb.NewWithContext(ctx, mpb.WithOutput(w), mpb.WithWidth(barWidth))
	line, err := progress.Add(0, mpb.SpinnerStyle().PositionLeft().Build(), mpb.BarWidth(2),
		mpb.AppendDecorators(decor.Name(what+" "), decor.NewElapsed(decor.ET_STYLE_GO, time.Now().Add(-delay))))
	<-done
	if err == nil {
		line.Abort(true)
	}
	progress.Wait()
}

func isTerminal(w io.Writer) bool { return cwriter.New(w).IsTerminal() }
