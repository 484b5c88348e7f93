package app

import (
	"context"
	"errors"
	"fmt"
	"io"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/domain"
	"moviola/internal/config"
	"moviola/internal/stores"
)

// The account that the first start opens. Design §10.
const (
	firstAccount     = config.FirstAccount
	firstAccountPlan = "paid"
)

// announce prints how to begin. key is the API key of the account that the first start has opened; it is empty at later starts.
func (s *service) announce(stdout io.Writer, key string) error {
	if s.public == nil {
		_, err := fmt.Fprintf(stdout, "Moviola %s works as %v\n", config.Version, s.Config.Roles)
		return err
	}
	base := s.Config.PublicURL + "/v2"
	lines := fmt.Sprintf("Moviola %s serves %s\n", config.Version, base)
	if s.front.GeneratedToken != "" {
		lines += fmt.Sprintf("Admin token until the next start (set %s to choose it): %s\n", config.AdminTokenEnv,
			s.front.GeneratedToken)
	}
	if key != "" {
		lines += fmt.Sprintf("\nAPI key of the account %q, shown only now:\n\n    %s\n", firstAccount, key)
		lines += fmt.Sprintf("\nRender a sample movie:\n\n%s\n", sampleCurl(base, key))
		lines += fmt.Sprintf("\nand ask for it, with the project it answers:\n\ncurl '%s/movies?project=PROJECT' -H "+
			"'x-api-key: %s'\n\n", base, key)
	}
	_, err := io.WriteString(stdout, lines)
	return err
}

// openFirstAccount opens the first account. It returns the account's API key if this start has opened the account, and an empty
// key at later starts. It is called before the work list is read: then an interrupted opening is completed here, where the key
// is printed.
func (s *service) openFirstAccount(ctx context.Context) (string, error) {
	if s.public == nil {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, stores.StartTime)
	defer cancel()
	opened, err := s.Do.OpenAccount.Handle(ctx, accounts.OpenAccount{ID: firstAccount, Name: firstAccount, Plan: firstAccountPlan})
	var refusal *domain.Error
	if errors.As(err, &refusal) && refusal.Kind == domain.Conflict {
		opened, err = s.Do.CompleteOpening.Handle(ctx, accounts.CompleteOpening{Account: firstAccount})
	}
	switch {
	case errors.Is(err, commands.ErrNothingToDo):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("open the first account: %w", err)
	}
	return opened.Key, nil
}
