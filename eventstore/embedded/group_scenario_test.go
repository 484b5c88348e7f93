package embedded

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"moviola/eventstore/embedded/logfile"
)

// scenario is a group without a log: events are numbered, and what consumers get is told by these numbers.
type scenario struct {
	*testing.T
	*groupState
	now    time.Time
	events []*logfile.Record
	came   map[string]*consumer
}

func newScenario(t *testing.T, settings groupSettings) *scenario {
	if settings.Strategy == "" {
		settings.Strategy = strategyRoundRobin
	}
	return &scenario{T: t, now: time.Unix(1_800_000_000, 0), came: map[string]*consumer{}, groupState: &groupState{
		settings: &settings, pins: map[uint32]*consumer{}, considered: logfile.NoCheckpoint, checkpoint: logfile.NoCheckpoint,
	}}
}

// read offers so many more events, of the streams named in turn.
func (s *scenario) read(count int, streams ...string) {
	if len(streams) == 0 {
		streams = []string{"a"}
	}
	for range count {
		place := int64(len(s.events))
		r := &logfile.Record{ID: uuid.New(), Stream: streams[int(place)%len(streams)], Revision: place, Position: place + 1}
		s.events = append(s.events, r)
		s.offer([]*message{{event: r, place: place}}, place, 0)
	}
	s.dispatch(s.now)
}

// skip considers so many events that the filter leaves out.
func (s *scenario) skip(count int) {
	for range count {
		s.events = append(s.events, nil)
	}
	s.offer(nil, int64(len(s.events)-1), count)
}

func (s *scenario) join(name string, slots int) {
	c := &consumer{slots: slots, out: make(chan *message, slots), flights: map[uuid.UUID][]*flight{}, end: make(chan error, 1)}
	s.came[name] = c
	s.consumers = append(s.consumers, c)
	s.dispatch(s.now)
}

func (s *scenario) leave(name string) {
	s.disconnect(s.came[name])
	s.dispatch(s.now)
}

func (s *scenario) ids(places []int) (ids []uuid.UUID) {
	for _, place := range places {
		ids = append(ids, s.events[place].ID)
	}
	return ids
}

func (s *scenario) acks(name string, places ...int) {
	s.ack(s.came[name], s.ids(places))
	s.dispatch(s.now)
}

func (s *scenario) nacks(name string, action refusal, places ...int) {
	s.nack(s.came[name], s.ids(places), action, "because")
	s.dispatch(s.now)
}

func (s *scenario) after(d time.Duration) {
	s.now = s.now.Add(d)
	s.expire(s.now)
	s.dispatch(s.now)
}

// gets wants a consumer to have been given these: "3" for event 3, "3+1" for its first repetition.
func (s *scenario) gets(name, want string) {
	s.Helper()
	var got []string
	for len(s.came[name].out) > 0 {
		m := <-s.came[name].out
		text := fmt.Sprint(m.place)
		if m.retries > 0 {
			text += fmt.Sprintf("+%d", m.retries)
		}
		got = append(got, text)
	}
	if text := strings.Join(got, " "); text != want {
		s.Errorf("%s got %q, want %q", name, text, want)
	}
}

// parks stores what is to be parked and wants it to be these.
func (s *scenario) parks(want string) {
	s.Helper()
	var got []string
	for _, p := range s.parking {
		got = append(got, p.message.reference())
	}
	if text := strings.Join(got, " "); text != want {
		s.Errorf("parked %q, want %q", text, want)
	}
	s.storing, s.parking = s.parking, nil
	s.stored(true)
}

const none = int64(-2)

// checks wants a checkpoint there, or none.
func (s *scenario) checks(timeIsUp bool, want int64) {
	s.Helper()
	at, due := s.due(timeIsUp)
	if !due {
		at = none
	}
	if at != want {
		s.Errorf("the checkpoint is %d, want %d", at, want)
	}
}
