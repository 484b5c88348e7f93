// Package pressure measures how long programs of this machine have waited for a processor, and has a timer that does not
// count this waiting, up to a bound: so a program is less easily taken for stuck only because the machine is busy.
package pressure

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// CPU returns how long, since the machine was started, programs have waited for a processor because other programs used
// it. The kernel counts this time (Pressure Stall Information). CPU returns 0 if the time cannot be read, for example
// because the kernel does not count it. Otherwise the value never falls.
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
