package delivery

import (
	"context"

	"moviola/commands/deliveries"
	"moviola/domain/movie"
)

// keep stores the request and the answer of a try, before the result is written to the log, so that a client that sees the result
// can also read the exchange. A failure to store them does not stop the delivery.
func (d *delivery) keep(ctx context.Context, try movie.DeliveryAttempted, what deliveries.Exchange) {
	if d.config.Exchanges == nil {
		return
	}
	what.EndedAt = d.config.Now()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.limits.Release)
	defer cancel()
	err := d.config.Exchanges.Keep(ctx, deliveries.Try{
		Account: d.claim.Account, Project: d.project, Destination: try.Index, Run: d.claim.Run, Number: try.Try,
	}, what)
	if err != nil {
		d.log.WithError(err).Warn("request and answer of a delivery not saved; the delivery log shows only the result")
	}
}

// originOf returns scheme and host of a target. The other parts of an address may contain secrets
// and are never shown.
func originOf(t target) string { return t.kind.Origin(t.settings) }
