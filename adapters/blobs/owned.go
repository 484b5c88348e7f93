package blobs

import (
	"context"
	"strings"
	"sync"

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
}

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
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.owners) >= mostOwners {
		clear(n.owners)
	}
	n.owners[name] = account
	return account, nil
}

const shelfSizes = `SELECT key, length(body) FROM documents WHERE key >= ?1 AND key < ?2`

// measureOwned adds the files of an account below a prefix to a sum; those of all when it is empty.
func (b *Bucket) measureOwned(ctx context.Context, prefix string, files *named, account string, sum *quota.Amount) error {
	if account == "" {
		return b.measureBelow(ctx, prefix, sum)
	}
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
			return err
		}
	}
	if err := b.eachFile(ctx, prefix, add); err != nil {
		return err
	}
	for name, of := range by {
		owner, err := files.owner(ctx, name)
		if err != nil {
			return err
		}
		if owner == account {
			sum.Bytes += of.Bytes
			sum.Files += of.Files
		}
	}
	return nil
}
