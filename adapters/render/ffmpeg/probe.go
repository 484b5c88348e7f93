package ffmpeg

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"moviola/commands"
)

const (
	// defaultProbeLimit is the time limit of a probe. Reaching it is the machine's fault, not the file's: the processor time that
	// a file may cost has a limit of its own.
	defaultProbeLimit = 2 * time.Minute

	probeCPU     = 20 * time.Second
	probeOutput  = 1 << 20
	measureLimit = time.Minute
)

// shown is the list of entries that ffprobe is asked for. It contains no text whose length the author of a file could choose.
const shown = "format=format_name,duration,size" +
	":stream=index,codec_type,codec_name,pix_fmt,width,height,sample_aspect_ratio,avg_frame_rate,r_frame_rate,nb_frames,duration," +
	"color_space,color_range,color_transfer,color_primaries,sample_rate,channels" +
	":stream_disposition=attached_pic:stream_tags=alpha_mode:stream_side_data=rotation"

// Probe returns what the file at path contains, read by the named demuxer. It returns commands.ErrNotMedia when ffprobe
// fails, usually because the file is not of that format, when its description is too large, or when it states no length
// and none can be measured in time. It returns ErrStalled when the machine was too busy for the description.
func (t *Tools) Probe(ctx context.Context, path, format string) (commands.Media, error) {
	m, err := t.describe(ctx, path, format)
	if err == nil && m.Duration == 0 && (m.Video != nil || m.Audio != nil) {
		if m.Duration, err = t.measure(ctx, path, format); errors.Is(err, ErrStalled) {
			err = fmt.Errorf("%w: %w", commands.ErrNotMedia, err)
		}
	}
	var exit *ExitError
	switch {
	case errors.As(err, &exit), errors.Is(err, errTooMuch):
		return commands.Media{}, fmt.Errorf("%w: %w", commands.ErrNotMedia, err)
	case err != nil:
		return commands.Media{}, fmt.Errorf("probe: %w", err)
	}
	return m, nil
}

func (t *Tools) describe(ctx context.Context, path, format string) (commands.Media, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, t.probeLimit, ErrStalled)
	defer cancel()
	var out bytes.Buffer
	err := t.run(ctx, process{
		program: t.ffprobe,
		args:    probeArgs(path, format),
		stdout:  &capped{to: &out, left: probeOutput},
		policy:  decoding("ffprobe", []string{path}, "", probeCPU, 0),
	})
	if err != nil {
		return commands.Media{}, err
	}
	var p probed
	if err := json.Unmarshal(out.Bytes(), &p); err != nil {
		return commands.Media{}, fmt.Errorf("%w: read ffprobe's answer: %w", commands.ErrNotMedia, err)
	}
	return p.media(), nil
}

// measure reads a file without a stated length, as browsers record them, and returns its length in seconds.
func (t *Tools) measure(ctx context.Context, path, format string) (float64, error) {
	var length time.Duration
	err := t.Run(ctx, Command{
		Inputs: []Input{{Path: path, Format: format}}, Read: []string{path}, Limit: measureLimit,
		Output: []string{"-map", "0:v?", "-map", "0:a?", "-c", "copy", "-f", "null", "-"},
		Time:   func(at time.Duration) { length = at },
	})
	return length.Seconds(), err
}

func probeArgs(path, format string) []string {
	args := []string{"-v", "error", "-hide_banner", "-probesize", "20M", "-analyzeduration", "10M",
		"-show_entries", shown, "-of", "json"}
	args = append(args, Input{Format: format, probed: true}.guards()...)
	return append(args, "-i", "file:"+path)
}

// probed is ffprobe's answer.
type probed struct {
	Format struct {
		Name     string `json:"format_name"`
		Duration string `json:"duration"`
		Size     string `json:"size"`
	} `json:"format"`
	Streams []probedStream `json:"streams"`
}

type probedStream struct {
	Index          int    `json:"index"`
	Type           string `json:"codec_type"`
	Codec          string `json:"codec_name"`
	PixelFormat    string `json:"pix_fmt"`
	Width          int    `json:"width"`
	Height         int    `json:"height"`
	Aspect         string `json:"sample_aspect_ratio"`
	FrameRate      string `json:"avg_frame_rate"`
	RealRate       string `json:"r_frame_rate"`
	Frames         string `json:"nb_frames"`
	Duration       string `json:"duration"`
	ColorSpace     string `json:"color_space"`
	ColorRange     string `json:"color_range"`
	ColorTransfer  string `json:"color_transfer"`
	ColorPrimaries string `json:"color_primaries"`
	SampleRate     string `json:"sample_rate"`
	Channels       int    `json:"channels"`
	Disposition    struct {
		AttachedPicture int `json:"attached_pic"`
	} `json:"disposition"`
	Tags struct {
		AlphaMode string `json:"alpha_mode"`
	} `json:"tags"`
	SideData []struct {
		Rotation float64 `json:"rotation"`
	} `json:"side_data_list"`
}

func (p probed) media() commands.Media {
	name, _, _ := strings.Cut(p.Format.Name, ",")
	m := commands.Media{Format: name, Duration: number(p.Format.Duration), SizeBytes: int64(number(p.Format.Size))}
	for _, s := range p.Streams {
		switch {
		case s.Type == "video" && s.Disposition.AttachedPicture == 0:
			m.VideoStreams++
			if m.Video == nil {
				m.Video = s.video()
			}
		case s.Type == "audio":
			m.AudioStreams++
			if m.Audio == nil {
				m.Audio = s.audio()
			}
		}
	}
	return m
}

func (s probedStream) video() *commands.VideoStream {
	v := &commands.VideoStream{
		Index: s.Index, Codec: s.Codec, PixelFormat: s.PixelFormat, Width: s.Width, Height: s.Height,
		AspectNum: 1, AspectDen: 1,
		FrameRate: ratio(s.FrameRate), Frames: int64(number(s.Frames)), Duration: number(s.Duration),
		ColorSpace: s.ColorSpace, ColorRange: s.ColorRange, ColorTransfer: s.ColorTransfer, ColorPrimaries: s.ColorPrimaries,
		Alpha: s.Tags.AlphaMode == "1",
	}
	if v.FrameRate == 0 {
		v.FrameRate = ratio(s.RealRate)
	}
	if num, den, ok := strings.Cut(s.Aspect, ":"); ok && number(num) > 0 && number(den) > 0 {
		v.AspectNum, v.AspectDen = int64(number(num)), int64(number(den))
	}
	for _, d := range s.SideData {
		if d.Rotation != 0 { // other side data, such as the brightness of the display, has no rotation
			// ffprobe counts rotation anticlockwise.
			v.Rotation = (360 - int(math.Round(d.Rotation/90))*90%360) % 360
		}
	}
	return v
}

func (s probedStream) audio() *commands.AudioStream {
	return &commands.AudioStream{
		Index: s.Index, Codec: s.Codec, SampleRate: int(number(s.SampleRate)), Channels: s.Channels, Duration: number(s.Duration),
	}
}

// number parses a number of ffprobe; negative numbers and other texts, such as "N/A", are 0.
func number(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || n < 0 {
		return 0
	}
	return n
}

// ratio parses "30000/1001"; an invalid value is 0.
func ratio(text string) float64 {
	num, den, ok := strings.Cut(text, "/")
	if !ok || number(den) == 0 {
		return number(num)
	}
	return number(num) / number(den)
}
