// Package servers runs the servers that movies are delivered to, on loopback: FTP, SFTP, S3-compatible and cloud storage, and
// mail, with certificates of their own.
package servers
