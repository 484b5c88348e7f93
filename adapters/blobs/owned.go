package blobs

import (
	"context"
	"strings"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"moviola/internal/quota"
)

// mostOwners bounds how many names are remembered with their accounts.
const mostOwners = 200_000

// named are files whose keys have a name in the place of their account. It is safe for concurrent use.
type named struct {
	find func(ctx context.Context, name string) (string, error)

	mu     sync.Mutex
	owners map[string]string // by name; those that have one

	walking sync.Mutex // guards last: one walk at a time
	last    *walk      // nil: there was none
}

// walk is what was found at one look through the files. Accounts share it: it costs as much for one as for all.
type walk struct {
	at     time.Time
	sums   map[string]quota.Amount // by account
	served map[string]bool         // accounts that have had it
}

// walkAge is how old a walk may be for an account that has had none since the start.
const walkAge = time.Minute

// known is the account of the file below a name, as far as it was looked up.
func (n *named) known(rest string) string {
	name, _, _ := strings.Cut(rest, "/")
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.owners[name]
}

// owner looks an account up. What was stored before anything is known of it is nobody's as yet.
func (n *named) owner(ctx context.Context, name string) (string, error) {
	if account := n.known(name); account != "" {
		return account, nil
	}
	account, err := n.find(ctx, name)
	if err != nil || account == "" {
		return "", err
	}
	n.note(name, account)
	return account, nil
}

// note remembers whose the file below a name is.
func (n *named) note(rest, account string) {
	name, _, _ := strings.Cut(rest, "/")
	n.mu.Lock()
	defer n.mu.Unlock()
	if account == "" || n.owners[name] == account {
		return
	}
	if len(n.owners) >= mostOwners {
		clear(n.owners)
	}
	n.owners[name] = account
}

const shelfSizes = `SELECT key, length(body) FROM documents WHERE key >= ?1 AND key < ?2`

// measureOwned adds the files of an account below a prefix to a sum; those of all when it is empty.
func (b *Bucket) measureOwned(ctx context.Context, prefix string, files *named, account string, sum *quota.Amount) error {
	if account == "" {
		return b.measureBelow(ctx, prefix, sum)
	}
	files.walking.Lock()
	defer files.walking.Unlock()
	if files.last == nil || files.last.served[account] || time.Since(files.last.at) > walkAge {
		found, err := b.walkOwned(ctx, prefix, files)
		if err != nil {
			return err
		}
		files.last = found
	}
	files.last.served[account] = true
	has := files.last.sums[account]
	sum.Bytes += has.Bytes
	sum.Files += has.Files
	return nil
}

// walkOwned adds up what each account has below a prefix.
func (b *Bucket) walkOwned(ctx context.Context, prefix string, files *named) (*walk, error) {
	w := &walk{at: time.Now(), sums: map[string]quota.Amount{}, served: map[string]bool{}}
	by := map[string]quota.Amount{}
	add := func(key string, size int64) {
		name, _, _ := strings.Cut(strings.TrimPrefix(key, prefix), "/")
		was := by[name]
		by[name] = quota.Amount{Bytes: was.Bytes + size, Files: was.Files + 1}
	}
	if b.dir != "" {
		err := b.shelf.query(ctx, shelfSizes, func(stmt *sqlite.Stmt) { add(stmt.ColumnText(0), stmt.ColumnInt64(1)) },
			prefix, strings.TrimSuffix(prefix, "/")+"0")
		if err != nil {
			return nil, err
		}
	}
	if err := b.eachFile(ctx, prefix, add); err != nil {
		return nil, err
	}
	for name, of := range by {
		owner, err := files.owner(ctx, name)
		if err != nil {
			return nil, err
		}
		was := w.sums[owner]
		w.sums[owner] = quota.Amount{Bytes: was.Bytes + of.Bytes, Files: was.Files + of.Files}
	}
	return w, nil
}
