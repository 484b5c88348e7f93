package projections_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/key"
	"moviola/eventstore"
	"moviola/projections"
)

func TestKey(t *testing.T) {
	t.Parallel()
	expiry := minute(5)
	issued := key.Issued{Account: alice, Name: "n", Role: key.Render, Legacy: key.Secondary, Hash: "h", At: t0, ExpiresAt: &expiry}
	want := projections.Key{ID: "id", Account: string(alice), Name: "n", Role: key.Render, Legacy: key.Secondary, Hash: "h", IssuedAt: t0, ExpiresAt: &expiry}
	if diff := cmp.Diff(want, fold(projections.FoldKey, "id", issued)); diff != "" {
		t.Errorf("issued (-want +got):\n%s", diff)
	}
	at := minute(1)
	want.Revoked, want.RevokedAt = true, &at
	got := fold(projections.FoldKey, "id", issued, key.Revoked{At: at})
	got.Revision = 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("revoked (-want +got):\n%s", diff)
	}
}

// TestKeys_List pages through the keys of an account: the newest first, without those that were revoked.
func TestKeys_List(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	var last eventstore.Appended
	var want []string // three keys a minute, the newest minute first, in it by id
	for n := 11; n >= 0; n-- {
		for a, account := range []domain.AccountID{alice, bob} {
			minutes := n / 3
			id := fmt.Sprintf("%d%029d%02d", a, 0, 2-n%3+3*minutes)
			last = w.append(t, key.Stream(id), key.Issued{Account: account, Name: "n", Role: key.Viewer, Hash: id, At: minute(minutes)})
			switch {
			case n%5 == 4:
				last = w.append(t, key.Stream(id), key.Revoked{At: minute(20)})
			case account == alice:
				want = append(want, id)
			}
		}
	}
	waitFor(t, models, last)
	for _, limit := range []int{1, 4, 100} {
		var got []string
		list := projections.KeyList{Account: alice, Limit: limit}
		for more := true; more; {
			page, err := models.Keys.List(t.Context(), list)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range page.Keys {
				got = append(got, k.ID)
				cursor := k.Cursor()
				list.KeyCursor = &cursor
			}
			more = page.More
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", limit, diff)
		}
	}
	if page, err := models.Keys.List(t.Context(), projections.KeyList{Account: "nobody", Limit: 10}); err != nil || len(page.Keys) > 0 {
		t.Errorf("a stranger's keys: %+v, %v", page, err)
	}
}
