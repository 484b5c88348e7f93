// Package documentstest holds the contract of projections.Documents as tests, which every adapter runs.
package documentstest
