package commands

import "context"

type pageTurnKey struct{}

// OnPageTurn returns a context for drawing a page: begun is called when the page gets a browser, until when it waits for other
// pages.
func OnPageTurn(ctx context.Context, begun func()) context.Context {
	return context.WithValue(ctx, pageTurnKey{}, begun)
}

// PageTurn says that a page has got its browser.
func PageTurn(ctx context.Context) {
	if begun, ok := ctx.Value(pageTurnKey{}).(func()); ok {
		begun()
	}
}
