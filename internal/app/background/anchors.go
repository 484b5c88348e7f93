package background

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"time"

	"moviola/handlers/background/anchors"
	"moviola/internal/app/roads"
	"moviola/internal/config"
)

// newAnchors wires the schedule by which signed anchors of the ledgers are taken; nil: this process takes none.
func (s *Background) newAnchors(ctx context.Context) (*anchors.Anchors, error) {
	if !s.Config.Plays(config.RoleKeeper) || len(s.Config.AnchorTo) == 0 {
		return nil, nil
	}
	places, err := roads.AnchorPlaces(ctx, s.Config.AnchorTo, s.Config.SMTP, s.Config.SMTPFrom)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", config.AnchorTo, err)
	}
	key, err := roads.AnchorKey(s.Secret)
	if err != nil {
		return nil, err
	}
	log := s.Logger.WithField("part", "anchors")
	log.WithField("public_key", base64.StdEncoding.EncodeToString(key.Public().(ed25519.PublicKey))).
		Info("anchors of the ledgers are taken and signed; keep the public key outside of this host")
	return anchors.New(anchors.Config{
		Log: s.Stores.Log, Key: key, Places: places, Every: s.Config.AnchorEvery, Worker: s.Worker, Now: time.Now,
		Sent: s.Metrics.AnchorSent, Logger: log,
	}), nil
}
