// Package deliveries has the use cases of deliveries of finished movies: claiming a run, recording its tries, releasing or
// finishing it, requesting another one and dropping it. It also counts the recipients of e-mails, stores what tries have
// sent and what was answered, has the inboxes for trying webhooks, and declares the port of the adapters that send videos.
package deliveries
