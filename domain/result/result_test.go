package result_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/movie"
	"moviola/domain/result"
)

func video() (*movie.Dimensions, *movie.File) {
	plan := &movie.Dimensions{Width: 1920, Height: 1080, Frames: 251, FPSNum: 25, FPSDen: 1}
	file := &movie.File{
		Key: "renders/p/1.mp4", Thumbnail: "renders/p/1.jpg", Token: "0123456789abcdef0123456789abcdef", Size: 123456,
		Codec: "h264", CodecType: "video", PixelFormat: "yuv420p", VideoStreams: 1, AudioStreams: 1, FrameRate: 25,
		ColorTransfer: "bt709", ColorPrimaries: "bt709", ColorSpace: "bt709",
	}
	return plan, file
}

// Spec: Events, Payload fields: the order, the names, what is left out and what is null.
func TestPayload(t *testing.T) {
	t.Parallel()
	plan, file := video()
	bare := *file
	bare.Thumbnail, bare.ColorTransfer, bare.ColorPrimaries, bare.ColorSpace = "", "", "", ""
	const base = "https://video.example"
	tests := []struct {
		name  string
		ended result.Ended
		want  string
	}{
		{
			"a success with everything",
			result.Ended{
				Project: "Abcdefgh12345678", Success: true, Plan: plan, File: file, Addresses: (result.Tokens{}).AddressesOf(base, "Abcdefgh12345678", file),
				Echo: result.Echo{ID: "my-id", ClientData: json.RawMessage(`{"order": "<7>"}`)},
			},
			`{"success":true,"project":"Abcdefgh12345678","id":"my-id","client-data":{"order":"<7>"},` +
				`"url":"https://video.example/v2/renders/0123456789abcdef0123456789abcdef/Abcdefgh12345678.mp4",` +
				`"thumbnail":"https://video.example/v2/renders/0123456789abcdef0123456789abcdef/Abcdefgh12345678.jpg",` +
				`"width":1920,"height":1080,"duration":10.04,"size":123456,"codec":"h264","codec_type":"video","pix_fmt":"yuv420p",` +
				`"video_streams":1,"audio_streams":1,"frame_rate":25,"color_transfer":"bt709","color_primaries":"bt709","color_space":"bt709"}`,
		},
		{
			"a success with nothing extra",
			result.Ended{Project: "Abcdefgh12345678", Success: true, Plan: plan, File: &bare, Addresses: (result.Tokens{}).AddressesOf(base, "Abcdefgh12345678", &bare)},
			`{"success":true,"project":"Abcdefgh12345678","client-data":{},` +
				`"url":"https://video.example/v2/renders/0123456789abcdef0123456789abcdef/Abcdefgh12345678.mp4",` +
				`"width":1920,"height":1080,"duration":10.04,"size":123456,"codec":"h264","codec_type":"video","pix_fmt":"yuv420p",` +
				`"video_streams":1,"audio_streams":1,"frame_rate":25,"color_transfer":null,"color_primaries":null,"color_space":null}`,
		},
		{
			"a success whose file was deleted since",
			result.Ended{Project: "Abcdefgh12345678", Success: true, Plan: plan, File: &bare},
			`{"success":true,"project":"Abcdefgh12345678","client-data":{},"url":null,` +
				`"width":1920,"height":1080,"duration":10.04,"size":123456,"codec":"h264","codec_type":"video","pix_fmt":"yuv420p",` +
				`"video_streams":1,"audio_streams":1,"frame_rate":25,"color_transfer":null,"color_primaries":null,"color_space":null}`,
		},
		{
			"a failure",
			result.Ended{
				Project: "Abcdefgh12345678", Message: "Scene #1 Element #2: src is missing", Plan: plan, Addresses: result.Addresses{Movie: "https://video.example/x"},
				Echo: result.Echo{ID: "my-id", ClientData: json.RawMessage(`{}`)},
			},
			`{"success":false,"error":"Scene #1 Element #2: src is missing","project":"Abcdefgh12345678","id":"my-id","client-data":{},"url":null}`,
		},
	}
	for _, tt := range tests {
		got, err := result.Payload(tt.ended)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestPayload_ASuccessNeedsItsFacts(t *testing.T) {
	t.Parallel()
	plan, file := video()
	for _, ended := range []result.Ended{{Success: true, Plan: plan}, {Success: true, File: file}} {
		if got, err := result.Payload(ended); err == nil {
			t.Errorf("a payload without facts: %s", got)
		}
	}
}

func TestReadEcho(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, document, id, data string }{
		{"both", `{"id":"a","client-data":{"x":1}}`, "a", `{"x":1}`},
		{"underline", `{"client_data":{"x":[null]}}`, "", `{"x":[null]}`},
		{"the dash wins", `{"client_data":{"x":1},"client-data":{"x":2}}`, "", `{"x":2}`},
		{"the last of two keys counts", `{"id":"a","id":"b"}`, "b", `{}`},
		{"none", `{"scenes":[]}`, "", `{}`},
		{"null", `{"id":null,"client-data":null}`, "", `{}`},
		{"a number", `{"id":12345678901234567890}`, "12345678901234567890", `{}`},
		{"other types", `{"id":{"x":1},"client-data":[1]}`, "", `{}`},
		{"text", `{"id":"","client-data":"{}"}`, "", `{}`},
		{"inside something else", `{"scenes":[{"id":"a","client-data":{"x":1}}]}`, "", `{}`},
		{"no object", `[]`, "", `{}`},
		{"no JSON", `{"id":"a"`, "", `{}`},
	}
	for _, tt := range tests {
		echo := result.ReadEcho([]byte(tt.document))
		if echo.ID != tt.id || string(echo.ClientData) != tt.data {
			t.Errorf("%s: id %q, client-data %s; want %q, %s", tt.name, echo.ID, echo.ClientData, tt.id, tt.data)
		}
	}
}

func TestAddressesOf(t *testing.T) {
	t.Parallel()
	if got := (result.Tokens{}).AddressesOf("http://x", "p", nil); got != (result.Addresses{}) {
		t.Errorf("a movie without a file has addresses: %+v", got)
	}
	want := result.Addresses{
		Movie: "http://x/v2/renders/t/p.mp4", Thumbnail: "http://x/v2/renders/t/p.jpg", Subtitles: "http://x/v2/renders/t/p.ass",
	}
	if got := (result.Tokens{}).AddressesOf("http://x", "p", &movie.File{Token: "t", Thumbnail: "a", Subtitles: "b"}); got != want {
		t.Errorf("addresses %+v", got)
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		plan movie.Dimensions
		want float64
	}{
		{movie.Dimensions{Frames: 250, FPSNum: 25, FPSDen: 1}, 10},
		{movie.Dimensions{Frames: 1, FPSNum: 25, FPSDen: 1}, 0.04},
		{movie.Dimensions{Frames: 30000, FPSNum: 30000, FPSDen: 1001}, 1001},
		{movie.Dimensions{}, 0},
	} {
		if got := result.Duration(tt.plan); got != tt.want {
			t.Errorf("%+v lasts %v, want %v", tt.plan, got, tt.want)
		}
	}
}
