package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
)

// firstPipe is the file descriptor of the first pipe with frames for ffmpeg; 3 is the one for its progress.
const firstPipe = 4

// pipeBytes is the capacity of a pipe: more than the default of 64 KiB, because frames are large and every switch between writer
// and reader costs time.
const pipeBytes = 1 << 20

// fSetPipeSize is F_SETPIPE_SZ of fcntl, which package syscall does not define.
const fSetPipeSize = 1031

// feed is a pipe between a writer of frames and ffmpeg.
type feed struct {
	write       func(context.Context, io.Writer) error
	read, wrote *os.File
}

type feeds []feed

// open makes pipes for the inputs that have a Feed.
func (c Command) open() (feeds, error) {
	var all feeds
	for _, in := range c.Inputs {
		if in.Feed == nil {
			continue
		}
		read, write, err := os.Pipe()
		if err != nil {
			all.closeReaders()
			for _, f := range all {
				f.wrote.Close()
			}
			return nil, fmt.Errorf("make pipe for frames: %w", err)
		}
		enlarge(write)
		all = append(all, feed{in.Feed, read, write})
	}
	return all, nil
}

// enlarge increases the capacity of a pipe, if the system allows it.
func enlarge(pipe *os.File) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	// An error is ignored: a pipe of the default size works as well.
	_ = raw.Control(func(fd uintptr) { _, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, fSetPipeSize, pipeBytes) })
}

func (fs feeds) readers() []*os.File {
	files := make([]*os.File, len(fs))
	for i, f := range fs {
		files[i] = f.read
	}
	return files
}

// closeReaders closes this process's copies of the pipes' read ends, so that a writer fails when ffmpeg has ended.
func (fs feeds) closeReaders() {
	for _, f := range fs {
		f.read.Close()
	}
}

// start runs all feeds; the returned channel is closed when all have ended. A feed that fails stops the run.
func (fs feeds) start(ctx context.Context, stop context.CancelCauseFunc) <-chan struct{} {
	var writers sync.WaitGroup
	for _, f := range fs {
		writers.Go(func() {
			defer f.wrote.Close()
			if err := f.write(ctx, f.wrote); err != nil && !errors.Is(err, syscall.EPIPE) {
				stop(err)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		writers.Wait()
	}()
	return done
}
