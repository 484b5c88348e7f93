package webfonts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"moviola/commands"
	"moviola/domain/document"
)

// Limits of requests to the font service.
const (
	maxSheetBytes = 2 << 20
	maxFaces      = 200      // largest number of fonts that are read from one style sheet
	maxFileBytes  = 20 << 20 // largest size of a font file in bytes
	familiesAt    = 4        // number of families of a movie that are requested at the same time
	filesAt       = 4        // number of files of a family that are downloaded at the same time
	// DefaultPatience is how long a movie waits for the font service to respond.
	DefaultPatience = 5 * time.Second
	filesTime       = 30 * time.Second // time limit for the files of a family, after the service has responded
	// for this time after an unanswered request, the same movie does not wait for the service again
	silentFor  = time.Minute
	unknownFor = 24 * time.Hour // how long the service is not asked again for a family that it does not have
	// failedFor is how long the service is not asked again for a style whose font could not be downloaded. The font may be
	// damaged for good. Then usually only one movie or preview in each such time waits for another request.
	failedFor = 5 * time.Minute
)

// Store stores fonts for all hosts. adapters/blobs implements it.
type Store interface {
	Put(ctx context.Context, key string, r io.Reader) error
	// Open returns commands.ErrFileNotFound for an unknown key.
	Open(ctx context.Context, key string) (commands.File, error)
	Delete(ctx context.Context, key string) error
	// Walk calls visit for every key with a prefix, with the time when it was written.
	Walk(ctx context.Context, prefix string, visit func(key string, written time.Time) error) error
}

// Config is the configuration of a Service.
type Config struct {
	URL    string // address of the service's CSS interface; empty: only stored families are used
	Client *http.Client
	Store  Store
	Dir    string // folder for copies on this host
	// Has reports whether a family is installed or shipped, and need not be fetched.
	Has func(family string) bool
	// Unpack checks a font file and converts it to a format that texts and pages can use.
	Unpack   func([]byte) ([]byte, error)
	Patience time.Duration // 0: DefaultPatience
	MaxBytes int64         // largest size of all stored fonts together, in bytes, enforced by Sweep; 0: 4 GB
	Now      func() time.Time
	Log      logrus.FieldLogger
}

// Service provides font families, which it requests from the font service when necessary. It is safe for concurrent use.
type Service struct {
	cfg     Config
	flights singleflight.Group

	mu    sync.Mutex
	known map[string]family // families that this process has used, by normalised name
	quiet time.Time         // time at which the font service last failed to respond
}

// New returns a Service.
func New(cfg Config) (*Service, error) {
	if cfg.Client == nil || cfg.Store == nil || cfg.Dir == "" || cfg.Has == nil || cfg.Unpack == nil || cfg.Log == nil {
		return nil, errors.New("the font service needs a client, a store, a folder, checks and a log")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Patience = cmp.Or(cfg.Patience, DefaultPatience)
	cfg.MaxBytes = cmp.Or(cfg.MaxBytes, defaultMaxBytes)
	if cfg.URL != "" {
		if u, err := url.Parse(cfg.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, errors.New("the address of the font service is not http:// or https://")
		}
	}
	return &Service{cfg: cfg, known: map[string]family{}}, nil
}

// normal returns the normal form of a name, for comparison.
func normal(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// Families implements render.FontFamilies.
func (s *Service) Families(ctx context.Context, wishes []document.FontWish, since time.Time) commands.Fonts {
	silent := s.silentSince(since)
	names, styles := s.wanted(wishes)
	// One time limit applies to the requests of all families together.
	asking, stop := context.WithTimeout(ctx, s.cfg.Patience)
	defer stop()
	if silent {
		stop()
	}
	found := make([]commands.Fonts, len(names))
	var group errgroup.Group
	group.SetLimit(familiesAt)
	for i, name := range names {
		group.Go(func() error {
			found[i] = s.family(ctx, asking, name, styles[normal(name)])
			return nil
		})
	}
	_ = group.Wait() // families return no error to the group
	var all commands.Fonts
	for _, f := range found {
		all.Faces, all.Unreachable = append(all.Faces, f.Faces...), append(all.Unreachable, f.Unreachable...)
	}
	return all
}

// silentSince reports whether the font service failed to respond at a time after since that is less than a minute ago. It is
// false if since is zero.
func (s *Service) silentSince(since time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !since.IsZero() && s.quiet.After(since) && s.cfg.Now().Sub(s.quiet) < silentFor
}

func (s *Service) silent() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quiet = s.cfg.Now()
}

// wanted returns the families of the wishes that are neither installed nor shipped with the program, in their first spelling.
// styles has the wished styles of each family, by its normalised name.
func (s *Service) wanted(wishes []document.FontWish) (names []string, styles map[string][]style) {
	styles = map[string][]style{}
	for _, w := range wishes {
		if s.cfg.Has(w.Family) {
			continue
		}
		name := normal(w.Family)
		if styles[name] == nil {
			names = append(names, w.Family)
		}
		styles[name] = append(styles[name], style{w.Weight, w.Italic})
	}
	return names, styles
}

// Kept implements render.FontFamilies.
func (s *Service) Kept(ctx context.Context, wishes []document.FontWish) bool {
	if s.cfg.URL == "" {
		return true
	}
	names, styles := s.wanted(wishes)
	for _, name := range names {
		known, err := s.load(ctx, name)
		if err != nil || len(s.lacking(known, styles[normal(name)])) > 0 {
			return false
		}
	}
	return true
}

// lacking returns those of the styles that must be requested from the font service: the styles that were never requested for the
// known family. A family that the service does not have is requested again only after unknownFor, and a style whose font could
// not be downloaded only after failedFor.
func (s *Service) lacking(known family, styles []style) []style {
	switch {
	case known.Unknown && s.cfg.Now().Sub(known.At) < unknownFor:
		return nil
	case known.Unknown:
		return styles
	}
	retry := s.cfg.Now().Sub(known.At) >= failedFor
	return slices.DeleteFunc(slices.Clone(styles), func(one style) bool {
		return slices.Contains(known.Asked, one) && !(retry && slices.Contains(known.Failed, one))
	})
}

// Known returns the fonts of those families that this process has used and for which wanted returns true.
func (s *Service) Known(wanted func(family string) bool) (faces []commands.FontFace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.known {
		if wanted(f.Name) {
			faces = append(faces, s.facesOf(f)...)
		}
	}
	slices.SortFunc(faces, func(a, b commands.FontFace) int {
		return cmp.Or(strings.Compare(a.Family, b.Family), cmp.Compare(a.Weight, b.Weight), strings.Compare(a.Hash, b.Hash))
	})
	return faces
}

// family provides one family with the given styles.
func (s *Service) family(ctx, asking context.Context, name string, styles []style) commands.Fonts {
	slices.SortFunc(styles, compareStyles)
	styles = slices.Compact(styles)
	key, err := json.Marshal([]any{normal(name), styles})
	if err != nil {
		return commands.Fonts{Unreachable: []string{name}}
	}
	find := func() (any, error) { return s.find(ctx, asking, name, styles) }
	got, err, shared := s.flights.Do(string(key), find)
	// another movie may have begun this, and was cancelled
	for shared && errors.Is(err, context.Canceled) && asking.Err() == nil {
		got, err, shared = s.flights.Do(string(key), find)
	}
	if err != nil {
		s.cfg.Log.WithError(err).WithField("family", name).Warn("font family not fetched; a similar font is used")
		return commands.Fonts{Unreachable: []string{name}}
	}
	return commands.Fonts{Faces: s.facesOf(got.(family))}
}

func compareStyles(a, b style) int {
	switch {
	case a.Italic == b.Italic:
		return cmp.Compare(a.Weight, b.Weight)
	case a.Italic:
		return 1
	}
	return -1
}

// find returns a stored family, after it has requested missing styles from the service.
func (s *Service) find(ctx, asking context.Context, name string, styles []style) (family, error) {
	known, err := s.load(ctx, name)
	if err != nil {
		return family{}, err
	}
	missing := s.lacking(known, styles)
	if s.cfg.URL == "" || len(missing) == 0 {
		return known, s.use(ctx, known)
	}
	next, err := s.fetch(ctx, asking, known, missing)
	if err != nil {
		if len(known.Faces) > 0 { // the stored weights of the family are better than another family
			s.cfg.Log.WithError(err).WithField("family", name).Warn("further weights of a font family not fetched; the " +
				"nearest weights are used")
			return known, s.use(ctx, known)
		}
		return family{}, err
	}
	return next, s.keep(ctx, next)
}
