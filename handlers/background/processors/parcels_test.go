package processors_test

import (
	"context"
	"io"
	"sync"
	"testing"
	"time"

	"moviola/adapters/vault"
	"moviola/commands"
	"moviola/commands/deliveries"
	"moviola/domain/connection"
)

func newVault(t *testing.T) commands.Vault {
	t.Helper()
	v, err := vault.New(make([]byte, 32))
	must(t, err)
	return v
}

// parcels is where everything arrives that is no webhook.
type parcels struct {
	mu      sync.Mutex
	arrived []parcel
	// answer, when set, says what becomes of a parcel, after it was read.
	answer func(ctx context.Context, kind connection.Kind) (deliveries.Receipt, error)
}

type parcel struct {
	kind     connection.Kind
	settings connection.Settings
	hostKey  string
	content  string
	media    string
	at       time.Time
}

func (p *parcels) senders() map[connection.Kind]deliveries.Sender {
	senders := map[connection.Kind]deliveries.Sender{}
	for _, kind := range []connection.Kind{connection.FTP, connection.SFTP, connection.S3, connection.Email} {
		senders[kind] = sender{p, kind}
	}
	return senders
}

// set says what becomes of parcels from now on.
func (p *parcels) set(answer func(ctx context.Context, kind connection.Kind) (deliveries.Receipt, error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

// all are the parcels that have arrived.
func (p *parcels) all() []parcel {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]parcel(nil), p.arrived...)
}

// all are the calls that have been made.
func (r *receiver) all() []call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]call(nil), r.calls...)
}

// sender is the road to one kind of destination.
type sender struct {
	parcels *parcels
	kind    connection.Kind
}

func (s sender) Send(ctx context.Context, sent deliveries.Parcel) (deliveries.Receipt, error) {
	file, err := sent.Open(ctx)
	if err != nil {
		return deliveries.Receipt{}, err
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil {
		return deliveries.Receipt{}, err
	}
	s.parcels.mu.Lock()
	s.parcels.arrived = append(s.parcels.arrived, parcel{s.kind, sent.Settings, sent.HostKey, string(content), sent.ContentType, time.Now()})
	answer := s.parcels.answer
	s.parcels.mu.Unlock()
	if answer != nil {
		return answer(ctx, s.kind)
	}
	return deliveries.Receipt{}, nil
}

func (s sender) Test(context.Context, deliveries.Parcel) (deliveries.Receipt, error) {
	return deliveries.Receipt{}, nil
}
