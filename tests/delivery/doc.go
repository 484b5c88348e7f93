// Package delivery holds the senders of deliveries, and the guard before them, against real servers on loopback: ProFTPD,
// OpenSSH, an S3 gateway that checks signatures, mail servers.
package delivery
