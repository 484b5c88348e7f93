package result_test

import (
	"encoding/json"
	"testing"
	"time"

	"moviola/domain"
	"moviola/domain/connection"
	"moviola/domain/result"
)

// The bodies of live events, as receivers get them.
func TestLivePayloads(t *testing.T) {
	t.Parallel()
	at, percent := domain.FormatTime(time.Date(2026, 11, 21, 9, 0, 0, 500_999_999, time.FixedZone("", 3600))), 0.0
	for want, payload := range map[string]func() ([]byte, error){
		`{"event":"render.started","project":"Abcdefgh12345678","client-data":{},"timestamp":"2026-11-21T08:00:00.500Z"}`: result.LiveRender{
			Event: connection.RenderStarted, Project: "Abcdefgh12345678", Timestamp: at}.Payload,
		`{"event":"render.progress","project":"Abcdefgh12345678","id":"<a>","client-data":{"a":"&"},"progress":0,"timestamp":"2026-11-21T08:00:00.500Z"}`: result.LiveRender{
			Event: connection.RenderProgress, Project: "Abcdefgh12345678", ID: "<a>", ClientData: json.RawMessage(`{"a":"&"}`), Percent: &percent, Timestamp: at}.Payload,
		`{"event":"batch.finished","batch":"Batch00000000001","template":"t","movies":2,"invalid":1,"cancelled":true,"timestamp":"2026-11-21T08:00:00.500Z"}`: result.LiveBatch{
			Event: connection.BatchFinished, Batch: "Batch00000000001", Template: "t", Movies: 2, Invalid: 1, Cancelled: true, Timestamp: at}.Payload,
	} {
		if got, err := payload(); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}
