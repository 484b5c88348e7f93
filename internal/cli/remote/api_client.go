package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"github.com/spf13/pflag"
	"moviola.example/client"

	"moviola/internal/config"
)

// apiKeyEnv names the environment variable with the API key that commands send.
const apiKeyEnv = config.EnvPrefix + "API_KEY"

// urlEnv names the environment variable with the address of the service.
const urlEnv = config.EnvPrefix + "URL"

// apiClient calls the HTTP interface with an API key.
type apiClient struct{ URL, keyFile string }

// bind declares the flags for the service's address and the key file. There is no flag for the key itself: other users of
// the host may be able to read command lines.
func (c *apiClient) bind(f *pflag.FlagSet) {
	f.StringVar(&c.URL, "url", "", "base address of a service that is asked, such as http://localhost:8080; "+apiKeyEnv+
		" carries the key")
	f.StringVar(&c.keyFile, "api-key-file", "", "file with the key (default: "+apiKeyEnv+")")
}

// key returns the API key.
func (c *apiClient) key() (string, error) {
	if c.keyFile != "" {
		return config.ReadSecretFile(c.keyFile)
	}
	if key := os.Getenv(apiKeyEnv); key != "" {
		return key, nil
	}
	return "", fmt.Errorf("set %s to a key of the service, or give --api-key-file", apiKeyEnv)
}

// service returns a client of the service that the flags name.
func (c *apiClient) service() (*client.Client, error) {
	if c.URL == "" {
		return nil, errors.New("give --url, or set " + urlEnv + ": the base address of a service, such as http://localhost:8080")
	}
	if at, err := url.Parse(c.URL); err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, fmt.Errorf("--url %s: write a base address such as http://localhost:8080", c.URL)
	}
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	return &client.Client{URL: c.URL, Key: key}, nil
}

// send sends a request with the API key and returns the body of a successful response. With a nil body, the request has no body.
func (c *apiClient) send(ctx context.Context, method, path string, header http.Header, body []byte) ([]byte, error) {
	service, err := c.service()
	if err != nil {
		return nil, err
	}
	answer, err := service.Do(ctx, client.Request{Method: method, Path: path, Header: header, Body: body})
	return answer, c.hint(err)
}

// hint adds to an error what the user of the command may do about it.
func (c *apiClient) hint(err error) error {
	var refusal *client.Error
	var unreached *url.Error
	switch {
	case errors.As(err, &refusal) && refusal.Status == http.StatusUnauthorized:
		return fmt.Errorf("%w: check %s, or the file of --api-key-file", err, apiKeyEnv)
	case errors.As(err, &refusal) && refusal.Status == http.StatusNotFound && refusal.Code == "":
		return fmt.Errorf("%w: check --url, which is the address without /v2", err)
	case errors.As(err, &unreached) && !errors.Is(err, context.Canceled):
		return fmt.Errorf("%s cannot be reached: check --url, and that the service runs (%w)", c.URL, unreached.Err)
	}
	return err
}

// call sends a request and decodes the response.
func (c *apiClient) call(ctx context.Context, method, path string, into any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, operatorTime)
	defer cancel()
	answer, err := c.send(ctx, method, path, nil, nil)
	if err == nil && json.Unmarshal(answer, into) != nil {
		err = fmt.Errorf("%s did not answer as this program does: check --url", c.URL)
	}
	return answer, err
}

// validate asks the service to validate a movie.
func (c *apiClient) validate(ctx context.Context, movie []byte) (verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, operatorTime)
	defer cancel()
	answer, err := c.send(ctx, http.MethodPost, "/v2/movies/validate", http.Header{"Content-Type": {"application/json"}}, movie)
	if err != nil {
		return verdict{}, err
	}
	var found client.Validation
	if err := json.Unmarshal(answer, &found); err != nil || found.Problems == nil {
		return verdict{}, fmt.Errorf("%s did not answer as this program does", c.URL)
	}
	return verdictOf(found, answer), nil
}
