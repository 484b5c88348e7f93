package roads

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"net"
	"net/http"
	"time"

	"moviola/adapters/anchorage"
	"moviola/adapters/mail"
	"moviola/adapters/outbound"
	"moviola/handlers/background/anchors"
	"moviola/internal/config"
	"moviola/internal/secret"
)

// anchorPurpose names the key that signs anchors, when it is derived from the installation's secret.
const anchorPurpose = "signing of anchors"

// AnchorKey returns the key that signs the anchors of an installation.
func AnchorKey(master secret.Secret) (ed25519.PrivateKey, error) {
	seed, err := master.Key(anchorPurpose)
	if err != nil {
		return nil, err
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// AnchorPlaces opens the places where anchors are kept. The operator has configured them, so their addresses are not checked by
// the guard.
func AnchorPlaces(ctx context.Context, addresses []string, smtp, from string) ([]anchors.Place, error) {
	var dialer net.Dialer
	letters, err := mail.New(mail.Config{
		Explain: outbound.Explain, Server: smtp, From: from,
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, address)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("--smtp, --smtp-from: %w", err)
	}
	cfg := anchorage.Config{
		Client: &http.Client{Timeout: anchorTime, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // a redirect is an error: the operator has to configure the new address
		}},
		Agent: "Moviola/" + config.Version,
	}
	if smtp != "" {
		cfg.Mail = letters.SendFile
	}
	var places []anchors.Place
	for _, text := range addresses {
		address, err := anchorage.Parse(text)
		if err != nil {
			return nil, err
		}
		place, err := anchorage.Open(ctx, address, cfg)
		if err != nil {
			return nil, err
		}
		places = append(places, place)
	}
	return places, nil
}

// anchorTime limits one request to a webhook that gets anchors. Sending to a place of any kind has a further limit, in the
// package anchors.
const anchorTime = 5 * time.Minute
