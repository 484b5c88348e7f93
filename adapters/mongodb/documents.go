// Package mongodb stores the documents of the read models in a MongoDB database. Each collection of a read model is one of
// MongoDB's, with native types, so that other programs can read it.
//
// Documents have additional fields: _version, which an update compares; _live, false for a tombstone; and _gone, the time
// of a tombstone. There are no transactions: a commit writes the documents, each only if its version is still the loaded
// one, and then the checkpoint. Reads go to the primary, writes are acknowledged by a majority. Of the server's query
// language, reading documents needs only equality, lists of ids, ranges, sort and limit.
package mongodb

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"

	"moviola/projections"
)

var _ projections.Documents = (*Documents)(nil)

const (
	// defaultDatabase is used when the address names none.
	defaultDatabase = "moviola"
	// getTogether is the largest number of documents that Get asks for in one request.
	getTogether = 1000
	// operationTimeout limits operations whose context has no deadline.
	operationTimeout = 30 * time.Second
)

// The fields by which the store keeps documents. Only tombstones have fieldGone.
const (
	fieldID      = "_id"
	fieldVersion = "_version"
	fieldLive    = "_live"
	fieldGone    = "_gone"
)

// Documents is a projections.Documents in a MongoDB database.
type Documents struct {
	client   *mongo.Client
	database *mongo.Database

	mu          sync.RWMutex
	collections map[string]projections.Collection // declared collections, by name
}

// Open returns a client for the server of a mongodb:// address; the path names the database (default moviola). Close must
// be called. Open does not wait for the server: the first call does, until its context ends or, without a deadline, for
// operationTimeout at most.
func Open(address string) (*Documents, error) {
	parsed, err := connstring.ParseAndValidate(address)
	if err != nil {
		return nil, errors.New("the address of the MongoDB server is not valid") // err may contain the password
	}
	name := parsed.Database
	if name == "" {
		name = defaultDatabase
	}
	client, err := mongo.Connect(options.Client().ApplyURI(address).
		SetAppName("moviola").
		SetBSONOptions(&options.BSONOptions{UseJSONStructTags: true}).
		SetReadPreference(readpref.Primary()).
		SetReadConcern(readconcern.Majority()).
		SetWriteConcern(writeconcern.Majority()).
		SetTimeout(operationTimeout))
	if err != nil {
		return nil, fmt.Errorf("connect to MongoDB: %w", err)
	}
	return &Documents{
		client:      client,
		database:    client.Database(name),
		collections: make(map[string]projections.Collection),
	}, nil
}

// Close disconnects from the server when running calls have ended or ctx ends.
func (d *Documents) Close(ctx context.Context) error {
	if err := d.client.Disconnect(ctx); err != nil {
		return fmt.Errorf("disconnect from MongoDB: %w", err)
	}
	return nil
}

var nameRule = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Declare implements projections.Documents.
func (d *Documents) Declare(ctx context.Context, collections ...projections.Collection) error {
	for _, c := range collections {
		if !nameRule.MatchString(c.Name) {
			return fmt.Errorf("declare %q: not a name of a collection", c.Name)
		}
		for _, model := range indexModels(c) {
			// The indexes are created one by one: FerretDB closes the connection if one request names several that exist already.
			if _, err := d.database.Collection(c.Name).Indexes().CreateOne(ctx, model); err != nil {
				return fmt.Errorf("declare %s: %w", c.Name, err)
			}
		}
		d.mu.Lock()
		d.collections[c.Name] = c
		d.mu.Unlock()
	}
	return nil
}

// indexModels returns the server's indexes for a collection: one for Sweep, which finds tombstones by their age, and those
// for pages. The indexes for pages begin with _live, to exclude tombstones, and end with the id, to order ties.
func indexModels(c projections.Collection) []mongo.IndexModel {
	models := []mongo.IndexModel{
		{Keys: bson.D{{Key: fieldLive, Value: 1}, {Key: fieldGone, Value: 1}}, Options: options.Index().SetName("gone")},
		{Keys: bson.D{{Key: fieldLive, Value: 1}, {Key: fieldID, Value: 1}}, Options: options.Index().SetName("by_id")},
	}
	for _, index := range c.Indexes {
		keys := append(bson.D{{Key: fieldLive, Value: 1}}, order(index)...)
		models = append(models, mongo.IndexModel{Keys: keys, Options: options.Index().SetName("by_" + index.Name)})
	}
	return models
}

// order returns the sort order of an index.
func order(index projections.Index) bson.D {
	var keys bson.D
	for _, field := range index.Fields {
		direction := 1
		if field.Descending {
			direction = -1
		}
		keys = append(keys, bson.E{Key: field.Name, Value: direction})
	}
	return append(keys, bson.E{Key: fieldID, Value: 1})
}

// Drop implements projections.Documents.
func (d *Documents) Drop(ctx context.Context, collection string) error {
	if !nameRule.MatchString(collection) {
		return fmt.Errorf("drop %q: not a name of a collection", collection)
	}
	if err := d.database.Collection(collection).Drop(ctx); err != nil {
		return fmt.Errorf("drop %s: %w", collection, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.collections, collection)
	return nil
}

// Shrink implements projections.Documents: the server gives the room of a dropped collection back by itself.
func (*Documents) Shrink(context.Context) error { return nil }

// collection returns a declared collection.
func (d *Documents) collection(name string) (projections.Collection, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	c, ok := d.collections[name]
	if !ok {
		return c, fmt.Errorf("collection %q has not been declared", name)
	}
	return c, nil
}
