package delivery

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"path"
	"time"

	"moviola/commands"
	"moviola/commands/connections"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/domain/movie"
	"moviola/domain/result"
	"moviola/handlers/background/claims"
)

// retryPauses are the pauses between the end of a try at a webhook and the next try. Spec: Delivery rules; decision 34.
var retryPauses = []time.Duration{time.Second, 3 * time.Second}

// serve tries one destination until it has its final result.
func (d *delivery) serve(ctx context.Context, index int, state movie.DestinationState, to destination) error {
	try := movie.DeliveryAttempted{Index: index, Try: state.Tries + 1, Final: true, Type: to.Type, ID: to.ID}
	if d.left() <= 0 {
		try.Status, try.Message = movie.DeliverySkipped, tooLongMessage
		return d.record(ctx, try)
	}
	t, err := d.resolve(ctx, to)
	if err == nil {
		err = d.choose(&t, to.Format)
	}
	if try.Type == "" {
		try.Type = string(t.kind)
	}
	var none verdict
	switch {
	case errors.As(err, &none):
		try.Status, try.Message = none.status, none.message
		return d.record(ctx, try)
	case err != nil:
		return err
	case t.kind == connection.Webhook:
		return d.announce(ctx, try, state, t)
	default:
		return d.send(ctx, try, t)
	}
}

// announce calls a webhook until a try succeeds, no further try is allowed, or this run has to end. It continues the tries
// of an earlier run; the time of the next try follows from that of the last one.
func (d *delivery) announce(ctx context.Context, try movie.DeliveryAttempted, state movie.DestinationState, t target) error {
	last := state.Last.At
	for {
		if tries := try.Try - 1; tries > 0 {
			pause := retryPauses[min(tries, len(retryPauses))-1] // logs of earlier versions have more tries that are not final
			// The last try may have ended on another machine whose clock is ahead, so the pause is limited.
			if err := d.wait(ctx, min(pause, last.Add(pause).Sub(d.config.Now()))); err != nil {
				return err
			}
		}
		if err := d.post(ctx, &try, t); err != nil {
			return err
		}
		last = d.config.Now()
		if err := d.record(ctx, try); err != nil || try.Final {
			return err
		}
		try.Try++
	}
}

// wait waits between two tries at a webhook.
func (d *delivery) wait(ctx context.Context, pause time.Duration) error {
	defer d.time.begin()()
	return claims.Sleep(ctx, pause)
}

// post makes one try at a webhook and sets its result. A try that is skipped, because the time for all destinations has ended, is
// final.
func (d *delivery) post(ctx context.Context, try *movie.DeliveryAttempted, t target) error {
	var result WebhookResult
	started := d.config.Now()
	try.DurationMS = 0 // clears the duration of the previous try
	err := d.timed(ctx, try, t, func(ctx context.Context) error {
		var err error
		result, err = d.config.Webhook(ctx, WebhookCall{
			Account: d.claim.Account, Endpoint: t.settings["endpoint"], ContentType: t.settings["content-type"], Payload: d.payload,
			Message: fmt.Sprintf("msg_%s_%d", d.project, try.Index), Signing: t.signing,
		})
		return err
	})
	if err != nil {
		return err
	}
	try.HTTPStatus = result.HTTPStatus
	if try.Status == movie.DeliverySkipped {
		try.Final = true
		return nil
	}
	d.keep(ctx, *try, deliveries.Exchange{
		Address: originOf(t), StartedAt: started, ContentType: result.ContentType, Sent: result.Sent, Answer: result.Answer,
	})
	try.Status, try.Message = movie.DeliveryError, result.Message
	if result.Delivered {
		try.Status = movie.DeliveryOK
	}
	d.config.Tracer.Tried(ctx, *try, hostOf(t))
	try.Final = !result.Retry || try.Try > len(retryPauses) || d.left() <= 0
	return nil
}

// send sends the video to a destination that takes files or e-mails. It makes one try: when the destination refuses or
// fails the transfer, that is the final result. After a fault of this service the next run tries again.
func (d *delivery) send(ctx context.Context, try movie.DeliveryAttempted, t target) error {
	sender, ok := d.config.Senders[t.kind]
	if !ok {
		try.Status, try.Message = movie.DeliveryError, fmt.Sprintf("This server does not deliver to destinations of type %s", t.kind)
		return d.record(ctx, try)
	}
	parcel := d.parcel(try.Index, t)
	var receipt deliveries.Receipt
	var refusal *domain.Error
	started := d.config.Now()
	err := d.timed(ctx, &try, t, func(ctx context.Context) error {
		err := d.entitle(ctx, try.Index, t.kind, parcel.Settings)
		if err == nil {
			receipt, err = sender.Send(ctx, parcel)
		}
		if errors.As(err, &refusal) {
			return nil
		}
		return err
	})
	if err == nil && try.Status != movie.DeliverySkipped {
		d.keep(ctx, try, deliveries.Exchange{Address: originOf(t), StartedAt: started})
	}
	switch {
	case errors.Is(err, commands.ErrFileNotFound):
		try.Status, try.Message = movie.DeliverySkipped, goneMessage
	case err != nil:
		return err
	case try.Status == movie.DeliverySkipped:
	case refusal != nil:
		try.Status, try.Message = movie.DeliveryError, refusal.Message
	default:
		try.Status, try.Message = movie.DeliveryOK, "Delivered"
		d.remember(ctx, t, receipt)
	}
	d.config.Tracer.Tried(ctx, try, hostOf(t))
	return d.record(ctx, try)
}

// entitle checks that the account may send an e-mail, and counts its recipients; other kinds of destinations need no
// check. An e-mail that a later run repeats, because it is unknown whether an earlier run has sent it, counts once.
// Decision 55.
func (d *delivery) entitle(ctx context.Context, index int, kind connection.Kind, settings connection.Settings) error {
	if !kind.HasRecipients() {
		return nil
	}
	defer d.time.pause()()
	recipients, err := settings.Recipients()
	if err != nil {
		return err
	}
	_, err = d.config.Commands.CountRecipients.Handle(ctx, deliveries.CountRecipients{
		Account: d.claim.Account, Mail: fmt.Sprintf("%s/%d/%d", d.project, d.claim.Request, index), Recipients: len(recipients),
		Day: d.claim.RequestedAt,
	})
	return err
}

// parcel describes the video for one destination. The video has the same name in all tries at this destination.
func (d *delivery) parcel(index int, t target) deliveries.Parcel {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s/%d", d.project, index) // a write to a hash never fails
	facts := d.facts
	facts.Random = fmt.Sprintf("%05d", h.Sum32()%100_000)
	file := movie.OutputFile{Key: d.claim.File.Key, Size: d.claim.File.Size, Hash: d.claim.File.Hash}
	if t.file.Key != "" {
		file = t.file
		facts.Source = string(d.project) + path.Ext(file.Name)
		facts.VideoURL = d.config.Tokens.OutputAddress(d.config.PublicURL, d.project, d.claim.File, file)
	}
	return deliveries.Parcel{
		Account: d.claim.Account, Name: fmt.Sprintf("%s-%d", d.project, index),
		Settings: t.kind.Fill(t.settings, facts), HostKey: t.hostKey, Size: file.Size,
		ContentType: result.ContentType(facts.Source),
		Open:        func(ctx context.Context) (commands.File, error) { return d.open(ctx, file) },
	}
}

// open opens a file of the movie, and checks that its content has not changed since it was stored.
func (d *delivery) open(ctx context.Context, file movie.OutputFile) (commands.File, error) {
	defer d.time.pause()()
	f, err := d.config.Files.Open(ctx, file.Key)
	if err != nil && !errors.Is(err, commands.ErrFileNotFound) {
		err = claims.Transient(err)
	}
	if err != nil {
		return nil, err
	}
	err = commands.CheckFile(ctx, f, file.Key, file.Size, file.Hash)
	switch {
	case err == nil:
		return ownFile{f, d.time}, nil
	case errors.Is(err, commands.ErrFileDamaged):
		return nil, err // a damaged file is an error that is shown to the operator, who may have a backup
	default:
		return nil, claims.Transient(err)
	}
}

// remember stores the host key that a server has shown for the first time. When that fails, or the connection was saved again
// meanwhile, the next delivery treats the server as new again.
func (d *delivery) remember(ctx context.Context, t target, receipt deliveries.Receipt) {
	if t.id == "" || receipt.HostKey == "" || t.hostKey != "" {
		return
	}
	ctx, cancel := claims.Grace(ctx, d.limits.Release)
	defer cancel()
	_, err := d.config.Commands.RecordConnectionTest.Handle(ctx, connections.RecordConnectionTest{
		Account: d.claim.Account, ID: t.id, Version: t.version, Success: true, Message: "Delivered", HostKey: receipt.HostKey,
	})
	if err != nil {
		d.log.WithError(err).Warn("host key of an SFTP server not saved; the next delivery has no key to compare with")
	}
}

// timed makes one try when the host has a free place, within the movie's remaining time, and measures its duration.
// Calls of own stores are part of the duration, but do not use up the remaining time. When the
// time runs out, the try is skipped. The returned errors are faults of this service.
func (d *delivery) timed(ctx context.Context, try *movie.DeliveryAttempted, t target, do func(context.Context) error) error {
	defer d.time.begin()()
	waiting, done := context.WithTimeout(ctx, d.left())
	defer done()
	leave, err := d.hosts.enter(waiting, hostOf(t))
	switch {
	case err != nil && ctx.Err() == nil && waiting.Err() != nil:
		try.Status, try.Message = movie.DeliverySkipped, tooLongMessage
		return nil
	case err != nil:
		return err
	}
	defer leave()
	goOn := d.time.pause()
	if err := d.confirm(ctx); err != nil {
		return err
	}
	goOn()
	ctx, stop := claims.Grace(ctx, d.limits.Release)
	defer stop()
	left, cancel := d.within(ctx)
	defer cancel()
	started := d.config.Now()
	err = do(left)
	took := d.config.Now().Sub(started)
	try.DurationMS = took.Milliseconds()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errors.Join(err, context.Cause(ctx))
	case left.Err() != nil:
		try.Status, try.Message = movie.DeliverySkipped, tooLongMessage
		return nil
	default:
		return fmt.Errorf("deliver to a destination of type %s: %w", t.kind, err)
	}
}
