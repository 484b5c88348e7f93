package observing

import (
	"github.com/prometheus/client_golang/prometheus"

	"moviola/internal/quota"
)

// storageBounds reports how much accounts store and what the bounds are, by place: files (--account-storage, --total-storage),
// renders (--account-renders, --total-renders), sources (--account-sources, --total-sources), and parts, speech and images
// (--account-cache, --total-cache). It is a prometheus.Collector.
type storageBounds map[string]func() quota.Status

var (
	storageKept = prometheus.NewDesc("moviola_storage_bytes",
		"Bytes that all accounts keep, as counted last and written since; 0 without a bound for all, and until something "+
			"is written.", []string{"place"}, nil)
	storageLimit = prometheus.NewDesc("moviola_storage_limit_bytes",
		"Bound of what one account, or all accounts (scope total), may keep; 0: none.", []string{"place", "scope"}, nil)
	storageFiles = prometheus.NewDesc("moviola_storage_files",
		"Files that all accounts keep, as counted last and written since; 0 without a bound for all, and until something "+
			"is written.", []string{"place"}, nil)
	storageFilesLimit = prometheus.NewDesc("moviola_storage_limit_files",
		"Bound of how many files one account, or all accounts (scope total), may keep; 0: none.", []string{"place", "scope"}, nil)
	storageRefused = prometheus.NewDesc("moviola_storage_refusals_total",
		"Writes that a bound refused since the start; of sources also those for which older downloads then made room.",
		[]string{"place", "scope"}, nil)
)

// Describe implements prometheus.Collector.
func (b storageBounds) Describe(to chan<- *prometheus.Desc) {
	to <- storageKept
	to <- storageLimit
	to <- storageFiles
	to <- storageFilesLimit
	to <- storageRefused
}

// Collect implements prometheus.Collector.
func (b storageBounds) Collect(to chan<- prometheus.Metric) {
	for place, status := range b {
		s := status()
		to <- prometheus.MustNewConstMetric(storageKept, prometheus.GaugeValue, float64(s.Kept.Bytes), place)
		to <- prometheus.MustNewConstMetric(storageFiles, prometheus.GaugeValue, float64(s.Kept.Files), place)
		for _, of := range []struct {
			scope   string
			limit   quota.Amount
			refused int64
		}{{"account", s.Account, s.Refused.Account}, {"total", s.Total, s.Refused.Total}} {
			to <- prometheus.MustNewConstMetric(storageLimit, prometheus.GaugeValue, float64(of.limit.Bytes), place, of.scope)
			to <- prometheus.MustNewConstMetric(storageFilesLimit, prometheus.GaugeValue, float64(of.limit.Files), place, of.scope)
			to <- prometheus.MustNewConstMetric(storageRefused, prometheus.CounterValue, float64(of.refused), place, of.scope)
		}
	}
}
