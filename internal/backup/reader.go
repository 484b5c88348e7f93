package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"moviola/domain"
)

// ErrNone is the error for an archive without a complete backup.
var ErrNone = errors.New("there is no complete backup")

// Snapshot reads one backup.
type Snapshot struct {
	Manifest Manifest
	archive  *Archive
}

// Snapshot returns the backup with an id or, when id is empty, the newest.
func (a *Archive) Snapshot(ctx context.Context, id string) (*Snapshot, error) {
	ids, err := a.List(ctx)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, ErrNone
	}
	if id == "" {
		id = ids[len(ids)-1]
	}
	if !slices.Contains(ids, id) {
		return nil, fmt.Errorf("there is no backup %s; there are %v", id, ids)
	}
	encoded, err := a.content(ctx, a.cfg.Place, listFolder+id+listSuffix+a.seal.suffix())
	if err != nil {
		return nil, err
	}
	s := &Snapshot{archive: a}
	if err := json.Unmarshal(encoded, &s.Manifest); err != nil {
		return nil, fmt.Errorf("read the list of backup %s: %w", id, err)
	}
	if s.Manifest.Format < format || s.Manifest.Format > formatSealed {
		return nil, fmt.Errorf("backup %s has format %d, this program knows up to %d: use a newer one", id, s.Manifest.Format,
			formatSealed)
	}
	return s, nil
}

// Walk calls visit for every item of a part; an error of visit ends the walk. A chunk is verified before visit can read
// from it. The error for a damaged chunk names its file.
func (s *Snapshot) Walk(ctx context.Context, part string, visit func(Item, io.Reader) error) error {
	r := &itemReader{ctx: ctx, archive: s.archive, part: part}
	for _, item := range s.Manifest.Parts[part] {
		r.pieces = item.Pieces
		r.left = nil
		if err := visit(item, r); err != nil {
			return fmt.Errorf("%s %s: %w", part, item.Name, err)
		}
	}
	return nil
}

// Sealed counts the items that are encrypted under keys of accounts, by account.
func (m Manifest) Sealed() map[domain.AccountID]int {
	count := map[domain.AccountID]int{}
	for _, items := range m.Parts {
		for _, item := range items {
			if item.Account != "" {
				count[item.Account]++
			}
		}
	}
	return count
}

// chunk reads a chunk and checks its content against the hash that is the name of the chunk.
func (a *Archive) chunk(ctx context.Context, part, chunk string) ([]byte, error) {
	if len(chunk) != 64 {
		return nil, fmt.Errorf("%q is no name of a chunk", chunk)
	}
	name := a.chunkName(part, chunk)
	content, err := a.content(ctx, a.place(part), name)
	if err != nil {
		return nil, err
	}
	if a.seal.name(content) != chunk {
		return nil, fmt.Errorf("%s is damaged: its content is not what its name says; remove it, and the next backup "+
			"writes it anew", name)
	}
	return content, nil
}

// itemReader reads the pieces of one item in order. It caches the last chunk, because small items share chunks.
type itemReader struct {
	ctx     context.Context
	archive *Archive
	part    string

	pieces []Piece
	left   []byte

	name    string
	content []byte
}

func (r *itemReader) Read(p []byte) (int, error) {
	for len(r.left) == 0 {
		if len(r.pieces) == 0 {
			return 0, io.EOF
		}
		piece := r.pieces[0]
		r.pieces = r.pieces[1:]
		if piece.Chunk != r.name || r.content == nil {
			content, err := r.archive.chunk(r.ctx, r.part, piece.Chunk)
			if err != nil {
				return 0, err
			}
			r.name, r.content = piece.Chunk, content
		}
		if piece.Offset < 0 || piece.Size < 0 || piece.Size > len(r.content)-piece.Offset {
			return 0, fmt.Errorf("the list names bytes that chunk %s does not have", piece.Chunk)
		}
		r.left = r.content[piece.Offset : piece.Offset+piece.Size]
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}
