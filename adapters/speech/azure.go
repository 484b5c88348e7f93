package speech

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"moviola/commands"
	"moviola/domain"
)

// Azure Speech by its own protocol, text to speech over REST: a POST of SSML for each chunk of a text, answered with a
// sound. It does not report the times of words. docs/voices.md names the documentation of each detail.

const (
	azurePath   = "/cognitiveservices/v1"
	azureFormat = "riff-24khz-16bit-mono-pcm"
	// azureLongest is the length at which Azure Speech cuts off a longer sound.
	azureLongest = 10 * time.Minute
	// azureUsual is the default voice.
	azureUsual = "en-GB-LibbyNeural"
)

// azureStyle holds the attributes style, styledegree and role of the SSML element mstts:express-as.
type azureStyle struct{ style, degree, role string }

// castAzure selects the voice of Azure Speech and its style.
func castAzure(j *job, request commands.SpeechRequest) {
	usual := j.endpoint.Voice
	if usual == "" {
		usual = azureUsual
	}
	j.voice = strings.TrimSpace(request.Voice)
	if _, ok := readAzureName(j.voice); !ok && j.voice != "" {
		instead := usual
		if languageTag.MatchString(j.voice) && azureDefault(j.voice) != "" {
			instead = azureDefault(j.voice)
		}
		j.warnings = append(j.warnings, fmt.Sprintf("The voice '%s' is none of Azure Speech, '%s' is used", shown(j.voice), instead))
		j.voice = instead
	}
	if j.voice == "" {
		j.voice = usual
	}
	j.style = readAzureStyle(request.Settings)
	if inner, ok := speakable(request.Text); ok && len([]rune(inner)) <= maxText {
		j.markup = inner
		if strings.Contains(inner, "<voice") && (j.speed != 1 || j.style != azureStyle{}) {
			j.warnings = append(j.warnings, "The text names its voices itself, so speed and style of 'model-settings' do not "+
				"count; write them into the text")
		}
	}
	j.engine = "azure-speech " + j.endpoint.URL + " " + alignVersion
}

// readAzureStyle reads style, styledegree and role of model-settings. Invalid values are ignored; styledegree is limited to
// the range from 0.01 to 2.
func readAzureStyle(settings map[string]any) azureStyle {
	var s azureStyle
	if style, ok := settings["style"].(string); ok && azureWord.MatchString(style) {
		s.style = style
	}
	if role, ok := settings["role"].(string); ok && azureWord.MatchString(role) {
		s.role = role
	}
	for _, name := range []string{"styledegree", "style-degree"} {
		if degree, ok := plainNumber(settings[name]); ok {
			s.degree = strconv.FormatFloat(min(max(degree, 0.01), 2), 'f', 2, 64)
		}
	}
	return s
}

// speakable returns the content of the SSML element speak. Without that element, the whole text is its content. false: text
// is not well-formed SSML, or contains a processing instruction or directive.
func speakable(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if !isSSML(text) {
		return "", false
	}
	if !strings.HasPrefix(strings.ToLower(text), "<speak") {
		text = "<speak>" + text + "</speak>"
	}
	decoder := xml.NewDecoder(strings.NewReader(text))
	depth, from, to := 0, int64(-1), int64(-1)
	for {
		at := decoder.InputOffset()
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || to >= 0 {
			return "", false // the text is not well-formed, or goes on after the end tag of the element speak
		}
		switch token.(type) {
		case xml.StartElement:
			if depth++; depth == 1 {
				from = decoder.InputOffset()
			}
		case xml.EndElement:
			if depth--; depth == 0 {
				to = at
			}
		case xml.ProcInst, xml.Directive:
			return "", false
		}
	}
	if to < from || from < 0 {
		return "", false
	}
	return text[from:to], true
}

// speakAzure makes the speech of the job's script, with one request to Azure Speech per chunk.
func (r *remote) speakAzure(ctx context.Context, j job, builtIn *espeak) (spoken, error) {
	var made spoken
	for _, ssml := range azureChunks(j) {
		raw, err := r.send(ctx, call{
			endpoint: j.endpoint, method: http.MethodPost, address: strings.TrimRight(j.endpoint.URL, "/") + azurePath, body: []byte(ssml),
			headers: map[string]string{
				"Content-Type": "application/ssml+xml", "X-Microsoft-OutputFormat": azureFormat, "User-Agent": "Moviola",
				"Ocp-Apim-Subscription-Key": j.endpoint.Key,
			},
			code: codeProvider, advice: fmt.Sprintf("check the voice '%s', its style and the connection's region", shown(j.voice)),
		})
		if err != nil {
			return spoken{}, err
		}
		part, err := readWAV(raw)
		if err != nil || len(part.samples) == 0 || made.rate != 0 && part.rate != made.rate {
			return spoken{}, domain.Errorf(domain.Invalid, codeProvider,
				"Azure Speech answered with something that is no WAV; check the connection's address")
		}
		if part.length() >= azureLongest-time.Second {
			made.warnings = append(made.warnings, "Azure Speech speaks at most 10 minutes of one marked-up text, the rest is "+
				"missing; use several voice elements")
		}
		made.rate = part.rate
		made.add(part.samples, nil)
	}
	made.words = estimate(sound{made.rate, made.joined()}, flatten(units(j.script.text())))
	if builtIn != nil {
		if words, ok := builtIn.follow(ctx, j, sound{made.rate, made.joined()}); ok {
			made.words = words
			return made, nil
		}
	}
	made.warnings = append(made.warnings, "Azure Speech does not say over REST when it speaks each word, so the words' times "+
		"are estimated")
	return made, nil
}

// azureChunks returns the SSML documents of a job.
func azureChunks(j job) []string {
	if j.markup != "" {
		return []string{j.document(j.markup, strings.Contains(j.markup, "<voice"))}
	}
	var all []string
	for _, c := range chunks(j.script, false, j.speed) {
		var b strings.Builder
		for _, p := range c.passages {
			if p.pause > 0 {
				fmt.Fprintf(&b, `<break time="%dms"/>`, p.pause.Milliseconds())
			}
			b.WriteString(prosodyTag(p.rate, p.pitch, escaped(p.text)))
			b.WriteByte(' ')
		}
		all = append(all, j.document(strings.TrimSpace(b.String()), false))
	}
	return all
}

// document returns the SSML document for the SSML inner. Unless inner names voices of its own (ownVoices), it puts inner into the
// elements for the job's voice, style and rate.
func (j job) document(inner string, ownVoices bool) string {
	locale := "en-US" // used for a custom voice, whose name contains no locale
	if v, ok := readAzureName(j.voice); ok {
		locale = v.locale
	}
	if !ownVoices {
		inner = prosodyTag(j.speed, 1, inner)
		if s := j.style; s.style != "" || s.role != "" {
			tag := "<mstts:express-as"
			for _, a := range [][2]string{{"role", s.role}, {"style", s.style}, {"styledegree", s.degree}} {
				if a[1] != "" {
					tag += fmt.Sprintf(` %s="%s"`, a[0], escaped(a[1]))
				}
			}
			inner = tag + ">" + inner + "</mstts:express-as>"
		}
		inner = fmt.Sprintf(`<voice name="%s">%s</voice>`, escaped(j.voice), inner)
	}
	return fmt.Sprintf(`<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" `+
		`xmlns:mstts="https://www.w3.org/2001/mstts" xml:lang="%s">%s</speak>`,
		locale, inner)
}

// prosodyTag returns the SSML inner in an element that sets rate and pitch, each relative to the normal one, 1. When both are 1,
// it returns inner unchanged.
func prosodyTag(rate, pitch float64, inner string) string {
	attributes := ""
	for _, a := range []struct {
		name  string
		value float64
	}{{"rate", rate}, {"pitch", pitch}} {
		if a.value != 1 {
			attributes += fmt.Sprintf(` %s="%+.2f%%"`, a.name, (a.value-1)*100)
		}
	}
	if attributes == "" {
		return inner
	}
	return "<prosody" + attributes + ">" + inner + "</prosody>"
}

// escaped escapes a text for XML.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a write to a Builder never fails
	return b.String()
}
