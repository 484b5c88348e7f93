// Package documentstest holds the contract of projections.Documents as tests. Every adapter runs them, and the read models rely
// on nothing that is not tested here.
package documentstest
