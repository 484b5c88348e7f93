package deliveries_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"moviola/adapters/vault"
	"moviola/commands"
	"moviola/commands/commandstest"
	"moviola/commands/deliveries"
)

// TestExchanges: an exchange is stored encrypted, cut to its bounds, can be read under its own key only, and cannot be read
// after
// 30 days.
func TestExchanges(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	files := commandstest.NewFiles(clock)
	sealing, err := vault.New(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	kept := deliveries.NewExchanges(files, sealing, clock)
	try := deliveries.Try{Account: "alice", Project: "Abcdefgh12345678", Destination: 1, Run: 2, Number: 3}
	sent, answer := bytes.Repeat([]byte("sent"), 50_000), bytes.Repeat([]byte("answer"), 1000)
	err = kept.Keep(t.Context(), try, deliveries.Exchange{Address: "https://a.example", EndedAt: now, ContentType: "application/json", Sent: sent, Answer: answer})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := files.List(context.Background(), "exchanges/alice/")
	if err != nil || len(keys) != 1 {
		t.Fatalf("%v, %v", keys, err)
	}
	file, err := files.Open(t.Context(), keys[0])
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(file)
	if err != nil || bytes.Contains(raw, []byte("a.example")) {
		t.Errorf("the file is readable: %.200s, %v", raw, err)
	}
	got, err := kept.Read(t.Context(), try)
	if err != nil || got.Address != "https://a.example" || len(got.Sent) != 64<<10 || got.SentSize != len(sent) || len(got.Answer) != deliveries.MaxAnswerKept {
		t.Errorf("%s, %d of %d bytes sent, %d answered, %v", got.Address, len(got.Sent), got.SentSize, len(got.Answer), err)
	}
	for what, other := range map[string]deliveries.Try{
		"another account's": {Account: "bob", Project: try.Project, Destination: 1, Run: 2, Number: 3},
		"another try":       {Account: "alice", Project: try.Project, Destination: 1, Run: 2, Number: 4},
	} {
		if _, err := kept.Read(t.Context(), other); !errors.Is(err, deliveries.ErrNoExchange) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// A file that is copied to the key of another try cannot be opened there.
	moved := deliveries.Try{Account: "bob", Project: try.Project, Destination: 1, Run: 2, Number: 3}
	if err := files.Put(t.Context(), "exchanges/bob/Abcdefgh12345678-1-2-3.json", bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
	if _, err := kept.Read(t.Context(), moved); !errors.Is(err, commands.ErrDamaged) {
		t.Errorf("a file of another account is read: %v", err)
	}
	newer, err := vault.New(bytes.Repeat([]byte{2}, 32))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := deliveries.NewExchanges(files, newer, clock).Read(t.Context(), try); !errors.Is(err, deliveries.ErrNoExchange) {
		t.Errorf("without its secret: %v", err)
	}
	now = now.Add(deliveries.ExchangesKept + time.Second)
	if _, err := kept.Read(t.Context(), try); !errors.Is(err, deliveries.ErrNoExchange) {
		t.Errorf("after 30 days: %v", err)
	}
}
