package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"moviola/domain/ledger"
	"moviola/eventstore"
)

// granting makes a data folder whose log has grants, appended through the protocol of the event store.
func granting(t *testing.T, amounts ...int64) string {
	t.Helper()
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "secret"), []byte("a long random text"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	withLog(t, filepath.Join(data, "events"), func(store eventstore.Store, _ string) {
		log := eventstore.NewLog(store, eventstore.NewCodec())
		for i, amount := range amounts {
			grant := ledger.CreditsGranted{Reference: strings.Repeat("x", i+1), Amount: amount, At: at}
			_, err := log.Append(t.Context(), ledger.Stream("alice"), eventstore.Revision(i-1),
				eventstore.Meta{Account: "alice", Time: at}, grant)
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	return data
}

// TestAuditAnchor: the log of a data folder is written anew through the protocol, with checksums that fit. The audit finds it sound;
// the anchor that was taken before does not.
func TestAuditAnchor(t *testing.T) {
	t.Parallel()
	data, kept := granting(t, 5, 6, 7), filepath.Join(t.TempDir(), "one.anchor")
	code, stdout, stderr := command("audit", "anchor", "--data", data, "--to", kept)
	_, key, printed := strings.Cut(stdout, "public key ")
	if key = strings.TrimSpace(key); code != 0 || !printed {
		t.Fatalf("exit %d, %q, %q", code, stdout, stderr)
	}
	if code, _, stderr := command("audit", "anchor", "--data", data, "--to", kept); code == 0 || !strings.Contains(stderr, "never written over") {
		t.Errorf("once more: exit %d, %q", code, stderr)
	}
	twice := filepath.Join(t.TempDir(), "two.anchor")
	if code, _, stderr := command("audit", "anchor", "--data", data, "--to", twice, "--to", twice); code == 0 || !strings.Contains(stderr, "place 2 of 2") {
		t.Errorf("one place twice: exit %d, %q", code, stderr)
	}
	file := filepath.Join(data, "secret")
	if err := os.Rename(file, file+".away"); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = command("audit", "anchor", "--data", data, "--to", twice)
	if code == 0 || !strings.Contains(stderr, "MOVIOLA_SECRET") {
		t.Errorf("without the secret: exit %d, %q", code, stderr)
	}
	if err := os.Rename(file+".away", file); err != nil {
		t.Fatal(err)
	}
	verify := func(data string, more ...string) (int, string) {
		code, stdout, _ := command(append([]string{"audit", "verify", "--data", data, "--against", kept}, more...)...)
		return code, stdout
	}
	if code, out := verify(data, "--public-key", key); code != 0 || !strings.Contains(out, `"anchor": "anchored"`) ||
		!strings.Contains(out, `"events": 3`) {
		t.Errorf("the log as it was: exit %d, %s", code, out)
	}
	if code, out := verify(data); code != 0 || !strings.Contains(out, "unanchored") {
		t.Errorf("without a key: exit %d, %s", code, out)
	}
	if code, out := verify(data, "--public-key", "AAAA"); code == 0 || out != "" {
		t.Errorf("no key: exit %d, %s", code, out)
	}
	forged := granting(t, 5, 600, 7)
	if code, out, stderr := command("audit", "--data", forged, "--log-only"); code != 0 || !strings.Contains(out, `"anchor": "unanchored`) {
		t.Errorf("the forged log is sound in itself: exit %d, %s%s", code, out, stderr)
	}
	code, out := verify(forged, "--public-key", key)
	var report struct {
		Difference struct {
			Stream   string
			Revision int64
			What     string
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if d := report.Difference; code != 1 || d.Stream != "ledger-alice" || d.Revision != 1 || d.What != "changed" {
		t.Errorf("the forged log: exit %d, %+v", code, d)
	}
	if err := os.Remove(kept + ".list"); err != nil {
		t.Fatal(err)
	}
	if code, out := verify(forged, "--public-key", key); code != 1 || !strings.Contains(out, `"what": "differs"`) {
		t.Errorf("without the list: exit %d, %s", code, out)
	}
}

// TestAuditAnchor_copied: an anchor holds for what `moviola eventstore copy` has made, and finds what was added there.
func TestAuditAnchor_copied(t *testing.T) {
	t.Parallel()
	data, places := granting(t, 5, 6, 7), filepath.Join(t.TempDir(), "anchors")
	code, stdout, stderr := command("audit", "anchor", "--data", data, "--to", "file://"+places)
	_, key, _ := strings.Cut(stdout, "public key ")
	kept, err := filepath.Glob(filepath.Join(places, "*.anchor"))
	if code != 0 || err != nil || len(kept) != 1 {
		t.Fatalf("exit %d, %s, %v, %v", code, stderr, kept, err)
	}
	target := t.TempDir()
	withLog(t, filepath.Join(target, "events"), func(_ eventstore.Store, addr string) {
		wantCommand(t, 0, "copied 3 events", "eventstore", "copy", "--data", filepath.Join(data, "events"), "--to", addr)
	})
	code, stdout, stderr = command("audit", "verify", "--data", target, "--against", kept[0], "--public-key", strings.TrimSpace(key))
	if code != 0 || !strings.Contains(stdout, `"events": 3`) || !strings.Contains(stdout, `"anchor": "anchored"`) {
		t.Errorf("the copy: exit %d, %s%s", code, stdout, stderr)
	}
}
