package check

import (
	"errors"
	"slices"
	"strings"
	"time"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/batch"
	"moviola/domain/blobkey"
	"moviola/domain/ledger"
	"moviola/domain/media"
	"moviola/domain/movie"
	"moviola/domain/preload"
	"moviola/domain/template"
	"moviola/eventstore"
)

// want is a stored file that the log names.
type want struct {
	key      string
	what     string // kind of the file, as the report names it
	hash     string // hex SHA-256 of the content; empty: the log does not tell it
	size     int64  // size in bytes; 0: the log does not tell it
	required bool   // the file must exist; false: it may have been removed already
}

// subject is the state of one stream with regard to stored files.
type subject interface {
	apply(e domain.Event)
	// wants returns the stored files that this subject names in its present state, after its events. The field required of
	// each want says whether the file must exist at the time that now gives, unless its account was closed or purged.
	wants(now time.Time) []want
	// mayHave reports whether a file may exist although wants does not return it. The file's key belongs to this subject.
	mayHave(key string) bool
}

// inventory is the state of all streams with regard to stored files.
type inventory struct {
	subjects map[string]subject        // state of each stream, by the stream's name
	blobs    map[string]string         // stream of each file of a media library, by the file's key
	departed map[domain.AccountID]bool // closed accounts: their files may exist no longer
	emptied  map[domain.AccountID]bool // accounts purged after 30 days without credits: preload files may be gone
	unread   map[string]bool           // streams with an event that this program cannot read
}

func newInventory() *inventory {
	return &inventory{
		subjects: make(map[string]subject), blobs: make(map[string]string), departed: make(map[domain.AccountID]bool),
		emptied: make(map[domain.AccountID]bool), unread: make(map[string]bool),
	}
}

// errUnread says that an event cannot be read because a newer version of the program has written it.
var errUnread = errors.New("it was written by a newer version of the program")

// add applies an event to the state of its stream; it skips streams of categories that are not in the list read. When this
// program cannot read the event, because a newer version has written it, add enters the stream in v.unread and returns
// errUnread. It skips the later events of that stream.
func (v *inventory) add(codec *eventstore.Codec, r eventstore.Recorded) error {
	category, id := eventstore.SplitStream(r.Stream)
	if !slices.Contains(read, category) || v.unread[r.Stream] {
		return nil
	}
	event, meta, err := codec.Decode(r)
	if errors.Is(err, eventstore.ErrUnknownType) {
		v.unread[r.Stream] = true
		return errUnread
	}
	if err != nil {
		return err
	}
	switch event.(type) {
	case account.Closed:
		v.departed[domain.AccountID(id)] = true
	case ledger.ZeroBalancePurged:
		v.emptied[domain.AccountID(id)] = true
	}
	s := v.subjects[r.Stream]
	if s == nil {
		if s = newSubject(category, id, meta.Account); s == nil {
			return nil
		}
		v.subjects[r.Stream] = s
	}
	s.apply(event)
	if p, ok := s.(*placeFile); ok && p.blob != "" {
		v.blobs[p.blob] = r.Stream
	}
	return nil
}

// read are the categories of streams that are read for the inventory: those that name stored files, and those that tell which
// files may be gone.
var read = []string{
	movie.StreamCategory, media.StreamCategory, template.StreamCategory, preload.StreamCategory, account.StreamCategory,
	ledger.StreamCategory,
	batch.StreamCategory,
}

func newSubject(category, id string, owner domain.AccountID) subject {
	switch category {
	case movie.StreamCategory:
		return &movieFiles{project: domain.ProjectID(id)}
	case media.StreamCategory:
		return &placeFile{}
	case template.StreamCategory:
		return &templateFiles{id: template.ID(id)}
	case preload.StreamCategory:
		return &preloadFiles{id: preload.ID(id), owner: owner}
	case batch.StreamCategory:
		return &batchFiles{id: batch.ID(id)}
	default:
		return nil
	}
}

// streamOf finds the stream to which a file belongs by the file's key; empty: the key does not
// tell.
func (v *inventory) streamOf(key string) string {
	switch owner, _ := blobkey.Parse(key); {
	case owner.Project != "":
		return movie.Stream(owner.Project)
	case owner.Template != "":
		return template.Stream(owner.Template)
	case owner.Preload != "":
		return preload.Stream(owner.Preload)
	case owner.Batch != "":
		return batch.Stream(owner.Batch)
	}
	return v.blobs[key]
}

// owned reports whether the file with a key is no orphan, as far as this program can tell. It returns true, among others,
// for every file of a stream with an event that this program cannot read (v.unread).
func (v *inventory) owned(key string, now time.Time) bool {
	if blobkey.Uploads.Is(key) || blobkey.Inboxes.Is(key) || blobkey.Sources.Is(key) || blobkey.Fonts.Is(key) ||
		blobkey.History.Is(key) {
		// These files count as owned, so that they are not reported here as orphans. Events do not name them. Most are
		// removed when they are old or unused. The archive files (History) are not: the catalogue of the archive names
		// them.
		return true
	}
	stream := v.streamOf(key)
	if v.unread[stream] || len(v.unread) > 0 && blobkey.Media.Is(key) {
		return true
	}
	s := v.subjects[stream]
	return s != nil && (s.mayHave(key) || slices.ContainsFunc(s.wants(now), func(w want) bool { return w.key == key }))
}

// movieFiles are the files of a movie.
type movieFiles struct {
	project   domain.ProjectID
	owner     domain.AccountID
	hash      string
	submitted bool
	closed    bool
	file      *movie.File // nil: the movie has no file, or the file was deleted
	copiedOf  domain.ProjectID
}

func (m *movieFiles) apply(e domain.Event) {
	switch d := e.(type) {
	case movie.Submitted:
		m.submitted, m.owner, m.hash = true, d.Account, d.DocumentHash
	case movie.SubmissionAbandoned, movie.Cancelled:
		m.closed = true
	case movie.RenderFinished:
		m.closed = true
		if m.file = nil; d.Success && d.File != nil && d.File.Key != "" {
			m.file, m.copiedOf = d.File, d.CachedFrom
		}
	case movie.FileDeleted:
		m.file = nil
	}
}

func (m *movieFiles) wants(time.Time) []want {
	if !m.submitted {
		return nil
	}
	all := []want{{key: blobkey.Document(m.owner, m.project), what: "JSON of a movie", hash: m.hash, required: true}}
	if m.file == nil {
		return all
	}
	all = append(all, want{key: m.file.Key, what: "finished movie", size: m.file.Size, hash: m.file.Hash, required: true})
	for key, what := range map[string]string{m.file.Thumbnail: "thumbnail", m.file.Subtitles: "captions"} {
		if key != "" {
			all = append(all, want{key: key, what: what, required: true})
		}
	}
	for _, f := range m.file.OutputFiles() {
		all = append(all, want{key: f.Key, what: "output of a movie", size: f.Size, hash: f.Hash, required: true})
	}
	return all
}

// mayHave implements subject. While a submitted movie is not closed, every file of the movie may exist. Of a closed movie,
// the only other files that may exist are the stored requests and answers of its deliveries. No event names these, and a
// chore removes them when they are old.
func (m *movieFiles) mayHave(key string) bool {
	return m.submitted && (!m.closed || blobkey.Exchanges.Is(key))
}

// placeFile is the file at a path of a media library.
type placeFile struct {
	blob string
	size int64
}

func (p *placeFile) apply(e domain.Event) {
	switch d := e.(type) {
	case media.FileUploaded:
		p.blob, p.size = d.Blob, d.Size
	case media.FileMovedIn:
		p.blob, p.size = d.Blob, d.Size
	case media.FileMovedOut, media.FileDeleted:
		p.blob, p.size = "", 0
	}
}

func (p *placeFile) wants(time.Time) []want {
	if p.blob == "" {
		return nil
	}
	return []want{{key: p.blob, what: "file of a media library", size: p.size, required: true}}
}

func (p *placeFile) mayHave(string) bool { return false }

// templateFiles are the stored bodies of a template, and its example.
type templateFiles struct {
	id      template.ID
	owner   domain.AccountID
	bodies  []string // hashes of the stored bodies, the newest last
	example *template.Example
	deleted bool
	swept   bool
}

func (t *templateFiles) apply(e domain.Event) {
	switch d := e.(type) {
	case template.Created:
		t.owner, t.bodies = d.Account, append(t.bodies, d.Body.Hash)
	case template.Duplicated:
		t.owner, t.bodies = d.Account, append(t.bodies, d.Body.Hash)
	case template.Updated:
		if d.Body != nil {
			t.bodies = append(t.bodies, d.Body.Hash)
		}
	case template.Published:
		t.example = &d.Example
	case template.Unpublished:
		t.example = nil
	case template.Deleted:
		t.deleted = true
	case template.Swept:
		t.swept = true
	}
}

func (t *templateFiles) wants(time.Time) []want {
	if t.swept {
		return nil
	}
	var all []want
	for i, hash := range t.bodies {
		all = append(all, want{
			key: blobkey.Body(t.id, hash), what: "JSON of a template", hash: hash, required: !t.deleted && i == len(t.bodies)-1,
		})
	}
	if t.example != nil {
		for key, what := range map[string]string{t.example.Video: "example of a template",
			t.example.Thumbnail: "picture of a template's example"} {
			all = append(all, want{key: key, what: what, required: !t.deleted})
		}
	}
	return all
}

func (t *templateFiles) mayHave(key string) bool {
	// The files of older examples stay until all files of the deleted template are removed.
	return !t.swept && strings.HasPrefix(key, blobkey.ExamplesOf(t.id))
}

// preloadFiles are the document of a preload batch, and its prepared assets.
type preloadFiles struct {
	id      preload.ID
	owner   domain.AccountID
	hash    string
	closed  bool
	results []preload.Result
}

func (p *preloadFiles) apply(e domain.Event) {
	switch d := e.(type) {
	case preload.Requested:
		p.owner, p.hash = d.Account, d.DocumentHash
	case preload.ItemFinished:
		p.results = append(p.results, d.Result)
	case preload.Finished:
		p.closed = true
	}
}

func (p *preloadFiles) wants(now time.Time) []want {
	if p.hash == "" {
		return nil
	}
	all := []want{{key: blobkey.Request(p.owner, p.id), what: "JSON of a batch", hash: p.hash, required: !p.closed}}
	for _, r := range p.results {
		lasts := r.ExpiresAt != nil && now.Before(*r.ExpiresAt)
		if r.Key != "" {
			all = append(all, want{key: r.Key, what: "prepared asset", size: r.Size, required: lasts})
		}
		if r.Web != "" {
			all = append(all, want{key: r.Web, what: "prepared asset for browsers", required: lasts})
		}
	}
	return all
}

// mayHave implements subject. It returns true for every file of a preload batch that the log knows: even when the file is
// no longer needed, it may still exist until a chore removes old files of preload batches.
func (p *preloadFiles) mayHave(string) bool { return p.hash != "" }
