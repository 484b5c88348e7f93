package backup

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"moviola/domain"
)

// Writer adds one backup to an archive. The backup exists when Finish has returned. A Writer is used by one goroutine.
type Writer struct {
	Manifest Manifest

	archive *Archive
	packs   map[string]*pack
	there   map[string]map[string]bool // names of the chunks that are in the archive, by part
	fresh   map[string]string          // hashes of the stored bytes of chunks that this backup has written, by the chunks' names
	written int64
}

// pack is an unfinished chunk of small items.
type pack struct {
	content []byte
	items   []int // indexes, in the part's list, of the items that the chunk holds
}

// Summary describes a finished backup.
type Summary struct {
	ID      string
	Items   map[string]int   // number of items in the backup, by part
	Bytes   map[string]int64 // total size in bytes of the items in the backup, by part
	Written int64            // number of bytes that this backup has added to the archive
	// Verified is false when reused chunks could only be checked for existence, because no identity was given.
	Verified bool
}

// unfinishedTime is the age from which on an unfinished file is no longer that of a backup that runs.
const unfinishedTime = 24 * time.Hour

// Begin starts a backup. Where a place keeps unfinished files of interrupted backups, it removes them.
func (a *Archive) Begin(ctx context.Context, at time.Time, version string) (*Writer, error) {
	at = at.UTC().Truncate(time.Millisecond)
	w := &Writer{
		Manifest: Manifest{Format: format, ID: at.Format(idLayout), At: at, Version: version, Parts: map[string][]Item{}},
		archive:  a, packs: map[string]*pack{}, there: map[string]map[string]bool{}, fresh: map[string]string{},
	}
	for _, part := range Parts() {
		if place, clears := a.place(part).(interface {
			Clear(ctx context.Context, before time.Time) error
		}); clears {
			if err := place.Clear(ctx, at.Add(-unfinishedTime)); err != nil {
				return nil, fmt.Errorf("remove what interrupted backups have left: %w", err)
			}
		}
		names, err := a.place(part).List(ctx, part+"/")
		if err != nil {
			return nil, fmt.Errorf("look for %s of earlier backups: %w", part, err)
		}
		w.there[part] = make(map[string]bool, len(names))
		for _, name := range names {
			w.there[part][name] = true
		}
		w.packs[part] = &pack{}
		w.Manifest.Parts[part] = []Item{}
	}
	return w, nil
}

// Add adds an item to a part. Items of an earlier backup, added in the same order, need few new chunks. Secrets need new
// ones.
func (w *Writer) Add(ctx context.Context, part, name string, written time.Time, content io.Reader) error {
	item := Item{Name: name, Written: written.UTC()}
	for first := true; ; first = false {
		// The first read takes up to a whole chunk. An item with at most packedBytes is then known to be small, and shares a chunk.
		piece, err := readChunk(content)
		if err != nil {
			return fmt.Errorf("read %s %s: %w", part, name, err)
		}
		if first && len(piece) <= packedBytes {
			w.Manifest.Parts[part] = append(w.Manifest.Parts[part], Item{Name: name, Size: int64(len(piece)), Written: item.Written})
			return w.pack(ctx, part, name, piece)
		}
		if len(piece) == 0 {
			break
		}
		chunk, err := w.store(ctx, part, piece)
		if err != nil {
			return err
		}
		item.Pieces = append(item.Pieces, Piece{Chunk: chunk, Size: len(piece)})
		item.Size += int64(len(piece))
	}
	w.Manifest.Parts[part] = append(w.Manifest.Parts[part], item)
	return nil
}

// AddSealed is Add for an item whose content the caller has encrypted under the key of an account. The same content must be
// encrypted to the same bytes each time, or the item needs new chunks in every backup.
func (w *Writer) AddSealed(
	ctx context.Context, part, name string, written time.Time, account domain.AccountID, sealed io.Reader,
) error {
	if err := w.Add(ctx, part, name, written, sealed); err != nil {
		return err
	}
	items := w.Manifest.Parts[part]
	items[len(items)-1].Account = account
	w.Manifest.Format = formatSealed
	return nil
}

func readChunk(r io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, chunkBytes))
	return content, err
}

// pack adds a small item, the last of its part's list, to the unfinished chunk. The chunk may end after the item, depending on
// the item's name: that way, after an item was removed or added, later chunks still begin at the same items.
func (w *Writer) pack(ctx context.Context, part, name string, content []byte) error {
	if len(w.packs[part].content)+len(content) > chunkBytes {
		if err := w.flush(ctx, part); err != nil {
			return err
		}
	}
	p := w.packs[part]
	// A chunk of small secrets begins with salt, so that the name of the chunk, a hash, tells nothing about the secrets.
	if part == Secrets && len(p.content) == 0 {
		p.content = make([]byte, saltBytes)
		if _, err := rand.Read(p.content); err != nil {
			return err
		}
	}
	items := w.Manifest.Parts[part]
	items[len(items)-1].Pieces = []Piece{{Offset: len(p.content), Size: len(content)}}
	p.items = append(p.items, len(items)-1)
	p.content = append(p.content, content...)
	if endsChunk(name, len(content)) {
		return w.flush(ctx, part)
	}
	return nil
}

// endsChunk decides by an item's name whether its chunk ends after it. The probability grows with the item's size, so that chunks
// have about a MiB on average.
func endsChunk(name string, size int) bool {
	digest := sha256.Sum256([]byte(name)) // a strong hash, because names are similar
	return float64(binary.BigEndian.Uint32(digest[:])) < math.MaxUint32*float64(size)/packedBytes
}

// flush stores the unfinished chunk.
func (w *Writer) flush(ctx context.Context, part string) error {
	p := w.packs[part]
	if len(p.items) == 0 {
		return nil
	}
	chunk, err := w.store(ctx, part, p.content)
	if err != nil {
		return err
	}
	for _, at := range p.items {
		w.Manifest.Parts[part][at].Pieces[0].Chunk = chunk
	}
	w.packs[part] = &pack{}
	return nil
}

// store stores a chunk, unless it exists.
func (w *Writer) store(ctx context.Context, part string, content []byte) (chunk string, err error) {
	chunk = w.archive.seal.name(content)
	name := w.archive.chunkName(part, chunk)
	if w.there[part][name] {
		return chunk, nil
	}
	if err := w.put(ctx, w.archive.place(part), name, content); err != nil {
		return "", err
	}
	w.there[part][name] = true
	return chunk, nil
}

func (w *Writer) put(ctx context.Context, place Place, name string, content []byte) error {
	sealed, err := w.archive.seal.close(content)
	if err != nil {
		return fmt.Errorf("encrypt %s: %w", name, err)
	}
	if err := place.Put(ctx, name, bytes.NewReader(sealed)); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	w.fresh[name] = sum(sealed)
	w.written += int64(len(sealed))
	return nil
}

// Finish reads back the chunks of the backup, as verify does, and then writes its manifest; only then the backup exists.
// Damaged chunks are an error, which names up to 20 of their files: when the files were removed, the next backup writes
// the chunks again.
func (w *Writer) Finish(ctx context.Context) (Summary, error) {
	for _, part := range Parts() {
		if err := w.flush(ctx, part); err != nil {
			return Summary{}, err
		}
	}
	verified, err := w.verify(ctx)
	if err != nil {
		return Summary{}, fmt.Errorf("verify the backup: %w", err)
	}
	encoded, err := json.Marshal(w.Manifest)
	if err != nil {
		return Summary{}, err
	}
	name := listFolder + w.Manifest.ID + listSuffix + w.archive.seal.suffix()
	if err := w.put(ctx, w.archive.cfg.Place, name, encoded); err != nil {
		return Summary{}, err
	}
	if err := w.readBack(ctx, w.archive.cfg.Place, name); err != nil {
		return Summary{}, fmt.Errorf("verify the backup: %w", err)
	}
	done := Summary{ID: w.Manifest.ID, Items: map[string]int{}, Bytes: map[string]int64{}, Written: w.written, Verified: verified}
	for part, items := range w.Manifest.Parts {
		done.Items[part] = len(items)
		for _, item := range items {
			done.Bytes[part] += item.Size
		}
	}
	return done, nil
}

// verify reads every chunk of the backup. Without a key for decryption, it reads only the chunks that this backup has written,
// and all is false if there are others.
func (w *Writer) verify(ctx context.Context) (all bool, err error) {
	all = true
	var errs []error
	for _, part := range Parts() {
		for _, chunk := range chunksOf(w.Manifest.Parts[part]) {
			name, place := w.archive.chunkName(part, chunk), w.archive.place(part)
			_, fresh := w.fresh[name]
			switch {
			case w.archive.seal.reads():
				_, err = w.archive.chunk(ctx, part, chunk)
			case fresh:
				err = w.readBack(ctx, place, name)
			default:
				all = false
			}
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			if err != nil && len(errs) < 20 {
				errs = append(errs, err)
			}
			err = nil
		}
	}
	return all, errors.Join(errs...)
}

// readBack compares a stored file with what this backup has written to it.
func (w *Writer) readBack(ctx context.Context, place Place, name string) error {
	stored, err := readAll(ctx, place, name, w.archive.limit(name))
	if err == nil && sum(stored) != w.fresh[name] {
		err = fmt.Errorf("%s is not what was written", name)
	}
	return err
}

// chunksOf returns the chunks of items, each once.
func chunksOf(items []Item) []string {
	all := map[string]bool{}
	for _, item := range items {
		for _, piece := range item.Pieces {
			all[piece.Chunk] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), strings.Compare)
}
