package config

import (
	"github.com/spf13/pflag"
)

// Traces are the flags on OpenTelemetry traces.
type Traces struct {
	OTLP          string  // address of the collector; empty: no traces
	OTLPTokenFile string  // file with a token for the collector
	OTLPAuthority string  // PEM file of the authorities that may sign the collector's certificate; empty: the system's
	OTLPSample    float64 // share of requests whose traces are sent, 0 to 1
}

// bind adds the flags on traces.
func (t *Traces) bind(f *pflag.FlagSet) {
	f.StringVar(&t.OTLP, "otlp", "",
		"OpenTelemetry collector that gets traces, by OTLP over HTTP, https://collector.example.com:4318 (default: no traces)")
	f.StringVar(&t.OTLPTokenFile, "otlp-token-file", "", "file with a token for the collector, sent as Authorization: Bearer")
	f.StringVar(&t.OTLPAuthority, "otlp-ca", "",
		"PEM file of the authorities whose certificates the collector may have (default: those of the system)")
	f.Float64Var(&t.OTLPSample, "otlp-sample", 1, "share of requests whose traces are sent, 0.1 for one in ten")
}

// check adds complaints about the flags on traces.
func (t Traces) check(complain complaint) {
	if t.OTLP != "" && !webAddress(t.OTLP) {
		complain("--otlp: give an address such as https://collector.example.com:4318, without user and query; a token belongs into " +
			"--otlp-token-file")
	}
	if t.OTLP == "" && (t.OTLPTokenFile != "" || t.OTLPAuthority != "") {
		complain("--otlp-token-file and --otlp-ca: give --otlp, too")
	}
	if !(t.OTLPSample >= 0 && t.OTLPSample <= 1) {
		complain("--otlp-sample %v: give a share between 0 and 1", t.OTLPSample)
	}
}
