package projections

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/eventstore"
)

// Accounts serves the accounts.
type Accounts struct {
	at  *catalogue
	log *eventstore.Log
}

// Get returns an account, and false when there is none. One that was opened a moment ago, by whichever process, is found.
func (a *Accounts) Get(ctx context.Context, account domain.AccountID) (Account, bool, error) {
	return accountModel.loadOrFold(ctx, a.at, a.log, string(account))
}

// AccountQuery asks for a page of all accounts. Its JSON is the cursor of GET /admin/accounts.
type AccountQuery struct {
	After *AccountCursor `json:"after"` // the last account of the page before; nil: the first page
	Limit int            `json:"-"`     // 1 to 999
}

// AccountCursor is an account's place in the list.
type AccountCursor struct {
	OpenedAt time.Time `json:"opened_at"`
	Account  string    `json:"account"`
}

// Cursor is the account's place in the list.
func (a Account) Cursor() AccountCursor {
	return AccountCursor{OpenedAt: a.OpenedAt, Account: a.Account}
}

// Page returns accounts, in the order in which they were opened, and whether others follow. It is for operators: no account may
// learn of another.
func (a *Accounts) Page(ctx context.Context, q AccountQuery) ([]Account, bool, error) {
	limit := min(q.Limit, MaxPage-1)
	stored := Query{Index: indexOpened, Limit: limit + 1}
	if q.After != nil {
		stored.After = []any{q.After.OpenedAt, q.After.Account}
	}
	accounts, err := page[Account](ctx, a.at, accountModel.modelName, stored)
	if err != nil || len(accounts) <= limit {
		return accounts, false, err
	}
	return accounts[:limit], true, nil
}

// Balances serves the credit balances.
type Balances struct {
	at  *catalogue
	log *eventstore.Log
}

// Get returns an account's balance: the zero one of an account that never had credits. While the read models are behind the log it is brought
// up to the end of the account's ledger.
func (b *Balances) Get(ctx context.Context, account domain.AccountID) (Balance, error) {
	balance, ok, err := balanceModel.load(ctx, b.at, string(account))
	if err == nil && (b.at.lagging(balanceModel.modelName) != nil || balanceModel.unsaid(b.at, string(account))) {
		balance, ok, err = balanceModel.catchUp(ctx, b.log, balance, ok, string(account))
	}
	if err != nil || !ok {
		return Balance{Account: string(account)}, err
	}
	return balance, nil
}

// loadOrFold reads a document, or, where there is none yet, folds its stream.
func (s streamModel[T]) loadOrFold(ctx context.Context, c *catalogue, log *eventstore.Log, id string) (T, bool, error) {
	doc, ok, err := s.load(ctx, c, id)
	if err != nil || ok {
		return doc, ok, err
	}
	return s.catchUp(ctx, log, doc, false, id)
}
