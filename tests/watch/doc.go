// Package watch lets Debian's Prometheus watch an installation that works and breaks: every alert of deploy/prometheus fires in
// its fault and clears, and every panel of the dashboard has data. It runs for fifteen minutes when it is asked to: make
// test-alerts.
package watch
