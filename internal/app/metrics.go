package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// gatherer registers what is asked for at a scrape, beside what is counted all the time.
func (s *service) gatherer() prometheus.Gatherer {
	gauge := s.metrics.Show
	gauge("projection_position", "Place in the log up to which the read models stand.", func() float64 {
		return float64(s.models.Reader.Status().Position.Commit)
	})
	gauge("projection_caught_up", "1 when the read models have reached the end of the log since the start.", func() float64 {
		return truth(s.models.Reader.Status().CaughtUp)
	})
	gauge("unread_streams", "Streams that stand still in the read models because a newer version of the program wrote to them.", func() float64 {
		return float64(len(s.models.Reader.Unread()))
	})
	s.diskGauges(gauge)
	gauge("stuck_work", "Pieces of work that fail again and again for their own reasons; -1 when that cannot be told now.", s.stuckWork)
	if s.keys != nil {
		gauge("keys_live", "1 while known keys are trusted without a look at the log; 0 also while no key is asked for.", func() float64 {
			return truth(s.keys.Status().Live)
		})
		gauge("key_reads", "Streams read to find out who holds a key, since the start.", func() float64 { return float64(s.keys.Status().Reads) })
	}
	s.metrics.Slots(s.slots())
	bounds := storageBounds{"files": s.stores.Stored.Status, "renders": s.stores.Rendered.Status}
	if s.renderer != nil {
		s.metrics.Register(s.renderer.sandbox)
		bounds["sources"] = s.renderer.assets.Bound
		for _, place := range s.renderer.kept {
			bounds[place.name] = place.room.Status
		}
	}
	s.metrics.Register(bounds, &standing{service: s, now: time.Now})
	return s.metrics.Gatherer()
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// stuckWork counts what operators have to look into. Design §6.
func (s *service) stuckWork() float64 {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	stuck, err := s.models.Trouble.Stuck(ctx)
	if err != nil {
		return -1
	}
	return float64(len(stuck))
}
