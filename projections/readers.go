package projections

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

// readers is the collection of the signs of life of processes that read. Like presence, it is not made from events.
var readers = Collection{Name: "readers"}

const (
	// signInterval is how often a process shows which generation it reads.
	signInterval = 10 * time.Second
	// signAge is how old such a sign may be: an older one is that of a process which has ended.
	signAge = time.Minute
)

// sign is what a process shows: an older version goes on with its own generation beside a newer one.
type sign struct {
	Reader     string    `json:"reader"`
	Program    string    `json:"program"` // what it makes of documents; empty: a version that does not say so
	Generation int64     `json:"generation"`
	At         time.Time `json:"at"`
}

func (r *Reader) signs() board[sign] {
	return board[sign]{docs: r.at.docs, collection: readers.Name, what: "sign of life"}
}

// sign shows which generation this process reads.
func (r *Reader) sign(ctx context.Context, generation int64) error {
	return r.signs().change(ctx, r.name, func(sign, bool) (sign, time.Time, bool) {
		return sign{Reader: r.name, Program: r.at.program(), Generation: generation, At: millis(r.config.Now())}, time.Time{}, true
	})
}

// unsign takes the sign of a process down that ends. One that is killed leaves it, until it is old.
func (r *Reader) unsign(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), behindTime)
	defer cancel()
	now := millis(r.config.Now())
	err := r.signs().change(ctx, r.name, func(s sign, exists bool) (sign, time.Time, bool) { return s, now, exists })
	if err != nil {
		r.config.Logger.WithError(err).Debug("heartbeat of this process not removed; it is ignored once it is old")
	}
}

// othersRead tells whether another process that lives reads the current generation.
func (r *Reader) othersRead(ctx context.Context, now time.Time) (bool, error) {
	p, err := r.at.read(ctx)
	if err != nil || p == nil {
		return false, err
	}
	used, err := r.inUse(ctx, now)
	return slices.Contains(used, p.Generation), err
}

// strangersRead tells whether a process of another version that lives reads a generation.
func (r *Reader) strangersRead(ctx context.Context, generation int64) (bool, error) {
	alive, err := r.alive(ctx, r.config.Now())
	mine := r.at.program()
	return slices.ContainsFunc(alive, func(s sign) bool { return s.Generation == generation && s.Program != mine }), err
}

// inUse returns the generations that processes read, and takes down the signs of those that have ended.
func (r *Reader) inUse(ctx context.Context, now time.Time) ([]int64, error) {
	alive, err := r.alive(ctx, now)
	var used []int64
	for _, s := range alive {
		used = append(used, s.Generation)
	}
	return used, err
}

// alive returns the signs of processes that live, and takes down those of processes that have ended.
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
		if err := r.signs().change(ctx, row.Reader, func(s sign, exists bool) (sign, time.Time, bool) { return s, millis(now), exists }); err != nil {
			return nil, err
		}
	}
	return used, nil
}

// generationOf is the generation that a collection was made for, by its name. Later ones may have taken it over.
func generationOf(collection string) int64 {
	number, err := strconv.ParseInt(collection[strings.LastIndex(collection, "_")+1:], 10, 64)
	if err != nil {
		return 0
	}
	return number
}
