package projections

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/eventstore"
)

// Accounts answers queries for accounts.
type Accounts struct {
	at  *catalogue
	log *eventstore.Log
}

// Get returns an account, and false when it does not exist. It also finds an account that another process opened a moment ago.
func (a *Accounts) Get(ctx context.Context, account domain.AccountID) (Account, bool, error) {
	return accountModel.loadOrFold(ctx, a.at, a.log, string(account))
}

// AccountQuery selects a page of all accounts. Its JSON is the cursor of GET /admin/accounts.
type AccountQuery struct {
	After *AccountCursor `json:"after"` // the last account of the previous page; nil: the first page
	Limit int            `json:"-"`     // maximum of accounts in the page, 1 to 999
}

// AccountCursor is an account's place in the list.
type AccountCursor struct {
	OpenedAt time.Time `json:"opened_at"`
	Account  string    `json:"account"`
}

// Cursor returns the account's place in the list.
func (a Account) Cursor() AccountCursor {
	return AccountCursor{OpenedAt: a.OpenedAt, Account: a.Account}
}

// Page returns accounts in the order in which they were opened, and whether more follow. It is for operators only: no account may
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

// Balances answers queries for credit balances.
type Balances struct {
	at  *catalogue
	log *eventstore.Log
}

// Get returns an account's balance; zero when the account never had credits. While the read models are found to lag by
// more than Config.MaxLag, or do not follow the account's ledger, it folds the events of the ledger that they lack.
// When the log is unavailable then, it returns the document as stored, or an error.
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

// loadOrFold returns a document. When the document does not exist yet, it folds the stream.
func (s streamModel[T]) loadOrFold(ctx context.Context, c *catalogue, log *eventstore.Log, id string) (T, bool, error) {
	doc, ok, err := s.load(ctx, c, id)
	if err != nil || ok {
		return doc, ok, err
	}
	return s.catchUp(ctx, log, doc, false, id)
}
