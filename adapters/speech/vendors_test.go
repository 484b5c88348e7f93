package speech_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"moviola/adapters/speech"
	"moviola/commands"
	"moviola/domain"
)

// vendor stands in for Azure Speech and ElevenLabs as their documentation describes them (docs/voices.md): what it does not describe is
// refused.
type vendor struct {
	*httptest.Server
	ssml   chan string         // the SSML that Azure was sent
	orders chan map[string]any // the requests that ElevenLabs was sent, with the voice of the path as voice_id
	lists  chan bool           // an item for each time that ElevenLabs' voices were listed
	// before is called first; true: it has answered the request.
	before func(w http.ResponseWriter) (answered bool)
}

func newVendor(t *testing.T) *vendor {
	t.Helper()
	v := &vendor{ssml: make(chan string, 20), orders: make(chan map[string]any, 20), lists: make(chan bool, 20)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /cognitiveservices/v1", func(w http.ResponseWriter, r *http.Request) { v.azure(t, w, r) })
	mux.HandleFunc("POST /v1/text-to-speech/{voice}/with-timestamps", func(w http.ResponseWriter, r *http.Request) { v.eleven(t, w, r) })
	mux.HandleFunc("GET /v1/voices", func(w http.ResponseWriter, r *http.Request) {
		v.lists <- true
		if r.Header.Get("xi-api-key") != secret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		write(t, w, []byte(elevenVoices))
	})
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.String(), secret) {
			t.Errorf("the key is in the address %s", r.URL)
		}
		if v.before != nil && v.before(w) {
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(v.Close)
	return v
}

const elevenVoices = `{"voices":[
	{"voice_id":"AAAAAAAAAAAAAAAAAAAA","name":"Roger - Laid-Back, Casual","labels":{"gender":"male","language":"en"},"verified_languages":[{"language":"en","locale":"en-US"}]},
	{"voice_id":"BBBBBBBBBBBBBBBBBBBB","name":"Rachel","labels":{"gender":"female","language":"en"}},
	{"voice_id":"CCCCCCCCCCCCCCCCCCCC","name":"Otto","labels":{"gender":"male"},"verified_languages":[{"language":"de","locale":"de-DE"}]},
	{"voice_id":"DDDDDDDDDDDDDDDDDDDD","name":"Greta","labels":{"gender":"female"},"verified_languages":[{"language":"de","locale":"de-AT"}]}]}`

func (v *vendor) azure(t *testing.T, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	switch {
	case r.Header.Get("Ocp-Apim-Subscription-Key") != secret:
		w.WriteHeader(http.StatusUnauthorized)
	case r.Header.Get("Content-Type") != "application/ssml+xml":
		w.WriteHeader(http.StatusUnsupportedMediaType)
	case r.Header.Get("X-Microsoft-OutputFormat") != "riff-24khz-16bit-mono-pcm", r.Header.Get("User-Agent") == "", xml.Unmarshal(body, new(struct{})) != nil:
		w.WriteHeader(http.StatusBadRequest)
	default:
		v.ssml <- string(body)
		write(t, w, twoParts())
	}
}

// eleven speaks a tenth of a second for each character.
func (v *vendor) eleven(t *testing.T, w http.ResponseWriter, r *http.Request) {
	var order map[string]any
	if json.NewDecoder(r.Body).Decode(&order) != nil || r.URL.Query().Get("output_format") != "pcm_24000" {
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	if r.Header.Get("xi-api-key") != secret {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	order["voice_id"] = r.PathValue("voice")
	v.orders <- order
	var characters []string
	var starts, ends []float64
	for i, c := range []rune(order["text"].(string)) {
		characters = append(characters, string(c))
		starts, ends = append(starts, float64(i)/10), append(ends, float64(i+1)/10)
	}
	answer := map[string]any{
		"audio_base64": base64.StdEncoding.EncodeToString(make([]byte, 4800*len(characters))),
		"alignment":    map[string]any{"characters": characters, "character_start_times_seconds": starts, "character_end_times_seconds": ends},
	}
	if strings.Contains(order["text"].(string), "untimed") {
		answer["alignment"] = nil
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		t.Error(err)
	}
	write(t, w, raw)
}

func vendorEngine(t *testing.T, v *vendor, provider string, change func(*speech.Config)) *speech.Engine {
	t.Helper()
	cfg := speech.Config{Client: v.Client(), Speech: speech.Endpoint{Provider: provider, URL: v.URL, Key: secret}, Espeak: "/nonexistent/espeak-ng"}
	if change != nil {
		change(&cfg)
	}
	return newEngine(t, cfg)
}

func TestSpeak_Azure(t *testing.T) {
	t.Parallel()
	const head = `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xmlns:mstts="https://www.w3.org/2001/mstts" xml:lang="`
	for _, tt := range []struct {
		name, text, voice string
		settings          map[string]any
		want, warning     string
	}{
		{"plain", "Fish & chips <3", "de-DE-KatjaNeural", nil, head + `de-DE"><voice name="de-DE-KatjaNeural">Fish &amp; chips &lt;3</voice></speak>`, ""},
		{"no voice", "Hello", "", nil, head + `en-GB"><voice name="en-GB-LibbyNeural">Hello</voice></speak>`, ""},
		{"a language", "Bonjour", "fr-CA", nil, head + `fr-CA"><voice name="fr-CA-SylvieNeural">Bonjour</voice></speak>`, "The voice 'fr-CA' is none of Azure Speech, 'fr-CA-SylvieNeural' is used"},
		{"another service's voice", "Hello", "Rachel", nil, head + `en-GB"><voice name="en-GB-LibbyNeural">Hello</voice></speak>`, "The voice 'Rachel' is none of Azure Speech"},
		{"rate", "Hello", "en-US-JennyNeural", map[string]any{"speed": 0.9}, head + `en-US"><voice name="en-US-JennyNeural"><prosody rate="-10.00%">Hello</prosody></voice></speak>`, ""},
		{
			"style", "Hello", "en-US-JennyNeural", map[string]any{"style": "cheerful", "styledegree": 9, "role": "Girl"},
			head + `en-US"><voice name="en-US-JennyNeural"><mstts:express-as role="Girl" style="cheerful" styledegree="2.00">Hello</mstts:express-as></voice></speak>`, "",
		},
		{"a style that is none", "Hello", "en-US-JennyNeural", map[string]any{"style": `a"b`, "speed": "fast"}, head + `en-US"><voice name="en-US-JennyNeural">Hello</voice></speak>`, ""},
		{
			"markup", `<speak version="1.0">Well, <say-as interpret-as="date">1.2.</say-as><break time="2s"/> bye</speak>`, "en-US-JennyNeural", nil,
			head + `en-US"><voice name="en-US-JennyNeural">Well, <say-as interpret-as="date">1.2.</say-as><break time="2s"/> bye</voice></speak>`, "",
		},
		{
			"markup with voices", `<voice name="de-DE-KatjaNeural">Hallo</voice>`, "en-US-JennyNeural", map[string]any{"speed": 2},
			head + `en-US"><voice name="de-DE-KatjaNeural">Hallo</voice></speak>`, "speed and style of 'model-settings' do not count",
		},
		{
			"markup that is not well-formed", `Well, <break time="2s"> <prosody rate="slow">bye</prosody> & on`, "en-US-JennyNeural", nil,
			head + `en-US"><voice name="en-US-JennyNeural">Well, <break time="2000ms"/><prosody rate="-20.00%">bye</prosody> &amp; on</voice></speak>`, "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := newVendor(t)
			spoken := mustSpeak(t, vendorEngine(t, v, speech.ProviderAzure, nil), commands.SpeechRequest{Text: tt.text, Voice: tt.voice, Settings: tt.settings})
			if diff := cmp.Diff(tt.want, <-v.ssml); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			all := strings.Join(spoken.Warnings, "|")
			if !strings.Contains(all, tt.warning) || !strings.Contains(all, "does not say over REST when it speaks each word") || tt.warning == "" && len(spoken.Warnings) != 1 {
				t.Errorf("warnings %q", all)
			}
			if spoken.Duration != 2500*time.Millisecond || len(spoken.Words) == 0 {
				t.Errorf("%v, %v", spoken.Duration, showWords(spoken))
			}
		})
	}
}

// A text that is longer than what one answer holds is asked for in parts.
func TestSpeak_AzureLong(t *testing.T) {
	t.Parallel()
	v := newVendor(t)
	text := strings.Repeat("A sentence of forty characters is here. ", 300)
	spoken := mustSpeak(t, vendorEngine(t, v, speech.ProviderAzure, nil), commands.SpeechRequest{Text: text})
	if n := len(v.ssml); n != 3 || spoken.Duration != 3*2500*time.Millisecond || len(spoken.Words) != 300*7 {
		t.Errorf("%d requests, %v, %d words", n, spoken.Duration, len(spoken.Words))
	}
	for range len(v.ssml) {
		if ssml := <-v.ssml; len(ssml) > 5200 {
			t.Errorf("a request of %d characters", len(ssml))
		}
	}
}

// TestSpeak_AzureSlow: no answer could be cut off after ten minutes, at any speed and in any script.
func TestSpeak_AzureSlow(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text  string
		speed any
		most  int // characters of the longest request that is spoken in less than ten minutes
	}{
		"slow":             {strings.Repeat("A sentence of forty characters is here. ", 100), 0.5, 2600},
		"Chinese":          {strings.Repeat("今天天气很好，我们去公园散步吧。", 150), nil, 2000},
		"slow Chinese":     {strings.Repeat("今天天气很好，我们去公园散步吧。", 150), 0.5, 1000},
		"slower still":     {`<prosody rate="slow">` + strings.Repeat("今天天气很好 ", 300) + "</prosody> & so on", 0.5, 800},
		"pauses":           {strings.Repeat(`One <break time="10s"/>`, 80) + "& so on", nil, 1900},
		"without a letter": {strings.Repeat("1234567890", 300), 0.5, 900},
	} {
		v := newVendor(t)
		spoken := mustSpeak(t, vendorEngine(t, v, speech.ProviderAzure, nil), commands.SpeechRequest{Text: row.text, Settings: map[string]any{"speed": row.speed}})
		if n := time.Duration(len(v.ssml)); spoken.Duration != n*2500*time.Millisecond {
			t.Errorf("%s: %d answers are %v", name, n, spoken.Duration)
		}
		for range len(v.ssml) {
			if ssml := []rune(<-v.ssml); len(ssml) > row.most+300 {
				t.Errorf("%s: a request of %d characters", name, len(ssml))
			}
		}
	}
}

func TestSpeak_ElevenLabs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		request       commands.SpeechRequest
		own           string // voice of the connection
		want          map[string]any
		listed        int
		warning       string
		words, length string
	}{
		{
			"an id", commands.SpeechRequest{Text: "Hi there", Voice: "21m00Tcm4TlvDq8ikWAM", Model: "elevenlabs"}, "",
			map[string]any{"voice_id": "21m00Tcm4TlvDq8ikWAM", "text": "Hi there", "model_id": "eleven_multilingual_v2"}, 0, "", "0-200 Hi|300-800 there", "800ms",
		},
		{
			"a name", commands.SpeechRequest{Text: "Hi", Voice: "rachel", Model: "elevenlabs-v3"}, "",
			map[string]any{"voice_id": "BBBBBBBBBBBBBBBBBBBB", "text": "Hi", "model_id": "eleven_v3"}, 1, "", "0-200 Hi", "200ms",
		},
		{
			"a first name", commands.SpeechRequest{Text: "Hi", Voice: "Roger", Model: "elevenlabs-flash-v2-5"}, "",
			map[string]any{"voice_id": "AAAAAAAAAAAAAAAAAAAA", "text": "Hi", "model_id": "eleven_flash_v2_5"}, 1, "", "0-200 Hi", "200ms",
		},
		{
			"a name that nobody has", commands.SpeechRequest{Text: "Hi", Voice: "Zoe", Model: "eleven_turbo_v2_5"}, "",
			map[string]any{"voice_id": "AAAAAAAAAAAAAAAAAAAA", "text": "Hi", "model_id": "eleven_turbo_v2_5"}, 1, "The voice 'Zoe' is not available, 'Roger - Laid-Back, Casual' is used", "0-200 Hi", "200ms",
		},
		{
			"Azure's, nearest by language and gender", commands.SpeechRequest{Text: "Hi", Voice: "de-DE-KatjaNeural"}, "",
			map[string]any{"voice_id": "DDDDDDDDDDDDDDDDDDDD", "text": "Hi", "model_id": "eleven_multilingual_v2"}, 1, "The voice 'de-DE-KatjaNeural' is not available, 'Greta' is used", "0-200 Hi", "200ms",
		},
		{
			"Azure's, by region where the gender is not known", commands.SpeechRequest{Text: "Hi", Voice: "de-AT-NobodyNeural", Model: "dall-e"}, "",
			map[string]any{"voice_id": "DDDDDDDDDDDDDDDDDDDD", "text": "Hi", "model_id": "eleven_multilingual_v2"}, 1, "The voice model 'dall-e' is unknown", "0-200 Hi", "200ms",
		},
		{
			"Azure's, with a connection that has a voice", commands.SpeechRequest{Text: "Hi", Voice: "de-DE-KatjaNeural"}, "21m00Tcm4TlvDq8ikWAM",
			map[string]any{"voice_id": "21m00Tcm4TlvDq8ikWAM", "text": "Hi", "model_id": "eleven_multilingual_v2"}, 0, "the connection's voice '21m00Tcm4TlvDq8ikWAM' is used", "0-200 Hi", "200ms",
		},
		{
			"settings", commands.SpeechRequest{Text: "Hi", Voice: "Rachel", Settings: map[string]any{"voice_settings": map[string]any{
				"speed": 2.0, "stability": 0.25, "similarity_boost": 7.0, "style": "0.5", "use_speaker_boost": true, "other": 1,
			}}}, "",
			map[string]any{"voice_id": "BBBBBBBBBBBBBBBBBBBB", "text": "Hi", "model_id": "eleven_multilingual_v2", "voice_settings": map[string]any{
				"speed": 1.2, "stability": 0.25, "similarity_boost": 1.0, "style": 0.5, "use_speaker_boost": true,
			}}, 1, "", "0-200 Hi", "200ms",
		},
		{
			"no times", commands.SpeechRequest{Text: "untimed words", Voice: "Rachel"}, "",
			map[string]any{"voice_id": "BBBBBBBBBBBBBBBBBBBB", "text": "untimed words", "model_id": "eleven_multilingual_v2"}, 1, "ElevenLabs did not say when", "", "1.3s",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := newVendor(t)
			spoken := mustSpeak(t, vendorEngine(t, v, "", func(c *speech.Config) {
				own := speech.Endpoint{Provider: speech.ProviderElevenLabs, URL: v.URL, Key: secret, Voice: tt.own, Model: tt.request.Model}
				c.Speech = own
			}), tt.request)
			if diff := cmp.Diff(tt.want, <-v.orders); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			if all := strings.Join(spoken.Warnings, "|"); !strings.Contains(all, tt.warning) || tt.warning == "" && all != "" || len(v.lists) != tt.listed {
				t.Errorf("warnings %q, listed %d times", all, len(v.lists))
			}
			if got := strings.Join(showWords(spoken), "|"); tt.words != "" && got != tt.words || spoken.Duration.String() != tt.length {
				t.Errorf("%s in %v", got, spoken.Duration)
			}
		})
	}
}

// Pauses and rates inside a text are kept, by a request for each part.
func TestSpeak_ElevenLabsParts(t *testing.T) {
	t.Parallel()
	v := newVendor(t)
	e := vendorEngine(t, v, speech.ProviderElevenLabs, nil)
	request := commands.SpeechRequest{Text: `One two<break time="500ms"/>three <prosody rate="80%">four</prosody>`, Voice: "21m00Tcm4TlvDq8ikWAM"}
	spoken := mustSpeak(t, e, request)
	if diff := cmp.Diff([]string{"0-300 One", "400-700 two", "1200-1700 three", "1700-2100 four"}, showWords(spoken)); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	if len(v.orders) != 3 {
		t.Fatalf("%d requests", len(v.orders))
	}
	<-v.orders
	<-v.orders
	if last := <-v.orders; cmp.Diff(map[string]any{"speed": 0.8}, last["voice_settings"]) != "" {
		t.Errorf("the last part: %v", last)
	}
	if again := mustSpeak(t, e, request); !again.Cached || len(v.orders) != 0 || again.Hash != spoken.Hash {
		t.Error("the same is spoken again")
	}
	request.Settings = map[string]any{"stability": 0.5}
	if again := mustSpeak(t, e, request); again.Cached {
		t.Error("another tuning is answered from the cache")
	}
}

// Failures of vendors say what to change, are tried again where they may pass, and show no key.
func TestVendors_Failures(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{speech.ProviderAzure, speech.ProviderElevenLabs} {
		for _, tt := range []struct {
			status, tries int
			body, want    string
		}{
			{401, 1, "", "refused its key; set the right one"},
			{400, 1, "", "refused the request with status 400; check the voice"},
			{415, 1, "", "refused the request with status 415"},
			{429, 3, "", "cannot be reached or is overloaded; try again later"},
			{502, 3, "", "cannot be reached or is overloaded; try again later"},
			{200, 1, "<html>", "check the connection's address"},
		} {
			t.Run(fmt.Sprintf("%s %d", provider, tt.status), func(t *testing.T) {
				t.Parallel()
				v := newVendor(t)
				tries := make(chan bool, 10)
				v.before = func(w http.ResponseWriter) bool {
					tries <- true
					w.Header().Set("Retry-After", "0")
					w.WriteHeader(tt.status)
					_, _ = io.WriteString(w, tt.body+secret)
					return true
				}
				var logged bytes.Buffer
				log := logrus.New()
				log.SetOutput(&logged)
				log.SetLevel(logrus.TraceLevel)
				_, err := vendorEngine(t, v, provider, func(c *speech.Config) { c.Log = log }).Speak(t.Context(), commands.SpeechRequest{Text: "Hello", Voice: "21m00Tcm4TlvDq8ikWAM"})
				var refusal *domain.Error
				if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, tt.want) || len(tries) != tt.tries {
					t.Errorf("%v after %d tries", err, len(tries))
				}
				if strings.Contains(fmt.Sprint(err)+logged.String(), secret) {
					t.Error("the key is shown")
				}
			})
		}
	}
	v := newVendor(t)
	e := vendorEngine(t, v, "", func(c *speech.Config) {
		c.Transcription = speech.Endpoint{Provider: speech.ProviderAzure, URL: v.URL, Key: secret}
	})
	_, err := e.Transcribe(t.Context(), commands.TranscriptionRequest{Path: soundFile(t)})
	if err == nil {
		t.Error("Azure Speech listens")
	}
}
