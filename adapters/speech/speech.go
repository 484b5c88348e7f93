// Package speech turns text into speech, and sound into words. It speaks by the built-in espeak-ng, by an endpoint with OpenAI's
// protocol, by Azure Speech or by ElevenLabs, and transcribes by an endpoint with OpenAI's protocol.
//
// Speech is cached in a folder per account, under the hash of engine, voice, text and settings. The word times of the
// built-in voice are measured if possible, otherwise estimated: see align.go.
package speech

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sync/singleflight"

	"moviola/commands"
	"moviola/domain"
	"moviola/internal/fair"
	"moviola/internal/jail"
	"moviola/internal/quota"
)

// Codes of the errors about speech.
const (
	codeVoice         = "voice_failed"
	codeProvider      = "speech_provider_failed"
	codeNoProvider    = "speech_provider_missing"
	codeTranscription = "transcription_failed"
	codeStorage       = "speech_storage_full"
)

// The names of the protocols of endpoints, besides OpenAI's protocol. Decision 68.
const (
	ProviderAzure      = "azure-speech"
	ProviderElevenLabs = "elevenlabs"
)

// Endpoint is the interface of a provider for speech or transcription. The zero Endpoint means that there is none.
type Endpoint struct {
	Provider string // protocol; empty: OpenAI's; ProviderAzure and ProviderElevenLabs can only speak
	URL      string // base address of the provider, such as https://api.openai.com/v1
	Key      string // API key, sent in a header; empty: no key is sent
	Model    string // name of the model; empty: tts-1 or whisper-1, or the default model of ElevenLabs
	// Voice is used for movies that name no voice of the provider. Empty: a voice with the gender or language of the
	// voice that the movie names, or else a usual voice of the provider.
	Voice string
}

// Config is the configuration of an Engine. Dir must be set. Client must be set if Speech or Transcription has a URL, or
// if Saved is not nil.
type Config struct {
	Espeak        string // path of espeak-ng; empty: searched for in PATH
	Client        *http.Client
	Speech        Endpoint
	Transcription Endpoint
	// Saved returns the endpoint of a saved connection of an account. An unknown id is a *domain.Error. Nil: no account has
	// saved connections.
	Saved func(ctx context.Context, account domain.AccountID, id string) (Endpoint, error)
	// Dir contains a folder per account; several processes of one host may share it. The modification time of a file is that of
	// its last use, so that unused files can be removed.
	Dir string
	// Room bounds the cached files. At a bound, the least recently used ones are removed, but none that was used in the last
	// 10 minutes.
	Room quota.Limits
	// Made is a store through which hosts share the results of endpoints. Nil: there is one host, or the hosts share Dir.
	Made MadeStore
	// Jail starts the built-in voice in a sandbox. Nil: it runs without one.
	Jail    *jail.Jail
	Timeout time.Duration // time limit of one try of a request to an endpoint; 0: 2 minutes
	// WorkLimit is the time limit for making one speech, which continues when nobody waits for it any more; 0: 10 minutes.
	WorkLimit time.Duration
	// Retries are the pauses before each retry of a request after a temporary failure; nil: half a second, two seconds.
	Retries []time.Duration
	Log     logrus.FieldLogger
}

const (
	defaultTimeout   = 2 * time.Minute
	defaultWorkLimit = 10 * time.Minute
)

// Engine speaks and transcribes. It is safe for concurrent use.
type Engine struct {
	cfg     Config
	room    *quota.Folder
	espeak  *espeak // nil: not installed, or it does not run
	remote  *remote
	asking  *fair.Budget // speech that endpoints make
	flights singleflight.Group
}

// New returns an Engine that stores its files in cfg.Dir, which it creates. When espeak-ng is missing or does not run, New
// succeeds, and requests for the built-in voice return an error.
func New(ctx context.Context, cfg Config) (*Engine, error) {
	if cfg.Dir == "" {
		return nil, errors.New("speech needs a folder")
	}
	if cfg.Client == nil && (cfg.Speech.URL != "" || cfg.Transcription.URL != "" || cfg.Saved != nil) {
		return nil, errors.New("a speech endpoint and saved connections need a client")
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultTimeout
	}
	if cfg.WorkLimit == 0 {
		cfg.WorkLimit = defaultWorkLimit
	}
	if cfg.Retries == nil {
		cfg.Retries = []time.Duration{500 * time.Millisecond, 2 * time.Second}
	}
	if cfg.Log == nil {
		cfg.Log = logrus.StandardLogger()
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make speech folder: %w", err)
	}
	installed, err := openEspeak(ctx, cfg)
	if err != nil {
		cfg.Log.WithError(err).Warn("no built-in voice: espeak-ng is missing or does not run; movies that need it fail")
	}
	return &Engine{
		cfg: cfg, room: quota.NewFolder(cfg.Dir, cfg.Room, inUse), espeak: installed,
		remote: &remote{client: cfg.Client, timeout: cfg.Timeout, retries: cfg.Retries},
		asking: fair.New(fair.Limits{Total: asked, Account: asked / 2}),
	}, nil
}

// Version is the name and version of the built-in voice; empty when there is none.
func (e *Engine) Version() string {
	if e.espeak == nil {
		return ""
	}
	return e.espeak.version
}

// maxText is the largest number of characters in the text of a voice element: about 20 minutes of speech.
const maxText = 20_000

// Speak turns text into speech. See render.Speaker. Concurrent callers with the same request share the work.
func (e *Engine) Speak(ctx context.Context, request commands.SpeechRequest) (commands.Speech, error) {
	job, err := e.job(ctx, request)
	if err != nil {
		return commands.Speech{}, err
	}
	s := e.folderOf(request.Account)
	if found, ok := s.find(job.key()); ok {
		found.Cached = true
		return job.warned(found), nil
	}
	spoken, err := e.share(ctx, s, request.Account, job)
	if err != nil {
		return commands.Speech{}, err
	}
	return job.warned(spoken), nil
}

// AtHand reports whether Speak certainly calls no endpoint: the speech is in this host's cache, or the built-in voice makes
// it. It is false for a request that Speak refuses.
func (e *Engine) AtHand(ctx context.Context, request commands.SpeechRequest) bool {
	job, err := e.job(ctx, request)
	if err != nil {
		return false
	}
	_, found := e.folderOf(request.Account).find(job.key())
	return found || job.endpoint.URL == ""
}

// share makes the speech of a job once for all callers that ask for it at the same time. When one caller gives up, the making
// continues, for at most Config.WorkLimit.
func (e *Engine) share(ctx context.Context, s accountFolder, account domain.AccountID, job job) (commands.Speech, error) {
	done := e.flights.DoChan(s.dir+" "+job.key(), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.cfg.WorkLimit)
		defer cancel()
		if found, ok := s.find(job.key()); ok { // another caller has made the speech meanwhile
			return found, nil
		}
		elsewhere := job.endpoint.URL != "" // speech of the built-in voice is not shared: making it is faster than fetching it
		if elsewhere {
			if found, ok := e.takeMade(ctx, s, account, job.key()); ok {
				return found, nil
			}
		}
		made, err := e.make(ctx, account, job)
		if err != nil {
			return nil, err
		}
		kept, err := s.keep(job.key(), made)
		if elsewhere && err == nil {
			e.keepMade(ctx, s, account, job.key(), kept.Path)
		}
		return kept, err
	})
	select {
	case <-ctx.Done():
		return commands.Speech{}, context.Cause(ctx)
	case result := <-done:
		if result.Err != nil {
			return commands.Speech{}, result.Err
		}
		return result.Val.(commands.Speech), nil
	}
}

// asked is the largest number of speeches that endpoints make at a time, for accounts in turns. One account has at most half
// of them, because its own endpoint may be slow.
const asked = 16

func (e *Engine) make(ctx context.Context, account domain.AccountID, job job) (spoken, error) {
	if job.endpoint.URL == "" {
		return e.espeak.speak(ctx, job)
	}
	place, err := e.asking.Take(ctx, string(account), 1)
	if err != nil {
		return spoken{}, fmt.Errorf("wait for a free place to ask for speech: %w", err)
	}
	defer place.Release()
	return e.remote.speak(ctx, job, e.espeak)
}

// job is a prepared request: the script, the voice and its settings.
type job struct {
	script   script
	speed    float64 // speed relative to the normal speed, 1
	voice    string  // voice of espeak-ng or of the endpoint
	engine   string  // engine and its version, a part of the cache key
	endpoint Endpoint
	style    azureStyle     // style of a voice of Azure Speech
	markup   string         // content of the SSML's speak element, for Azure Speech; empty: the script is spoken
	tuning   map[string]any // settings of a voice of ElevenLabs: voice_settings without the speed
	warnings []string
}

func (j job) warned(s commands.Speech) commands.Speech {
	s.Warnings = append(append([]string(nil), j.warnings...), s.Warnings...)
	return s
}

// key is the cache key of a job.
func (j job) key() string {
	parts := []string{j.engine, j.voice, fmt.Sprintf("%.4f", j.speed)}
	for _, p := range j.script {
		parts = append(parts, p.text, p.pause.String(), fmt.Sprintf("%.4f %.4f", p.rate, p.pitch))
	}
	if j.endpoint.Provider == ProviderAzure {
		parts = append(parts, j.markup, j.style.style, j.style.degree, j.style.role)
	}
	return hashText(strings.Join(parts, "\x00"))
}

func (e *Engine) job(ctx context.Context, request commands.SpeechRequest) (job, error) {
	j := job{speed: speedOf(request.Settings)}
	if j.script = readScript(request.Text); len(j.script) == 0 {
		return job{}, domain.Errorf(domain.Invalid, codeVoice, "The voice element needs a text with words to speak")
	}
	if n := j.script.length(); n > maxText {
		return job{}, domain.Errorf(domain.Invalid, codeVoice,
			"The text of a voice element may have at most %d characters, this one has %d; split it into several elements", maxText, n)
	}
	endpoint, err := e.endpoint(ctx, request)
	if err != nil {
		return job{}, err
	}
	if endpoint.URL != "" {
		castRemote(&j, endpoint, request)
		return j, nil
	}
	return j, e.castBuiltIn(&j, request)
}

// endpoint returns the endpoint that speaks the request. The zero Endpoint means the built-in voice.
func (e *Engine) endpoint(ctx context.Context, request commands.SpeechRequest) (Endpoint, error) {
	if request.Connection == "" {
		return e.cfg.Speech, nil
	}
	endpoint, err := e.saved(ctx, request.Account, request.Connection)
	// If the connection sets no model, the movie may choose one, because the account pays for it. The model azure counts
	// as no choice, because movies that choose no model have it by default.
	if endpoint.Model == "" {
		if model := strings.TrimSpace(request.Model); !strings.EqualFold(model, "azure") {
			endpoint.Model = model
		}
	}
	return endpoint, err
}

// saved returns the endpoint of a saved connection of an account.
func (e *Engine) saved(ctx context.Context, account domain.AccountID, id string) (Endpoint, error) {
	if e.cfg.Saved == nil {
		return Endpoint{}, domain.Errorf(domain.Invalid, codeNoProvider, "The connection '%s' does not exist", shown(id))
	}
	return e.cfg.Saved(ctx, account, id)
}

// castBuiltIn selects the voice of espeak-ng for the request. Decision 27.
func (e *Engine) castBuiltIn(j *job, request commands.SpeechRequest) error {
	model := strings.ToLower(strings.TrimSpace(request.Model))
	if strings.HasPrefix(model, "elevenlabs") {
		return domain.Errorf(domain.Invalid, codeNoProvider,
			"The voice model '%s' needs a speech provider, and none is configured; set one, or use the model 'azure'",
			shown(request.Model))
	}
	if e.espeak == nil {
		return domain.Errorf(domain.Invalid, codeNoProvider,
			"This server has no voice: its operator must install espeak-ng or configure a speech provider")
	}
	if model != "" && model != "azure" {
		j.warnings = append(j.warnings, fmt.Sprintf("The voice model '%s' is unknown, the built-in voice is used",
			shown(request.Model)))
	}
	voice, warning := e.espeak.voiceFor(request.Voice)
	if warning != "" {
		j.warnings = append(j.warnings, warning)
	}
	j.voice, j.engine = voice, e.espeak.version+" "+alignVersion
	return nil
}

// shown shortens a user's text for messages.
func shown(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
