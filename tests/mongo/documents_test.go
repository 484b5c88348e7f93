// Package mongo_test runs the contract of the document store on the MongoDB adapter, against a server of its own.
package mongo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"moviola/adapters/mongodb"
	"moviola/internal/accountkeys"
	"moviola/internal/accountkeys/keystest"
	"moviola/projections"
	"moviola/projections/documentstest"
	"moviola/tests/mongo/server"
)

func TestDocuments(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	var databases atomic.Int64
	documentstest.Run(t, func(t *testing.T) documentstest.Open {
		address := s.URL() + "test" + string(rune('a'+databases.Add(1)))
		return func(t *testing.T) projections.Documents { return mustOpen(t, address) }
	})
}

// startServer starts a server that ends with the test.
func startServer(t *testing.T) *server.Server {
	t.Helper()
	s, err := server.Start("127.0.0.1:0", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func mustOpen(t *testing.T, address string) *mongodb.Documents {
	t.Helper()
	docs, err := mongodb.Open(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := docs.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return docs
}

// TestAccountKeys runs the contract of the keys of accounts.
func TestAccountKeys(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	var databases atomic.Int64
	keystest.Run(t, func(t *testing.T) accountkeys.KeyStore {
		return mustOpen(t, s.URL()+"keys"+string(rune('a'+databases.Add(1)))).AccountKeys()
	})
}

// TestAccountKeys_endedWhilePreparing: what a process that ended while it prepared the store has left there is no account.
func TestAccountKeys_endedWhilePreparing(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	client, err := mongo.Connect(options.Client().ApplyURI(s.URL()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) }) // nothing is written after that
	left := bson.D{{Key: "_id", Value: "-"}, {Key: "probe", Value: true}}
	if _, err := client.Database("ended_account_keys").Collection("keys").InsertOne(t.Context(), left); err != nil {
		t.Fatal(err)
	}
	store := mustOpen(t, s.URL()+"ended").AccountKeys()
	if accounts, used, err := store.Erased(t.Context()); len(accounts) > 0 || used || err != nil {
		t.Errorf("erased are %v, used %v, %v", accounts, used, err)
	}
	if err := store.Add(t.Context(), "ada", bytes.Repeat([]byte{1}, accountkeys.Bytes)); err != nil {
		t.Fatal(err)
	}
	saved, err := accountkeys.Save(t.Context(), store, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(saved)
	if err != nil {
		t.Fatal(err)
	}
	if read, err := accountkeys.ReadSaved(content); err != nil || len(read.Keys) != 1 {
		t.Errorf("the backup of the keys has %v, %v", read.Keys, err)
	}
}
