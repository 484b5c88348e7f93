package eventstore_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/movie"
	"moviola/domain/preload"
	"moviola/eventstore"
)

// keys are the keys of accounts in memory.
type keys struct {
	have   map[domain.AccountID]*eventstore.AccountKey
	erased map[domain.AccountID]bool
	err    error
}

func (k keys) Key(account domain.AccountID) (*eventstore.AccountKey, error) {
	switch key := k.have[account]; {
	case k.err != nil:
		return nil, k.err
	case k.erased[account]:
		return nil, eventstore.ErrErased
	case key == nil:
		return nil, eventstore.ErrNoKey
	default:
		return key, nil
	}
}

func (k keys) KeyToSeal(account domain.AccountID) (*eventstore.AccountKey, error) {
	return k.Key(account)
}

func (k keys) Erased(account domain.AccountID) (bool, error) { return k.erased[account], k.err }

// holding returns the keys of one account, whose key is a run of one byte.
func holding(t *testing.T, account domain.AccountID, key byte) keys {
	t.Helper()
	made, err := eventstore.NewAccountKey(bytes.Repeat([]byte{key}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return keys{have: map[domain.AccountID]*eventstore.AccountKey{account: made}, erased: map[domain.AccountID]bool{}}
}

// stored encodes an event of the account acct and returns it as a store would.
func stored(t *testing.T, codec *eventstore.Codec, event domain.Event) eventstore.Recorded {
	t.Helper()
	p, err := codec.Encode("account-acct", eventstore.Meta{Account: "acct", Time: at}, event)
	if err != nil {
		t.Fatal(err)
	}
	return eventstore.Recorded{ID: p.ID, Stream: "account-acct", Type: p.Type, Data: p.Data, Metadata: p.Metadata}
}

func mustDecode(t *testing.T, codec *eventstore.Codec, r eventstore.Recorded) domain.Event {
	t.Helper()
	event, _, err := codec.Decode(r)
	if err != nil {
		t.Fatal(err)
	}
	return event
}

// canary is a text that no sample and no encrypted text has. Its base64 is the same wherever a []byte is all of it.
const canary = "canary-7Qp2"

// planted returns an event with the canary as every text in its personal fields, and how many there are.
func planted(event domain.Event) (domain.Event, int) {
	holder := reflect.New(reflect.TypeOf(event)).Elem()
	holder.Set(reflect.ValueOf(event))
	count := 0
	fieldsOf(holder, func(_ string, field reflect.StructField, value reflect.Value) {
		if field.Tag.Get("personal") == "yes" {
			count += plant(value)
		}
	})
	return holder.Interface().(domain.Event), count
}

// plant sets the texts of a value to the canary, and returns how many it has set.
func plant(v reflect.Value) (count int) {
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		return plant(v.Elem())
	case v.Kind() == reflect.String:
		v.SetString(canary)
		return 1
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		v.SetBytes([]byte(canary))
		return 1
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			count += plant(v.Index(i))
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			count += plant(v.Field(i))
		}
	case v.Kind() == reflect.Map:
		made := reflect.MakeMap(v.Type())
		made.SetMapIndex(reflect.ValueOf(canary).Convert(v.Type().Key()), reflect.ValueOf(canary).Convert(v.Type().Elem()))
		v.Set(made)
		return 2
	}
	return count
}

// canaries counts the canary in the bytes of a stored event.
func canaries(r eventstore.Recorded) (count int) {
	for _, text := range []string{canary, base64.StdEncoding.EncodeToString([]byte(canary))} {
		for _, where := range [][]byte{r.Data, r.Metadata, []byte(r.Type)} {
			count += bytes.Count(where, []byte(text))
		}
	}
	return count
}

// TestCodec_sealedUnreadable plants a canary in every personal field of a sample of every event: none is in the bytes that are stored
// with the account's key, and none in those of an erased account; without keys all are.
func TestCodec_sealedUnreadable(t *testing.T) {
	t.Parallel()
	gone := keys{erased: map[domain.AccountID]bool{"acct": true}}
	plain := eventstore.NewCodec()
	sealing, erasing := plain.WithKeys(holding(t, "acct", 1)), plain.WithKeys(gone)
	personal := 0
	for _, event := range samples() {
		event, count := planted(event)
		if got := canaries(stored(t, plain, event)); got != count {
			t.Errorf("%s: %d canaries were planted, and %d are in the bytes that are stored without keys", event.EventType(), count, got)
		}
		recorded := stored(t, sealing, event)
		if canaries(recorded) > 0 {
			t.Errorf("%s is stored readable: %s", event.EventType(), recorded.Data)
		}
		if diff := cmp.Diff(event, mustDecode(t, sealing, recorded)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", event.EventType(), diff)
		}
		if erased := stored(t, erasing, event); canaries(erased) > 0 {
			t.Errorf("%s of an erased account is stored readable: %s", event.EventType(), erased.Data)
		}
		if count > 0 {
			personal++
		}
	}
	if personal < 10 {
		t.Errorf("%d kinds of events have personal fields", personal)
	}
}

// TestCodec_sealed encrypts a sample of every event: what comes back is what went in, and without keys nothing that is
// encrypted can be decoded.
func TestCodec_sealed(t *testing.T) {
	t.Parallel()
	plain, sealing := eventstore.NewCodec(), eventstore.NewCodec().WithKeys(holding(t, "acct", 1))
	sealed := 0
	for _, event := range samples() {
		bare, recorded := stored(t, plain, event), stored(t, sealing, event)
		if diff := cmp.Diff(event, mustDecode(t, sealing, recorded)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", event.EventType(), diff)
		}
		version := versionOf(t, recorded)
		if version < 1000 {
			if !bytes.Equal(bare.Data, recorded.Data) || !bytes.Equal(bare.Metadata, recorded.Metadata) {
				t.Errorf("%s is stored as %s instead of %s", event.EventType(), recorded.Data, bare.Data)
			}
			continue
		}
		sealed++
		if _, _, err := plain.Decode(recorded); err == nil {
			t.Errorf("%s was read without a key", event.EventType())
		}
		again := stored(t, sealing, event)
		if !bytes.Equal(recorded.Data, again.Data) {
			t.Errorf("%s differs at the second time", event.EventType())
		}
		hidden := mustDecode(t, plain.WithoutPersonal(), recorded)
		if diff := cmp.Diff(mustDecode(t, plain.WithoutPersonal(), bare), hidden); diff != "" {
			t.Errorf("%s without personal data (-plain +encrypted):\n%s", event.EventType(), diff)
		}
	}
	if sealed < 10 {
		t.Errorf("%d kinds of events were encrypted", sealed)
	}
}

func versionOf(t *testing.T, r eventstore.Recorded) int {
	t.Helper()
	var meta eventstore.Metadata
	if err := json.Unmarshal(r.Metadata, &meta); err != nil {
		t.Fatal(err)
	}
	return meta.Version
}

// TestCodec_sealedForEver pins how personal data is stored: what was ever written stays readable.
func TestCodec_sealedForEver(t *testing.T) {
	t.Parallel()
	codec := eventstore.NewCodec().WithKeys(holding(t, "acct", 7))
	event := account.Opened{Name: "Ada Lovelace", Plan: "free", At: at}
	got := stored(t, codec, event)
	want := `{"at":"2026-11-21T09:30:15.123Z","plan":"free","personal":` +
		`"PcjLmAdb9VoqvGpNqsehdfLkcUW0+YFWMcvLuEcx+2bFJ+54uINcEQR1hX0nX6uVTJvl"}`
	if string(got.Data) != want || versionOf(t, got) != 1001 {
		t.Errorf("stored as %s, version %d; want %s", got.Data, versionOf(t, got), want)
	}
	if diff := cmp.Diff(domain.Event(event), mustDecode(t, codec, got)); diff != "" {
		t.Error(diff)
	}
}

// TestCodec_erased: what was written for an account before and after its erasure tells nothing any more.
func TestCodec_erased(t *testing.T) {
	t.Parallel()
	have := holding(t, "acct", 1)
	codec := eventstore.NewCodec().WithKeys(have)
	event := movie.RenderFinished{Attempt: 2, Worker: "w", At: at, Message: "cannot reach ada.example", Credits: 7,
		Warnings: []string{"ada"}}
	want := movie.RenderFinished{Attempt: 2, Worker: "w", At: at, Credits: 7}
	before, plain := stored(t, codec, event), stored(t, eventstore.NewCodec(), event)
	have.erased["acct"] = true
	after := stored(t, codec, event)
	if strings.Contains(string(after.Data), "ada") || versionOf(t, after) != 1001 {
		t.Errorf("after the erasure it is stored as %s", after.Data)
	}
	for name, r := range map[string]eventstore.Recorded{"before": before, "after": after, "plain": plain} {
		if diff := cmp.Diff(domain.Event(want), mustDecode(t, codec, r)); diff != "" {
			t.Errorf("written %s (-want +got):\n%s", name, diff)
		}
	}
}

// TestCodec_sealedLists: numbers beside personal texts in lists stay readable, because credits depend on them.
func TestCodec_sealedLists(t *testing.T) {
	t.Parallel()
	have := holding(t, "acct", 1)
	codec := eventstore.NewCodec().WithKeys(have)
	event := preload.Requested{Account: "acct", At: at, Items: []preload.Item{{ID: "ada", Held: 5}, {Held: 6}, {ID: "bob", Save: true}}}
	recorded := stored(t, codec, event)
	if diff := cmp.Diff(domain.Event(event), mustDecode(t, codec, recorded)); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	have.erased["acct"] = true
	want := preload.Requested{Account: "acct", At: at, Items: []preload.Item{{Held: 5}, {Held: 6}, {Save: true}}}
	if diff := cmp.Diff(domain.Event(want), mustDecode(t, codec, recorded)); diff != "" {
		t.Errorf("erased (-want +got):\n%s", diff)
	}
}

// TestCodec_sealedElsewhere: encrypted data does not open at another event, nor with another key, nor without one.
func TestCodec_sealedElsewhere(t *testing.T) {
	t.Parallel()
	codec := eventstore.NewCodec().WithKeys(holding(t, "acct", 1))
	recorded := stored(t, codec, account.Opened{Name: "Ada Lovelace", Plan: "free", At: at})
	moved := recorded
	moved.Stream = "account-other"
	if _, _, err := codec.Decode(moved); err == nil {
		t.Error("it was read in another stream")
	}
	if _, _, err := codec.WithKeys(holding(t, "acct", 2)).Decode(recorded); err == nil {
		t.Error("it was read with another key")
	}
	if _, _, err := codec.WithKeys(holding(t, "other", 1)).Decode(recorded); !errors.Is(err, eventstore.ErrNoKey) {
		t.Errorf("without the key: %v", err)
	}
	if _, _, err := codec.WithKeys(keys{err: eventstore.ErrUnavailable}).Decode(recorded); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("while keys cannot be read: %v", err)
	}
	if _, err := codec.WithKeys(keys{err: eventstore.ErrUnavailable}).Encode("account-acct", eventstore.Meta{Account: "acct"},
		account.Opened{Name: "Ada"}); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("it was written while keys cannot be read: %v", err)
	}
}

// TestCodec_Encrypt encrypts stored samples of every event: data and version are what Encode stores with the key, and what
// is encrypted already, or has nothing personal, is left alone. Of an erased account nothing personal is left.
func TestCodec_Encrypt(t *testing.T) {
	t.Parallel()
	ours := holding(t, "acct", 1)
	gone := keys{erased: map[domain.AccountID]bool{"acct": true}}
	plain, sealing, erasing := eventstore.NewCodec(), eventstore.NewCodec().WithKeys(ours), eventstore.NewCodec().WithKeys(gone)
	encrypted := 0
	for _, event := range samples() {
		bare, want := stored(t, plain, event), stored(t, sealing, event)
		got, differs, err := sealing.Encrypt(bare)
		if err != nil || !bytes.Equal(got.Data, want.Data) || differs != (versionOf(t, want) > 1000) || versionOf(t, got) != versionOf(t, want) {
			t.Errorf("%s becomes %s, version %d, %v, %v; want %s", event.EventType(), got.Data, versionOf(t, got), differs, err, want.Data)
		}
		if diff := cmp.Diff(event, mustDecode(t, sealing, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", event.EventType(), diff)
		}
		if again, differs, err := sealing.Encrypt(got); differs || err != nil || !bytes.Equal(again.Metadata, got.Metadata) {
			t.Errorf("%s is encrypted twice: %v", event.EventType(), err)
		}
		without, left, err := erasing.Encrypt(bare)
		if tells, _ := plain.TellsPersonal(without); err != nil || tells || left != differs {
			t.Errorf("%s of an erased account is %s, %v", event.EventType(), without.Data, err)
		}
		if differs {
			encrypted++
		}
	}
	if encrypted < 10 {
		t.Errorf("%d samples are encrypted", encrypted)
	}
}

// TestCodec_Encrypt_leaves what it does not know as it is, and fails without the keys.
func TestCodec_Encrypt_leaves(t *testing.T) {
	t.Parallel()
	away := keys{err: eventstore.ErrUnavailable}
	opened := stored(t, eventstore.NewCodec(), account.Opened{Name: "canary", Plan: "free", At: at})
	if _, _, err := eventstore.NewCodec().WithKeys(away).Encrypt(opened); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("without the keys: %v", err)
	}
	for name, r := range map[string]eventstore.Recorded{
		"an unknown type":  {Type: "Tested", Data: []byte(`{"name":"x"}`), Metadata: []byte(`{"v":1,"account":"acct"}`)},
		"no metadata":      {Type: opened.Type, Data: opened.Data},
		"without account":  {Type: opened.Type, Data: opened.Data, Metadata: []byte(`{"v":1}`)},
		"nothing personal": {Type: opened.Type, Data: []byte(`{"name":"","plan":"free"}`), Metadata: opened.Metadata},
	} {
		got, differs, err := eventstore.NewCodec().WithKeys(holding(t, "acct", 1)).Encrypt(r)
		if differs || err != nil || !bytes.Equal(got.Data, r.Data) || !bytes.Equal(got.Metadata, r.Metadata) {
			t.Errorf("%s becomes %s %s, %v", name, got.Data, got.Metadata, err)
		}
	}
}
