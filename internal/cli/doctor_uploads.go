package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"moviola/adapters/blobs"
)

// askUploads is the time limit for the storage's answer.
const askUploads = 10 * time.Second

// printUploads prints whether browsers may upload files from the console to the storage. Everything else works without that.
func printUploads(cmd *cobra.Command, storage, key, publicURL string) error {
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%-18s %-42s (%s)\n", "uploads", uploads(cmd.Context(), storage, key, publicURL),
		"media files that people upload in the console")
	return err
}

// uploads returns a text for the operator about uploads from the console: where they go, from where they are allowed, or
// why they are refused or nothing is known about them.
func uploads(ctx context.Context, storage, key, publicURL string) string {
	ctx, stop := context.WithTimeout(ctx, askUploads)
	defer stop()
	const here = "to this service"
	if storage == "" {
		return here
	}
	if err := blobs.CheckAddress(storage, key); err != nil {
		return "unknown: --blobs: " + err.Error()
	}
	bucket, err := blobs.OpenWithKey(ctx, storage, key)
	if err != nil {
		return "unknown: --blobs cannot be opened"
	}
	defer func() { _ = bucket.Close() }()
	if !bucket.Presigns() {
		if err := bucket.Ping(ctx); err != nil {
			return here + ", whose storage cannot be used: " + err.Error()
		}
		return here
	}
	if err := uploadsAllowed(ctx, bucket, publicURL); err != nil {
		return err.Error()
	}
	return "allowed from " + publicURL
}

// uploadsAllowed asks the storage as a browser does before it uploads a file from the console: the preflight request of CORS.
func uploadsAllowed(ctx context.Context, bucket *blobs.Bucket, publicURL string) error {
	page, err := url.Parse(publicURL)
	if err != nil || page.Host == "" {
		return errors.New("unknown: give --public-url, the address at which the console is opened")
	}
	address, err := bucket.Presign(ctx, "staging/doctor/upload", "image/png", 1, time.Minute)
	if err != nil {
		return errors.New("unknown: no address could be signed; check the keys of the storage")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodOptions, address, nil)
	if err != nil {
		return errors.New("unknown: the storage gives no address")
	}
	origin := page.Scheme + "://" + page.Host
	request.Header.Set("Origin", origin)
	request.Header.Set("Access-Control-Request-Method", http.MethodPut)
	request.Header.Set("Access-Control-Request-Headers", "content-type")
	answer, err := http.DefaultClient.Do(request)
	if err != nil { // the error is replaced: it contains the address with its signature
		return errors.New("unknown: the storage does not answer")
	}
	defer answer.Body.Close()
	if allowsUpload(answer.Header, origin) {
		return nil
	}
	return fmt.Errorf("refused: allow PUT with content-type from %s in the bucket's CORS rules", origin)
}

// allowsUpload reports whether the answer to a preflight request allows uploads from pages of the origin.
func allowsUpload(h http.Header, origin string) bool {
	has := func(name, value string) bool {
		return slices.ContainsFunc(strings.Split(h.Get(name), ","), func(one string) bool {
			one = strings.TrimSpace(one)
			return one == "*" || strings.EqualFold(one, value)
		})
	}
	return has("Access-Control-Allow-Origin", origin) && has("Access-Control-Allow-Methods", http.MethodPut) &&
		has("Access-Control-Allow-Headers", "content-type")
}
