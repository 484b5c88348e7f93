package expr

import "strings"

// maxNamed is the maximum number of expressions in a text whose names Names looks for. No movie may have more.
const maxNamed = 20_000

// Names returns the names that the expressions of a text can look up. Of a text between braces that is no expression, these
// are all its words, because it may become a part of an expression.
func Names(text string) []string {
	if strings.Count(text, opening) > maxNamed {
		return nil
	}
	var found []string
	for _, p := range ParseTemplate(text).parts {
		if p.computed {
			found = append(found, NamesOf(p.text)...)
		}
	}
	return found
}

// NamesOf is Names for an expression without braces.
func NamesOf(expression string) []string {
	expression = strings.TrimSpace(expression)
	found := []string{expression} // it may be a name as a whole
	e, err := Parse(expression)
	if err == nil {
		return lookups(e.root, found)
	}
	for rest := expression; rest != ""; {
		n := nameLength(rest)
		if n > 0 {
			found = append(found, rest[:n])
		}
		rest = rest[max(n, 1):]
	}
	return found
}

// lookups appends the names that a node looks up to found.
func lookups(n node, found []string) []string {
	switch n := n.(type) {
	case variable:
		return append(found, n.name)
	case member:
		return lookups(n.key, lookups(n.of, found))
	case array:
		return lookupsOfAll(n.items, found)
	case call:
		return lookupsOfAll(n.args, found)
	case unary:
		return lookups(n.x, found)
	case binary:
		return lookups(n.y, lookups(n.x, found))
	case choice:
		return lookups(n.no, lookups(n.yes, lookups(n.condition, found)))
	}
	return found
}

func lookupsOfAll(nodes []node, found []string) []string {
	for _, n := range nodes {
		found = lookups(n, found)
	}
	return found
}
