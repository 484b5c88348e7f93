package bench_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"moviola/adapters/blobs"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/ledger"
	moviedomain "moviola/domain/movie"
	"moviola/eventstore"
)

const (
	chunk       = 2000                // movies whose holds go into one append
	appenders   = 48                  // movies appended at the same time
	historySpan = 85 * 24 * time.Hour // a list covers three months at most
	retention   = 7 * 24 * time.Hour  // after which a file is gone
	// documented is how many of the newest and of the oldest movies of each addition have their document: more than a page. The
	// documents of those between are never asked for.
	documented = 150
)

// history is an account whose movies are put into the log past the interface, as they would stand there had they been submitted,
// rendered and, where their time is over, removed.
type history struct {
	service *service
	owner   owner
	from    time.Time // when its first movie was submitted
	size    int
	grown   int64 // how often grow has added movies
	ledger  eventstore.Appended
	files   *blobs.Bucket
}

func newHistory(b *testing.B, s *service) *history {
	b.Helper()
	h := &history{service: s, owner: s.open(b), from: time.Now().Add(-historySpan).UTC()}
	var err error
	if h.ledger, err = s.log.Last(b.Context(), ledger.Stream(h.owner.account)); err != nil {
		b.Fatal(err)
	}
	if h.files, err = blobs.Open(b.Context(), filepath.Join(s.Data, "files"), blobkey.DocumentPrefixes()...); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := h.files.Close(); err != nil {
			b.Error(err)
		}
	})
	return h
}

// grow adds movies, spread over the whole time, until there are n, and waits until the read models show them.
func (h *history) grow(b *testing.B, n int) {
	b.Helper()
	more := n - h.size
	first, every := h.from, historySpan/time.Duration(more+1)
	for at := 0; at < more; at += chunk {
		h.add(b, first.Add(time.Duration(at)*every), every, at, min(chunk, more-at), more)
	}
	h.size = n
	h.grown++
	h.spend(b, []domain.Event{ledger.CreditsGranted{Reference: fmt.Sprint("grown ", h.grown), Amount: 1, At: time.Now().UTC()}})
	h.settle(b)
}

// add appends one chunk of an addition of many: the holds, each movie in a stream of its own, and the charges.
func (h *history) add(b *testing.B, from time.Time, every time.Duration, first, n, many int) {
	b.Helper()
	projects := make([]domain.ProjectID, n)
	held, charged := make([]domain.Event, n), make([]domain.Event, n)
	times := make([]time.Time, n)
	for i := range projects {
		projects[i], times[i] = commands.NewProjectID(), from.Add(time.Duration(i)*every).Truncate(time.Millisecond)
		held[i] = ledger.CreditsHeld{Project: projects[i], Amount: 2, At: times[i]}
		charged[i] = ledger.CreditsCharged{Project: projects[i], Amount: 2, At: times[i].Add(time.Minute)}
	}
	h.spend(b, held)
	var all sync.WaitGroup
	var next atomic.Int64
	errs := make([]error, appenders)
	for worker := range appenders {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && errs[worker] == nil; i = int(next.Add(1)) - 1 {
				if place := first + i; place < documented || place >= many-documented {
					errs[worker] = h.document(b.Context(), projects[i])
				}
				if errs[worker] == nil {
					errs[worker] = h.append(b.Context(), projects[i], times[i])
				}
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		b.Fatal(err)
	}
	h.spend(b, charged)
}

func (h *history) meta(at time.Time) eventstore.Meta {
	return eventstore.Meta{Account: h.owner.account, Time: at, Correlation: "0123456789abcdef0123456789abcdef"}
}

// spend appends to the account's ledger.
func (h *history) spend(b *testing.B, events []domain.Event) {
	b.Helper()
	var err error
	h.ledger, err = h.service.log.Append(b.Context(), ledger.Stream(h.owner.account), h.ledger.Revision, h.meta(time.Now()), events...)
	if err != nil {
		b.Fatal(err)
	}
}

// append is a movie's whole life.
func (h *history) append(ctx context.Context, project domain.ProjectID, at time.Time) error {
	rendered := at.Add(30 * time.Second)
	events := []domain.Event{
		moviedomain.Submitted{Account: h.owner.account, At: at, DocumentHash: fmt.Sprintf("%064x", at.UnixNano()), DocumentSize: int64(len(movie)), Held: 2},
		moviedomain.RenderStarted{Attempt: 1, Worker: "bench-1", At: at.Add(time.Second)},
		moviedomain.RenderFinished{
			Attempt: 1, Worker: "bench-1", At: rendered, Success: true, Credits: 2,
			Plan: &moviedomain.Dimensions{Width: 1920, Height: 1080, Frames: 50, FPSNum: 25, FPSDen: 1},
			File: &moviedomain.File{
				Key: blobkey.RendersOf(project) + "1.mp4", Thumbnail: blobkey.RendersOf(project) + "1.jpg",
				Token: fmt.Sprintf("%032x", at.UnixNano()), Size: 123_456, Codec: "h264", CodecType: "video", PixelFormat: "yuv420p",
				VideoStreams: 1, AudioStreams: 1, FrameRate: 25, ColorTransfer: "bt709", ColorPrimaries: "bt709", ColorSpace: "bt709",
			},
		},
	}
	if time.Since(rendered) > retention {
		events = append(events, moviedomain.FileDeleted{Reason: moviedomain.Expired, At: rendered.Add(retention)})
	}
	_, err := h.service.log.Append(ctx, moviedomain.Stream(project), eventstore.NoStream, h.meta(at), events...)
	return err
}

// document stores a movie's document as the service does, in a process beside it.
func (h *history) document(ctx context.Context, project domain.ProjectID) error {
	return h.files.Put(ctx, blobkey.Document(h.owner.account, project), strings.NewReader(movie))
}

// settle waits until the read models have come to the last event of an addition, a grant of one credit: the account's credits say so.
func (h *history) settle(b *testing.B) {
	b.Helper()
	want := int64(credits-2*h.size) + h.grown
	for began := time.Now(); ; {
		var page struct {
			RemainingQuota struct{ Time int64 } `json:"remaining_quota"`
		}
		h.service.fetch(b, "/v2/movies?limit=1", h.owner.key, &page)
		if page.RemainingQuota.Time == want {
			return
		}
		if time.Since(began) > 10*time.Minute {
			b.Fatalf("the read models do not come to the end of the log: %d credits, not %d", page.RemainingQuota.Time, want)
		}
		waitFor(b, 50*time.Millisecond)
	}
}

// waitFor waits between two looks.
func waitFor(b *testing.B, d time.Duration) {
	b.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-b.Context().Done():
		b.Fatal(b.Context().Err())
	}
}
