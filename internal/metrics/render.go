package metrics

import (
	"context"
	"image"
	"io"
	"net/http"
	"strconv"
	"time"

	"moviola/domain/timeline"
	"moviola/handlers/background/processors"
)

// Rendered counts an attempt that has ended with an outcome.
func (m *Metrics) Rendered(took processors.Measures) {
	for stage, time := range took.Stages {
		m.stageTime.WithLabelValues(stage).Observe(time.Seconds())
	}
	m.frames.WithLabelValues("encoded").Add(float64(took.Encoded))
	m.frames.WithLabelValues("cached").Add(float64(took.Cached))
	if took.Length > 0 && took.Took > 0 && took.Encoded+took.Cached > 0 {
		m.speed.Observe(took.Length.Seconds() / took.Took.Seconds())
	}
}

// Purpose is the reason of a request to another server.
type Purpose string

// The purposes of requests to other servers.
const (
	Sources Purpose = "sources"
	Fonts   Purpose = "fonts"
	Speech  Purpose = "speech"
	Images  Purpose = "images"
)

// Client returns a client that counts its requests; each redirect is a request. A nil Metrics counts nothing.
func (m *Metrics) Client(client *http.Client, purpose Purpose) *http.Client {
	if m == nil {
		return client
	}
	counted := *client
	base := client.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	counted.Transport = countedTransport{base, m, string(purpose)}
	return &counted
}

type countedTransport struct {
	base    http.RoundTripper
	metrics *Metrics
	purpose string
}

// RoundTrip implements http.RoundTripper.
func (t countedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	began := time.Now()
	answer, err := t.base.RoundTrip(r)
	result := "error"
	if err == nil {
		result = strconv.Itoa(answer.StatusCode/100) + "xx"
	}
	t.metrics.calls.WithLabelValues(t.purpose, result).Inc()
	t.metrics.callTime.WithLabelValues(t.purpose).Observe(time.Since(began).Seconds())
	if err == nil {
		answer.Body = countedBody{answer.Body, func(n int) { t.metrics.callBytes.WithLabelValues(t.purpose).Add(float64(n)) }}
	}
	return answer, err
}

// CloseIdleConnections passes the call of http.Client on to the base transport.
func (t countedTransport) CloseIdleConnections() {
	if closer, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

type countedBody struct {
	io.ReadCloser
	count func(int)
}

func (b countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.count(n)
	return n, err
}

// Pages renders HTML pages and SVG drawings.
type Pages interface {
	Still(ctx context.Context, p timeline.Page, w, h int) (*image.NRGBA, error)
	Frames(ctx context.Context, p timeline.Page, w, h int, rate timeline.Rate, n int64,
		yield func(i int64, frame *image.NRGBA) error) error
	Drawing(ctx context.Context, svg []byte, v timeline.DrawingView) (*image.NRGBA, error)
}

// Pages returns pages with counted drawings. A nil Metrics counts nothing.
func (m *Metrics) Pages(pages Pages) Pages {
	if m == nil {
		return pages
	}
	return countedPages{pages, m}
}

type countedPages struct {
	Pages
	metrics *Metrics
}

// Still implements Pages.
func (c countedPages) Still(ctx context.Context, p timeline.Page, w, h int) (*image.NRGBA, error) {
	picture, err := c.Pages.Still(ctx, p, w, h)
	c.count(err)
	return picture, err
}

// Frames implements Pages.
func (c countedPages) Frames(
	ctx context.Context, p timeline.Page, w, h int, rate timeline.Rate, n int64, yield func(i int64, frame *image.NRGBA) error,
) error {
	err := c.Pages.Frames(ctx, p, w, h, rate, n, yield)
	c.count(err)
	return err
}

// Drawing implements Pages.
func (c countedPages) Drawing(ctx context.Context, svg []byte, v timeline.DrawingView) (*image.NRGBA, error) {
	picture, err := c.Pages.Drawing(ctx, svg, v)
	c.count(err)
	return picture, err
}

func (c countedPages) count(err error) {
	result := "ok"
	if err != nil {
		result = "error"
	}
	c.metrics.pages.WithLabelValues(result).Inc()
}
