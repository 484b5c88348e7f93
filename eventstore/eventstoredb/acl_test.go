package eventstoredb_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"
)

// client is the official client of a user, without our wrapper: what is tested is what others are told.
func (s *secured) client(user string) *esdb.Client {
	s.Helper()
	settings, err := esdb.ParseConnectionString("esdb://" + user + ":" + user + "@" + s.server.Addr() + "?tlsCAFile=" + s.certificate.CertFile)
	if err != nil {
		s.Fatal(err)
	}
	settings.Logger = esdb.NoopLogging()
	client, err := esdb.NewClient(settings)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = client.Close() })
	return client
}

func write(client *esdb.Client, stream, kind, data string) error {
	_, err := client.AppendToStream(context.Background(), stream, esdb.AppendToStreamOptions{}, esdb.EventData{
		EventID: uuid.New(), EventType: kind, ContentType: esdb.ContentTypeJson, Data: []byte(data),
	})
	return err
}

func readOne(client *esdb.Client, stream string) error {
	read, err := client.ReadStream(context.Background(), stream, esdb.ReadStreamOptions{ResolveLinkTos: true}, 1)
	if err != nil {
		return err
	}
	defer read.Close()
	_, err = read.Recv()
	return err
}

func remove(client *esdb.Client, stream string) error {
	_, err := client.DeleteStream(context.Background(), stream, esdb.DeleteStreamOptions{ExpectedRevision: esdb.Any{}})
	return err
}

// TestUsers_accessLists holds what each role may do with streams that say who may use them, and with those that do not.
func TestUsers_accessLists(t *testing.T) {
	t.Parallel()
	s := newSecured(t, 0)
	s.writeUsers("boss:full", "maker:user", "other:user", "reader:read-only")
	if err := s.server.Refresh(); err != nil {
		t.Fatal(err)
	}
	boss := s.client("boss")
	for stream, acl := range map[string]string{
		"open": `{}`, "mine": `{"$acl":{"$r":"maker","$w":["maker","boss"],"$d":"maker","$mr":"maker","$mw":"maker"}}`,
		"shut": `{"$acl":{"$r":"$admins"}}`, "broken": `{"$acl":{"$r":7}}`, "shown": `{"$acl":{"$r":"$all","$w":[]}}`, "$ours": `{}`,
	} {
		if err := write(boss, stream, "Tested", `{}`); err != nil {
			t.Fatal(err)
		}
		if err := write(boss, "$$"+stream, "$metadata", acl); err != nil {
			t.Fatal(err)
		}
	}
	if err := write(boss, "links", "$>", "0@shut"); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		stream       string
		read, write  string // who may, besides boss
		meta, delete string
	}{
		{"open", "maker other reader", "maker other", "maker other reader", "maker other"},
		{"mine", "maker", "maker", "maker", "maker"},
		{"shut", "", "maker other", "maker other reader", "maker other"},
		{"broken", "", "", "", ""},
		{"shown", "maker other reader", "", "maker other reader", "maker other"},
		{"$ours", "reader", "", "reader", ""},
	} {
		for _, name := range []string{"maker", "other", "reader", "boss"} {
			client := s.client(name)
			for _, try := range []struct {
				what  string
				allow string
				do    func() error
			}{
				{"read", row.read, func() error { return readOne(client, row.stream) }},
				{"write", row.write, func() error { return write(client, row.stream, "Tested", `{}`) }},
				{"read the metadata of", row.meta, func() error { return readOne(client, "$$"+row.stream) }},
			} {
				holdRight(t, name, try.what+" "+row.stream, try.allow, try.do())
			}
		}
		for _, name := range []string{"other", "reader"} { // whom it is not for
			if !named(row.delete, name) {
				holdRight(t, name, "delete "+row.stream, row.delete, remove(s.client(name), row.stream))
			}
		}
	}
	holdRight(t, "maker", "read $all", "", readAll(s.client("maker")))
	holdRight(t, "reader", "read $all", "reader", readAll(s.client("reader")))
	if err := write(boss, "$$$all", "$metadata", `{"$acl":{"$r":"maker"}}`); err != nil {
		t.Fatal(err)
	}
	holdRight(t, "maker", "read $all when it may", "maker", readAll(s.client("maker")))
	holdRight(t, "reader", "read $all when another may", "maker", readAll(s.client("reader")))
	settings := esdb.SubscriptionSettingsDefault()
	group := func(client *esdb.Client) error {
		return client.CreatePersistentSubscription(context.Background(), "open", uuid.NewString(), esdb.PersistentStreamSubscriptionOptions{Settings: &settings})
	}
	holdRight(t, "maker", "make a group", "", group(s.client("maker")))
	holdRight(t, "reader", "make a group", "", group(s.client("reader")))
	holdRight(t, "boss", "make a group", "", group(boss))
	settings.ResolveLinkTos = true
	err := boss.CreatePersistentSubscription(context.Background(), "links", "g", esdb.PersistentStreamSubscriptionOptions{
		Settings: &settings, StartFrom: esdb.Start{},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, sees := range map[string]bool{"maker": false, "boss": true} {
		consumer, err := s.client(name).SubscribeToPersistentSubscription(context.Background(), "links", "g", esdb.SubscribeToPersistentSubscriptionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := consumer.Recv(); got.EventAppeared == nil || (got.EventAppeared.Event.Event != nil) != sees {
			t.Errorf("a group gives %s %+v", name, got)
		}
		_ = consumer.Close() // it was not answered for: the next one gets it
	}
	hidden, err := s.client("maker").ReadStream(context.Background(), "links", esdb.ReadStreamOptions{ResolveLinkTos: true}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer hidden.Close()
	if event, err := hidden.Recv(); err != nil || event.Event != nil {
		t.Errorf("a link shows an event of a stream that must not be read: %+v, %v", event, err)
	}
}

func readAll(client *esdb.Client) error {
	read, err := client.ReadAll(context.Background(), esdb.ReadAllOptions{From: esdb.Start{}}, 1)
	if err != nil {
		return err
	}
	defer read.Close()
	_, err = read.Recv()
	return err
}

func named(names, user string) bool { return slices.Contains(strings.Fields(names), user) }

// holdRight wants success when the user is boss or among those allowed, and else a refusal.
func holdRight(t *testing.T, user, what, allowed string, err error) {
	t.Helper()
	if user == "boss" || named(allowed, user) {
		if err != nil {
			t.Errorf("%s may not %s: %v", user, what, err)
		}
		return
	}
	wantCode(t, user+" wants to "+what, err, esdb.ErrorCodeAccessDenied)
}
