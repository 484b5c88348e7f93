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

// The bounds of what is fetched.
const (
	maxSheetBytes = 2 << 20
	maxFaces      = 200      // of a family
	maxFileBytes  = 20 << 20 // of a file
	familiesAt    = 4        // families of a movie that are asked for at the same time
	filesAt       = 4        // files of a family
	// DefaultPatience is how long a movie waits for answers of the service.
	DefaultPatience = 5 * time.Second
	filesTime       = 30 * time.Second // for the files of a family, once the service has answered
	silentFor       = time.Minute      // a movie that has waited in vain does not wait again
	unknownFor      = 24 * time.Hour   // the service is not asked again for what it does not know
)

// Store keeps fonts for all hosts: adapters/blobs is one.
type Store interface {
	Put(ctx context.Context, key string, r io.Reader) error
	// Open returns commands.ErrFileNotFound for a key that holds nothing.
	Open(ctx context.Context, key string) (commands.File, error)
	Delete(ctx context.Context, key string) error
	// Walk hands every key that begins with a prefix, and when it was written, to visit.
	Walk(ctx context.Context, prefix string, visit func(key string, written time.Time) error) error
}

// Config says where families come from and where they are kept.
type Config struct {
	URL    string // of the service's CSS interface; empty: what is kept is used, and nothing asked for
	Client *http.Client
	Store  Store
	Dir    string // copies on this host
	// Has says that a family is there without being fetched: installed, or shipped.
	Has func(family string) bool
	// Unpack checks a file and returns it in a format that texts and pages are drawn from.
	Unpack   func([]byte) ([]byte, error)
	Patience time.Duration // 0: DefaultPatience
	MaxBytes int64         // of all fonts that Sweep leaves; 0: 4 GB
	Now      func() time.Time
	Log      logrus.FieldLogger
}

// Service fetches families. It is safe for concurrent use.
type Service struct {
	cfg     Config
	flights singleflight.Group

	mu    sync.Mutex
	known map[string]family // by normalised name
	quiet time.Time         // when the service did not answer last
}

var _ commands.FontFamilies = (*Service)(nil)

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

// normal is a name as names are compared.
func normal(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// Families implements commands.FontFamilies.
func (s *Service) Families(ctx context.Context, wishes []document.FontWish, since time.Time) commands.Fonts {
	silent := s.silentSince(since)
	names, styles := s.wanted(wishes)
	// An answer that does not come is waited for once, however many families are asked for.
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
	_ = group.Wait() // no family returns an error
	var all commands.Fonts
	for _, f := range found {
		all.Faces, all.Unreachable = append(all.Faces, f.Faces...), append(all.Unreachable, f.Unreachable...)
	}
	return all
}

// silentSince says that the service did not answer after a time, within the last minute. False for the zero time.
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

// wanted are the families of the wishes that are neither installed nor shipped, as they are written first, and their styles by
// normalised name.
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

// Kept implements commands.FontFamilies.
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

// lacking are the styles of a family that the service is to be asked for.
func (s *Service) lacking(known family, styles []style) []style {
	switch {
	case known.Unknown && s.cfg.Now().Sub(known.At) < unknownFor:
		return nil
	case known.Unknown:
		return styles
	}
	return slices.DeleteFunc(slices.Clone(styles), func(one style) bool { return slices.Contains(known.Asked, one) })
}

// Known are the fonts of the families that this process has used, by what says whether one is wanted.
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

// family finds one family.
func (s *Service) family(ctx, asking context.Context, name string, styles []style) commands.Fonts {
	slices.SortFunc(styles, compareStyles)
	styles = slices.Compact(styles)
	key, err := json.Marshal([]any{normal(name), styles})
	if err != nil {
		return commands.Fonts{Unreachable: []string{name}}
	}
	got, err, _ := s.flights.Do(string(key), func() (any, error) { return s.find(ctx, asking, name, styles) })
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

// find takes a family from what is kept, and asks the service for what is missing of it.
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
		if len(known.Faces) > 0 { // another weight is better than another family
			s.cfg.Log.WithError(err).WithField("family", name).Warn("further weights of a font family not fetched; the " +
				"nearest weights are used")
			return known, s.use(ctx, known)
		}
		return family{}, err
	}
	return next, s.keep(ctx, next)
}
