// Package pressure times work of other programs without blaming them for a machine that has no processor for them.
package pressure

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// CPU returns how long, since the machine was started, programs have waited for a processor that others had, as the kernel counts
// it (Pressure Stall Information); 0 if it does not. It never falls.
func CPU() time.Duration {
	text, err := os.ReadFile("/proc/pressure/cpu")
	if err != nil {
		return 0
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	_, total, _ := bytes.Cut(line, []byte("total=")) // "some avg10=0.00 avg60=0.00 avg300=0.00 total=…", in microseconds
	n, err := strconv.ParseInt(string(total), 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(n) * time.Microsecond
}
