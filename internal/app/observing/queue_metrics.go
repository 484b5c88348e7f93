package observing

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/internal/app/parts"
	"moviola/internal/config"
	"moviola/projections"
)

// scrapeTime limits the reads of a scrape. Within scrapePause, further scrapes get the same result: several scrapers cost no more
// than one.
const (
	scrapeTime  = 3 * time.Second
	scrapePause = 5 * time.Second
)

// standing reports at a scrape how far the read models are and, with the role keeper, what is waiting in the work list. It
// implements prometheus.Collector.
type standing struct {
	parts *parts.Parts
	now   func() time.Time

	mu    sync.Mutex
	taken time.Time
	last  []prometheus.Metric
}

var (
	logPosition = prometheus.NewDesc("moviola_log_position", "Place in the log where it ends.", nil, nil)
	lagEvents   = prometheus.NewDesc("moviola_projection_lag_events",
		"Events that are not in the read models yet, counted up to 10,000.", nil, nil)
	lagSeconds = prometheus.NewDesc("moviola_projection_lag_seconds",
		"Age of the oldest event that is not in the read models yet; 0: all are.", nil, nil)
	queueItems = prometheus.NewDesc("moviola_queue_items", "Work that is due and that nobody has, counted up to "+
		"10,000 of a kind.", []string{"kind", "plan"}, nil)
	slotsWanted  = prometheus.NewDesc("moviola_render_slots_wanted", "Movies that wait for a slot or have one.", nil, nil)
	queueSeconds = prometheus.NewDesc("moviola_queue_oldest_seconds", "How long the oldest of that work has been due.",
		[]string{"kind", "plan"}, nil)
)

// Describe implements prometheus.Collector.
func (s *standing) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{logPosition, lagEvents, lagSeconds, queueItems, queueSeconds, slotsWanted} {
		to <- desc
	}
}

// Collect implements prometheus.Collector. It leaves out what cannot be read now, and logs that at debug level.
func (s *standing) Collect(to chan<- prometheus.Metric) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken.IsZero() || s.now().Sub(s.taken) >= scrapePause {
		s.last, s.taken = s.ask(), s.now()
	}
	for _, metric := range s.last {
		to <- metric
	}
}

func (s *standing) ask() []prometheus.Metric {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	log := s.parts.Logger.WithField("part", "metrics")
	return slices.Concat(s.askLag(ctx, log), s.askQueue(ctx, log), s.askWanted(ctx, log))
}

func gaugeOf(desc *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
}

func (s *standing) askLag(ctx context.Context, log logrus.FieldLogger) []prometheus.Metric {
	lag, err := s.parts.Models.Reader.Lag(ctx)
	if err != nil {
		log.WithError(err).Debug("lag of the read models not measured; its metrics are left out")
		return nil
	}
	return []prometheus.Metric{
		gaugeOf(logPosition, float64(lag.Head.Commit)), gaugeOf(lagEvents, float64(lag.Events)), gaugeOf(lagSeconds, lag.Age.Seconds()),
	}
}

// askQueue reports, in a process with the role keeper, for every kind of work and every plan, the number of waiting items
// and the age of the oldest. It reports zero items too: a series that disappears would keep its last value on dashboards.
func (s *standing) askQueue(ctx context.Context, log logrus.FieldLogger) []prometheus.Metric {
	if !s.parts.Config.Plays(config.RoleKeeper) {
		return nil
	}
	now := s.now()
	all, err := s.parts.Models.Work.Census(ctx, now)
	if err != nil {
		log.WithError(err).Debug("waiting work not counted; its metrics are left out")
		return nil
	}
	type cell struct{ kind, plan string }
	items, oldest := map[cell]int{}, map[cell]float64{}
	for _, kind := range projections.WorkKinds() {
		for _, plan := range s.planNames() {
			items[cell{kind.Name, plan}] = 0
		}
	}
	plans := map[domain.AccountID]string{}
	for _, waiting := range all {
		plan, known := plans[waiting.Account]
		if !known {
			plan = s.planOf(ctx, waiting.Account)
			plans[waiting.Account] = plan
		}
		at := cell{waiting.Kind, plan}
		items[at] += waiting.Items
		oldest[at] = max(oldest[at], now.Sub(waiting.Oldest).Seconds())
	}
	var metrics []prometheus.Metric
	for at, n := range items {
		metrics = append(metrics, gaugeOf(queueItems, float64(n), at.kind, at.plan),
			gaugeOf(queueSeconds, oldest[at], at.kind, at.plan))
	}
	return metrics
}

// askWanted reports how many movies wait for a render slot or have one.
func (s *standing) askWanted(ctx context.Context, log logrus.FieldLogger) []prometheus.Metric {
	if !s.parts.Config.Plays(config.RoleKeeper) {
		return nil
	}
	demand, err := s.parts.Models.Work.Demand(ctx, projections.WorkRender, s.now())
	if err != nil {
		log.WithError(err).Debug("moviola_render_slots_wanted is left out: the waiting movies could not be counted")
		return nil
	}
	return []prometheus.Metric{gaugeOf(slotsWanted, float64(demand.Waiting+demand.Running))}
}

// noPlan is the plan label of the service's own work, and of accounts whose plan cannot be read or is none of the
// installation.
const noPlan = "none"

// planNames returns the plans of the installation, and noPlan.
func (s *standing) planNames() []string { return append(s.parts.Plans.Names(), noPlan) }

func (s *standing) planOf(ctx context.Context, account domain.AccountID) string {
	found, exists, err := s.parts.Models.Accounts.Get(ctx, account)
	if err != nil || !exists {
		return noPlan
	}
	if !s.parts.Plans.Known(found.Plan) {
		return noPlan
	}
	return found.Plan
}
