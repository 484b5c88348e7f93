package buckets

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"gocloud.dev/blob/azureblob"

	"moviola/domain/connection"
)

// NewAzure returns a sender to Azure Blob Storage.
func NewAzure(cfg Config) *Sender {
	return &Sender{cfg: cfg, kind: connection.AzureBlob, open: openAzure, answer: answerOfAzure}
}

// openAzure opens a container with the account's key. Requests are signed with the key; it is part of no address.
func openAzure(ctx context.Context, client *http.Client, settings connection.Settings) (*bucket, error) {
	key, err := container.NewSharedKeyCredential(settings["account"], settings["account-key"])
	if err != nil {
		return nil, err
	}
	address, err := url.JoinPath(connection.AzureBlob.Storage(settings), settings["container"])
	if err != nil {
		return nil, err
	}
	azure, err := container.NewClientWithSharedKeyCredential(address, key, &container.ClientOptions{
		ClientOptions: azcore.ClientOptions{
			Transport: client,
			Retry:     policy.RetryOptions{MaxRetries: tries - 1},
			Telemetry: policy.TelemetryOptions{Disabled: true},
		},
	})
	if err != nil {
		return nil, err
	}
	opened, err := azureblob.OpenBucket(ctx, azure, nil)
	if err != nil {
		return nil, err
	}
	return &bucket{Bucket: opened, close: opened.Close}, nil
}

// answerOfAzure returns the error code of the storage's response.
func answerOfAzure(err error) (who, code string) {
	var answer *azcore.ResponseError
	if errors.As(err, &answer) {
		return theStorage, answer.ErrorCode
	}
	return "", ""
}
