package result

import (
	"bytes"
	"encoding/json"
	"fmt"

	"moviola/domain"
	"moviola/domain/movie"
)

// Ended is a movie whose render has ended, with everything that a webhook reports about it.
type Ended struct {
	Project domain.ProjectID
	Echo    Echo
	Success bool
	Message string // why the movie has no video
	// Plan and File describe the video. They are used only for a success.
	Plan *movie.Dimensions
	File *movie.File
	// Addresses are empty when the file is deleted.
	Addresses Addresses
	Outputs   []Output // outputs beside the MP4
}

// head has the fields that the payloads of successes and of failures share, in the order of the specification's table.
type head struct {
	Success    bool             `json:"success"`
	Error      string           `json:"error,omitempty"`
	Project    domain.ProjectID `json:"project"`
	ID         string           `json:"id,omitempty"`
	ClientData json.RawMessage  `json:"client-data"`
	URL        *string          `json:"url"`
}

// video is the payload for a movie that was rendered successfully. The colour fields may be null.
type video struct {
	head
	Thumbnail      string   `json:"thumbnail,omitempty"`
	Width          int      `json:"width"`
	Height         int      `json:"height"`
	Duration       float64  `json:"duration"`
	Size           int64    `json:"size"`
	Codec          string   `json:"codec"`
	CodecType      string   `json:"codec_type"`
	PixelFormat    string   `json:"pix_fmt"`
	VideoStreams   int      `json:"video_streams"`
	AudioStreams   int      `json:"audio_streams"`
	FrameRate      float64  `json:"frame_rate"`
	ColorTransfer  *string  `json:"color_transfer"`
	ColorPrimaries *string  `json:"color_primaries"`
	ColorSpace     *string  `json:"color_space"`
	Outputs        []Output `json:"outputs,omitempty"`
}

// Payload returns the flat JSON object that a webhook sends. Spec: Events, Payload fields; decision 35.
func Payload(m Ended) ([]byte, error) {
	h := head{Success: m.Success, Project: m.Project, ID: m.Echo.ID, ClientData: m.Echo.ClientData, URL: orNull(m.Addresses.Movie)}
	if len(h.ClientData) == 0 {
		h.ClientData = json.RawMessage("{}")
	}
	if !m.Success {
		h.Error, h.URL = m.Message, nil
		return encode(h)
	}
	if m.Plan == nil || m.File == nil {
		return nil, fmt.Errorf("movie %s ended well without the facts of its video", m.Project)
	}
	return encode(video{
		head: h, Thumbnail: m.Addresses.Thumbnail,
		Width: m.Plan.Width, Height: m.Plan.Height, Duration: Duration(*m.Plan), Size: m.File.Size,
		Codec: m.File.Codec, CodecType: m.File.CodecType, PixelFormat: m.File.PixelFormat,
		VideoStreams: m.File.VideoStreams, AudioStreams: m.File.AudioStreams, FrameRate: m.File.FrameRate,
		ColorTransfer: orNull(m.File.ColorTransfer), ColorPrimaries: orNull(m.File.ColorPrimaries),
		ColorSpace: orNull(m.File.ColorSpace), Outputs: m.Outputs,
	})
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// encode writes JSON without escaping <, > and &. So the client gets its client-data back unchanged; the JSON is not shown
// in web pages.
func encode(v any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the payload: %w", err)
	}
	return bytes.TrimRight(buffer.Bytes(), "\n"), nil
}
