package render

import (
	"context"
	"errors"

	"moviola/adapters/render/ffmpeg"
	"moviola/commands"
	"moviola/domain"
)

// coder returns the encoder of the movie's windows or, with matte, of its matte's windows.
func (r *run) coder(matte bool) ffmpeg.Encoder {
	if matte {
		return r.engine.cfg.Tools.Software()
	}
	return r.encoder
}

// soften lets x264 make the whole movie after an error while a hardware encoder is in use, and returns true: the encoder may be
// the cause, because it can be busy, or refuse a size that x264 accepts. It returns false after a refusal, a killed program, and
// when the render gives way or ends. Windows that the hardware encoder has made are not used.
func (r *run) soften(ctx context.Context, err error) bool {
	var refusal *domain.Error
	var exit *ffmpeg.ExitError
	// A killed program was most likely killed for lack of memory. x264 would fail too: it needs more memory than a hardware
	// encoder.
	if errors.As(err, &exit) && exit.Killed {
		return false
	}
	if err == nil || ctx.Err() != nil || !r.encoder.Hardware() || errors.As(err, &refusal) || errors.Is(err, commands.ErrGiveWay) {
		return false
	}
	r.log.WithError(err).WithField("encoder", r.encoder.Name()).
		Warn("render failed while a hardware encoder was in use; x264 makes the movie")
	r.encoder = r.engine.cfg.Tools.Software()
	return true
}
