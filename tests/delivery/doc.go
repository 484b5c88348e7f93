// Package delivery holds the senders of deliveries, and the guard before them, against real servers on loopback: ProFTPD,
// OpenSSH, an S3 gateway that checks signatures, servers for Google Cloud Storage and Azure Blob Storage, mail servers.
package delivery
