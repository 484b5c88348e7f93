package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gocloud.dev/blob"
	"zombiezen.com/go/sqlite"

	"moviola/commands"
	"moviola/domain"
	"moviola/internal/quota"
)

// Room is a bound of what accounts store, and what is known of the files that count for it.
type Room struct {
	*quota.Bound
	bucket   *Bucket
	refusal  func(bound string) *domain.Error // what the client is told of a bound of its account, as text: "20 GB"
	prefixes []string                         // what the keys that count begin with; the account and a slash follow
	owned    map[string]*named                // by what the keys begin with that name no account
}

// Limit has the store hold bounds of the files whose keys begin with one of the prefixes, which end with a slash, and then have
// the account and a slash. refusal is what the client is told of that of its account. Nothing may be stored before.
func (b *Bucket) Limit(limits quota.Limits, refusal func(bound string) *domain.Error, prefixes ...string) *Room {
	r := &Room{bucket: b, refusal: refusal, prefixes: prefixes, owned: map[string]*named{}}
	r.Bound = quota.New(limits, r.stored)
	b.rooms = append(b.rooms, r)
	return r
}

// LimitOwned has files count whose keys begin with a prefix and then have a name and a slash. commands.StoredFor says whom one is
// stored for, and owner whose those are that are there; empty: nobody's. Nothing may be stored before.
func (r *Room) LimitOwned(prefix string, owner func(ctx context.Context, name string) (string, error)) {
	r.owned[prefix] = &named{find: owner, owners: map[string]string{}}
}

// Fits says whether an account may store so many bytes more now: nil, or the refusal.
func (r *Room) Fits(ctx context.Context, account string, size int64) error {
	w := r.Begin(account)
	defer w.Drop()
	return r.refused(w.Add(ctx, size))
}

// Admit says whether an account may store anything more, as far as that is known: who was never counted is, meanwhile.
func (r *Room) Admit(ctx context.Context, account string) error {
	if !r.Known(account) {
		return nil
	}
	return r.Fits(ctx, account, 1)
}

// StorageFull and RendersFull are what an account is told of the bounds of what it stores, and of what was rendered for it.
var StorageFull, RendersFull = commands.StorageFull, commands.RendersFull

// holds is the account whose file a key is, or will be; empty: it does not count.
func (r *Room) holds(ctx context.Context, key string) string {
	for _, prefix := range r.prefixes {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			account, _, _ := strings.Cut(rest, "/")
			return account
		}
	}
	for prefix, files := range r.owned {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			account := string(commands.StoredBy(ctx))
			files.note(rest, account)
			return account
		}
	}
	return ""
}

// roomOf is where a file counts, and the account for which; nil: it does not.
func (b *Bucket) roomOf(ctx context.Context, key string) (*Room, string) {
	for _, r := range b.rooms {
		if account := r.holds(ctx, key); account != "" {
			return r, account
		}
	}
	return nil, ""
}

// counted is a file that is counted as it is written.
type counted struct {
	ctx   context.Context
	from  io.Reader
	write *quota.Write
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if full := c.write.Add(c.ctx, int64(n)); full != nil {
		return 0, full
	}
	return n, err
}

// putCounted stores a file as put does, within the bounds.
func (b *Bucket) putCounted(
	ctx context.Context, key string, r io.Reader, put func(context.Context, string, io.Reader) error,
) error {
	room, account := b.roomOf(ctx, key)
	if room == nil {
		return put(ctx, key, r)
	}
	w := room.Begin(account)
	defer w.Drop()
	if sized, ok := r.(interface{ Len() int }); ok { // in memory, and written in one piece
		if err := w.Add(ctx, int64(sized.Len())); err != nil {
			return room.refused(err)
		}
	} else {
		r = &counted{ctx, r, w}
	}
	if err := put(ctx, key, r); err != nil {
		return room.refused(err)
	}
	w.Keep()
	return nil
}

// refused is what the client is told of a bound of its account.
func (r *Room) refused(err error) error {
	var full *quota.FullError
	if errors.As(err, &full) && !full.All {
		return r.refusal(full.Bound())
	}
	return err
}

// removed notes that a file may be gone.
func (b *Bucket) removed(key string) {
	for _, r := range b.rooms {
		for prefix, files := range r.owned {
			if rest, ok := strings.CutPrefix(key, prefix); ok {
				r.Removed(files.known(rest))
			}
		}
		for _, prefix := range r.prefixes {
			if rest, ok := strings.CutPrefix(key, prefix); ok {
				account, _, _ := strings.Cut(rest, "/")
				r.Removed(account)
			}
		}
	}
}

// stored measures what an account stores; empty: all.
func (r *Room) stored(ctx context.Context, account string) (quota.Amount, error) {
	var sum quota.Amount
	for _, prefix := range r.prefixes {
		if account != "" {
			prefix += account + "/"
		}
		if err := r.bucket.measureBelow(ctx, prefix, &sum); err != nil {
			return quota.Amount{}, fmt.Errorf("measure files %s: %w", prefix, err)
		}
	}
	for prefix, files := range r.owned {
		if err := r.bucket.measureOwned(ctx, prefix, files, account, &sum); err != nil {
			return quota.Amount{}, fmt.Errorf("measure files %s: %w", prefix, err)
		}
	}
	return sum, nil
}

const shelfSize = `SELECT coalesce(sum(length(body)), 0), count(*) FROM documents WHERE key >= ?1 AND key < ?2`

// measureBelow adds the files below a prefix, which ends with a slash, to a sum.
func (b *Bucket) measureBelow(ctx context.Context, prefix string, sum *quota.Amount) error {
	if b.dir != "" {
		err := b.shelf.query(ctx, shelfSize, func(stmt *sqlite.Stmt) {
			sum.Bytes += stmt.ColumnInt64(0)
			sum.Files += stmt.ColumnInt64(1)
		}, prefix, strings.TrimSuffix(prefix, "/")+"0")
		if err != nil {
			return err
		}
	}
	return b.eachFile(ctx, prefix, func(_ string, size int64) {
		sum.Bytes += size
		sum.Files++
	})
}

// eachFile calls visit for each file below a prefix, except for those on the shelf (documents of small movies).
func (b *Bucket) eachFile(ctx context.Context, prefix string, visit func(key string, size int64)) error {
	if b.dir == "" {
		for objects := b.bucket.List(&blob.ListOptions{Prefix: prefix}); ; {
			object, err := objects.Next(ctx)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			visit(object.Key, object.Size)
		}
	}
	dir := filepath.Join(b.dir, filepath.FromSlash(prefix))
	return b.walkFiles(ctx, dir, func(path string, info os.FileInfo) error {
		if inside, err := filepath.Rel(dir, path); err == nil && !strings.HasSuffix(path, tempSuffix) {
			visit(prefix+filepath.ToSlash(inside), info.Size())
		}
		return nil
	})
}
