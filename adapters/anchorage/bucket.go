package anchorage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"moviola/projections/audit"
)

// bucket keeps anchors in a bucket of S3.
type bucket struct {
	client *s3.Client
	Address
}

// openBucket returns the bucket at the address a. If a has the name of a profile, the credentials are read from that
// profile in the configuration files of AWS. Otherwise they come from where the AWS client looks by default, the
// environment first.
func openBucket(ctx context.Context, a Address) (*bucket, error) {
	var options []func(*config.LoadOptions) error
	if a.Region != "" {
		options = append(options, config.WithRegion(a.Region))
	}
	if a.Profile != "" {
		options = append(options, config.WithSharedConfigProfile(a.Profile))
	}
	loaded, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("s3://%s: %w", a.Bucket, err)
	}
	return &bucket{Address: a, client: s3.NewFromConfig(loaded, func(o *s3.Options) {
		o.UsePathStyle = a.PathStyle
		if a.URL != nil {
			o.BaseEndpoint = aws.String(a.URL.String())
		}
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	})}, nil
}

// put writes the list of the hashes of all ledger events, and then the anchor. If the field Lock of the address is not 0, both
// objects are locked: until the lock ends nobody can remove them or shorten the lock, not even the owner of the bucket.
func (b *bucket) put(ctx context.Context, sheet audit.Sheet) error {
	for _, f := range filesOf(sheet) {
		input := &s3.PutObjectInput{
			Bucket: aws.String(b.Bucket), Key: aws.String(b.Prefix + f.name), Body: bytes.NewReader(f.content),
			ContentType: aws.String("application/octet-stream"),
			// A service that locks objects asks for a checksum.
			ChecksumAlgorithm: types.ChecksumAlgorithmSha256,
		}
		if b.Lock > 0 {
			input.ObjectLockMode = types.ObjectLockModeCompliance
			input.ObjectLockRetainUntilDate = aws.Time(sheet.TakenAt.Add(b.Lock).Truncate(time.Second))
		}
		if _, err := b.client.PutObject(ctx, input); err != nil {
			return explain(err)
		}
	}
	return nil
}

// explain returns the part of the storage client's error that may be shown: what the service has answered, or why there was no
// answer.
func explain(err error) error {
	var answer smithy.APIError
	if errors.As(err, &answer) {
		return fmt.Errorf("the storage answered %s: %s", answer.ErrorCode(), answer.ErrorMessage())
	}
	return withoutAddress(err)
}
