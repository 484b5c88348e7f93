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
)

// Writer adds one backup to an archive. What was added counts only when Finish has returned. It is used by one goroutine.
type Writer struct {
	Manifest Manifest

	archive *Archive
	packs   map[string]*pack
	there   map[string]map[string]bool // by part: the chunks that are at its place
	fresh   map[string]string          // by name: what was written now, as the sum of its stored bytes
	written int64
}

// pack is a chunk in the making, which small items share.
type pack struct {
	content []byte
	items   []int // in the part's list
}

// Summary is what a backup came to.
type Summary struct {
	ID      string
	Items   map[string]int   // by part
	Bytes   map[string]int64 // by part
	Written int64            // bytes that were not there from an earlier backup, as they are stored
	// false: what was reused from an earlier backup could only be seen to be there, for want of an identity
	Verified bool
}

// Begin begins a backup.
func (a *Archive) Begin(ctx context.Context, at time.Time, version string) (*Writer, error) {
	at = at.UTC().Truncate(time.Millisecond)
	w := &Writer{
		Manifest: Manifest{Format: format, ID: at.Format(idLayout), At: at, Version: version, Parts: map[string][]Item{}},
		archive:  a, packs: map[string]*pack{}, there: map[string]map[string]bool{}, fresh: map[string]string{},
	}
	for _, part := range Parts() {
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

// Add adds an item to a part. Items that were there in an earlier backup, in the same order, cost no new chunks.
func (w *Writer) Add(ctx context.Context, part, name string, written time.Time, content io.Reader) error {
	item := Item{Name: name, Written: written.UTC()}
	for first := true; ; first = false {
		// One byte more than a pack takes would do to tell small from large; a chunk is read at once.
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

func readChunk(r io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, chunkBytes))
	return content, err
}

// pack puts a small item, the last of its part's list, into the chunk that is being made. A chunk ends after an item whose name
// says so: after one was removed or added, the following chunks begin where they did before.
func (w *Writer) pack(ctx context.Context, part, name string, content []byte) error {
	if len(w.packs[part].content)+len(content) > chunkBytes {
		if err := w.flush(ctx, part); err != nil {
			return err
		}
	}
	p := w.packs[part]
	if part == Secrets && len(p.content) == 0 { // the name of the chunk must not tell what is in it, where it is kept apart
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

// endsChunk says by an item's name whether its chunk ends after it, which is so the more often the larger the items are: chunks
// have about a MiB.
func endsChunk(name string, size int) bool {
	digest := sha256.Sum256([]byte(name)) // names are alike: a weaker hash spreads them badly
	return float64(binary.BigEndian.Uint32(digest[:])) < math.MaxUint32*float64(size)/packedBytes
}

// flush stores the chunk that is being made.
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

// store writes a chunk, unless it is there.
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

// Finish reads everything back that the backup consists of, and then lists the backup: before, it is not there. A chunk of an
// earlier backup that turns out to be damaged is written anew by the next backup when it was removed.
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

// verify reads every chunk of the backup. Without a key to decrypt them, only those that were written now can be compared.
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

// readBack compares what was written now with what is there.
func (w *Writer) readBack(ctx context.Context, place Place, name string) error {
	stored, err := readAll(ctx, place, name, w.archive.limit(name))
	if err == nil && sum(stored) != w.fresh[name] {
		err = fmt.Errorf("%s is not what was written", name)
	}
	return err
}

// chunksOf are the chunks that items lie in, each once.
func chunksOf(items []Item) []string {
	all := map[string]bool{}
	for _, item := range items {
		for _, piece := range item.Pieces {
			all[piece.Chunk] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), strings.Compare)
}
