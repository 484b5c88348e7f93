package speech

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/caption"
)

// remote speaks and listens through endpoints of OpenAI's protocol. What such an endpoint says of an error is not shown: it may
// repeat the key.
type remote struct {
	client  *http.Client
	timeout time.Duration
	retries []time.Duration
}

// maxAnswer is the largest answer that is read.
const maxAnswer = 64 << 20

// azureName is a voice name of another service: language, region, name.
var azureName = regexp.MustCompile(`^[a-zA-Z]{2,3}(-[A-Za-z]{2,8})+-[A-Za-z]+Neural$`)

// castRemote chooses model and voice of the endpoint.
func castRemote(j *job, endpoint Endpoint, request commands.SpeechRequest) {
	j.endpoint = endpoint
	j.voice = strings.TrimSpace(request.Voice)
	usual := j.endpoint.Voice
	if usual == "" {
		usual = "alloy"
	}
	switch {
	case j.voice == "":
		j.voice = usual
	case azureName.MatchString(j.voice):
		j.warnings = append(j.warnings, fmt.Sprintf("The voice '%s' is not available, the provider's voice '%s' is used", shown(j.voice), usual))
		j.voice = usual
	}
	if j.endpoint.Model == "" {
		j.endpoint.Model = "tts-1"
	}
	j.engine = "endpoint " + j.endpoint.URL + " " + j.endpoint.Model + " " + alignVersion
}

// speak lets the endpoint speak a script and times its words with the built-in voice, where there is one. Pauses and rates
// inside the script are not honoured there.
func (r *remote) speak(ctx context.Context, j job, builtIn *espeak) (spoken, error) {
	var texts []string
	for _, p := range j.script {
		texts = append(texts, p.text)
	}
	text := strings.Join(texts, " ")
	body, err := json.Marshal(map[string]any{
		"model": j.endpoint.Model, "voice": j.voice, "input": text, "response_format": "wav", "speed": j.speed,
	})
	if err != nil {
		return spoken{}, fmt.Errorf("write speech request: %w", err)
	}
	raw, err := r.post(ctx, call{
		endpoint: j.endpoint, path: "/audio/speech", kind: "application/json", body: body,
		code: codeProvider, advice: fmt.Sprintf("check the voice '%s' and the provider's model", shown(j.voice)),
	})
	if err != nil {
		return spoken{}, err
	}
	made, err := readSpoken(raw, text)
	if err != nil || made.mp3 != nil || builtIn == nil {
		return made, err
	}
	for i := range j.script {
		j.script[i].pause, j.script[i].rate = 0, 1
	}
	if words, ok := builtIn.follow(ctx, j, sound{made.rate, made.joined()}); ok {
		made.words, made.warnings = words, nil
	}
	return made, nil
}

// readSpoken recognises the file and times the words of the text in it.
func readSpoken(raw []byte, text string) (spoken, error) {
	words := flatten(units(text))
	made := spoken{warnings: []string{"The provider does not say when it speaks each word, so the words' times are estimated"}}
	if s, err := readWAV(raw); err == nil && len(s.samples) > 0 {
		made.rate = s.rate
		made.add(s.samples, estimate(s, words))
		return made, nil
	}
	length, ok := mp3Length(raw)
	if !ok {
		return spoken{}, domain.Errorf(domain.Invalid, codeProvider,
			"The speech provider answered with something that is neither WAV nor MP3; check its address and model")
	}
	made.mp3, made.mp3Time, made.words = raw, length, caption.Spread(words, 0, length)
	return made, nil
}

// call is one request to an endpoint.
type call struct {
	endpoint Endpoint
	path     string // below the base
	kind     string // of the body
	body     []byte
	code     string // of errors
	advice   string // what to do when the endpoint refuses the request
}

// errPassing is a failure that may be over a moment later.
var errPassing = errors.New("passing failure")

// post sends a request and returns the answer. Passing failures are tried again.
func (r *remote) post(ctx context.Context, c call) ([]byte, error) {
	for try := 0; ; try++ {
		answer, err := r.once(ctx, c)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !errors.Is(err, errPassing) {
			return answer, err
		}
		if try == len(r.retries) {
			return nil, domain.Errorf(domain.Invalid, c.code, "The speech provider at %s cannot be reached or is overloaded; try again later", hostOf(c.endpoint))
		}
		timer := time.NewTimer(r.retries[try])
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		case <-timer.C:
		}
	}
}

func (r *remote) once(ctx context.Context, c call) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address(), bytes.NewReader(c.body))
	if err != nil {
		return nil, domain.Errorf(domain.Invalid, c.code, "The address of the speech provider is no address of the web")
	}
	request.Header.Set("Content-Type", c.kind)
	if c.endpoint.Key != "" {
		request.Header.Set("Authorization", "Bearer "+c.endpoint.Key)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, errPassing // its text would hold the address
	}
	defer response.Body.Close()
	if err := c.refusal(response.StatusCode); err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, errPassing
	case len(answer) > maxAnswer:
		return nil, domain.Errorf(domain.Invalid, c.code, "The speech provider's answer is larger than %d MB", maxAnswer>>20)
	}
	return answer, nil
}

// address is the base with the path; a base without any path gets the usual /v1.
func (c call) address() string {
	base := strings.TrimRight(c.endpoint.URL, "/")
	if strings.HasSuffix(base, c.path) {
		return base
	}
	if u, err := url.Parse(base); err == nil && u.Path == "" {
		base += "/v1"
	}
	return base + c.path
}

// refusal is what a status other than success means.
func (c call) refusal(status int) error {
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500:
		return errPassing
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return domain.Errorf(domain.Invalid, c.code, "The speech provider at %s refused its key; set the right one", hostOf(c.endpoint))
	case status == http.StatusRequestEntityTooLarge:
		return domain.Errorf(domain.Invalid, c.code, "The speech provider at %s found the request too large; use a shorter text or movie", hostOf(c.endpoint))
	}
	return domain.Errorf(domain.Invalid, c.code, "The speech provider at %s refused the request with status %d; %s", hostOf(c.endpoint), status, c.advice)
}

// hostOf is the part of an endpoint's address that may be shown.
func hostOf(e Endpoint) string {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" {
		return "its address"
	}
	return u.Host
}
