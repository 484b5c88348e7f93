package observing

import (
	"context"
	"fmt"
	"io"

	"moviola/adapters/oidc"
)

// PrintProvider prints whether operators can sign in through an OpenID provider. Without a provider they sign in with tokens.
func PrintProvider(ctx context.Context, w io.Writer, issuer string) error {
	state := "off: operators sign in with tokens"
	if issuer != "" {
		state = "answers"
		if err := oidc.New(oidc.Config{Issuer: issuer}).Reach(ctx); err != nil {
			state = err.Error()
		}
	}
	_, err := fmt.Fprintf(w, "%-18s %-42s (%s)\n", "OpenID provider", state, "operators' sign-in")
	return err
}
