package jail_test

import (
	"strings"
	"testing"

	"moviola/internal/jail"
	"moviola/internal/jail/jailtest"
)

// inDevices runs a script in the jail of an encoder with device nodes.
func inDevices(t *testing.T, j *jail.Jail, devices []string, program string, args ...string) string {
	t.Helper()
	p := jail.Policy{Program: "sh", Write: t.TempDir(), Calls: jail.EncoderCalls, Devices: devices}
	c, err := j.Child(t.Context(), p, program, args)
	if err != nil {
		t.Fatal(err)
	}
	said, _ := c.CombinedOutput()
	c.Release()
	return string(said)
}

// A jail opens the device nodes that it is given, to read and to write, and no others.
func TestJail_Devices(t *testing.T) {
	t.Parallel()
	for _, without := range [][]jail.Layer{nil, {jail.Namespaces}, {jail.Landlock}} {
		j := jailtest.New(t, without...)
		if !on(j, jail.Namespaces) && !on(j, jail.Landlock) {
			continue
		}
		// Outside, anybody may open both.
		script := "head -c 3 /dev/zero | od -An -tx1; (echo x >/dev/zero) && echo written; head -c 1 /dev/full >/dev/null || echo refused"
		said := inDevices(t, j, []string{"/dev/zero"}, "/bin/sh", "-c", script)
		for _, want := range []string{"00 00 00", "written", "refused"} {
			if !strings.Contains(said, want) {
				t.Errorf("without %v it said %q, want %q in it", without, said, want)
			}
		}
		if said := inDevices(t, j, nil, "/bin/sh", "-c", script); strings.Contains(said, "written") || strings.Contains(said, "00 00 00") {
			t.Errorf("without %v, and without a device, it said %q", without, said)
		}
	}
}

// An encoder may ask drivers of graphics cards what it likes, and terminals nothing that a decoder may not.
func TestEncoderCalls(t *testing.T) {
	t.Parallel()
	j := jailtest.New(t)
	if !on(j, jail.Seccomp) {
		t.Skip("this machine has no filter of system calls")
	}
	const script = `open(F, "+<", "/dev/zero") or die "open: $!"; $x = "a" x 256;
for (@ARGV) { ioctl(F, hex($_), $x); print "$_ ", ($!{EPERM} ? "refused" : "passed"), "\n"; }`
	numbers := map[string]string{
		"c0106401": "passed", "c0104600": "passed", "30000001": "passed", "1b": "passed", // DRM, NVIDIA, its memory
		"5412": "refused", "541d": "refused", "c0045877": "refused", "8933": "refused", // terminals, file systems, sockets
	}
	for number, want := range numbers {
		said := inDevices(t, j, []string{"/dev/zero"}, "/usr/bin/perl", "-e", script, number)
		if !strings.Contains(said, number+" "+want) {
			t.Errorf("ioctl %s: said %q, want %s", number, said, want)
		}
	}
}

// TestCalls_owners: a program changes flags of its files, and has no other process signalled about them.
func TestCalls_owners(t *testing.T) {
	t.Parallel()
	j := jailtest.New(t)
	if !on(j, jail.Seccomp) {
		t.Skip("this machine has no filter of system calls")
	}
	const script = `use Errno;
for (@ARGV) { $! = 0; fcntl(STDIN, $_, $_ == 3 ? 0 : $$); print "$_ ", ($!{EPERM} ? "refused" : "passed"), "\n"; }`
	said := inDevices(t, j, nil, "/usr/bin/perl", "-e", script, "3", "8", "10", "15", "1026")
	if want := "3 passed\n8 refused\n10 refused\n15 refused\n1026 refused\n"; said != want {
		t.Errorf("said %q, want %q", said, want)
	}
}
