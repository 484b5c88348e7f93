package assets

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"moviola/domain"
)

// Codes of the errors that name an asset.
const (
	codeDownload    = "asset_download_failed"
	codeUnsupported = "asset_not_supported"
	codeTooLarge    = "asset_too_large"
)

// shownLength is how much of an address a message shows.
const shownLength = 200

// parseAddress accepts web addresses only.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, domain.Errorf(domain.Invalid, codeDownload,
			"Failed to download a source: its address must begin with http:// or https:// and name a host")
	}
	return u, nil
}

// shown is the address as messages show it: without the parts that may be secret.
func shown(u *url.URL) string {
	text := (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
	if runes := []rune(text); len(runes) > shownLength {
		return string(runes[:shownLength]) + "…"
	}
	return text
}

// boundRedirects returns a client that follows few redirects, to the web only, and tells no one where it came from. One to the
// service itself is not followed.
func (c *Cache) boundRedirects(client *http.Client) *http.Client {
	bounded := *client
	bounded.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return errors.New("too many redirects")
		}
		if _, err := parseAddress(req.URL.String()); err != nil {
			return err
		}
		if _, own := c.ownPath(req.URL); own {
			return http.ErrUseLastResponse
		}
		req.Header.Del("Referer")
		if client.CheckRedirect != nil {
			return client.CheckRedirect(req, via)
		}
		return nil
	}
	return &bounded
}

// passing is a failure that may be gone at the next try.
type passing struct{ error }

func (p passing) Unwrap() error { return p.error }

// download brings the file at target onto the shelf, unless known says that it is there and still the same. It tries
// again after failures that may pass.
func (c *Cache) download(ctx context.Context, s shelf, target *url.URL, known visit) (visit, error) {
	for try := 0; ; try++ {
		got, err := c.attempt(ctx, s, target, known)
		var again passing
		if !errors.As(err, &again) {
			return got, err
		}
		if ctx.Err() != nil {
			return visit{}, context.Cause(ctx)
		}
		if try == len(c.cfg.Retries) {
			return visit{}, again.error
		}
		if err := pause(ctx, c.cfg.Retries[try]); err != nil {
			return visit{}, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *Cache) attempt(ctx context.Context, s shelf, target *url.URL, known visit) (visit, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	if path, own := c.ownPath(target); own {
		return c.takeOwn(ctx, s, target, path)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return visit{}, failed(target, "bad address")
	}
	req.Header.Set("User-Agent", "moviola")
	// Media does not shrink, and a compressed body would hide its size.
	req.Header.Set("Accept-Encoding", "identity")
	if known.ETag != "" {
		req.Header.Set("If-None-Match", known.ETag)
	}
	if known.LastModified != "" {
		req.Header.Set("If-Modified-Since", known.LastModified)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		// One text for all: which hosts and ports answer inside a network is nobody's business (reliability §4d 46).
		return visit{}, passing{failed(target, "no connection")}
	}
	defer resp.Body.Close()
	switch code := resp.StatusCode; {
	case code >= 300 && code < 400 && code != http.StatusNotModified:
		return c.takeRedirected(ctx, s, target, resp)
	case code == http.StatusNotModified && known.Hash != "":
		return known, nil
	case code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout:
		return visit{}, passing{failed(target, fmt.Sprint(code))}
	case code != http.StatusOK:
		return visit{}, failed(target, fmt.Sprint(code))
	}
	hash, err := c.store(s, target, resp.Body, resp.ContentLength)
	if err != nil {
		return visit{}, err
	}
	return visit{Hash: hash, ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified")}, nil
}

func failed(target *url.URL, why string) error {
	return domain.Errorf(domain.Invalid, codeDownload, "Failed to download '%s' (%s)", shown(target), why)
}

// takeRedirected takes the file of the service itself to which a redirect leads.
func (c *Cache) takeRedirected(ctx context.Context, s shelf, target *url.URL, resp *http.Response) (visit, error) {
	to, err := resp.Location()
	if err != nil {
		return visit{}, failed(target, fmt.Sprint(resp.StatusCode))
	}
	path, own := c.ownPath(to)
	if !own {
		return visit{}, failed(target, fmt.Sprint(resp.StatusCode))
	}
	return c.takeOwn(ctx, s, target, path)
}

// store puts what is read onto the shelf under its hash, once its first bytes show a format that is allowed. length is what
// was promised, -1: nothing was.
func (c *Cache) store(s shelf, target *url.URL, from io.Reader, length int64) (string, error) {
	if length > c.cfg.MaxBytes {
		return "", c.tooLarge(target)
	}
	body := &body{from: io.LimitReader(from, c.cfg.MaxBytes+1), sum: sha256.New()}
	head, err := body.head()
	if err != nil {
		return "", passing{failed(target, "the connection broke off")}
	}
	if _, err := sniff(head, target); err != nil {
		return "", err
	}
	temp, err := os.CreateTemp(filepath.Join(s.dir, "files"), ".new-*")
	if err != nil {
		return "", fmt.Errorf("store asset: %w", err)
	}
	defer func() {
		if err := removeIfThere(temp.Name()); err != nil {
			c.cfg.Log.WithError(err).Warn("unfinished asset stays")
		}
	}()
	size, err := io.Copy(temp, io.MultiReader(bytes.NewReader(head), body))
	if err := errors.Join(err, temp.Close()); err != nil {
		if body.broken != nil {
			return "", passing{failed(target, "the connection broke off")}
		}
		return "", fmt.Errorf("store asset: %w", err)
	}
	if size > c.cfg.MaxBytes {
		return "", c.tooLarge(target)
	}
	hash := hex.EncodeToString(body.sum.Sum(nil))
	if err := os.Rename(temp.Name(), s.filePath(hash)); err != nil {
		return "", fmt.Errorf("store asset %s: %w", hash, err)
	}
	return hash, nil
}

func (c *Cache) tooLarge(target *url.URL) error {
	return domain.Errorf(domain.Invalid, codeTooLarge, "The file at '%s' is too large: at most %d MB can be used",
		shown(target), c.cfg.MaxBytes>>20)
}
