package render

import (
	"context"
	"errors"
	"fmt"

	"moviola/adapters/render/ffmpeg"
	"moviola/commands"
	"moviola/domain"
	"moviola/internal/oom"
)

// outOfMemory replaces the error of a program that was killed from outside, or of a page that has crashed, by one that
// wraps commands.ErrOutOfMemory and contains the text of err, if the kernel has killed processes for lack of memory since
// the counts in before were read, or the program's own control group has counted the kill. Otherwise a killed program
// proves nothing, and err is returned. It is returned too if ctx has ended. Decision 56.
func outOfMemory(ctx context.Context, before oom.Count, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return blameMemory(before, oom.Read(), err)
}

// blameMemory returns an error that wraps commands.ErrOutOfMemory and contains the text of err, if lack of memory is the
// likely cause of err. Otherwise it returns err. before and after are the numbers of processes that the kernel had killed
// for lack of memory before the program or page with the error err was started, and after it ended.
func blameMemory(before, after oom.Count, err error) error {
	var exit *ffmpeg.ExitError
	if errors.As(err, &exit) && exit.Memory { // the program's own control group has counted the kill
		return fmt.Errorf("%w: %v", commands.ErrOutOfMemory, err)
	}
	if !before.Rose(after) {
		return err
	}
	var refusal *domain.Error
	if errors.As(err, &exit) && exit.Killed || errors.As(err, &refusal) && refusal.Code == commands.PageCrashed {
		// not the movie's fault: other work on this machine may have used the memory
		return fmt.Errorf("%w: %v", commands.ErrOutOfMemory, err)
	}
	return err
}
