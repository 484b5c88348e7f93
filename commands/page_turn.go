package commands

import "context"

type pageTurnKey struct{}

// OnPageTurn returns a context for drawing a page. The function begun is called when the page gets a browser; until then the page
// waits while the browsers draw other pages.
func OnPageTurn(ctx context.Context, begun func()) context.Context {
	return context.WithValue(ctx, pageTurnKey{}, begun)
}

// PageTurn records in the context of OnPageTurn that the page has got its browser.
func PageTurn(ctx context.Context) {
	if begun, ok := ctx.Value(pageTurnKey{}).(func()); ok {
		begun()
	}
}
