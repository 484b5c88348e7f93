// Package tenancy lets many accounts use one installation at the same time, each with texts of its own that nobody else may ever
// see, and looks for these in everything that the others receive: answers, files, webhooks; and for keys and tokens in everything
// that is stored or logged.
package tenancy
