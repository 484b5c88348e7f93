package remote

import (
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// bar is a progress bar on a terminal. Without a terminal it prints nothing.
type bar struct {
	progress *mpb.Progress
	line     *mpb.Bar
	seen     bool // standard error is a terminal
}

// newBar begins a bar on the command's standard error, up to a total.
func newBar(cmd *cobra.Command, what string, total int64) *bar {
	progress := mpb.NewWithContext(cmd.Context(), mpb.WithOutput(cmd.ErrOrStderr()), mpb.WithWidth(60))
	b := &bar{progress: progress, line: progress.AddBar(total, mpb.PrependDecorators(decor.Name(what+" ")),
		mpb.AppendDecorators(decor.Percentage()))}
	if file, ok := cmd.ErrOrStderr().(*os.File); ok {
		info, err := file.Stat()
		b.seen = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return b
}

// reader reads what the bar counts.
func (b *bar) reader(from io.Reader) io.ReadCloser { return b.line.ProxyReader(from) }

// reach sets the amount reached so far, and the total.
func (b *bar) reach(current, total int64) {
	b.line.SetTotal(total, false)
	b.line.SetCurrent(current)
}

// close ends the bar and leaves it as it is on the terminal.
func (b *bar) close() {
	b.line.Abort(false)
	b.progress.Wait()
}
