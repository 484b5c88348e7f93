package commands

import "context"

type pageTurnKey struct{}

// OnPageTurn has begun called when a page that is drawn in the context gets its browser: it has waited for others until then.
func OnPageTurn(ctx context.Context, begun func()) context.Context {
	return context.WithValue(ctx, pageTurnKey{}, begun)
}

// PageTurn says that a page has got its browser.
func PageTurn(ctx context.Context) {
	if begun, ok := ctx.Value(pageTurnKey{}).(func()); ok {
		begun()
	}
}
