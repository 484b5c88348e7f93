package ffmpeg

import (
	"context"

	"golang.org/x/sync/semaphore"
)

const (
	// PixelsHD is the number of pixels of a frame of 1080p.
	PixelsHD = 1920 * 1080
	// windowMB is the memory for encoding one window of 1080p in MB (measured: 330 to 420); it grows with the number of pixels.
	windowMB = 450
)

// Limiter bounds the encoders that run at the same time, by the sum of the pixels of their frames. A window of 1080p keeps two
// processors busy; smaller windows share them, but no more run at the same time than there are processors.
type Limiter struct {
	free        *semaphore.Weighted
	total, unit int64
}

// NewLimiter returns a limit for a number of processors and for an amount of memory in MB. memoryMB 0: as much memory as the
// processors can use.
func NewLimiter(cores, memoryMB int) *Limiter {
	total := int64(max(1, cores/2)) * PixelsHD
	if memoryMB > 0 {
		total = min(total, max(1, int64(memoryMB)*PixelsHD/windowMB))
	}
	return &Limiter{free: semaphore.NewWeighted(total), total: total, unit: max(1, total/int64(cores))}
}

// weight returns the part of the limit that the encoder of frames with a number of pixels takes.
func (l *Limiter) weight(pixels int) int64 { return min(max(int64(pixels), l.unit), l.total) }

// Room returns how many encoders of frames with a number of pixels can run at the same time.
func (l *Limiter) Room(pixels int) int { return int(l.total / l.weight(pixels)) }

// Acquire waits until an encoder of frames with the given number of pixels can run. A request larger than the whole limit waits
// for all of it.
func (l *Limiter) Acquire(ctx context.Context, pixels int) (release func(), err error) {
	weight := l.weight(pixels)
	if err := l.free.Acquire(ctx, weight); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { l.free.Release(weight) }, nil
}
