package logfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"moviola/eventstore/embedded/logfile"
)

// FuzzWAL looks for damage in anything: it never fails, and never names a frame that is not there.
func FuzzWAL(f *testing.F) {
	_, wal, err := logfile.CommitFile(f.TempDir()+"/events.db", 5)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(wal)
	f.Add(wal[:100])
	f.Add(flipped(wal, 8*40))
	f.Add(bytes.Repeat([]byte{0}, 10_000))
	f.Fuzz(func(t *testing.T, content []byte) {
		damaged, err := logfile.ScanWAL(content)
		if err != nil || damaged != logfile.Whole && (damaged < 0 || damaged > len(content)/4096) {
			t.Errorf("%d bytes: frame %d, %v", len(content), damaged, err)
		}
	})
}

// FuzzMeta reads anything as stream metadata: what comes of it makes sense, and survives being written with another $tb.
func FuzzMeta(f *testing.F) {
	for _, seed := range []string{``, `{}`, `{"$tb":-1,"$maxCount":0,"$maxAge":1e300}`, `{"$tb":9223372036854775807}`, `[1]`, `{"$maxAge":9223372036854775807}`,
		`{"$maxCount":3,"$maxAge":60,"$acl":{"$r":["a","b"]},"colour":"red"}`} {
		f.Add([]byte(seed), int64(7))
	}
	f.Fuzz(func(t *testing.T, data []byte, before int64) {
		tb, count, age, written, err := logfile.ReadMeta(data, before)
		if tb < 0 || count < 0 || age < 0 || err != nil || !json.Valid(written) {
			t.Fatalf("%q: $tb %d, $maxCount %d, $maxAge %v, written %q, %v", data, tb, count, age, written, err)
		}
		newTB, newCount, newAge, _, _ := logfile.ReadMeta(written, before)
		if newTB != max(before, 0) {
			t.Errorf("%q written with $tb %d reads as %d", data, before, newTB)
		}
		if newCount != count || newAge != age {
			t.Errorf("%q has $maxCount %d and $maxAge %v, written again %d and %v", data, count, age, newCount, newAge)
		}
	})
}

// FuzzRecord reads rows with any content. None has the right checksum by chance, so each is refused by name.
func FuzzRecord(f *testing.F) {
	f.Add("a-1", "Tested", []byte("0123456789abcdef"), int64(1), int64(1<<40), []byte(`{}`), []byte(`{}`))
	f.Add("", "", []byte{}, int64(-1), int64(-1), []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, stream, kind string, id []byte, created, checksum int64, metadata, data []byte) {
		if checksum >= 0 && checksum < 1<<32 {
			checksum += 1 << 32
		}
		var corrupt *logfile.CorruptError
		if err := logfile.ScanRow(stream, kind, id, created, checksum, metadata, data); !errors.As(err, &corrupt) {
			t.Errorf("the row was read: %v", err)
		}
	})
}
