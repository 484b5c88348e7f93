package projections

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

// readers is the collection in which reading processes show that they are alive. Like presence, it is not folded from events.
var readers = Collection{Name: "readers"}

const (
	// signInterval is how often a process writes its heartbeat, with the generation that it reads.
	signInterval = 10 * time.Second
	// signAge is the maximum age of a heartbeat: an older one belongs to a process that has ended.
	signAge = time.Minute
)

// sign is a process's heartbeat. It shows which generation the process reads: an older version of the program keeps its own
// generation beside a newer one.
type sign struct {
	Reader string `json:"reader"`
	// identifies the versions of documents that the process writes (catalogue.program); empty: an old program wrote the
	// heartbeat
	Program    string    `json:"program"`
	Generation int64     `json:"generation"`
	At         time.Time `json:"at"`
}

func (r *Reader) signs() board[sign] {
	return board[sign]{docs: r.at.docs, collection: readers.Name, what: "heartbeat"}
}

// sign writes this process's heartbeat with the generation that it reads.
func (r *Reader) sign(ctx context.Context, generation int64) error {
	return r.signs().change(ctx, r.name, func(sign, bool) (sign, time.Time, bool) {
		return sign{Reader: r.name, Program: r.at.program(), Generation: generation, At: millis(r.config.Now())}, time.Time{}, true
	})
}

// unsign removes the heartbeat of this process from the collection readers, when the process ends. The heartbeat of a
// killed process stays until another process finds that it is older than signAge.
func (r *Reader) unsign(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), behindTime)
	defer cancel()
	now := millis(r.config.Now())
	err := r.signs().change(ctx, r.name, func(s sign, exists bool) (sign, time.Time, bool) { return s, now, exists })
	if err != nil {
		r.config.Logger.WithError(err).Debug("heartbeat of this process not removed; it is ignored once it is old")
	}
}

// othersRead reports whether a live process reads the current generation. The caller reads another one.
func (r *Reader) othersRead(ctx context.Context, now time.Time) (bool, error) {
	p, err := r.at.read(ctx)
	if err != nil || p == nil {
		return false, err
	}
	used, err := r.inUse(ctx, now)
	return slices.Contains(used, p.Generation), err
}

// strangersRead reports whether a live process of another version reads a generation.
func (r *Reader) strangersRead(ctx context.Context, generation int64) (bool, error) {
	alive, err := r.alive(ctx, r.config.Now())
	mine := r.at.program()
	return slices.ContainsFunc(alive, func(s sign) bool { return s.Generation == generation && s.Program != mine }), err
}

// inUse returns the generations that live processes read. It removes the heartbeats of processes that have ended.
func (r *Reader) inUse(ctx context.Context, now time.Time) ([]int64, error) {
	alive, err := r.alive(ctx, now)
	var used []int64
	for _, s := range alive {
		used = append(used, s.Generation)
	}
	return used, err
}

// alive returns the heartbeats of live processes. It removes the heartbeats that are older than signAge, because their
// processes have ended.
func (r *Reader) alive(ctx context.Context, now time.Time) ([]sign, error) {
	rows, err := r.signs().all(ctx, Query{Index: IDIndex, Limit: MaxPage}, func(s sign) []any { return []any{s.Reader} })
	if err != nil {
		return nil, err
	}
	var used []sign
	for _, row := range rows {
		if now.Sub(row.At) <= signAge {
			used = append(used, row)
			continue
		}
		if err := r.signs().change(ctx, row.Reader, func(s sign, exists bool) (sign, time.Time, bool) {
			return s, millis(now), exists
		}); err != nil {
			return nil, err
		}
	}
	return used, nil
}

// generationOf returns the generation that a collection was built for, from the collection's name. Later generations may have
// taken it over.
func generationOf(collection string) int64 {
	number, err := strconv.ParseInt(collection[strings.LastIndex(collection, "_")+1:], 10, 64)
	if err != nil {
		return 0
	}
	return number
}
