// Package wire translates records, ids, numbers and refusals to the messages of EventStoreDB's protocol, and back.
package wire
