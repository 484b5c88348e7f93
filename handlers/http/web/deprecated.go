package web

import "net/http"

// deprecatedSince is when the features that will go were deprecated, in the form of RFC 9745: seconds since 1970.
const deprecatedSince = "@1767225600"

// MarkDeprecated tells a client that it uses a feature that will go, and where that is written. Spec: Versioning 2 and 3.
func MarkDeprecated(h http.Header) {
	h.Set("Deprecation", deprecatedSince)
	h.Set("Link", `</docs#deprecated>; rel="deprecation"; type="text/html"`)
}
