// Package expr is the language of the expressions that movies are written with: {{ price * 2 }}. It holds the grammar (docs/expressions.md
// is its description), a parser whose errors say where, and an evaluator over JSON values.
//
// It knows nothing of movies: what names stand for comes from a Scope, and how much may be spent from a Budget. Values are those of
// encoding/json with UseNumber: nil, bool, json.Number, string, []any, map[string]any; numbers that were computed are float64. Values
// are never changed.
package expr
