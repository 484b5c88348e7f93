// Package gcsserver holds no code: its go.mod pins the version of the S3-compatible server that tests start.
package gcsserver
