package observing

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// gatherer registers the gauges that are computed at a scrape, beside the counters of the process.
func (s *Observing) gatherer() prometheus.Gatherer {
	gauge := s.Metrics.Show
	gauge("projection_position", "Place in the log up to which the read models stand.", func() float64 {
		return float64(s.Models.Reader.Status().Position.Commit)
	})
	gauge("projection_caught_up", "1 when the read models have reached the end of the log since the start.", func() float64 {
		return truth(s.Models.Reader.Status().CaughtUp)
	})
	gauge("unread_streams", "Streams that stand still in the read models because a newer version of the program wrote to them.",
		func() float64 {
			return float64(len(s.Models.Reader.Unread()))
		})
	s.diskGauges(gauge)
	gauge("stuck_work", "Pieces of work that fail again and again for their own reasons; -1 when that cannot be told now.",
		s.stuckWork)
	if s.Keys != nil {
		gauge("keys_live", "1 while known keys are trusted without a look at the log; 0 also while no key is asked for.",
			func() float64 {
				return truth(s.Keys.Status().Live)
			})
		gauge("key_reads", "Streams read to find out who holds a key, since the start.", func() float64 {
			return float64(s.Keys.Status().Reads)
		})
	}
	if s.Overdue != nil {
		gauge("anchors_overdue", "Places of --anchor-to that have no anchor of the last two times --anchor-every.", func() float64 {
			return float64(s.Overdue())
		})
	}
	if s.Traces != nil {
		s.Metrics.Register(spans(s.Traces.Counts))
	}
	s.Metrics.Slots(s.Slots())
	if s.Renderer != nil {
		s.Metrics.Register(s.Renderer.Sandbox, s.Renderer)
	}
	s.Metrics.Register(storageBounds(s.StorageBounds()), &standing{parts: s.Parts, now: time.Now}, readiness(s.checks()))
	return s.Metrics.Gatherer()
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// stuckWork returns the number of stuck items; -1: it cannot be read now. Design §6.
func (s *Observing) stuckWork() float64 {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	stuck, err := s.Models.Trouble.Stuck(ctx)
	if err != nil {
		return -1
	}
	return float64(len(stuck))
}
