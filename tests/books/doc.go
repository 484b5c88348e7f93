// Package books tests the money of the whole service: that no crash, repetition or race makes or loses a credit, judged by the
// audit, and what ledgers and audits cost.
package books
