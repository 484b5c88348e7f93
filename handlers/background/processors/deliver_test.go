package processors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/domain/result"
	"moviola/eventstore"
	"moviola/handlers/background/delivery"
	"moviola/projections"
)

func deliver(project domain.ProjectID, dead int) projections.Task {
	return task(projections.WorkDeliver, project, dead)
}

// outcomes shows each try as "index.try status", with ! after the status when the try is final.
func outcomes(tries []movie.DeliveryAttempted) string {
	var out []string
	for _, try := range tries {
		text := string(rune('0'+try.Index)) + "." + string(rune('0'+try.Try)) + " " + string(try.Status)
		if try.Final {
			text += "!"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func answering(status ...int) func(context.Context, int) (delivery.WebhookResult, error) {
	return func(_ context.Context, n int) (delivery.WebhookResult, error) {
		s := status[min(n, len(status))-1]
		return delivery.WebhookResult{Delivered: s/100 == 2, HTTPStatus: s, Message: "answered", Retry: s >= 500 || s == 0}, nil
	}
}

func TestDeliver(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit(webhook("https://a.example/x?secret=1"), map[string]any{
			"type": "webhook", "endpoint": "https://b.example", "content-type": "application/x-www-form-urlencoded",
		})
		pr.do(render(project, 0))
		pr.do(deliver(project, 0))
		pr.do(deliver(project, 0)) // a message is only a hint
		if len(w.hooks.calls) != 2 {
			t.Fatalf("%d calls", len(w.hooks.calls))
		}
		first, other := w.hooks.calls[0], w.hooks.calls[1]
		if first.endpoint != "https://a.example/x?secret=1" || first.contentType != "application/json" ||
			other.endpoint != "https://b.example" || other.contentType != "application/x-www-form-urlencoded" {
			t.Errorf("calls %+v %+v", first, other)
		}
		file := w.finished(project).File
		want := map[string]any{
			"success": true, "project": string(project), "id": "mine", "client-data": map[string]any{"n": 1.0}, "duration": 4.0,
			"url": result.Tokens{}.AddressesOf("http://public", project, file).Movie,
		}
		for name, value := range want {
			if diff := cmp.Diff(value, first.payload[name]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		if got := outcomes(w.tries(project)); got != "0.1 ok!, 1.1 ok!" {
			t.Errorf("recorded %s", got)
		}
		if got := w.types(project); !strings.HasSuffix(got, "DeliveryAttempted DeliveryFinished") {
			t.Errorf("stream %s", got)
		}
		if row := w.board.row("deliver/" + string(project)); row.Beat != 0 {
			t.Errorf("a presence row stays: %+v", row)
		}
	})
}

// Spec: Delivery rules; decision 34.
func TestDeliver_Retries(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answers []int
		times   []time.Duration
		want    string
	}{
		"2xx":                 {[]int{204}, []time.Duration{0}, "0.1 ok!"},
		"5xx three times":     {[]int{500, 502, 503}, []time.Duration{0, time.Second, 4 * time.Second}, "0.1 error, 0.2 error, 0.3 error!"},
		"5xx, then 2xx":       {[]int{500, 200}, []time.Duration{0, time.Second}, "0.1 error, 0.2 ok!"},
		"no connection twice": {[]int{0, 0, 200}, []time.Duration{0, time.Second, 4 * time.Second}, "0.1 error, 0.2 error, 0.3 ok!"},
		"3xx":                 {[]int{302}, []time.Duration{0}, "0.1 error!"},
		"4xx":                 {[]int{404}, []time.Duration{0}, "0.1 error!"},
		"5xx, then 4xx":       {[]int{500, 410}, []time.Duration{0, time.Second}, "0.1 error, 0.2 error!"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				pr := w.start("one")
				defer pr.drain(time.Minute)
				project := w.submit(webhook("https://a.example"))
				pr.do(render(project, 0))
				w.hooks.answers = answering(tt.answers...)
				pr.do(deliver(project, 0))
				var times []time.Duration
				for _, c := range w.hooks.calls {
					times = append(times, c.at.Sub(w.hooks.calls[0].at))
				}
				if diff := cmp.Diff(tt.times, times); diff != "" {
					t.Errorf("times of the tries (-want +got):\n%s", diff)
				}
				if got := outcomes(w.tries(project)); got != tt.want {
					t.Errorf("recorded %s, want %s", got, tt.want)
				}
			})
		})
	}
}

func TestDeliver_ThePauseBeginsWhenATryEnds(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit(webhook("https://a.example"))
		pr.do(render(project, 0))
		w.hooks.answers = func(_ context.Context, n int) (delivery.WebhookResult, error) {
			time.Sleep(10 * time.Second)
			return delivery.WebhookResult{HTTPStatus: 500, Retry: true}, nil
		}
		pr.do(deliver(project, 0))
		calls := w.hooks.calls
		if len(calls) != 3 || calls[1].at.Sub(calls[0].at) != 11*time.Second || calls[2].at.Sub(calls[1].at) != 13*time.Second {
			t.Errorf("calls %+v", calls)
		}
		for _, try := range w.tries(project) {
			if try.DurationMS != 10_000 || try.HTTPStatus != 500 {
				t.Errorf("recorded %+v", try)
			}
		}
	})
}

// Decision 33.
func TestDeliver_WhatGetsNothing(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		to     map[string]any
		failed bool
		status movie.DeliveryStatus
		says   string
	}{
		"a webhook without endpoint":            {map[string]any{"type": "webhook"}, false, movie.DeliveryError, "no endpoint"},
		"an unknown type":                       {map[string]any{"type": "pigeon"}, false, movie.DeliveryError, "Unknown destination type pigeon"},
		"an unknown type of a failed render":    {map[string]any{"type": "pigeon"}, true, movie.DeliveryError, "Unknown destination type pigeon"},
		"an unknown connection":                 {map[string]any{"id": "c1"}, false, movie.DeliveryError, "Connection c1 not found"},
		"storage through an unknown connection": {map[string]any{"type": "aws-s3", "id": "c1"}, false, movie.DeliveryError, "Connection c1 not found"},
		"storage without connection":            {map[string]any{"type": "aws-s3"}, false, movie.DeliveryError, "needs the id"},
		"storage of a failed render":            {map[string]any{"type": "aws-s3", "id": "c1"}, true, movie.DeliverySkipped, "No video was produced"},
		"nothing at all":                        {map[string]any{}, false, movie.DeliveryError, "neither a type nor"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				pr := w.start("one")
				defer pr.drain(time.Minute)
				project := w.submit(tt.to, webhook("https://a.example"))
				if tt.failed {
					pr.render.step = func(context.Context, commands.RenderJob, int) error {
						return domain.Errorf(domain.Invalid, "x", "It is broken")
					}
				}
				pr.do(render(project, 0))
				pr.do(deliver(project, 0))
				tries := w.tries(project)
				if len(tries) != 2 || tries[0].Status != tt.status || !strings.Contains(tries[0].Message, tt.says) || !tries[0].Final {
					t.Errorf("recorded %+v", tries)
				}
				if len(w.hooks.calls) != 1 || w.hooks.calls[0].payload["success"] == tt.failed {
					t.Errorf("the webhook behind it got %+v", w.hooks.calls)
				}
			})
		})
	}
}

// A result that no event can hold ends its destination all the same: without an end, the webhook would be called for ever.
func TestDeliver_AResultThatIsTooLarge(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit(webhook("https://a.example"), webhook("https://b.example"))
		pr.do(render(project, 0))
		w.hooks.answers = func(context.Context, int) (delivery.WebhookResult, error) {
			return delivery.WebhookResult{Delivered: true, HTTPStatus: 200, Message: strings.Repeat("long ", 1<<20)}, nil
		}
		pr.do(deliver(project, 0))
		tries := w.tries(project)
		if got := outcomes(tries); got != "0.1 ok!, 1.1 ok!" {
			t.Fatalf("recorded %s", got)
		}
		if got := len(tries[0].Message); got > 2100 {
			t.Errorf("the message has %d bytes", got)
		}
	})
}

func TestDeliver_MoreThanOneExport(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		one := map[string]any{"destinations": []any{webhook("https://a.example")}}
		body, err := json.Marshal(map[string]any{"scenes": []any{map[string]any{"duration": 1}}, "exports": []any{one, one}})
		must(t, err)
		project := w.submitBody(body)
		pr.do(render(project, 0))
		pr.do(deliver(project, 0))
		tries := w.tries(project)
		if len(tries) != 1 || tries[0].Index != 0 || tries[0].Status != movie.DeliveryError || !strings.Contains(tries[0].Message, "one export") {
			t.Errorf("recorded %+v", tries)
		}
		if len(w.hooks.calls) != 0 {
			t.Errorf("something was delivered: %+v", w.hooks.calls)
		}
	})
}

func TestDeliver_FiveMinutesOfSending(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		var to []map[string]any
		for range 4 {
			to = append(to, webhook("https://slow.example"))
		}
		project := w.submit(to...)
		pr.do(render(project, 0))
		w.hooks.answers = func(ctx context.Context, n int) (delivery.WebhookResult, error) {
			select {
			case <-time.After(110 * time.Second):
				return delivery.WebhookResult{Delivered: true, HTTPStatus: 200}, nil
			case <-ctx.Done():
				return delivery.WebhookResult{}, ctx.Err()
			}
		}
		pr.do(deliver(project, 0))
		if got := outcomes(w.tries(project)); got != "0.1 ok!, 1.1 ok!, 2.1 skipped!, 3.1 skipped!" {
			t.Errorf("recorded %s", got)
		}
		if len(w.hooks.calls) != 3 {
			t.Errorf("%d calls", len(w.hooks.calls))
		}
	})
}

// Spec: Delivery rules; decision 55. When the time for all destinations ends in a later try, that try is the last one.
func TestDeliver_TheTimeEndsInALaterTry(t *testing.T) {
	t.Parallel()
	for last, want := range map[int]string{
		1: "0.1 skipped!", 2: "0.1 error, 0.2 skipped!", 3: "0.1 error, 0.2 error, 0.3 skipped!",
	} {
		t.Run(fmt.Sprint(last), func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				pr := w.start("one")
				defer pr.drain(time.Minute)
				project := w.submit(webhook("https://a.example"))
				pr.do(render(project, 0))
				w.hooks.answers = func(ctx context.Context, n int) (delivery.WebhookResult, error) {
					if n == last {
						<-ctx.Done()
						return delivery.WebhookResult{}, ctx.Err()
					}
					return delivery.WebhookResult{HTTPStatus: 500, Retry: true}, nil
				}
				pr.do(deliver(project, 0))
				if got := outcomes(w.tries(project)); got != want || len(w.hooks.calls) != last {
					t.Errorf("recorded %s in %d calls, want %s", got, len(w.hooks.calls), want)
				}
			})
		})
	}
}

// A log of an earlier version may have three tries of which none is final: one more try ends the delivery.
func TestDeliver_MoreTriesInTheLogThanAllowed(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit(webhook("https://a.example"))
		pr.do(render(project, 0))
		log, stream := w.log(), movie.Stream(project)
		end, err := log.Last(t.Context(), stream)
		must(t, err)
		events := []domain.Event{movie.DeliveryStarted{Run: 1, Worker: "earlier", At: time.Now()}}
		for try := range 3 {
			events = append(events, movie.DeliveryAttempted{Run: 1, Try: try + 1, Type: "webhook", Status: movie.DeliveryError, At: time.Now()})
		}
		events = append(events, movie.DeliveryReleased{Run: 1, Worker: "earlier", At: time.Now()})
		must(t, second(log.Append(t.Context(), stream, end.Revision, eventstore.Meta{Account: alice, Time: time.Now()}, events...)))
		w.hooks.answers = answering(500)
		pr.do(deliver(project, 0))
		if got := outcomes(w.tries(project)); got != "0.1 error, 0.2 error, 0.3 error, 0.4 error!" || len(w.hooks.calls) != 1 {
			t.Errorf("recorded %s in %d calls", got, len(w.hooks.calls))
		}
	})
}

// Design §4: a receiver that asks at once must find the movie closed.
func TestDeliver_WaitsUntilTheEndIsVisible(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit(webhook("https://a.example"))
		pr.do(render(project, 0))
		shown := make(chan struct{})
		pr.link.visible = func(eventstore.Position) { <-shown }
		done := pr.send(deliver(project, 0))
		time.Sleep(time.Minute)
		if len(w.hooks.calls) != 0 {
			t.Error("the webhook came before the read models")
		}
		close(shown)
		if !<-done || len(w.hooks.calls) != 1 {
			t.Errorf("%d calls", len(w.hooks.calls))
		}
	})
}

// What fails for its own reasons is the operator's trouble: nothing is given up, and the delivery goes on when it is mended.
func TestDeliver_TroubleIsHandedBack(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(w *world) (mend func()){
		"the sender is broken": func(w *world) func() {
			w.hooks.answers = func(context.Context, int) (delivery.WebhookResult, error) {
				return delivery.WebhookResult{}, errors.New("the sender is broken")
			}
			return func() { w.hooks.answers = nil }
		},
		"the document is damaged": func(w *world) func() {
			w.files.Fail(func(string, string) error { return fmt.Errorf("read: %w", commands.ErrDamaged) })
			return func() { w.files.Fail(nil) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				pr := w.start("one")
				defer pr.drain(time.Minute)
				project := w.submit(webhook("https://a.example"))
				pr.do(render(project, 0))
				mend := fail(w)
				for range 5 {
					if <-pr.send(deliver(project, 0)) {
						t.Error("a failure was taken for success")
					}
				}
				if got := w.troubles.rows["deliver/"+string(project)].Failures; got != 5 {
					t.Errorf("%d failures are listed", got)
				}
				mend()
				pr.do(deliver(project, 0))
				if got := outcomes(w.tries(project)); got != "0.1 ok!" {
					t.Errorf("recorded %s", got)
				}
			})
		})
	}
}

func TestDeliver_AMovieWhoseDocumentIsLost(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project := w.submit(webhook("https://a.example"))
		pr.do(render(project, 0))
		must(t, w.files.Delete(t.Context(), blobkey.Document(alice, project)))
		pr.do(deliver(project, 0))
		if got := outcomes(w.tries(project)); got != "0.1 error!" {
			t.Errorf("recorded %s", got)
		}
	})
}
