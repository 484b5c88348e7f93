package speech

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/caption"
)

// ElevenLabs by its own protocol: it usually returns each chunk of a text with the times of its characters, from which the
// times of words are computed. docs/voices.md names the documentation of each detail.

const (
	// elevenFormat is 16-bit samples without a header, at elevenRate samples per second. Sounds in this format can be joined, and
	// all price plans of ElevenLabs have it.
	elevenFormat, elevenRate = "pcm_24000", 24000
	elevenUsualModel         = "eleven_multilingual_v2"
)

// elevenModels maps the model names that movies use to the model names of ElevenLabs.
var elevenModels = map[string]string{
	"": elevenUsualModel, "azure": elevenUsualModel, "elevenlabs": elevenUsualModel, "elevenlabs-v2": elevenUsualModel,
	"elevenlabs-v3": "eleven_v3", "elevenlabs-flash-v2-5": "eleven_flash_v2_5",
}

// elevenID matches the id of a voice of ElevenLabs; any other text is the name of a voice.
var elevenID = regexp.MustCompile(`^[A-Za-z0-9]{20}$`)

// castElevenLabs selects model and settings. The voice is looked up when the text is spoken.
func castElevenLabs(j *job, request commands.SpeechRequest) {
	j.voice = strings.TrimSpace(request.Voice)
	model := strings.ToLower(strings.TrimSpace(j.endpoint.Model))
	known, ok := elevenModels[model]
	switch {
	case ok:
		j.endpoint.Model = known
	case !strings.HasPrefix(model, "eleven_"):
		j.warnings = append(j.warnings, fmt.Sprintf("The voice model '%s' is unknown, '%s' is used", shown(j.endpoint.Model),
			elevenUsualModel))
		j.endpoint.Model = elevenUsualModel
	}
	j.tuning = readTuning(request.Settings)
	tuning, _ := json.Marshal(j.tuning) // numbers and booleans only: encoding cannot fail
	j.engine = "elevenlabs " + j.endpoint.URL + " " + j.endpoint.Model + " " + j.endpoint.Voice + " " + string(tuning)
}

// readTuning reads the settings that ElevenLabs gets, from voice_settings of model-settings, or from model-settings itself
// when it has no voice_settings. It leaves out the speed, which speedOf reads for every engine.
func readTuning(settings map[string]any) map[string]any {
	inner := settings
	for _, name := range []string{"voice_settings", "voice-settings"} {
		if given, ok := settings[name].(map[string]any); ok {
			inner = given
		}
	}
	tuning := map[string]any{}
	for _, name := range []string{"stability", "similarity_boost", "style"} {
		if n, ok := plainNumber(inner[name]); ok {
			tuning[name] = min(max(n, 0), 1)
		}
	}
	if boost, ok := inner["use_speaker_boost"].(bool); ok {
		tuning["use_speaker_boost"] = boost
	}
	return tuning
}

// speakElevenLabs makes the speech of the job's script, with one request to ElevenLabs per chunk.
func (r *remote) speakElevenLabs(ctx context.Context, j job, builtIn *espeak) (spoken, error) {
	voice, warning, err := r.elevenVoice(ctx, j)
	if err != nil {
		return spoken{}, err
	}
	made := spoken{rate: elevenRate}
	if warning != "" {
		made.warnings = append(made.warnings, warning)
	}
	timed := true
	for _, c := range chunks(j.script, true, 0) {
		said, words, err := r.elevenChunk(ctx, j, voice, c.passages)
		if err != nil {
			return spoken{}, err
		}
		timed = timed && words != nil
		made.add(make([]int16, int(c.pause.Seconds()*elevenRate)), nil)
		made.add(said, words)
	}
	if timed {
		return made, nil
	}
	all := sound{made.rate, made.joined()}
	if builtIn != nil {
		if words, ok := builtIn.follow(ctx, j, all); ok {
			made.words = words
			return made, nil
		}
	}
	made.words = estimate(all, flatten(units(j.script.text())))
	made.warnings = append(made.warnings, "ElevenLabs did not say when it speaks each word, so the words' times are estimated")
	return made, nil
}

// elevenChunk makes the speech of one chunk. The words are nil if the answer of ElevenLabs has no times, or times of another
// text.
func (r *remote) elevenChunk(ctx context.Context, j job, voice string, s script) ([]int16, []caption.Word, error) {
	settings := map[string]any{}
	for name, value := range j.tuning {
		settings[name] = value
	}
	if speed := j.speed * s[0].rate; speed != 1 {
		settings["speed"] = min(max(speed, 0.7), 1.2)
	}
	order := map[string]any{"text": s.text(), "model_id": j.endpoint.Model}
	if len(settings) > 0 {
		order["voice_settings"] = settings
	}
	body, err := json.Marshal(order)
	if err != nil {
		return nil, nil, fmt.Errorf("write speech request: %w", err)
	}
	raw, err := r.send(ctx, call{
		endpoint: j.endpoint, method: http.MethodPost, body: body,
		address: strings.TrimRight(j.endpoint.URL, "/") + "/v1/text-to-speech/" + url.PathEscape(voice) +
			"/with-timestamps?output_format=" + elevenFormat,
		headers: map[string]string{"Content-Type": "application/json", "xi-api-key": j.endpoint.Key},
		code:    codeProvider, advice: fmt.Sprintf("check the voice '%s' and the model '%s'", shown(j.voice), shown(j.endpoint.Model)),
	})
	if err != nil {
		return nil, nil, err
	}
	var answer struct {
		Audio     string     `json:"audio_base64"`
		Alignment *alignment `json:"alignment"`
	}
	sound := []byte(nil)
	if err = json.Unmarshal(raw, &answer); err == nil {
		sound, err = base64.StdEncoding.DecodeString(answer.Audio)
	}
	if err != nil || len(sound) < 2 {
		return nil, nil, domain.Errorf(domain.Invalid, codeProvider, "ElevenLabs answered with something that is no speech; "+
			"check the connection's address")
	}
	samples := make([]int16, len(sound)/2)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(sound[2*i:]))
	}
	return samples, answer.Alignment.words(flatten(units(s.text())), playTime(len(samples), elevenRate)), nil
}

// alignment holds the times of the characters of a text.
type alignment struct {
	Characters []string  `json:"characters"`
	Starts     []float64 `json:"character_start_times_seconds"`
	Ends       []float64 `json:"character_end_times_seconds"`
}

// words returns the given words with their times in a speech of the given length. It returns nil if a is nil or
// incomplete, or if the characters of a do not spell the given words.
func (a *alignment) words(words []string, length time.Duration) []caption.Word {
	if a == nil || len(a.Starts) != len(a.Characters) || len(a.Ends) != len(a.Characters) {
		return nil
	}
	moment := func(seconds float64) time.Duration {
		return min(max(time.Duration(seconds*float64(time.Second)), 0), length)
	}
	timed := make([]caption.Word, 0, len(words))
	at, last := 0, time.Duration(0)
	for _, word := range words {
		first := -1
		for rest := word; rest != ""; at++ {
			if at == len(a.Characters) {
				return nil
			}
			c := a.Characters[at]
			if strings.TrimFunc(c, unicode.IsSpace) == "" {
				continue
			}
			cut, ok := strings.CutPrefix(rest, c)
			if !ok {
				return nil
			}
			if first < 0 {
				first = at
			}
			rest = cut
		}
		if first < 0 {
			return nil
		}
		start := max(moment(a.Starts[first]), last)
		end := max(moment(a.Ends[at-1]), start)
		timed, last = append(timed, caption.Word{Text: word, Start: start, End: end}), start
	}
	return timed
}

// elevenVoices is the answer of ElevenLabs that lists the voices to which the API key gives access.
type elevenVoices struct {
	Voices []elevenVoice `json:"voices"`
}

type elevenVoice struct {
	ID       string            `json:"voice_id"`
	Name     string            `json:"name"`
	Labels   map[string]string `json:"labels"`
	Verified []struct {
		Language string `json:"language"`
		Locale   string `json:"locale"`
	} `json:"verified_languages"`
}

// elevenVoice returns the id of the voice to use, and a warning if the movie names another voice.
func (r *remote) elevenVoice(ctx context.Context, j job) (id, warning string, err error) {
	wanted := j.voice
	azure, isAzure := readAzureName(wanted)
	if (wanted == "" || isAzure) && j.endpoint.Voice != "" {
		if isAzure {
			warning = fmt.Sprintf("The voice '%s' is not available, the connection's voice '%s' is used", shown(wanted),
				shown(j.endpoint.Voice))
		}
		wanted, isAzure = j.endpoint.Voice, false
	}
	if elevenID.MatchString(wanted) {
		return wanted, warning, nil
	}
	raw, err := r.send(ctx, call{
		endpoint: j.endpoint, method: http.MethodGet, address: strings.TrimRight(j.endpoint.URL, "/") + "/v1/voices",
		headers: map[string]string{"xi-api-key": j.endpoint.Key},
		code:    codeProvider, advice: "give the voice by its id, so that the list of voices is not needed",
	})
	if err != nil {
		return "", "", err
	}
	var list elevenVoices
	if json.Unmarshal(raw, &list) != nil || len(list.Voices) == 0 {
		return "", "", domain.Errorf(domain.Invalid, codeProvider, "ElevenLabs lists no voice for this key; give the voice by its id")
	}
	if i := slices.IndexFunc(list.Voices, func(v elevenVoice) bool { return v.called(wanted) }); i >= 0 && wanted != "" {
		return list.Voices[i].ID, warning, nil
	}
	best := list.Voices[0]
	for _, v := range list.Voices[1:] {
		if isAzure && v.fits(azure) > best.fits(azure) {
			best = v
		}
	}
	if wanted != "" {
		warning = fmt.Sprintf("The voice '%s' is not available, '%s' is used", shown(wanted), shown(best.Name))
	}
	return best.ID, warning, nil
}

// called reports whether name is the whole name of a voice, or its first word, as "Roger" is of "Roger - Laid-Back".
func (v elevenVoice) called(name string) bool {
	first, _, _ := strings.Cut(v.Name, " ")
	return strings.EqualFold(v.Name, name) || strings.EqualFold(first, name)
}

// fits returns a score for the similarity of a voice to a voice of Azure Speech: by language first, then gender, then region.
func (v elevenVoice) fits(a azureVoice) int {
	points := 0
	language, region := strings.EqualFold(v.Labels["language"], a.language()), false
	for _, verified := range v.Verified {
		language = language || strings.EqualFold(verified.Language, a.language())
		region = region || strings.EqualFold(verified.Locale, a.locale)
	}
	if language {
		points += 4
	}
	if g := a.gender.word(); g != "" && strings.EqualFold(v.Labels["gender"], g) {
		points += 2
	}
	if region {
		points++
	}
	return points
}
