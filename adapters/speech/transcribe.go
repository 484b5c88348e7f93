package speech

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"mime/multipart"
	"os"
	"path/filepath"
	"strings"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/caption"
)

const (
	maxUpload   = 25 << 20 // largest sound file that providers of transcription accept, in bytes
	maxPrompt   = 800      // largest number of characters in the prompt of a transcription: providers cut longer ones
	maxHeard    = 30_000
	maxTimeSecs = 24 * 3600
)

// Transcribe returns the words spoken in a sound file. See render.Transcriber. Decision 48.
func (e *Engine) Transcribe(ctx context.Context, request commands.TranscriptionRequest) ([]caption.Word, error) {
	endpoint, err := e.listener(ctx, request)
	if err != nil {
		return nil, err
	}
	key, err := transcriptKey(endpoint, request)
	if err != nil {
		return nil, fmt.Errorf("read sound to transcribe: %w", err)
	}
	s := e.folderOf(request.Account)
	if words, ok := s.heard(key); ok {
		return words, nil
	}
	if words, ok := e.takeHeard(ctx, s, request.Account, key); ok {
		return words, nil
	}
	kind, body, err := transcriptionForm(endpoint, request)
	if err != nil {
		return nil, fmt.Errorf("read sound to transcribe: %w", err)
	}
	raw, err := e.remote.send(ctx, call{
		endpoint: endpoint, address: openAIAddress(endpoint, "/audio/transcriptions"), headers: bearer(endpoint, kind), body: body,
		code: codeTranscription, advice: "check the language and the provider's model",
	})
	if err != nil {
		return nil, err
	}
	words, err := readTranscript(raw)
	if err != nil {
		return nil, err
	}
	if err := s.keepHeard(key, words); err != nil {
		return nil, err
	}
	e.keepMade(ctx, s, request.Account, key, "")
	return words, nil
}

// listener returns the endpoint that transcribes a sound.
func (e *Engine) listener(ctx context.Context, request commands.TranscriptionRequest) (Endpoint, error) {
	endpoint := e.cfg.Transcription
	if request.Connection != "" {
		var err error
		if endpoint, err = e.saved(ctx, request.Account, request.Connection); err != nil {
			return Endpoint{}, err
		}
		if endpoint.Provider != "" {
			return Endpoint{}, domain.Errorf(domain.Invalid, codeNoProvider,
				"The connection '%s' only speaks (provider %s); subtitles of sound need one of provider openai",
				shown(request.Connection), endpoint.Provider)
		}
		// If the connection sets no model, the movie may choose one, because the account pays for it. The models default and whisper
		// mean that the movie chooses none.
		if endpoint.Model == "" && request.Model != "default" && request.Model != "whisper" {
			endpoint.Model = request.Model
		}
	}
	if endpoint.URL == "" {
		return Endpoint{}, domain.Errorf(domain.Invalid, codeNoProvider,
			"Subtitles of sound need a transcription provider, and none is configured; set one, or give 'captions', or let "+
				"voice elements speak")
	}
	if endpoint.Model == "" {
		endpoint.Model = "whisper-1"
	}
	return endpoint, nil
}

// transcriptKey is the cache key of a transcript.
func transcriptKey(endpoint Endpoint, request commands.TranscriptionRequest) (string, error) {
	hash, err := commands.HashOfFile(request.Path)
	if err != nil {
		return "", err
	}
	parts := append([]string{"heard", endpoint.URL, endpoint.Model, hash, languageCode(request.Language)}, request.Keywords...)
	return hashText(strings.Join(parts, "\x00")), nil
}

func transcriptionForm(endpoint Endpoint, request commands.TranscriptionRequest) (kind string, body []byte, err error) {
	file, err := os.Open(request.Path)
	if err != nil {
		return "", nil, err
	}
	defer file.Close()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	fields := [][2]string{
		{"model", endpoint.Model}, {"response_format", "verbose_json"},
		{"timestamp_granularities[]", "word"}, {"timestamp_granularities[]", "segment"},
	}
	if code := languageCode(request.Language); code != "" {
		fields = append(fields, [2]string{"language", code})
	}
	if len(request.Keywords) > 0 {
		prompt := []rune(strings.Join(request.Keywords, ", "))
		fields = append(fields, [2]string{"prompt", string(prompt[:min(len(prompt), maxPrompt)])})
	}
	for _, f := range fields {
		if err := form.WriteField(f[0], f[1]); err != nil {
			return "", nil, err
		}
	}
	part, err := form.CreateFormFile("file", "sound"+filepath.Ext(request.Path))
	if err != nil {
		return "", nil, err
	}
	switch n, err := io.Copy(part, io.LimitReader(file, maxUpload+1)); {
	case err != nil:
		return "", nil, err
	case n > maxUpload:
		return "", nil, domain.Errorf(domain.Invalid, codeTranscription,
			"The sound is too large to be transcribed: at most %d MB can be sent", maxUpload>>20)
	}
	if err := form.Close(); err != nil {
		return "", nil, err
	}
	return form.FormDataContentType(), b.Bytes(), nil
}

// languageCode is the ISO 639-1 code of a language of the schema; empty: the provider detects it.
func languageCode(language string) string {
	base, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(language)), "-")
	if len(base) != 2 {
		return ""
	}
	return base
}

// transcript is a provider's answer to a transcription, in the format verbose_json. Times are in seconds.
type transcript struct {
	Text     string    `json:"text"`
	Words    []heard   `json:"words"`
	Segments []segment `json:"segments"`
}

type heard struct {
	Word  string  `json:"word"`
	Start float64 `json:"start"`
	End   float64 `json:"end"`
}

func (h heard) timed() caption.Word {
	return caption.Word{Text: strings.TrimSpace(h.Word), Start: duration(h.Start), End: duration(h.End)}
}

type segment struct {
	Text  string  `json:"text"`
	Start float64 `json:"start"`
	End   float64 `json:"end"`
	Words []heard `json:"words"`
}

// readTranscript reads the words of an answer. If a provider times whole segments only, the words share the time of their
// segment.
func readTranscript(raw []byte) ([]caption.Word, error) {
	var t transcript
	if err := json.Unmarshal(raw, &t); err != nil {
		return nil, domain.Errorf(domain.Invalid, codeTranscription,
			"The transcription provider's answer is no JSON of the form verbose_json; check its address and model")
	}
	var words []caption.Word
	for _, w := range t.Words {
		words = append(words, w.timed())
	}
	if len(words) == 0 {
		words = segmentWords(t.Segments)
	} else {
		punctuate(words, t)
	}
	if len(words) == 0 && strings.TrimSpace(t.Text) != "" {
		return nil, errNoTimes
	}
	return words[:min(len(words), maxHeard)], nil
}

var errNoTimes = domain.Errorf(domain.Invalid, codeTranscription,
	"The transcription provider gives no times; use a model that answers verbose_json with words or segments")

func segmentWords(segments []segment) []caption.Word {
	var words []caption.Word
	for _, s := range segments {
		for _, w := range s.Words {
			words = append(words, w.timed())
		}
		if len(s.Words) == 0 {
			start := duration(s.Start)
			words = append(words, caption.Spread(caption.SplitWords(s.Text), start, max(duration(s.End), start))...)
		}
	}
	return words
}

// punctuate adds the punctuation and capitals of the running text to the words, because providers omit them in the list of words.
func punctuate(words []caption.Word, t transcript) {
	text := t.Text
	if text == "" {
		for _, s := range t.Segments {
			text += " " + s.Text
		}
	}
	const reach = 8 // each of the words is searched for among this many words of text
	written := caption.SplitWords(text)
	next := 0
	for i := range words {
		folded := caption.Fold(words[i].Text)
		for k := next; k < min(next+reach, len(written)); k++ {
			if folded != "" && caption.Fold(written[k]) == folded {
				words[i].Text, next = written[k], k+1
				break
			}
		}
	}
}

func duration(seconds float64) time.Duration {
	if math.IsNaN(seconds) {
		return 0
	}
	return time.Duration(min(max(seconds, 0), maxTimeSecs) * float64(time.Second))
}
