// Package gcsserver holds no code: its go.mod pins the version of the server for Google Cloud Storage that tests start.
package gcsserver
