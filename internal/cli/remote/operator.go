package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/user"
	"time"

	"github.com/spf13/pflag"
	"moviola.example/client"

	"moviola/handlers/http/web"
	"moviola/internal/config"
)

// operatorTime limits a request to the operator's interface, and most requests of the commands batch, inbox and validate.
const operatorTime = 30 * time.Second

// operator calls the operator's interface of a running service.
type operator struct{ URL, tokenFile string }

// bind declares the flags for the service's address and the token file. There is no flag for the token itself: other users
// of the host may be able to read command lines.
func (o *operator) bind(f *pflag.FlagSet) {
	f.StringVar(&o.URL, "url", "http://localhost:8080",
		"base address of the service; "+config.AdminTokenEnv+" carries its admin token")
	f.StringVar(&o.tokenFile, "admin-token-file", "", "file with the admin token (default: "+config.AdminTokenEnv+")")
}

// call sends a request and decodes the response. The body is encoded as JSON; nil sends none. The error for a refusal has the
// service's message.
func (o *operator) call(ctx context.Context, method, path string, query url.Values, body, into any) error {
	answer, err := o.send(ctx, method, path, query, body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("%s did not answer as this program does: %w", o.URL, err)
	}
	return nil
}

// send sends a request and returns the body of a successful response.
func (o *operator) send(ctx context.Context, method, path string, query url.Values, body any) ([]byte, error) {
	token, err := config.OperatorToken(o.tokenFile)
	if err != nil {
		return nil, err
	}
	if token == "" {
		return nil, fmt.Errorf("set %s to the admin token of the service", config.AdminTokenEnv)
	}
	request := client.Request{Method: method, Path: path, Query: query, Header: http.Header{
		web.OperatorTokenHeader: {token}, web.OperatorNameHeader: {callerName()},
	}}
	if body != nil {
		if request.Body, err = json.Marshal(body); err != nil {
			return nil, err
		}
		request.Header.Set("Content-Type", "application/json")
	}
	ctx, cancel := context.WithTimeout(ctx, operatorTime)
	defer cancel()
	service := client.Client{URL: o.URL, Retries: -1}
	return service.Do(ctx, request)
}

// callerName returns the name of the command line's user for the trail of operators' acts.
func callerName() string {
	name := "command line"
	if who, err := user.Current(); err == nil {
		name += ", " + who.Username
	}
	if host, err := os.Hostname(); err == nil {
		name += " on " + host
	}
	return name
}
