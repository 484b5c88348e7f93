package commands

import "context"

type pageTurnKey struct{}

// OnPageTurn returns a context for drawing a page. The function begun is called when the page gets a browser; until then the page
// waits while the browsers draw other pages.
func OnPageTurn(ctx context.Context, begun func()) context.Context {
	return context.WithValue(ctx, pageTurnKey{}, begun)
}

// PageTurn calls the function that OnPageTurn has put into the context, because the page has got its browser. Without such a
// function it does nothing.
func PageTurn(ctx context.Context) {
	if begun, ok := ctx.Value(pageTurnKey{}).(func()); ok {
		begun()
	}
}
