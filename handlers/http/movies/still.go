package movies

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"moviola/commands/previews"
	"moviola/domain"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
)

// Previews is the command behind POST /movies/still.
type Previews interface {
	Handle(ctx context.Context, cmd previews.Draw) (previews.Drawn, error)
}

// The limits of previews: pixels of the longer side.
const (
	minStillSide = 16
	maxStillSide = 1280
)

// maxMoment is the maximum of the parameter time, in seconds: longer than any movie.
const maxMoment = 1e6

// stills is the answer in JSON, with one or more pictures. Decision 70.
type stills struct {
	Success  bool     `json:"success"`
	Stills   []still  `json:"stills"`
	Width    int      `json:"width"` // width of the movie, in pixels
	Height   int      `json:"height"`
	Duration float64  `json:"duration"` // length of the movie in seconds, as far as the available sources tell
	Frames   int64    `json:"frames"`
	Warnings []string `json:"warnings"`
	// Missing has a sentence for each part of the pictures for which a placeholder is drawn. Exact is true when there is no
	// placeholder. The finished movie then has the length Duration, unless a source changes.
	Missing   []string `json:"missing"`
	Exact     bool     `json:"exact"`
	Timestamp string   `json:"timestamp"`
}

// still is one picture of an answer.
type still struct {
	Time        float64 `json:"time"` // start of the frame, in seconds
	Frame       int64   `json:"frame"`
	Width       int     `json:"width"` // width of the picture, in pixels
	Height      int     `json:"height"`
	ContentType string  `json:"content_type"`
	Data        string  `json:"data"` // the picture's file in base64
}

// stillQuery is the parsed query of POST /movies/still.
type stillQuery struct {
	moments []float64
	fetch   bool
	jpeg    bool
	side    int
}

// stillMovie serves POST /movies/still: pictures of moments of a movie, without a render. One moment is answered with the picture
// itself, unless the client asks for JSON; several moments are answered with JSON.
func (a *API) stillMovie(w http.ResponseWriter, r *http.Request, c access.Call) error {
	query, err := web.ParseQuery(r)
	if err != nil {
		return err
	}
	asked, err := parseStill(query)
	if err != nil {
		return err
	}
	body, err := web.ReadBody(w, r, maxMovieBytes, errTooLarge)
	if err != nil {
		return err
	}
	markDeprecated(w.Header(), body)
	drawn, err := a.cfg.Previews.Handle(r.Context(), previews.Draw{
		Account: c.Account, Body: body, Moments: asked.moments, Fetch: asked.fetch, MaxSide: asked.side,
	})
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	if len(drawn.Pictures) == 1 && !strings.Contains(r.Header.Get("Accept"), "application/json") {
		picture, contentType, err := encodeStill(drawn.Pictures[0].Image, asked.jpeg)
		if err != nil {
			return err
		}
		web.Send(w, http.StatusOK, contentType, picture)
		return nil
	}
	answer := stills{
		Success: true, Stills: []still{}, Width: drawn.Width, Height: drawn.Height, Duration: drawn.Seconds, Frames: drawn.Frames,
		Warnings: nonNil(drawn.Warnings), Missing: nonNil(drawn.Missing), Exact: len(drawn.Missing) == 0, Timestamp: web.Stamp(a.now()),
	}
	for _, p := range drawn.Pictures {
		picture, contentType, err := encodeStill(p.Image, asked.jpeg)
		if err != nil {
			return err
		}
		answer.Stills = append(answer.Stills, still{
			Time: p.Seconds, Frame: p.Frame, Width: p.Image.Bounds().Dx(), Height: p.Image.Bounds().Dy(), ContentType: contentType,
			Data: base64.StdEncoding.EncodeToString(picture),
		})
	}
	return web.Write(w, http.StatusOK, answer)
}

func nonNil(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// parseStill reads the parameters of POST /movies/still.
func parseStill(query url.Values) (q stillQuery, err error) {
	if q.moments, err = parseMoments(query["time"]); err != nil {
		return q, err
	}
	fetch, ok := web.One(query, "fetch")
	if !ok || !slices.Contains([]string{"", "false", "true"}, fetch) {
		return q, domain.Errorf(domain.Invalid, "fetch_invalid", "fetch must be true or false")
	}
	q.fetch = fetch == "true"
	format, ok := web.One(query, "format")
	if !ok || !slices.Contains([]string{"", "png", "jpg", "jpeg"}, format) {
		return q, errStillFormat
	}
	q.jpeg = format == "jpg" || format == "jpeg"
	size, ok := web.One(query, "size")
	if ok && size == "" {
		q.side = maxStillSide
		return q, nil
	}
	q.side, err = strconv.Atoi(size)
	if !ok || err != nil || q.side < minStillSide || q.side > maxStillSide {
		return q, domain.Errorf(domain.Invalid, "size_invalid",
			"size must be the pixels of the picture's longer side: %d to %d", minStillSide, maxStillSide)
	}
	return q, nil
}

// parseMoments reads moments, in seconds from the movie's start. Each text in lists is a list of moments; an empty text
// counts as not set. Decision 7.
func parseMoments(lists []string) (moments []float64, err error) {
	for _, list := range lists {
		if list == "" {
			continue
		}
		for text := range strings.SplitSeq(list, ",") {
			seconds, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil || math.IsNaN(seconds) || seconds < 0 || seconds > maxMoment {
				return nil, domain.Errorf(domain.Invalid, "time_invalid",
					"time must be seconds from the movie's start, such as 1.5, or several with commas between")
			}
			moments = append(moments, seconds)
		}
	}
	if len(moments) > previews.MaxMoments {
		return nil, domain.Errorf(domain.Invalid, "time_invalid", "At most %d moments can be shown at once, %d were asked for",
			previews.MaxMoments, len(moments))
	}
	return moments, nil
}

var errStillFormat = domain.Errorf(domain.Invalid, "format_invalid", "format must be png or jpg")

// stillQuality is the quality of JPEG previews, 1 to 100.
const stillQuality = 88

// encodeStill writes a picture as PNG or JPEG.
func encodeStill(img image.Image, asJPEG bool) (picture []byte, contentType string, err error) {
	var out bytes.Buffer
	if asJPEG {
		// The JPEG encoder reads *image.RGBA many times faster. In an opaque picture both types have the same bytes.
		if straight, ok := img.(*image.NRGBA); ok && straight.Opaque() {
			img = &image.RGBA{Pix: straight.Pix, Stride: straight.Stride, Rect: straight.Rect}
		}
		contentType, err = "image/jpeg", jpeg.Encode(&out, img, &jpeg.Options{Quality: stillQuality})
	} else {
		encoder := png.Encoder{CompressionLevel: png.BestSpeed}
		contentType, err = "image/png", encoder.Encode(&out, img)
	}
	if err != nil {
		return nil, "", fmt.Errorf("encode a preview: %w", err)
	}
	return out.Bytes(), contentType, nil
}
