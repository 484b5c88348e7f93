package projections_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/batch"
	"moviola/domain/media"
	"moviola/domain/template"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/projections"
)

// TestReader_PipelineEqualsSteps projects random logs twice: event by event, each in a commit of its own; and in large batches that
// are folded on several threads while the one before is committed, by processes that are killed before and after commits, in stores
// with and without transactions. The bytes of the documents are the same.
func TestReader_PipelineEqualsSteps(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("log ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 86))
			w := newWorld(t)
			last := w.randomLog(t, random, 120)
			want := w.killed(t, last, 0, func(c *projections.Config) { c.BatchEvents = 1 })
			if len(want) < 300 {
				t.Fatalf("the log made %d documents only", len(want))
			}
			for _, atomic := range []bool{true, false} {
				size, kills := 500+random.IntN(100), 2+random.IntN(2)
				got := w.killed(t, last, kills, func(c *projections.Config) {
					c.BehindEvents = size
					if !atomic {
						f := newFaulty(c.Documents, seed, 0.0005)
						c.Documents = f
					}
				})
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("atomic %v, batches of %d events, %d kills: documents (-steps +pipeline):\n%s", atomic, size, kills, diff)
				}
			}
		})
	}
}

// killed projects the log up to a place into a store of its own, and returns the bytes of all documents. The process is killed
// at its second commit, as often as kills says, and started again.
func (w *world) killed(t *testing.T, last eventstore.Appended, kills int, change func(*projections.Config)) map[string]string {
	t.Helper()
	own := &world{store: w.store, log: w.log, clock: w.clock, path: filepath.Join(t.TempDir(), "own.db")}
	for round := range kills + 1 {
		docs := own.documents(t)
		config := own.config(docs)
		change(&config)
		ctx, kill := context.WithCancel(t.Context())
		if round < kills {
			config.Documents = &killer{Documents: config.Documents, kill: kill, before: round%2 == 0}
		}
		models := eventuallyOpen(t, config)
		ended := make(chan error, 1)
		go func() { ended <- models.Reader.Run(ctx) }()
		if round < kills {
			_ = models.Reader.WaitFor(ctx, last.Position) // until it is killed, or at the end of the log before that
		} else {
			waitFor(t, models, last)
		}
		kill()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
	return bodies(t, own.documents(t))
}

// killer kills its process at the second commit of a checkpoint, before or after the commit.
type killer struct {
	projections.Documents
	kill    context.CancelFunc
	before  bool
	commits atomic.Int64
}

func (k *killer) Commit(ctx context.Context, b projections.Changes) error {
	if b.Checkpoint == nil || k.commits.Add(1) != 2 {
		return k.Documents.Commit(ctx, b)
	}
	if k.before {
		k.kill()
		return ctx.Err()
	}
	err := k.Documents.Commit(ctx, b)
	k.kill()
	return err
}

// bodies returns the bytes of every live document of the current generation.
func bodies(t *testing.T, docs projections.Documents) map[string]string {
	t.Helper()
	out := map[string]string{}
	dump(t, docs) // declares the collections
	for model, place := range pointerOf(t, docs).Models {
		q := projections.Query{Limit: projections.MaxPage}
		for more := true; more; {
			page, err := docs.Page(t.Context(), place.Collection, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, stored := range page {
				var raw jsontext.Value
				if err := stored.Body.Decode(&raw); err != nil {
					t.Fatal(err)
				}
				out[model+"/"+stored.ID] = string(raw)
			}
			if more = len(page) == projections.MaxPage; more {
				q.After = []any{page[len(page)-1].ID}
			}
		}
	}
	return out
}

// randomLog appends the lives of movies, files, folders, accounts, batches and templates in a random order; what belongs to one
// life keeps its order.
func (w *world) randomLog(t *testing.T, random *rand.Rand, movies int) (last eventstore.Appended) {
	t.Helper()
	w.store = memory.New()
	w.log = eventstore.NewLog(w.store, eventstore.NewCodec())
	var lives [][]step
	for n := range movies {
		lives = append(lives, life(n))
	}
	for n := range movies / 4 {
		lives = append(lives, otherLife(n))
	}
	var going []int
	next := make([]int, len(lives))
	for begun := 0; begun < len(lives) || len(going) > 0; {
		if begun < len(lives) && len(going) < 25 && random.IntN(2) == 0 {
			going = append(going, begun)
			begun++
		}
		if len(going) == 0 {
			continue
		}
		at := random.IntN(len(going))
		n := going[at]
		last = w.append(t, lives[n][next[n]].stream, lives[n][next[n]].event)
		if next[n]++; next[n] == len(lives[n]) {
			going[at] = going[len(going)-1]
			going = going[:len(going)-1]
		}
	}
	return last
}

// otherLife is what happens to the n-th file, and beside it to an account, a batch or a template.
func otherLife(n int) []step {
	f := file([]string{"a", "a/b", "c"}[n%3], fmt.Sprint("f", n), "image/png", int64(n), fmt.Sprint("stay", n))
	onFile := steps(pathStream(f.Path()), media.FileRegistered{File: f, ExpiresAt: minute(n + 2), At: minute(n)},
		media.FileUploaded{File: f, Blob: "media/" + f.Entry, At: minute(n + 1)})
	if n%2 == 0 {
		onFile = concat(onFile, steps(pathStream(f.Path()), media.FileDeleted{File: f, Blob: "media/" + f.Entry, At: minute(n + 3)}))
	}
	credits, id := int64(3), fmt.Sprintf("other%011d", n)
	switch n % 3 {
	case 0:
		return concat(onFile, steps(account.Stream(domain.AccountID(id)), account.Opened{Name: id, Plan: "paid", Credits: &credits, At: minute(n)},
			account.PlanChanged{Change: 1, Plan: "free"}))
	case 1:
		return concat(onFile, steps(batch.StreamCategory+"-"+id, batch.Requested{Account: alice, At: minute(n)}, batch.Accepted{At: minute(n)},
			batch.Submitted{At: minute(n)}))
	default:
		return concat(onFile, steps(template.StreamCategory+"-"+id, template.Created{Account: alice, Name: id, At: minute(n)},
			template.Deleted{At: minute(n + 1)}))
	}
}
