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

	"moviola/commands/storage"
	"moviola/domain"
	"moviola/internal/quota"
)

// Room is a bound of the files that accounts store, with the prefixes of the files that count towards it.
type Room struct {
	*quota.Bound
	bucket   *Bucket
	refusal  func(bound string) *domain.Error // returns the client's error for a full account; bound is a text such as "20 GB"
	prefixes []string                         // prefixes of counted keys; the account and a slash follow
	owned    map[string]*named                // accounts of files whose keys name no account, by the prefix of the keys
}

// Limit bounds the files whose keys begin with one of the prefixes, which end with a slash and are followed by the account and a
// slash. refusal returns the error for a client whose account has reached the bound. Limit must be called before anything is
// stored.
func (b *Bucket) Limit(limits quota.Limits, refusal func(bound string) *domain.Error, prefixes ...string) *Room {
	r := &Room{bucket: b, refusal: refusal, prefixes: prefixes, owned: map[string]*named{}}
	r.Bound = quota.New(limits, r.stored)
	b.rooms = append(b.rooms, r)
	return r
}

// LimitOwned makes the room also count files whose keys name no account. Their keys consist of prefix, a name and a
// slash, followed by anything. A new file counts towards the account that storage.StoredFor has set in the context. For a
// file stored earlier, owner returns the account to which a name belongs; empty: the file counts towards no account.
// LimitOwned must be called before anything is stored.
func (r *Room) LimitOwned(prefix string, owner func(ctx context.Context, name string) (string, error)) {
	r.owned[prefix] = &named{find: owner, owners: map[string]string{}}
}

// Fits returns the refusal if an account cannot store the given number of further bytes now; nil: it can.
func (r *Room) Fits(ctx context.Context, account string, size int64) error {
	w := r.Begin(account)
	defer w.Drop()
	return r.refused(w.Add(ctx, size))
}

// Admit returns the refusal if an account is known to be full. An account that was not counted yet is admitted.
func (r *Room) Admit(ctx context.Context, account string) error {
	if !r.Known(account) {
		return nil
	}
	return r.Fits(ctx, account, 1)
}

// StorageFull and RendersFull return the error that a client gets when an account has reached the bound of its stored
// files, or of its rendered files.
var StorageFull, RendersFull = storage.StorageFull, storage.RendersFull

// holds returns the account to which the file of a key is counted; empty: it is not counted.
func (r *Room) holds(ctx context.Context, key string) string {
	for _, prefix := range r.prefixes {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			account, _, _ := strings.Cut(rest, "/")
			return account
		}
	}
	for prefix, files := range r.owned {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			account := string(storage.StoredBy(ctx))
			files.note(rest, account)
			return account
		}
	}
	return ""
}

// roomOf returns the bound and the account to which the file of a key is counted; nil: it is not counted.
func (b *Bucket) roomOf(ctx context.Context, key string) (*Room, string) {
	for _, r := range b.rooms {
		if account := r.holds(ctx, key); account != "" {
			return r, account
		}
	}
	return nil, ""
}

// counted is a reader that counts bytes before they are written.
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

// putCounted stores a file with the function put, if the bounds allow it.
func (b *Bucket) putCounted(
	ctx context.Context, key string, r io.Reader, put func(context.Context, string, io.Reader) error,
) error {
	room, account := b.roomOf(ctx, key)
	if room == nil {
		return put(ctx, key, r)
	}
	w := room.Begin(account)
	defer w.Drop()
	if sized, ok := r.(interface{ Len() int }); ok { // the content is in memory, and written in one piece
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

// refused converts the error that the bound of one account is exceeded to the error that the client gets. It returns all
// other errors unchanged, also the error that the bound of all accounts together is exceeded.
func (r *Room) refused(err error) error {
	var full *quota.FullError
	if errors.As(err, &full) && !full.All {
		return r.refusal(full.Bound())
	}
	return err
}

// removed records that a file may have been removed.
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

// stored measures the files of an account; empty: of all accounts.
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

// measureBelow adds the files below a prefix to a sum. The prefix ends with a slash.
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

// eachFile calls visit for each file below a prefix, except for the files on the shelf.
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
