package rendering

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/sirupsen/logrus"

	"moviola/adapters/render/ffmpeg"
	"moviola/internal/jail"
)

// findEncoder tries the chosen encoder. It logs which encoder makes the movies of this process and, if that is not the
// chosen one, why.
func findEncoder(ctx context.Context, tools *ffmpeg.Tools, choice ffmpeg.Choice, log logrus.FieldLogger) ffmpeg.Encoder {
	e, why := tools.FindEncoder(ctx, choice)
	log = log.WithFields(logrus.Fields{"encoder": e.Name(), "version": e.Version()})
	switch {
	case e.Hardware():
		log.WithField("devices", strings.Join(e.Devices(), ", ")).Infof("windows are encoded by %s", e.Name())
	case why != nil && choice == ffmpeg.Auto:
		log.WithField("why", oneLine(why)).Info("windows are encoded by x264: no hardware encoder works here")
	case why != nil:
		log.WithField("why", oneLine(why)).Warnf("windows are encoded by x264: --encoder %s does not work here", choice)
	default:
		log.Debug("windows are encoded by x264")
	}
	return e
}

// oneLine returns the text of joined errors on one line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

var encoderInfo = prometheus.NewDesc("moviola_encoder_info", "1, with the encoder of windows of movies, and its version.",
	[]string{"encoder", "version"}, nil)

// Describe implements prometheus.Collector.
func (r *Renderer) Describe(to chan<- *prometheus.Desc) { to <- encoderInfo }

// Collect implements prometheus.Collector.
func (r *Renderer) Collect(to chan<- prometheus.Metric) {
	to <- prometheus.MustNewConstMetric(encoderInfo, prometheus.GaugeValue, 1, r.Encoder.Name(), r.Encoder.Version())
}

// PrintEncoders tries every encoder of windows in its sandbox, as a renderer does when it starts, and prints which work here.
func PrintEncoders(ctx context.Context, to io.Writer) error {
	self, err := jail.Self()
	if err != nil {
		return err
	}
	j, err := jail.New(jail.Config{Self: self})
	if err != nil {
		return err
	}
	tools, err := ffmpeg.Open(ctx, ffmpeg.Config{Jail: j})
	if err != nil {
		_, err = fmt.Fprintf(to, "encoder %-10s not tried: %s\n", ffmpeg.X264, oneLine(err))
		return err
	}
	lines := []string{fmt.Sprintf("encoder %-10s ok: %s", ffmpeg.X264, tools.Software().Version())}
	tools.HardwareEncoders(ctx, func(name string, e ffmpeg.Encoder, err error) {
		if err != nil {
			lines = append(lines, fmt.Sprintf("encoder %-10s not here: %s", name, oneLine(err)))
			return
		}
		lines = append(lines, fmt.Sprintf("encoder %-10s works: %s, with %s (--encoder %s)", name, e.Version(),
			strings.Join(e.Devices(), ", "), name))
	})
	_, err = fmt.Fprintln(to, strings.Join(lines, "\n"))
	return err
}
