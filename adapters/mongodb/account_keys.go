package mongodb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"moviola/domain"
)

// keysSuffix follows the name of the read models' database in the name of the database with the encryption keys of accounts. The
// keys have a database of their own: who may read the read models must not read keys, and who drops the read models must not drop
// keys.
const keysSuffix = "_account_keys"

// unauthorized is the server's error code for a database user without the right to an operation.
const unauthorized = 13

// AccountKeys stores the keys under which personal data of accounts is encrypted, for all hosts of an installation. It is safe
// for concurrent use.
type AccountKeys struct {
	keys *mongo.Collection
	name string
}

// accountKey is what the database holds about the key of one account.
type accountKey struct {
	Account string    `bson:"_id"`
	Key     []byte    `bson:"key,omitempty"`
	Erased  time.Time `bson:"erased,omitempty"` // when the account was erased; zero: it was not
}

// AccountKeys returns the store of the accounts' encryption keys on the server of the read models.
func (d *Documents) AccountKeys() *AccountKeys {
	name := d.database.Name() + keysSuffix
	options := options.Collection().SetBSONOptions(&options.BSONOptions{})
	return &AccountKeys{keys: d.client.Database(name).Collection("keys", options), name: name}
}

// probe is the id of a document that Prepare writes and removes again. No account has this id. A process that ends in between
// leaves the document.
const probe = "-"

// notProbe is the condition for documents of accounts.
var notProbe = bson.E{Key: fieldID, Value: bson.D{{Key: "$ne", Value: probe}}}

// Prepare checks that the database user of --mongo may store keys.
func (a *AccountKeys) Prepare(ctx context.Context) error {
	_, err := a.keys.UpdateOne(ctx, bson.D{{Key: fieldID, Value: probe}},
		bson.D{{Key: "$set", Value: bson.D{{Key: "probe", Value: true}}}}, options.UpdateOne().SetUpsert(true))
	if err == nil {
		_, err = a.keys.DeleteOne(ctx, bson.D{{Key: fieldID, Value: probe}})
	}
	if err != nil {
		return fmt.Errorf("store keys of accounts in the database %s (the user of --mongo needs the role readWrite there): %w",
			a.name, err)
	}
	return nil
}

// Find returns the key of an account or, if the account was erased, the time when that happened. Neither: the account has no
// key yet.
func (a *AccountKeys) Find(ctx context.Context, account domain.AccountID) ([]byte, time.Time, error) {
	var doc accountKey
	err := a.keys.FindOne(ctx, bson.D{{Key: fieldID, Value: string(account)}}).Decode(&doc)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, time.Time{}, nil
	}
	return doc.Key, doc.Erased, err
}

// Add stores the first key of an account. It changes nothing when the account has a key, or was erased.
func (a *AccountKeys) Add(ctx context.Context, account domain.AccountID, key []byte) error {
	_, err := a.keys.InsertOne(ctx, accountKey{Account: string(account), Key: key})
	if mongo.IsDuplicateKeyError(err) {
		return nil
	}
	return err
}

// Erase removes the key of an account and stores the time at which the account was erased.
func (a *AccountKeys) Erase(ctx context.Context, account domain.AccountID, at time.Time) error {
	_, err := a.keys.ReplaceOne(ctx, bson.D{{Key: fieldID, Value: string(account)}},
		accountKey{Account: string(account), Erased: at.UTC()}, options.Replace().SetUpsert(true))
	return err
}

// Erased returns the erased accounts, and whether any account has a key or was erased. If the database user may not read
// keys, Erased returns no account and false: such a user is taken to have stored no keys.
func (a *AccountKeys) Erased(ctx context.Context) ([]domain.AccountID, bool, error) {
	var one accountKey
	err := a.keys.FindOne(ctx, bson.D{notProbe}).Decode(&one)
	var refused mongo.CommandError
	if errors.Is(err, mongo.ErrNoDocuments) || errors.As(err, &refused) && refused.Code == unauthorized {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var accounts []domain.AccountID
	err = a.walk(ctx, bson.D{{Key: "erased", Value: bson.D{{Key: "$exists", Value: true}}}}, func(doc accountKey) error {
		accounts = append(accounts, domain.AccountID(doc.Account))
		return nil
	})
	return accounts, true, err
}

// Walk visits every account that has a key or was erased.
func (a *AccountKeys) Walk(
	ctx context.Context, visit func(account domain.AccountID, key []byte, erased time.Time) error,
) error {
	return a.walk(ctx, bson.D{notProbe}, func(doc accountKey) error {
		return visit(domain.AccountID(doc.Account), doc.Key, doc.Erased)
	})
}

func (a *AccountKeys) walk(ctx context.Context, filter bson.D, visit func(accountKey) error) (err error) {
	found, err := a.keys.Find(ctx, filter)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, found.Close(context.WithoutCancel(ctx))) }()
	for found.Next(ctx) {
		var doc accountKey
		if err := found.Decode(&doc); err != nil {
			return err
		}
		if err := visit(doc); err != nil {
			return err
		}
	}
	return found.Err()
}
