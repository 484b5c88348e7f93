package observing

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"moviola/internal/quota"
)

// TestStorageBounds: operators see what is kept, the bounds, and how often they refused, by place and scope.
func TestStorageBounds(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	registry.MustRegister(storageBounds{"files": func() quota.Status {
		return quota.Status{Limits: quota.Limits{Account: quota.Amount{Bytes: 10, Files: 2}, Total: quota.Amount{Bytes: 100, Files: 7}}, Kept: quota.Amount{Bytes: 40, Files: 3}, Refused: quota.Refusals{Account: 2, Total: 1}}
	}})
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, family := range families {
		for _, m := range family.Metric {
			line := family.GetName()
			for _, label := range m.Label {
				line += " " + label.GetName() + "=" + label.GetValue()
			}
			got = append(got, fmt.Sprint(line, " ", m.GetGauge().GetValue()+m.GetCounter().GetValue()))
		}
	}
	slices.Sort(got)
	want := []string{
		"moviola_storage_bytes place=files 40", "moviola_storage_files place=files 3",
		"moviola_storage_limit_bytes place=files scope=account 10", "moviola_storage_limit_bytes place=files scope=total 100",
		"moviola_storage_limit_files place=files scope=account 2", "moviola_storage_limit_files place=files scope=total 7",
		"moviola_storage_refusals_total place=files scope=account 2", "moviola_storage_refusals_total place=files scope=total 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
