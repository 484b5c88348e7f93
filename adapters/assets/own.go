package assets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"moviola/commands"
	"moviola/domain"
)

// OwnFiles opens the files of the service's own addresses. Decision 8.
type OwnFiles interface {
	// OpenOwn opens the file at a path below the service's public address, if the account may see it. Files that do not exist, or
	// belong to another account, are commands.ErrFileNotFound.
	OpenOwn(ctx context.Context, account domain.AccountID, path string) (io.ReadCloser, error)
}

// ownPath returns the path of an address below the service's public address; false: it is not below that.
func (c *Cache) ownPath(address *url.URL) (path string, ok bool) {
	base := c.base
	if base == nil || !sameHost(address, base) {
		return "", false
	}
	path, ok = strings.CutPrefix(address.EscapedPath(), strings.TrimSuffix(base.EscapedPath(), "/"))
	return path, ok && (path == "" || path[0] == '/')
}

func sameHost(a, b *url.URL) bool {
	name := func(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") }
	port := func(u *url.URL) string {
		if p := u.Port(); p != "" {
			return p
		}
		return map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return name(a) == name(b) && port(a) == port(b)
}

// ownBody is a file of the service itself. Its read errors are no faults of the source.
type ownBody struct{ io.Reader }

// Read implements io.Reader.
func (b ownBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", commands.ErrAway, err)
	}
	return n, err
}

// takeOwn copies a file of the service itself into the account's folder.
func (c *Cache) takeOwn(ctx context.Context, s accountFolder, target *url.URL, path string) (visit, error) {
	missing := failed(target, "404")
	if c.cfg.Own == nil {
		return visit{}, missing
	}
	file, err := c.cfg.Own.OpenOwn(ctx, s.account, path)
	switch {
	case errors.Is(err, commands.ErrFileNotFound):
		return visit{}, missing
	case errors.Is(err, commands.ErrFileDamaged):
		return visit{}, err
	case err != nil:
		return visit{}, fmt.Errorf("%w: %w", commands.ErrAway, err)
	}
	defer file.Close()
	hash, err := c.store(ctx, s, target, ownBody{file}, -1)
	return visit{Hash: hash}, err
}
