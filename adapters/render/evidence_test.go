package render_test

import (
	"errors"
	"fmt"
	"testing"

	"moviola/adapters/render"
	"moviola/adapters/render/ffmpeg"
	"moviola/commands"
	"moviola/domain"
	"moviola/internal/oom"
)

// TestBlameMemory: a program that was ended from outside was ended for want of memory only if the kernel, or the group's own count, says so.
// Without that it proves nothing. Decision 56.
func TestBlameMemory(t *testing.T) {
	t.Parallel()
	killed := fmt.Errorf("render: %w", &ffmpeg.ExitError{Killed: true})
	for name, tt := range map[string]struct {
		after oom.Count
		err   error
		want  bool
	}{
		"its own group's memory was used up": {oom.Count{Machine: 3, Group: 1}, fmt.Errorf("render: %w", &ffmpeg.ExitError{Killed: true, Memory: true}), true},
		"killed, and no count rose":          {oom.Count{Machine: 3, Group: 1}, killed, false},
		"killed, and the machine's rose":     {oom.Count{Machine: 4, Group: 1}, killed, true},
		"killed, and the group's rose":       {oom.Count{Machine: 3, Group: 2}, killed, true},
		"the group is another one by now":    {oom.Count{Machine: 3}, killed, false},
		"it ended by itself, and one rose":   {oom.Count{Machine: 4, Group: 1}, fmt.Errorf("render: %w", &ffmpeg.ExitError{}), false},
		"a page crashed, and one rose":       {oom.Count{Machine: 4, Group: 1}, domain.Errorf(domain.Invalid, commands.PageCrashed, "The page crashed"), true},
		"a page crashed, and none rose":      {oom.Count{Machine: 3, Group: 1}, domain.Errorf(domain.Invalid, commands.PageCrashed, "The page crashed"), false},
		"something else failed, and one did": {oom.Count{Machine: 4, Group: 1}, errors.New("read: no such file"), false},
	} {
		if got := render.BlameMemory(oom.Count{Machine: 3, Group: 1}, tt.after, tt.err); errors.Is(got, commands.ErrOutOfMemory) != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
