// Package expand turns the decoded JSON of a movie into JSON without variables: it computes expressions, evaluates conditions,
// repeats elements with iterations, and fills in imported scenes.
//
// The package knows where expressions may be and what their names mean. Except for the properties that it evaluates itself,
// such as iterate, it does not know what a property does. The rules are those of docs/templates.md. The input is never
// changed; unchanged parts are shared with the result.
package expand
