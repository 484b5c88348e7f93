package assets

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
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
	"strings"
	"time"

	"moviola/adapters/assets/examine"
	"moviola/commands"
	"moviola/domain"
)

// codeDownload is the code of the error for an asset that cannot be downloaded.
const codeDownload = "asset_download_failed"

// parseAddress accepts http and https addresses only.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, domain.Errorf(domain.Invalid, codeDownload,
			"Failed to download a source: its address must begin with http:// or https:// and name a host")
	}
	return u, nil
}

// boundRedirects returns a client that follows at most maxRedirects redirects, only to http and https, and sends no Referer.
// Redirects to the service itself are not followed.
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

// passing is a temporary failure: a retry may succeed.
type passing struct{ error }

func (p passing) Unwrap() error { return p.error }

// tries downloads a file, with retries after temporary failures, within the time limit of a download.
func (c *Cache) tries(ctx context.Context, s accountFolder, target *url.URL, known visit, l *lane) (visit, error) {
	limited, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	for try := 0; ; try++ {
		got, err := c.attempt(limited, s, target, known, l)
		if err != nil && ctx.Err() != nil {
			return visit{}, context.Cause(ctx)
		}
		var again passing
		if !errors.As(err, &again) {
			return got, err
		}
		if try == len(c.cfg.Retries) || pause(limited, c.cfg.Retries[try]) != nil {
			return visit{}, again.error
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

func (c *Cache) attempt(ctx context.Context, s accountFolder, target *url.URL, known visit, l *lane) (visit, error) {
	if path, own := c.ownPath(target); own {
		return c.takeOwn(ctx, s, target, path)
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	req, err := request(ctx, target, known)
	if err != nil {
		return visit{}, failed(target, "bad address")
	}
	resp, err := c.client.Do(req)
	if err != nil {
		// All connection errors have one text: clients must not learn which hosts and ports exist in a network (reliability §4d
		// 46).
		noConnection := failed(target, "no connection")
		if _, refused := commands.GuardRefusal(err); refused {
			return visit{}, noConnection
		}
		return visit{}, passing{noConnection}
	}
	resp.Body = watch(resp.Body, end)
	defer resp.Body.Close()
	switch code := resp.StatusCode; {
	case code >= 300 && code < 400 && code != http.StatusNotModified:
		return c.takeRedirected(ctx, s, target, resp)
	case code == http.StatusNotModified && known.Hash != "":
		known.At = c.cfg.Now()
		return known, nil
	case passes(code):
		return visit{}, passing{failed(target, fmt.Sprint(code))}
	case code != http.StatusOK:
		return visit{}, failed(target, fmt.Sprint(code))
	}
	hash, err := c.storeBody(ctx, s, target, resp, l)
	if err != nil && errors.Is(context.Cause(ctx), errSlow) {
		return visit{}, tooSlow(target)
	}
	if err != nil {
		return visit{}, err
	}
	return visit{Hash: hash, ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified"), At: c.cfg.Now()}, nil
}

// request returns the request for a file; if known is a record of an earlier download, the server is asked for a changed file
// only.
func request(ctx context.Context, target *url.URL, known visit) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "moviola")
	// Media does not compress well, and a compressed body would hide its size.
	req.Header.Set("Accept-Encoding", "identity")
	if known.ETag != "" {
		req.Header.Set("If-None-Match", known.ETag)
	}
	if known.LastModified != "" {
		req.Header.Set("If-Modified-Since", known.LastModified)
	}
	return req, nil
}

// passes reports whether a failure with the response status code may be temporary, so that the request is tried again.
func passes(code int) bool {
	return code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout
}

// storeBody stores the body of a response in the account's folder. The size of the body is counted after decompression.
func (c *Cache) storeBody(
	ctx context.Context, s accountFolder, target *url.URL, resp *http.Response, l *lane,
) (hash string, err error) {
	from, length, err := unpacked(resp)
	if err != nil {
		return "", cutOff(target, err)
	}
	if length > c.cfg.MaxBytes {
		return "", c.tooLarge(target)
	}
	if err := l.announce(length); err != nil {
		return "", err
	}
	body := &drawn{Reader: from, lane: l}
	hash, err = c.store(ctx, s, target, body, length)
	if body.need != nil {
		return "", body.need
	}
	return hash, err
}

func failed(target *url.URL, why string) error {
	return domain.Errorf(domain.Invalid, codeDownload, "Failed to download '%s' (%s)", examine.Shown(target), why)
}

var errPacked = errors.New("packed in another way than gzip")

// unpacked returns the decompressed body of a response, and its length in bytes after decompression; -1: unknown. Some servers
// send compressed bodies although they were asked not to.
func unpacked(resp *http.Response) (io.Reader, int64, error) {
	switch strings.ToLower(resp.Header.Get("Content-Encoding")) {
	case "", "identity":
		return resp.Body, resp.ContentLength, nil
	case "gzip", "x-gzip":
		plain, err := gzip.NewReader(resp.Body)
		return plain, -1, err
	}
	return nil, 0, errPacked
}

// cutOff returns the client's error for a body that could not be read to its end, or not be decompressed. For a file of the
// service itself that cannot be read it returns err, which is no fault of the client.
func cutOff(target *url.URL, err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, commands.ErrAway):
		return err
	case errors.Is(err, errPacked), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return failed(target, "its server sends it packed, and it cannot be unpacked")
	case errors.Is(err, context.DeadlineExceeded):
		return failed(target, "it took too long")
	}
	return passing{failed(target, "the connection broke off")}
}

// takeRedirected takes the service's own file that a redirect leads to.
func (c *Cache) takeRedirected(ctx context.Context, s accountFolder, target *url.URL, resp *http.Response) (visit, error) {
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

// store stores a stream in the account's folder under the hash of its content, if its first bytes show an accepted format. length
// is its declared length; -1: unknown.
func (c *Cache) store(ctx context.Context, s accountFolder, target *url.URL, from io.Reader, length int64) (string, error) {
	if length > c.cfg.MaxBytes {
		return "", c.tooLarge(target)
	}
	body := &body{from: io.LimitReader(from, c.cfg.MaxBytes+1), sum: sha256.New()}
	head, err := body.head()
	if err != nil {
		return "", cutOff(target, err)
	}
	if _, err := examine.Sniff(head, target); err != nil {
		return "", err
	}
	temp, err := s.draft()
	if err != nil {
		return "", err
	}
	defer c.discard(temp)
	write := c.room.Begin(filepath.Base(s.dir))
	defer write.Drop()
	size, err := io.Copy(temp, &roomy{ctx, io.MultiReader(bytes.NewReader(head), body), c, s, write})
	if err := errors.Join(err, temp.complete()); err != nil {
		if body.broken != nil {
			return "", cutOff(target, body.broken)
		}
		return "", tooMuch(target, err)
	}
	if size > c.cfg.MaxBytes {
		return "", c.tooLarge(target)
	}
	hash := hex.EncodeToString(body.sum.Sum(nil))
	fresh, err := s.keep(temp, hash, size)
	if err != nil {
		return "", fmt.Errorf("store asset %s: %w", hash, err)
	}
	if fresh {
		write.Keep()
	}
	return hash, nil
}

// keep gives a download its final name. A file with the same content stays as it is, because a program in a sandbox may be
// reading it; a damaged one is replaced.
func (s accountFolder) keep(temp *draft, hash string, size int64) (fresh bool, err error) {
	path := s.filePath(hash)
	if info, err := os.Stat(path); err == nil && info.Size() == size && s.intact(commands.Asset{Hash: hash, Path: path}) {
		return false, nil
	}
	if temp.link(path) == nil {
		return true, nil
	}
	if info, again := os.Stat(path); again == nil && info.Size() == size { // another download has stored the same content meanwhile
		return false, nil
	}
	return true, temp.replace(path)
}

// discard closes a download. A download that was kept stays under its final name.
func (c *Cache) discard(temp *draft) {
	if err := temp.discard(); err != nil {
		c.cfg.Log.WithError(err).Warn("temporary file of a download not removed; a sweep removes it after an hour")
	}
}

func (c *Cache) tooLarge(target *url.URL) error {
	return domain.Errorf(domain.Invalid, examine.CodeTooLarge, "The file at '%s' is too large: at most %d MB can be used",
		examine.Shown(target), c.cfg.MaxBytes>>20)
}
