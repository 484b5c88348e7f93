package blobs

import (
	"context"
	"strings"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"moviola/internal/quota"
)

// mostOwners is the largest number of names that are remembered with their accounts.
const mostOwners = 200_000

// named holds the accounts of files whose keys have a name instead of an account. It is safe for concurrent use.
type named struct {
	find func(ctx context.Context, name string) (string, error)

	mu     sync.Mutex
	owners map[string]string // accounts of files, by the names in the files' keys

	walking sync.Mutex // guards last, and allows one walk at a time
	last    *walk      // last walk over the files; nil: none was made yet
}

// walk is the result of one pass over the files. Accounts share it, because a pass costs as much for one account as for all.
type walk struct {
	at     time.Time
	sums   map[string]quota.Amount // sums of the files, by account
	served map[string]bool         // accounts whose sums were taken from this walk before
}

// walkAge is the largest age of a pass over the files whose sums are used for an account. If the account has used these sums
// before, a new pass is made.
const walkAge = time.Minute

// known returns the account that is remembered for a name; empty: none is. rest begins with the name, which ends at the
// first slash.
func (n *named) known(rest string) string {
	name, _, _ := strings.Cut(rest, "/")
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.owners[name]
}

// owner returns the account of a name. A file whose owner is not known yet counts to nobody.
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

// note remembers to which account the files below a name belong. rest begins with the name, which ends at the first slash.
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

// measureOwned adds an account's files below a prefix to a sum; if the account is empty, those of all.
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

// walkOwned adds up the files of each account below a prefix.
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
