package eventstoredb_test

import (
	"encoding/json"
	"testing"

	"moviola/eventstore/eventstoredb"
)

// TestTruncated: a copied stream hides its placeholders, whatever metadata it had.
func TestTruncated(t *testing.T) {
	t.Parallel()
	for metadata, wanted := range map[string]float64{`{}`: 7, `null`: 7, `{"$tb":3,"x":1}`: 7, `{"$tb":9}`: 9} {
		raw, err := eventstoredb.Truncated([]byte(metadata), 2, 7)
		if err != nil {
			t.Errorf("%s: %v", metadata, err)
			continue
		}
		var got map[string]any
		if err := json.Unmarshal(raw, &got); err != nil || got["$tb"] != wanted {
			t.Errorf("%s becomes %s, %v", metadata, raw, err)
		}
	}
	if _, err := eventstoredb.Truncated([]byte(`[1]`), 2, 7); err == nil {
		t.Error("metadata that is no object is taken")
	}
}
