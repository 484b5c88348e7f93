package result

import (
	"encoding/json"

	"moviola/domain"
	"moviola/domain/movie"
)

// Values by which a client recognises the payload that tests its webhook, besides the payload's field test. Spec: Events, Payload
// fields.
const (
	TestProject domain.ProjectID = "TESTtestTESTtest"
	TestID      string           = "test"
	TestURL     string           = "https://example.com/test.mp4"
)

// tested is the payload that a client receives when it tests its webhook.
type tested struct {
	video
	Test bool `json:"test"`
}

// TestPayload returns the payload that a webhook gets in a test: the fields of a success with made-up values, and test
// true.
func TestPayload() ([]byte, error) {
	plan := movie.Dimensions{Width: 1920, Height: 1080, Frames: 250, FPSNum: 25, FPSDen: 1}
	url, bt709 := TestURL, "bt709"
	return encode(tested{Test: true, video: video{
		head:  head{Success: true, Project: TestProject, ID: TestID, ClientData: json.RawMessage("{}"), URL: &url},
		Width: plan.Width, Height: plan.Height, Duration: Duration(plan), Size: 1_000_000,
		Codec: "h264", CodecType: "video", PixelFormat: "yuv420p", VideoStreams: 1, AudioStreams: 1, FrameRate: 25,
		ColorTransfer: &bt709, ColorPrimaries: &bt709, ColorSpace: &bt709,
	}})
}
