package embedded_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"moviola/eventstore/embedded"
	_ "moviola/tests/property"
)

// outcome is how an operation ended, in words: "revision 3", "wrong version", "deleted", "not found", or revisions that were read.
type outcome = string

const (
	wrongVersion outcome = "wrong version"
	streamGone   outcome = "deleted"
	notFound     outcome = "not found"
)

// modelStream is what a stream comes to by the rules of EventStoreDB, in as few words as they can be said.
type modelStream struct {
	ids      []uuid.UUID // by revision
	hasMeta  bool
	tb       int64 // math.MaxInt64: deleted
	maxCount int64
}

func (s *modelStream) last() int64   { return int64(len(s.ids)) - 1 }
func (s *modelStream) deleted() bool { return s.tb == math.MaxInt64 }

func (s *modelStream) first() int64 {
	first := s.tb
	if s.maxCount > 0 {
		first = max(first, s.last()-s.maxCount+1)
	}
	return max(first, 0)
}

func (s *modelStream) find(id uuid.UUID) int64 {
	for i, there := range s.ids {
		if there == id {
			return int64(i)
		}
	}
	return -1
}

// append decides an append, and carries it out when it is to be written. It also returns whether it was.
func (s *modelStream) append(expected esdb.ExpectedRevision, ids []uuid.UUID) (outcome, bool) {
	verdict, write := s.judge(expected, ids)
	if !write {
		return verdict, false
	}
	if s.deleted() {
		s.tb = s.last() + 1
	}
	s.ids = append(s.ids, ids...)
	return fmt.Sprintf("revision %d", s.last()), true
}

func (s *modelStream) judge(expected esdb.ExpectedRevision, ids []uuid.UUID) (outcome, bool) {
	at := int64(-1)
	switch e := expected.(type) {
	case esdb.StreamExists:
		if s.deleted() {
			return streamGone, false
		}
		if s.last() < 0 && !s.hasMeta {
			return wrongVersion, false
		}
		return s.judgeByID(ids)
	case esdb.Any:
		return s.judgeByID(ids)
	case esdb.StreamRevision:
		at = int64(e.Value)
	}
	if at == s.last() {
		return "", true
	}
	for i, id := range ids {
		revision := at + 1 + int64(i)
		if at < s.last() && revision <= s.last() && s.ids[revision] == id {
			continue
		}
		return wrongVersion, at < s.last() && i == 0 && at == -1 && s.deleted()
	}
	return fmt.Sprintf("revision %d", at+int64(len(ids))), false
}

func (s *modelStream) judgeByID(ids []uuid.UUID) (outcome, bool) {
	last := int64(-1)
	for i, id := range ids {
		if last = s.find(id); last < 0 {
			return wrongVersion, i == 0
		}
	}
	return fmt.Sprintf("revision %d", last), false
}

func (s *modelStream) remove(expected esdb.ExpectedRevision) outcome {
	switch e := expected.(type) {
	case esdb.StreamRevision:
		if int64(e.Value) != s.last() {
			return wrongVersion
		}
	case esdb.NoStream:
		if s.last() >= 0 {
			return wrongVersion
		}
	case esdb.StreamExists:
		if s.deleted() {
			return streamGone
		}
	}
	if s.last() < 0 && !s.hasMeta {
		return wrongVersion
	}
	s.hasMeta, s.tb, s.maxCount = true, math.MaxInt64, 0
	return "done"
}

// read returns the revisions of a counted read.
func (s *modelStream) read(backwards bool, from int64, count int) outcome {
	if s.last() < 0 || s.deleted() {
		return notFound
	}
	revisions := []int64{}
	step, r := int64(1), max(from, s.first())
	if backwards {
		step, r = -1, min(from, s.last())
	}
	for ; r >= s.first() && r <= s.last() && len(revisions) < count; r += step {
		revisions = append(revisions, r)
	}
	return fmt.Sprint(revisions)
}

// machine runs the same operations on the model and on the server.
type machine struct {
	*harness
	draw    *rapid.T
	streams map[string]*modelStream
	log     []string // ordinary events, in the order in which they were written
	prefix  string
}

func (m *machine) stream() (string, *modelStream) {
	name := m.prefix + rapid.SampledFrom([]string{"-a", "-b", "-c"}).Draw(m.draw, "stream")
	if m.streams[name] == nil {
		m.streams[name] = &modelStream{}
	}
	return name, m.streams[name]
}

func (m *machine) expected(s *modelStream) esdb.ExpectedRevision {
	switch rapid.SampledFrom([]string{"any", "no stream", "exists", "last", "last", "exact"}).Draw(m.draw, "expected") {
	case "any":
		return esdb.Any{}
	case "no stream":
		return esdb.NoStream{}
	case "exists":
		return esdb.StreamExists{}
	case "exact":
		return esdb.Revision(uint64(rapid.IntRange(0, len(s.ids)+1).Draw(m.draw, "revision")))
	}
	if len(s.ids) == 0 {
		return esdb.NoStream{}
	}
	return esdb.Revision(uint64(s.last()))
}

// ids draws ids for an append: new ones, or some that the stream has.
func (m *machine) ids(s *modelStream) []uuid.UUID {
	ids := make([]uuid.UUID, rapid.IntRange(1, 4).Draw(m.draw, "events"))
	known := len(s.ids) > 0 && rapid.IntRange(0, 2).Draw(m.draw, "again") == 0
	from := 0
	if known {
		from = rapid.IntRange(0, len(s.ids)-1).Draw(m.draw, "from")
	}
	for i := range ids {
		ids[i] = uuid.New()
		if known && from+i < len(s.ids) && rapid.IntRange(0, 7).Draw(m.draw, "another") > 0 {
			ids[i] = s.ids[from+i]
		}
	}
	return ids
}

func (m *machine) appendOnce() {
	name, s := m.stream()
	expected, ids := m.expected(s), m.ids(s)
	data := make([]esdb.EventData, len(ids))
	for i, id := range ids {
		data[i] = esdb.EventData{EventID: id, EventType: "Tested", ContentType: esdb.ContentTypeJson, Data: []byte(`{}`)}
	}
	first := len(s.ids)
	want, written := s.append(expected, ids)
	if written {
		for i := range ids {
			m.log = append(m.log, fmt.Sprintf("%s@%d", name, first+i))
		}
	}
	result, err := m.append(name, expected, data...)
	got := outcomeOf(err)
	if err == nil {
		got = fmt.Sprintf("revision %d", result.NextExpectedVersion)
	}
	m.compare(fmt.Sprintf("append %d events to %s at %v", len(ids), name, expected), want, got)
}

func outcomeOf(err error) outcome {
	var failure *esdb.Error
	switch {
	case err == nil:
		return "done"
	case !errors.As(err, &failure):
		return err.Error()
	case failure.IsErrorCode(esdb.ErrorCodeStreamDeleted):
		return streamGone
	case failure.IsErrorCode(esdb.ErrorCodeWrongExpectedVersion):
		return wrongVersion
	case failure.IsErrorCode(esdb.ErrorCodeResourceNotFound):
		return notFound
	default:
		return err.Error()
	}
}

func (m *machine) deleteOnce() {
	name, s := m.stream()
	expected := m.expected(s)
	want := s.remove(expected)
	_, err := m.client.DeleteStream(m.ctx, name, esdb.DeleteStreamOptions{ExpectedRevision: expected})
	got := outcomeOf(err)
	if err != nil && got != streamGone {
		got = wrongVersion // the client has no code for it
	}
	m.compare(fmt.Sprintf("delete %s at %v", name, expected), want, got)
}

func (m *machine) describeOnce() {
	name, s := m.stream()
	var metadata esdb.StreamMetadata
	s.hasMeta, s.tb, s.maxCount = true, 0, 0
	if rapid.Bool().Draw(m.draw, "with tb") {
		s.tb = int64(rapid.IntRange(1, 12).Draw(m.draw, "tb"))
		metadata.SetTruncateBefore(uint64(s.tb))
	}
	if rapid.Bool().Draw(m.draw, "with maxCount") {
		s.maxCount = int64(rapid.IntRange(1, 6).Draw(m.draw, "maxCount"))
		metadata.SetMaxCount(uint64(s.maxCount))
	}
	m.setMetadata(name, metadata)
}

func (m *machine) readOnce() {
	name, s := m.stream()
	count := rapid.IntRange(1, 10).Draw(m.draw, "count")
	from := int64(rapid.IntRange(0, len(s.ids)+1).Draw(m.draw, "from"))
	options := esdb.ReadStreamOptions{Direction: esdb.Forwards, From: esdb.Revision(uint64(from))}
	backwards := rapid.Bool().Draw(m.draw, "backwards")
	if backwards {
		options.Direction = esdb.Backwards
	}
	revisions, err := m.read(name, options, uint64(count))
	got := fmt.Sprint(revisions)
	if err != nil {
		got = outcomeOf(err)
	}
	m.compare(fmt.Sprintf("read %d of %s from %d, backwards: %v", count, name, from, backwards), s.read(backwards, from, count), got)
}

func (m *machine) compare(what string, want, got outcome) {
	if want != got {
		m.draw.Fatalf("%s: %q, want %q", what, got, want)
	}
}

// compareLog compares the order of the whole log.
func (m *machine) compareLog(from esdb.AllPosition) {
	read, err := m.client.ReadAll(m.ctx, esdb.ReadAllOptions{Direction: esdb.Forwards, From: from}, math.MaxInt64)
	if err != nil {
		m.draw.Fatal(err)
	}
	defer read.Close()
	var got []string
	for {
		event, err := read.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			m.draw.Fatal(err)
		}
		if original := event.OriginalEvent(); original.EventType == "Tested" && m.streams[original.StreamID] != nil {
			got = append(got, fmt.Sprintf("%s@%d", original.StreamID, original.EventNumber))
		}
	}
	if diff := cmp.Diff(m.log, got); diff != "" {
		m.draw.Fatalf("the log (-want +got):\n%s", diff)
	}
}

// TestModel runs sequences of operations on a server and on a model of it: 0 differences.
func TestModel(t *testing.T) {
	t.Parallel()
	h := newHarness(t, embedded.Config{Scavenge: time.Hour})
	checks := 0
	rapid.Check(t, func(draw *rapid.T) {
		checks++
		m := &machine{harness: h, draw: draw, streams: map[string]*modelStream{}, prefix: fmt.Sprintf("model%d", checks)}
		operations := []func(){m.appendOnce, m.appendOnce, m.appendOnce, m.readOnce, m.readOnce, m.deleteOnce, m.describeOnce}
		for range rapid.IntRange(1, 40).Draw(draw, "operations") {
			operations[rapid.IntRange(0, len(operations)-1).Draw(draw, "operation")]()
		}
		m.compareLog(esdb.Start{})
	})
}
