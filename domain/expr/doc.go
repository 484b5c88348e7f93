// Package expr implements the language of expressions in movies: {{ price * 2 }}. It has the grammar (described in
// docs/expressions.md), a parser whose errors have positions, and an evaluator over JSON values.
//
// It knows nothing about movies: a Scope gives names their values, and a Budget bounds the cost. Values are those of
// encoding/json with UseNumber: nil, bool, json.Number, string, []any, map[string]any; computed numbers are float64, and a
// value that is not known yet is Pending. Values are never changed.
package expr
