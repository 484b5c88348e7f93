package webfonts

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
	"slices"
	"strings"

	"github.com/sirupsen/logrus"
	"golang.org/x/sync/errgroup"
)

// errUnknown says that the service does not have a family, or a style of it.
var errUnknown = errors.New("the font service does not know the family")

// fetch requests styles of a family from the font service and adds their fonts to the family. It leaves out fonts whose
// files cannot be downloaded, checked or stored, and records their styles as failed: they are requested again after
// failedFor at the earliest. But if the family would then have no font, or the time is over, it returns the error. If the
// service does not have the styles, fetch records that they were requested, and sets Unknown if the family has no font at
// all.
func (s *Service) fetch(ctx, asking context.Context, f family, styles []style) (family, error) {
	faces, err := s.sheets(asking, f.Name, styles)
	f.At = s.cfg.Now()
	if errors.Is(err, errUnknown) {
		f.Unknown = len(f.Faces) == 0
		return f.asked(styles, nil), nil
	}
	if err != nil {
		if asking.Err() == nil || errors.Is(asking.Err(), context.DeadlineExceeded) {
			s.silent()
		}
		return family{}, err
	}
	ctx, stop := context.WithTimeout(ctx, filesTime)
	defer stop()
	got := make([]face, len(faces))
	errs := make([]error, len(faces))
	var group errgroup.Group
	group.SetLimit(filesAt)
	for i, one := range faces {
		group.Go(func() error {
			got[i], errs[i] = s.file(ctx, one)
			return nil
		})
	}
	_ = group.Wait() // downloads return no error to the group
	f.Unknown, f.Faces = false, slices.Clone(f.Faces)
	var failed []style
	for i := range got {
		switch {
		case errs[i] != nil:
			failed = append(failed, faces[i].of(styles)...)
		case !slices.Contains(f.Faces, got[i]):
			f.Faces = append(f.Faces, got[i])
		}
	}
	if err := errors.Join(errs...); err != nil {
		if len(f.Faces) == 0 || ctx.Err() != nil {
			return family{}, err
		}
		s.cfg.Log.WithError(err).WithFields(logrus.Fields{"family": f.Name, "again_after": failedFor.String()}).Warn(
			"some fonts of a font family not fetched; the nearest weights are used until they are requested again")
	}
	return f.asked(styles, failed), nil
}

// asked returns the family with the record that styles were requested, and that those in failed could not be downloaded.
func (f family) asked(styles, failed []style) family {
	f.Asked = set(f.Asked, styles)
	stillFailed := slices.DeleteFunc(slices.Clone(f.Failed), func(one style) bool { return slices.Contains(styles, one) })
	f.Failed = set(stillFailed, failed)
	return f
}

// set returns the styles of both lists, sorted and without duplicates.
func set(a, b []style) []style {
	all := slices.Concat(a, b)
	slices.SortFunc(all, compareStyles)
	return slices.Compact(all)
}

// sheets requests the style sheet for all styles at once. If the font service does not know all of them, sheets requests
// each style alone. If it knows none, sheets requests the family without styles. If it does not know that either, sheets
// returns errUnknown.
func (s *Service) sheets(ctx context.Context, name string, styles []style) ([]sheetFace, error) {
	faces, err := s.sheet(ctx, query(name, styles))
	if !errors.Is(err, errUnknown) {
		return faces, err
	}
	if len(styles) > 1 {
		for _, one := range styles {
			some, err := s.sheet(ctx, query(name, []style{one}))
			if err != nil && !errors.Is(err, errUnknown) {
				return nil, err
			}
			faces = append(faces, some...)
		}
	}
	if len(faces) > 0 {
		return faces, nil
	}
	return s.sheet(ctx, query(name, nil))
}

// sheet requests one style sheet from the font service.
func (s *Service) sheet(ctx context.Context, query string) ([]sheetFace, error) {
	address, err := url.Parse(s.cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("read the address of the font service: %w", err)
	}
	if address.RawQuery != "" {
		query = address.RawQuery + "&" + query
	}
	address.RawQuery = query
	body, status, err := s.get(ctx, address.String(), maxSheetBytes)
	switch {
	case err != nil:
		return nil, err
	case status == http.StatusNotFound || status == http.StatusBadRequest:
		return nil, errUnknown
	case status != http.StatusOK:
		return nil, fmt.Errorf("the font service answered with status %d", status)
	}
	faces := readSheet(string(body), address)
	if len(faces) == 0 {
		return nil, errors.New("the font service answered with no fonts")
	}
	return faces, nil
}

// file downloads, checks and stores a font file.
func (s *Service) file(ctx context.Context, f sheetFace) (face, error) {
	data, status, err := s.get(ctx, f.address, maxFileBytes)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("the server of a font answered with status %d", status)
	}
	if err != nil {
		return face{}, err
	}
	if data, err = s.cfg.Unpack(data); err != nil {
		return face{}, err
	}
	sum := sha256.Sum256(data)
	got := face{Hash: hex.EncodeToString(sum[:]), Size: int64(len(data)), Weight: f.weight, To: f.to, Italic: f.italic,
		Range: f.runes}
	if err := s.cfg.Store.Put(ctx, got.key(), bytes.NewReader(data)); err != nil {
		return face{}, err
	}
	return got, s.writeLocal(got, data)
}

// Reachable checks that there is a font service at an address: it requests the family Roboto. An answer with fonts, and one
// that the family is unknown, count as those of a font service. For any other the error says why.
func Reachable(ctx context.Context, client *http.Client, address string) error {
	s := &Service{cfg: Config{URL: address, Client: client}}
	_, err := s.sheet(ctx, query("Roboto", nil))
	if errors.Is(err, errUnknown) { // the service has answered that it does not have Roboto: it is a font service
		return nil
	}
	return err
}

// get sends a GET request and returns the body and the status of the response. A body of more than most bytes is an error.
func (s *Service) get(ctx context.Context, address string, most int64) ([]byte, int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, fmt.Errorf("ask for a font: %w", err)
	}
	// For an unknown user agent the font service returns whole fonts as TrueType; for a browser it returns parts of fonts as WOFF 2.
	r.Header.Set("User-Agent", "Moviola")
	r.Header.Set("Accept", "text/css, font/ttf, font/otf, font/woff2, font/woff, */*;q=0.1")
	answer, err := s.cfg.Client.Do(r)
	if err != nil {
		return nil, 0, fmt.Errorf("ask for a font: %w", withoutAddress(err))
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	if err != nil {
		return nil, 0, fmt.Errorf("read a font: %w", err)
	}
	if int64(len(body)) > most {
		return nil, 0, fmt.Errorf("the answer of %s is larger than %d MB", hostOf(address), most>>20)
	}
	return body, answer.StatusCode, nil
}

// withoutAddress cuts the address in an error to its host: the address may contain the operator's key for the font service.
func withoutAddress(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return fmt.Errorf("%s: %w", hostOf(wrapped.URL), wrapped.Err)
	}
	return err
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the font service"
	}
	return strings.TrimSuffix(u.Host, ".")
}
