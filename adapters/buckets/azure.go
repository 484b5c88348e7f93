package buckets

import (
	"context"
	"net/http"
	"net/url"

	"moviola/domain/connection"
	"moviola/internal/clouds"
)

// NewAzure returns a sender to Azure Blob Storage.
func NewAzure(cfg Config) *Sender {
	return &Sender{cfg: cfg, kind: connection.AzureBlob, open: openAzure, answer: answerOfAzure}
}

// openAzure opens a container with the account's key. Requests are signed with the key; it is part of no address.
func openAzure(ctx context.Context, client *http.Client, settings connection.Settings) (*bucket, error) {
	address, err := url.JoinPath(connection.AzureBlob.Storage(settings), settings["container"])
	if err != nil {
		return nil, err
	}
	opened, err := clouds.Azure{
		Client: client, Address: address, Account: settings["account"], Key: settings["account-key"], Tries: tries,
	}.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &bucket{Bucket: opened, close: opened.Close}, nil
}

// answerOfAzure returns the error code of the storage's response.
func answerOfAzure(err error) (who, code string) { return theStorage, clouds.Answer(err) }
