// Package erasures has the command that erases the personal data of an account.
package erasures
