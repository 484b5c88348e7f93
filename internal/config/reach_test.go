package config

import "testing"

// Where other hosts may share an installation, its secret has to be set.
func TestConfig_beyondHost(t *testing.T) {
	tests := []struct {
		mongo, store string
		here         bool
	}{
		{"mongodb://127.0.0.1:27017/moviola", "", true},
		{"mongodb://user:pass@localhost:27017/moviola?x=y", "", true},
		{"mongodb://127.0.0.1:27017,db.example.com:27017/moviola", "", false},
		{"mongodb://db.example.com/moviola", "", false},
		{"mongodb://[::1]/moviola", "", true},
		{"mongodb://[::1]:27017/moviola", "", true},
		{"mongodb://user:pass@[::1],127.0.0.1,localhost:27017/moviola", "", true},
		{"mongodb://[::1],[2001:db8::1]/moviola", "", false},
		{"mongodb://[2001:db8::1]:27017/moviola", "", false},
		{"", "esdb://[::1]?tls=false", true},
		{"", "esdb://[::1]:2113?tls=false", true},
		{"", "esdb://[2001:db8::1]", false},
		{"", "esdb://127.0.0.1:2113?tls=false", true},
		{"", "esdb://localhost?tls=false", true},
		{"", "unix:///run/moviola/es", true},
		{"", "esdb+discover://cluster.example.com:2113", false},
	}
	for _, tt := range tests {
		cfg := Config{Mongo: tt.mongo, EventStore: tt.store}
		if cfg.BeyondHost() == tt.here {
			t.Errorf("mongo %q, event store %q: beyond this host is %v", tt.mongo, tt.store, !tt.here)
		}
	}
}
