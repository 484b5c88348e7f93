package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// stillWanted reads a stream again, and the state of the account that the file is stored for, and reports whether the file is
// still needed. It returns false when the account is closed, since the files of a closed account need not exist; and for preload
// files of an account that was purged.
func (c *checker) stillWanted(ctx context.Context, stream string, w want) (bool, error) {
	fresh, err := c.again(ctx, stream)
	if err != nil {
		return false, err
	}
	s := fresh.subjects[stream]
	if s == nil || !slices.Contains(s.wants(c.Now()), w) {
		return false, nil
	}
	owner := ownerOf(s, w.key)
	if gone, err := c.goneWith(ctx, account.Stream(owner), c.inventory.departed, owner); gone || err != nil {
		return false, err
	}
	if _, forAWhile := s.(*preloadFiles); !forAWhile {
		return true, nil
	}
	gone, err := c.goneWith(ctx, ledger.Stream(owner), c.inventory.emptied, owner)
	return !gone && err == nil, err
}

// goneWith reports whether the files of an account, owner, may be gone because set contains the account. The caller passes
// one of two sets of the inventory as set: departed (closed accounts) or emptied (purged accounts). When set does not
// contain the account, goneWith reads stream again, because the account may have been closed or purged since the log was
// read. The result is false for an empty owner.
func (c *checker) goneWith(
	ctx context.Context, stream string, set map[domain.AccountID]bool, owner domain.AccountID,
) (bool, error) {
	if owner == "" || set[owner] {
		return set[owner], nil
	}
	for event, err := range c.Log.Store().ReadStream(ctx, stream, eventstore.Forwards, 0) {
		if err != nil {
			return false, fmt.Errorf("read %s: %w", stream, err)
		}
		_ = c.inventory.add(c.Log.Codec(), event) // an event that cannot be read is skipped here
	}
	return set[owner], nil
}

// ownerOf returns the account for which a file is stored; empty: the state of the stream does not tell the account.
func ownerOf(s subject, key string) domain.AccountID {
	switch s := s.(type) {
	case *movieFiles:
		return s.owner
	case *preloadFiles:
		return s.owner
	case *templateFiles:
		return s.owner
	case *batchFiles:
		requested, _ := s.Requested()
		return requested.Account
	case *placeFile:
		if parts := strings.Split(key, "/"); len(parts) > 1 {
			return domain.AccountID(parts[1])
		}
	}
	return ""
}

// again reads the events of one stream again, into a new inventory.
func (c *checker) again(ctx context.Context, stream string) (*inventory, error) {
	fresh := newInventory()
	for event, err := range c.Log.Store().ReadStream(ctx, stream, eventstore.Forwards, 0) {
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", stream, err)
		}
		if err := fresh.add(c.Log.Codec(), event); err != nil && !errors.Is(err, errUnread) {
			return nil, err
		}
	}
	return fresh, nil
}
