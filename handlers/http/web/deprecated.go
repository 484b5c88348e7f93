package web

import "net/http"

// deprecatedSince is the deprecation date of the features that will be removed, in the form of RFC 9745: seconds since 1970.
const deprecatedSince = "@1767225600"

// MarkDeprecated tells a client in headers that it uses a feature that will be removed, with a link to its documentation. Spec:
// Versioning 2 and 3.
func MarkDeprecated(h http.Header) {
	h.Set("Deprecation", deprecatedSince)
	h.Set("Link", `</docs#deprecated>; rel="deprecation"; type="text/html"`)
}
