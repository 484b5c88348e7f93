package processors_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"moviola/adapters/vault"
	"moviola/commands"
	"moviola/commands/connections"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/connection"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// save saves a connection of alice's.
func (w *world) save(id string, kind connection.Kind, settings map[string]any) {
	w.t.Helper()
	h := connections.NewSaveConnectionHandler(w.log(), w.vault, rand.Reader, time.Now)
	must(w.t, second(h.Handle(w.t.Context(), connections.SaveConnection{Account: alice, ID: id, Kind: kind, Settings: settings})))
}

func (w *world) saveAll() {
	w.save("hook", connection.Webhook, map[string]any{"endpoint": "https://saved.example/x?hush", "content-type": "application/x-www-form-urlencoded"})
	w.save("signed", connection.Webhook, map[string]any{"endpoint": "https://saved.example/signed", "signed": true})
	w.save("server", connection.SFTP, map[string]any{"host": "a.example", "username": "me", "password": "hush", "remote-path": "in/__yyyy__"})
	w.save("bucket", connection.S3, map[string]any{"bucket": "b", "region": "r", "access-key-id": "k", "secret-access-key": "hush"})
	w.save("provider", connection.APIKey, map[string]any{"url": "https://p.example", "key": "hush"})
}

// deliverTo renders a movie, delivers it to one destination and returns the result.
func (w *world) deliverTo(pr *process, to map[string]any) movie.DeliveryAttempted {
	w.t.Helper()
	project := w.submit(to)
	pr.do(render(project, 0))
	pr.do(deliver(project, 0))
	tries := w.tries(project)
	if len(tries) != 1 || !tries[0].Final {
		w.t.Fatalf("recorded %+v", tries)
	}
	return tries[0]
}

// What destinations come to. Spec: Export destination entries; decisions 33 and 50.
func TestDeliver_Targets(t *testing.T) {
	t.Parallel()
	ftp := map[string]any{"type": "ftp", "host": "b.example", "port": 2121, "username": "u", "password": "p", "file": "__filename__"}
	tests := []struct {
		name    string
		to      map[string]any
		status  movie.DeliveryStatus
		kind    string
		says    string
		parcels int
	}{
		{"a saved webhook", map[string]any{"id": "hook"}, movie.DeliveryOK, "webhook", "Delivered", 0},
		{"with its type", map[string]any{"id": "hook", "type": "webhook"}, movie.DeliveryOK, "webhook", "Delivered", 0},
		{"of another type", map[string]any{"id": "hook", "type": "ftp"}, movie.DeliveryError, "ftp", "Connection hook is of type webhook, not ftp", 0},
		{"a saved server", map[string]any{"id": "server"}, movie.DeliveryOK, "sftp", "Delivered", 1},
		{"another path", map[string]any{"id": "server", "remote-path": "other"}, movie.DeliveryOK, "sftp", "Delivered", 1},
		{"another password", map[string]any{"id": "server", "password": "x"}, movie.DeliveryError, "sftp", "password is a secret", 0},
		{"another host", map[string]any{"id": "server", "host": "evil.example"}, movie.DeliveryError, "sftp", "host belongs to the secrets", 0},
		{"storage", map[string]any{"type": "aws-s3", "id": "bucket", "remote-path": "x", "file": "y.mp4"}, movie.DeliveryOK, "aws-s3", "Delivered", 1},
		{"storage by its id alone", map[string]any{"id": "bucket"}, movie.DeliveryOK, "aws-s3", "Delivered", 1},
		{"storage with more", map[string]any{"type": "aws-s3", "id": "bucket", "region": "r"}, movie.DeliveryError, "aws-s3", "remove region", 0},
		{"storage without id", map[string]any{"type": "aws-s3", "bucket": "b"}, movie.DeliveryError, "aws-s3", "needs the id", 0},
		{"a provider", map[string]any{"id": "provider"}, movie.DeliveryError, "apikey", "is a provider, not a destination", 0},
		{"a provider's type", map[string]any{"type": "apikey"}, movie.DeliveryError, "apikey", "Unknown destination type apikey", 0},
		{"an unknown one", map[string]any{"id": "Mine"}, movie.DeliveryError, "", "Connection Mine not found", 0},
		{"an impossible one", map[string]any{"id": "../x"}, movie.DeliveryError, "", "Connection ../x not found", 0},
		{"inline", ftp, movie.DeliveryOK, "ftp", "Delivered", 1},
		{"inline, incomplete", map[string]any{"type": "sftp", "host": "a"}, movie.DeliveryError, "sftp", "username is required", 0},
		{"an inline e-mail", map[string]any{"type": "email", "to": "a@b.c", "subject": "s", "message": "__video_url__"}, movie.DeliveryOK, "email", "Delivered", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				pr := w.start("one")
				defer pr.drain(time.Minute)
				w.saveAll()
				got := w.deliverTo(pr, tt.to)
				if got.Status != tt.status || got.Type != tt.kind || !strings.Contains(got.Message, tt.says) || len(w.parcels.all()) != tt.parcels {
					t.Errorf("recorded %+v, %d parcels", got, len(w.parcels.all()))
				}
				if strings.Contains(got.Message, "hush") {
					t.Errorf("the result shows a secret: %s", got.Message)
				}
			})
		})
	}
}

func TestDeliver_WhatIsSent(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		w.saveAll()
		w.parcels.answer = func(context.Context, connection.Kind) (deliveries.Receipt, error) {
			return deliveries.Receipt{HostKey: "SHA256:x"}, nil
		}
		w.deliverTo(pr, map[string]any{"id": "server", "file": "__filename__"})
		w.deliverTo(pr, map[string]any{"id": "server"})
		w.deliverTo(pr, map[string]any{"id": "signed"})
		w.deliverTo(pr, map[string]any{"id": "hook"})
		first, next := w.parcels.all()[0], w.parcels.all()[1]
		year := time.Now().UTC().Format("2006")
		if first.content != "movie by one" || first.settings["password"] != "hush" || first.settings["remote-path"] != "in/"+year || !strings.HasSuffix(first.settings["file"], ".mp4") {
			t.Errorf("sent %+v", first)
		}
		if first.hostKey != "" || next.hostKey != "SHA256:x" {
			t.Errorf("host keys %q, %q: the first that was seen is kept", first.hostKey, next.hostKey)
		}
		if signed, plain := w.hooks.all()[0], w.hooks.all()[1]; len(signed.signing) != 1 || len(plain.signing) != 0 || plain.contentType != "application/x-www-form-urlencoded" {
			t.Errorf("webhooks %+v, %+v", signed, plain)
		}
	})
}

// A connection that is saved again during a delivery leads to another server, whose host key nobody has seen.
func TestDeliver_AHostKeyIsNotThatOfAnotherServer(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		w.saveAll()
		w.parcels.answer = func(context.Context, connection.Kind) (deliveries.Receipt, error) {
			w.save("server", connection.SFTP, map[string]any{"host": "other.example", "username": "u", "password": "hush"})
			return deliveries.Receipt{HostKey: "SHA256:x"}, nil
		}
		w.deliverTo(pr, map[string]any{"id": "server"})
		w.parcels.answer = nil
		w.deliverTo(pr, map[string]any{"id": "server"})
		if next := w.parcels.all()[1]; next.settings["host"] != "other.example" || next.hostKey != "" {
			t.Errorf("%s is expected to show the key %s of another server", next.settings["host"], next.hostKey)
		}
	})
}

func TestDeliver_SendersThatFail(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err    error
		want   string
		passes bool
	}{
		"for the owner":    {domain.Errorf(domain.Invalid, "not_delivered", "Not delivered"), "0.1 error!", false},
		"the file is gone": {fmt.Errorf("open: %w", commands.ErrFileNotFound), "0.1 skipped!", false},
		"this side's":      {errors.New("the disk"), "0.1 ok!", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				pr := w.start("one")
				defer pr.drain(time.Minute)
				w.saveAll()
				project := w.submit(map[string]any{"id": "server"})
				pr.do(render(project, 0))
				w.parcels.set(func(context.Context, connection.Kind) (deliveries.Receipt, error) {
					return deliveries.Receipt{}, tt.err
				})
				if ok := <-pr.send(deliver(project, 0)); ok == tt.passes {
					t.Errorf("taken for success: %v", ok)
				}
				if w.parcels.set(nil); tt.passes {
					pr.do(deliver(project, 0))
				}
				if got := outcomes(w.tries(project)); got != tt.want {
					t.Errorf("recorded %s, want %s", got, tt.want)
				}
			})
		})
	}
}

// A damaged movie is sent nowhere: the operator sees it, and once the file is what it was the delivery goes on.
func TestDeliver_ADamagedMovie(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(string) string{
		"cut short":        func(stored string) string { return stored[1:] },
		"changed in place": func(stored string) string { return "M" + stored[1:] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deliverDamaged(t, damage)
		})
	}
}

// The destinations behind one that waits for a damaged file are served.
func TestDeliver_BehindADamagedMovie(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		w.saveAll()
		project := w.submit(map[string]any{"id": "server"}, webhook("https://a.example"))
		pr.do(render(project, 0))
		key := w.finished(project).File.Key
		stored := w.files.Text(key)
		must(t, w.files.Put(t.Context(), key, strings.NewReader(stored[1:])))
		for range 2 {
			if <-pr.send(deliver(project, 0)) {
				t.Error("a damaged movie was taken for delivered")
			}
		}
		if got := outcomes(w.tries(project)); got != "1.1 ok!" || len(w.hooks.all()) != 1 {
			t.Errorf("recorded %s in %d calls", got, len(w.hooks.all()))
		}
		must(t, w.files.Put(t.Context(), key, strings.NewReader(stored)))
		pr.do(deliver(project, 0))
		if got := outcomes(w.tries(project)); got != "1.1 ok!, 0.1 ok!" {
			t.Errorf("recorded %s", got)
		}
	})
}

// Time in which the service's own stores are away is not the destinations' time. Decision 107.
func TestDeliver_OwnStoresThatAreAway(t *testing.T) {
	t.Parallel()
	const away = 20 * time.Minute
	for name, fail := range map[string]func(w *world, pr *process){
		"the read models": func(_ *world, pr *process) { pr.link.visible = func(eventstore.Position) { time.Sleep(away) } },
		"the files": func(w *world, _ *process) {
			back := time.Now().Add(away)
			w.files.Fail(func(call, key string) error {
				if strings.HasPrefix(key, blobkey.Documents.Prefix()) {
					return nil
				}
				time.Sleep(time.Until(back))
				return nil
			})
		},
		"the files, with errors": func(w *world, _ *process) {
			back := time.Now().Add(away)
			w.files.Fail(func(call, key string) error {
				if time.Now().After(back) {
					return nil
				}
				time.Sleep(away / 4)
				return errors.New("the storage is away")
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				pr := w.start("one")
				defer pr.drain(time.Minute)
				w.saveAll()
				project := w.submit(map[string]any{"id": "server"}, webhook("https://a.example"))
				pr.do(render(project, 0))
				fail(w, pr)
				for range 10 {
					if <-pr.send(deliver(project, 0)) {
						break
					}
				}
				if got := outcomes(w.tries(project)); got != "0.1 ok!, 1.1 ok!" {
					t.Errorf("recorded %s", got)
				}
			})
		})
	}
}

func deliverDamaged(t *testing.T, damage func(string) string) {
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		w.saveAll()
		project := w.submit(map[string]any{"id": "server"})
		pr.do(render(project, 0))
		key := w.finished(project).File.Key
		stored := w.files.Text(key)
		must(t, w.files.Put(t.Context(), key, strings.NewReader(damage(stored))))
		if <-pr.send(deliver(project, 0)) {
			t.Error("a damaged movie was taken for delivered")
		}
		if got := w.troubles.rows["deliver/"+string(project)].Failures; got != 1 || len(w.parcels.all()) != 0 {
			t.Errorf("%d failures are listed, %d parcels were sent", got, len(w.parcels.all()))
		}
		must(t, w.files.Put(t.Context(), key, strings.NewReader(stored)))
		pr.do(deliver(project, 0))
		if got := outcomes(w.tries(project)); got != "0.1 ok!" || w.parcels.all()[0].content != stored {
			t.Errorf("recorded %s", got)
		}
	})
}

// When the secrets of a connection cannot be decrypted any more, the destination ends with an error that tells the owner to
// send them again.
func TestDeliver_SecretsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, unreadable := range map[string]func(*testing.T) commands.Vault{
		"a key that was retired": func(t *testing.T) commands.Vault {
			v, err := vault.New([]byte(strings.Repeat("b", 32)))
			must(t, err)
			return v
		},
		"damaged": func(t *testing.T) commands.Vault { return broken{newVault(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				w.saveAll()
				w.vault = unreadable(t)
				pr := w.start("one")
				defer pr.drain(time.Minute)
				if got := w.deliverTo(pr, map[string]any{"id": "server"}); got.Status != movie.DeliveryError || !strings.Contains(got.Message, "save it again") {
					t.Errorf("recorded %+v", got)
				}
			})
		})
	}
}

// broken is a vault over damaged ciphertexts.
type broken struct{ commands.Vault }

func (broken) Open(string, connection.Sealed) ([]byte, error) {
	return nil, errors.New("not authentic")
}

// A process that was paused between its claim and its first try, and hears nothing, sends nothing once another has the claim.
func TestDeliver_APausedRunSendsNothing(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		paused, two := w.startDeaf("paused", true), w.start("two")
		defer two.drain(time.Minute)
		defer paused.drain(time.Minute)
		project := w.submit(webhook("https://a.example"))
		two.do(render(project, 0))
		woken := make(chan struct{})
		paused.link.visible = func(eventstore.Position) { <-woken }
		done := paused.send(deliver(project, 0))
		synctest.Wait()
		time.Sleep(30 * time.Second)
		two.do(deliver(project, 1))
		close(woken)
		if !<-done {
			t.Error("losing a run is no failure")
		}
		if got := outcomes(w.tries(project)); got != "0.1 ok!" || len(w.hooks.all()) != 1 {
			t.Errorf("recorded %s after %d calls", got, len(w.hooks.all()))
		}
	})
}

// One host is called by so many at a time; the others hand their claims back and come again, and other hosts do not wait.
func TestDeliver_PerHost(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		w.hooks.answers = func(ctx context.Context, _ int) (deliveries.WebhookResult, error) {
			time.Sleep(29 * time.Second)
			return deliveries.WebhookResult{Delivered: true, HTTPStatus: 200}, nil
		}
		var slow []<-chan bool
		for i := range 10 {
			project := w.submit(webhook(fmt.Sprintf("https://SLOW.example/%d", i)))
			pr.do(render(project, 0))
			slow = append(slow, pr.send(deliver(project, 0)))
		}
		time.Sleep(5 * time.Second)
		if len(w.hooks.all()) != 8 {
			t.Errorf("%d calls at the same time", len(w.hooks.all()))
		}
		other := w.submit(webhook("https://other.example"))
		pr.do(render(other, 0))
		begin := time.Now()
		pr.do(deliver(other, 0))
		if took := time.Since(begin); took > 30*time.Second {
			t.Errorf("another host waited %s", took)
		}
		handedBack := 0
		for _, done := range slow {
			if !<-done {
				handedBack++
			}
		}
		if handedBack != 2 || len(w.troubles.rows) != 0 {
			t.Errorf("%d handed back, troubles %v", handedBack, w.troubles.rows)
		}
	})
}
