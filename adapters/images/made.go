package images

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"moviola/commands"
	"moviola/domain"
)

// madeKey is the key under which other hosts find a cached picture.
func madeKey(key string) string { return "image-" + key }

// takeMade copies another host's picture onto the shelf. False: there is none. Errors are logged, and the picture is generated
// again.
func (g *Generator) takeMade(ctx context.Context, s shelf, account domain.AccountID, key string) (commands.Asset, bool) {
	if g.cfg.Made == nil {
		return commands.Asset{}, false
	}
	asset, err := g.copyMade(ctx, s, account, key)
	if err != nil && !errors.Is(err, commands.ErrFileNotFound) {
		g.cfg.Log.WithError(err).Warn("generated picture of another host cannot be read; it is generated here")
	}
	return asset, err == nil
}

func (g *Generator) copyMade(ctx context.Context, s shelf, account domain.AccountID, key string) (commands.Asset, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return commands.Asset{}, err
	}
	_, path, err := g.cfg.Made.TakeMade(ctx, account, madeKey(key), s.dir)
	if err != nil {
		return commands.Asset{}, err
	}
	if path == "" {
		return commands.Asset{}, errors.New("its note has no file")
	}
	raw, err := os.ReadFile(path)
	if err = errors.Join(err, os.Remove(path)); err != nil {
		return commands.Asset{}, err
	}
	return s.keep(key, raw)
}

// keepMade shares a picture with other hosts. Errors are logged: this host has it.
func (g *Generator) keepMade(ctx context.Context, account domain.AccountID, key string, made commands.Asset) {
	if g.cfg.Made == nil {
		return
	}
	note, err := json.Marshal(made.Facts)
	if err == nil {
		err = g.cfg.Made.KeepMade(ctx, account, madeKey(key), note, made.Path)
	}
	if err != nil {
		g.cfg.Log.WithError(err).Warn("generated picture not copied to the shared storage; other hosts generate it themselves")
	}
}
