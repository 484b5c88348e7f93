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
	"moviola/internal/quota"
)

// bound is what a Bucket holds of what accounts store.
type bound struct {
	*quota.Bound
	prefixes []string          // what the keys that count begin with; the account and a slash follow
	owned    map[string]*named // by what the keys begin with that name no account
}

// Limit has the store hold bounds of the files whose keys begin with one of the prefixes, which end with a slash, and then have the account and a
// slash. Nothing may be stored before.
func (b *Bucket) Limit(limits quota.Limits, prefixes ...string) {
	b.bound = &bound{prefixes: prefixes}
	b.bound.Bound = quota.New(limits, b.stored)
}

// LimitOwned has files count whose keys begin with a prefix and then have a name and a slash. commands.StoredFor says whom one is stored for, and
// owner whose those are that are there; empty: nobody's. Limit must have been called, and nothing may be stored before.
func (b *Bucket) LimitOwned(prefix string, owner func(ctx context.Context, name string) (string, error)) {
	if b.bound.owned == nil {
		b.bound.owned = map[string]*named{}
	}
	b.bound.owned[prefix] = &named{find: owner, owners: map[string]string{}}
}

// Bound returns what the store holds of the bounds that Limit has set.
func (b *Bucket) Bound() quota.Status {
	if b.bound == nil {
		return quota.Status{}
	}
	return b.bound.Status()
}

// owner is the account whose file a key is, or will be; empty: it is not counted.
func (b *Bucket) owner(ctx context.Context, key string) string {
	if b.bound == nil {
		return ""
	}
	for _, prefix := range b.bound.prefixes {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			account, _, _ := strings.Cut(rest, "/")
			return account
		}
	}
	for prefix := range b.bound.owned {
		if strings.HasPrefix(key, prefix) {
			return string(commands.StoredBy(ctx))
		}
	}
	return ""
}

// Fits says whether an account may store so many bytes more now: nil, or the refusal.
func (b *Bucket) Fits(ctx context.Context, account string, size int64) error {
	if b.bound == nil {
		return nil
	}
	w := b.bound.Begin(account)
	defer w.Drop()
	return refused(w.Add(ctx, size))
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
func (b *Bucket) putCounted(ctx context.Context, key string, r io.Reader, put func(context.Context, string, io.Reader) error) error {
	account := b.owner(ctx, key)
	if account == "" {
		return put(ctx, key, r)
	}
	w := b.bound.Begin(account)
	defer w.Drop()
	if sized, ok := r.(interface{ Len() int }); ok { // in memory, and written in one piece
		if err := w.Add(ctx, int64(sized.Len())); err != nil {
			return refused(err)
		}
	} else {
		r = &counted{ctx, r, w}
	}
	if err := put(ctx, key, r); err != nil {
		return refused(err)
	}
	w.Keep()
	return nil
}

// refused is what the client is told of a bound of its account.
func refused(err error) error {
	var full *quota.FullError
	if errors.As(err, &full) && !full.All {
		return commands.StorageFull(full.Bound())
	}
	return err
}

// removed notes that a file may be gone.
func (b *Bucket) removed(key string) {
	if b.bound == nil {
		return
	}
	for prefix, files := range b.bound.owned {
		if name, ok := strings.CutPrefix(key, prefix); ok {
			b.bound.Removed(files.known(name))
		}
	}
	if account := b.owner(context.Background(), key); account != "" {
		b.bound.Removed(account)
	}
}

// stored measures what an account stores; empty: all.
func (b *Bucket) stored(ctx context.Context, account string) (quota.Amount, error) {
	var sum quota.Amount
	for _, prefix := range b.bound.prefixes {
		if account != "" {
			prefix += account + "/"
		}
		if err := b.measureBelow(ctx, prefix, &sum); err != nil {
			return quota.Amount{}, fmt.Errorf("measure files %s: %w", prefix, err)
		}
	}
	for prefix, files := range b.bound.owned {
		if err := b.measureOwned(ctx, prefix, files, account, &sum); err != nil {
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

// eachFile visits what lies below a prefix and not on the shelf.
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
