package render

import (
	"fmt"
	"image"
	"strings"

	"moviola/commands"
)

// decoder names the decoder for videos whose transparency ffmpeg's own decoder drops; empty: ffmpeg's own is used.
func decoder(v *commands.VideoStream) string {
	switch {
	case v.Alpha && v.Codec == "vp9":
		return "libvpx-vp9"
	case v.Alpha && v.Codec == "vp8":
		return "libvpx"
	}
	return ""
}

// transparent reports whether frames of a video may have transparent pixels.
func transparent(v *commands.VideoStream) bool {
	if v.Alpha {
		return true
	}
	for _, prefix := range []string{"yuva", "rgba", "bgra", "argb", "abgr", "gbrap", "ya", "pal8"} {
		if strings.HasPrefix(v.PixelFormat, prefix) {
			return true
		}
	}
	return false
}

// highDefinition is the height in pixels from which a video without colour information is taken for bt709, as players do.
// A video of less height is taken for bt709 from a width of 1280 on.
const highDefinition = 720

// matrix names the colour matrix of a video in the terms of ffmpeg's scale filter.
func matrix(v *commands.VideoStream) string {
	switch v.ColorSpace {
	case "bt709":
		return "bt709"
	case "bt470bg", "smpte170m":
		return "bt601"
	case "fcc":
		return "fcc"
	case "smpte240m":
		return "smpte240m"
	case "bt2020nc", "bt2020c":
		return "bt2020"
	}
	if v.Width >= 1280 || v.Height >= highDefinition {
		return "bt709"
	}
	return "bt601"
}

// fullRange reports whether the video uses full range: black is 0 and white 255.
func fullRange(v *commands.VideoStream) bool {
	return v.ColorRange == "pc" || (v.ColorRange == "" && strings.HasPrefix(v.PixelFormat, "yuvj"))
}

// rgb reports whether the frames are RGB, so that there is no colour matrix.
func rgb(v *commands.VideoStream) bool {
	for _, part := range []string{"rgb", "bgr", "gbr", "pal8"} {
		if strings.Contains(v.PixelFormat, part) {
			return true
		}
	}
	return false
}

// scaled returns the filters that scale a video and convert it to bt709 in limited range. They name every matrix, because ffmpeg
// assumes bt601.
func scaled(v *commands.VideoStream, w, h int) []string {
	format := "yuv420p"
	if transparent(v) {
		format = "yuva420p"
	}
	if v.ColorTransfer == "smpte2084" || v.ColorTransfer == "arib-std-b67" {
		return toneMapped(v, w, h)
	}
	from, inRange := matrix(v), "tv"
	if fullRange(v) {
		inRange = "pc"
	}
	size := fmt.Sprintf("scale=w=%d:h=%d:flags=bicubic+accurate_rnd+full_chroma_int", w, h)
	if rgb(v) {
		return []string{size + ":out_color_matrix=bt709:out_range=tv", "format=" + format}
	}
	return []string{
		fmt.Sprintf("%s:in_color_matrix=%s:in_range=%s:out_color_matrix=bt709:out_range=tv", size, from, inRange),
		"format=" + format,
	}
}

// fitting reports whether a video already has the wanted size and colours. Such a video gets no scale filter: even without
// effect, the filter would cost milliseconds per frame.
func fitting(v *commands.VideoStream, size image.Point) bool {
	return v.Width == size.X && v.Height == size.Y && v.AspectNum == v.AspectDen && v.Rotation == 0 &&
		v.PixelFormat == "yuv420p" && !v.Alpha && v.ColorSpace == "bt709" && !fullRange(v) &&
		v.ColorTransfer != "smpte2084" && v.ColorTransfer != "arib-std-b67"
}

// toneMapped returns the filters that convert high dynamic range to standard range. Paper white (203 nits) becomes a light grey,
// darker colours stay about the same, and 1000 nits become white, as in browsers. An alpha channel stays as it is.
func toneMapped(v *commands.VideoStream, w, h int) []string {
	linearFormat, format := "gbrpf32le", "yuv420p"
	if transparent(v) {
		linearFormat, format = "gbrapf32le", "yuva420p"
	}
	rangeIn, linear := "limited", "t=linear:npl=203"
	if fullRange(v) {
		rangeIn = "full"
	}
	if v.ColorTransfer == "arib-std-b67" {
		// zscale's approximation would brighten each channel separately instead of all by the luminance, and make colours too
		// strong.
		linear += ":agamma=false"
	}
	return []string{
		fmt.Sprintf("zscale=w=%d:h=%d:f=bicubic:rin=%s:min=2020_ncl:pin=2020:tin=%s:%s", w, h, rangeIn, v.ColorTransfer, linear),
		"format=" + linearFormat, "zscale=p=709", "tonemap=tonemap=reinhard:peak=4.93:desat=0",
		"zscale=t=709:m=709:r=limited", "format=" + format,
	}
}
