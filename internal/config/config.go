package config

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"moviola/adapters/browser"
	"moviola/adapters/disk"
	"moviola/adapters/images"
	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/speech"
	"moviola/domain/document"
	"moviola/internal/jail"
)

// The roles a process can play. Design §2.
const (
	RoleAPI       = "api"
	RoleProjector = "projector"
	RoleRenderer  = "renderer"
	RoleDeliverer = "deliverer"
	RoleKeeper    = "keeper"
)

var AllRoles = []string{RoleAPI, RoleProjector, RoleRenderer, RoleDeliverer, RoleKeeper}

// Where the operators' console is served. Decision 82.
const (
	OperatorOff     = "off"     // the operators' console is not served
	OperatorPrivate = "private" // the operators' console is served on the operators' address (--ops-listen) only
	OperatorPublic  = "public"  // the operators' console is served on the HTTP interface
)

// EnvPrefix is the prefix of the environment variable of every flag: --render-timeout is MOVIOLA_RENDER_TIMEOUT.
const EnvPrefix = "MOVIOLA_"

// Config is the configuration of `moviola serve`. Time limits of the specification are settings with the specification's values,
// so that tests can shorten them.
type Config struct {
	Data       string
	UserCache  string // folder in which commands that render once keep what the next one reuses; empty: nothing is kept
	Listen     string
	TLSCert    string // PEM file of the HTTP interface's certificate; empty: plain HTTP
	TLSKey     string
	OpsListen  string
	PublicURL  string
	AllowHosts []string
	CORSOrigin []string
	Roles      []string

	EventStore       string // address of an event store server; empty: the embedded event store
	EventStoreListen string // loopback TCP address of the embedded server; empty: its unix socket only
	Mongo            string
	Blobs            string // storage: s3://bucket?…, gs://…, azblob://… or a folder; empty: a folder in the data folder
	BlobsKey         string // credential for a storage at gs:// or azblob://
	EncryptAccounts  bool   // encrypt personal data in events under keys of accounts
	Plans            string // file with the plans; empty: the built-in plans
	Library          bool   // bring the built-in templates
	Console          bool   // serve the console
	ConsoleOperator  string // where the operators' console is served: OperatorOff, OperatorPrivate or OperatorPublic

	RenderTimeout time.Duration
	FileRetention time.Duration
	History       time.Duration // how long the events of a finished movie stay in the log; 0: for ever
	TempRetention time.Duration
	UploadTTL     time.Duration
	AssetCacheTTL time.Duration
	HeldPictures  bool
	Encoder       ffmpeg.Choice // encoder of the windows of movies
	SweepEvery    time.Duration
	DiskReserve   disk.Reserve
	Rooms
	AbandonAfter   time.Duration
	ZeroRetention  time.Duration
	ClearAgain     time.Duration
	ClaimTimeout   time.Duration
	RetryLimit     time.Duration
	WebhookTimeout time.Duration
	DrainTimeout   time.Duration

	ExportFolders []string // export folders, each as NAME=DIR[:account…]

	SMTP     string
	SMTPFrom string

	FontsURL      string
	Look          int
	Chromium      string
	Speech        speech.Endpoint
	Transcription speech.Endpoint
	Images        images.Endpoint

	RenderSlots  slotsFlag
	FetchSlots   int
	PreloadSlots int
	DeliverSlots int
	Cores        int
	MemoryMB     int

	Sandbox jail.Mode // sandbox of all programs that this process starts

	LogLevel    string
	LogFormat   string
	LogRequests bool // log a line at level info for each request

	OperatorsOIDC OperatorsOIDC

	AdminTokenFile   string
	WrongTokenDelay  time.Duration
	OpsHosts         []string // permitted Host names of the operators' address, beside IP addresses and localhost
	Pprof            bool
	MetricsTokenFile string // file with the token that /metrics requires; empty: none is required

	Traces
	Anchors

	Exposed  []string          // flags whose secrets are on the command line
	Given    map[string]string // the flags that were set, without secrets; nil: the configuration is not from a command line
	Settings []Setting         // every setting, without secrets; nil: the configuration is not from a command line
}

// Bind declares the flags of `moviola serve`.
func (c *Config) Bind(f *pflag.FlagSet) {
	bindFile(f)
	f.StringVar(&c.Data, "data", "./data", "folder for everything that is stored here")
	c.bindAddresses(f)
	c.bindStores(f)
	c.bindTimes(f)

	f.StringSliceVar(&c.ExportFolders, "export-folder", nil,
		"folder of this host that destinations of type folder may write to, NAME=DIR[:account…]; with accounts, for them only; "+
			"repeatable (default: none)")
	f.StringVar(&c.SMTP, "smtp", "",
		"mail server for e-mail destinations without one of their own, smtp://user:password@host:587 or smtps://… (default: none)")
	f.StringVar(&c.SMTPFrom, "smtp-from", "", "sender's address of mail that --smtp sends")
	c.BindProviders(f)
	f.Var(&c.RenderSlots, "render-slots", "movies rendered at the same time by this process; auto: one for every two of --cores")
	f.IntVar(&c.FetchSlots, "fetch-slots", 32,
		"movies and preload items whose sources are fetched at the same time by this process; a quarter of them for one account")
	f.IntVar(&c.PreloadSlots, "preload-slots", 2, "preload items prepared at the same time by this process")
	f.IntVar(&c.DeliverSlots, "deliver-slots", 128, "deliveries at the same time by this process")
	f.IntVar(&c.Cores, "cores", runtime.NumCPU(), "processor cores to plan renders for")
	f.IntVar(&c.MemoryMB, "memory", 2048, "megabytes that the renders of this process may use together")

	BindSandbox(f, &c.Sandbox)
	BindEncoder(f, &c.Encoder)
	f.StringVar(&c.AdminTokenFile, "admin-token-file", "",
		"file with the operator's token (default: "+AdminTokenEnv+", or one that is made and printed)")
	f.DurationVar(&c.WrongTokenDelay, "wrong-token-delay", time.Second,
		"how long a wrong operator's token waits for its refusal, 2s at most")
	c.OperatorsOIDC.BindOIDC(f)
	bindSecretFiles(f)

	c.Traces.bind(f)
	c.Anchors.bind(f)
	f.StringVar(&c.LogLevel, "log-level", "info", "trace, debug, info, warn or error")
	f.StringVar(&c.LogFormat, "log-format", "text", "text or json")
	f.BoolVar(&c.LogRequests, "log-requests", true, "a line in the log for each request; without it, at level debug only")
}

// bindAddresses declares the flags on how the process is reached, and on what it does.
func (c *Config) bindAddresses(f *pflag.FlagSet) {
	f.StringVar(&c.Listen, "listen", ":8080", "address of the HTTP interface")
	f.StringVar(&c.TLSCert, "tls-cert", "",
		"PEM file of the HTTP interface's certificate, with those between it and its authority; read anew when it changes (default: "+
			"plain HTTP)")
	f.StringVar(&c.TLSKey, "tls-key", "", "PEM file of the certificate's key")
	f.StringVar(&c.OpsListen, "ops-listen", "127.0.0.1:9464", "address of /metrics, /healthz and /readyz; empty: none")
	f.StringSliceVar(&c.OpsHosts, "ops-host", nil,
		"name by which profiles of --ops-listen are called, beside IP addresses and localhost; repeatable")
	f.StringVar(&c.MetricsTokenFile, "metrics-token-file", "",
		"file with a token that scrapers of /metrics must show, as Authorization: Bearer (default: none)")
	f.BoolVar(&c.Pprof, "pprof", false, "serve Go's profiles under /debug/pprof/ of --ops-listen")
	f.StringVar(&c.PublicURL, "public-url", "",
		"base of every address handed out (default http://localhost:<port>, https:// with --tls-cert)")
	f.StringSliceVar(&c.AllowHosts, "allow-host", nil,
		"host:port that may be reached although its address is not public; repeatable")
	f.StringSliceVar(&c.CORSOrigin, "cors-origin", nil,
		"origin whose pages may use the HTTP interface, * for all; repeatable (default: none)")
	f.StringSliceVar(&c.Roles, "roles", AllRoles, "what this process does: "+strings.Join(AllRoles, ", "))
}

// bindStores declares the flags for the event store, the read models and the storage of files. It also declares the flags
// for encryption, the consoles, the template library and the plans.
func (c *Config) bindStores(f *pflag.FlagSet) {
	f.StringVar(&c.EventStore, "eventstore", "", "event store to use, esdb://… or unix://… (default: embedded)")
	f.StringVar(&c.EventStoreListen, "eventstore-listen", "",
		"loopback address on which the embedded event store serves other processes of this host")
	f.StringVar(&c.Mongo, "mongo", "", "MongoDB for the read models, mongodb://…/database (default: a SQLite file)")

	f.BoolVar(&c.EncryptAccounts, "encrypt-accounts", false, "encrypt personal data in new events, under a random key of its "+
		"account; no process of an earlier version may run (docs/erasure.md)")
	f.BoolVar(&c.Console, "console", true, "serve the console, a web page for people, at /console of the HTTP interface")
	f.StringVar(&c.ConsoleOperator, "console-operator", OperatorPrivate, "where the operators' console is served, at /operator: "+
		"private, on --ops-listen only; public, on the HTTP interface; off")
	f.BoolVar(&c.Library, "library", true,
		"bring the program's own templates, and render their examples when there is nothing else to do")
	f.StringVar(&c.Plans, "plans", "", "YAML file of the plans that accounts can be on (default: the built-in plans)")

	BindBlobs(f, &c.Blobs, &c.BlobsKey,
		"storage of files, s3://bucket?region=…, gs://bucket or azblob://container?storage_account=… (default: a folder in the "+
			"data folder)")
}

// BindBlobs declares the flags for the address of a storage of files, and for the credential that opens the storage.
func BindBlobs(f *pflag.FlagSet, where, key *string, usage string) {
	f.StringVar(where, "blobs", "", usage)
	f.StringVar(key, blobsKey, "", "key of gs:// (the JSON key of a service account, or default for the credentials of the "+
		"environment) or of azblob:// (the account's)")
}

// bindTimes declares the flags on times, on held pictures, and on bounds of what is stored.
func (c *Config) bindTimes(f *pflag.FlagSet) {
	f.DurationVar(&c.RenderTimeout, "render-timeout", 15*time.Minute, "after this a running movie has status timeout")
	f.DurationVar(&c.FileRetention, "file-retention", 7*24*time.Hour, "how long a rendered file is kept after its render")
	f.DurationVar(&c.History, "history", 0,
		"how long the events of ended movies stay in the log before they go to archive files in the storage of files; 0: for ever")
	f.DurationVar(&c.TempRetention, "temp-retention", 72*time.Hour, "how long files in the folder temp of a media library are kept")
	f.DurationVar(&c.UploadTTL, "upload-url-ttl", 120*time.Second, "how long an address for an upload may be used")
	f.BoolVar(&c.HeldPictures, "held-pictures", true,
		"write what does not move as pictures that repeat the one before, instead of encoding it")
	f.DurationVar(&c.AssetCacheTTL, "asset-cache-ttl", 72*time.Hour,
		"how long a downloaded asset is used without asking its server again")
	f.Var(&c.DiskReserve, "disk-reserve",
		"room that is kept free on the disk of --data: below it no new work is taken; auto: 5 % of the disk, 2GB at most; off; or as "+
			"10%, 500MB, 20GB")
	c.Rooms.bind(f)
	f.DurationVar(&c.SweepEvery, "sweep-every", 24*time.Hour,
		"how often files that nothing names, and old working files, are looked for")
	f.DurationVar(&c.AbandonAfter, "abandon-after", 10*time.Minute, "age of a credit hold whose movie never came")
	f.DurationVar(&c.ZeroRetention, "zero-retention", 30*24*time.Hour,
		"how long what is stored for an account is kept while its balance is zero")
	f.DurationVar(&c.ClearAgain, "clear-again", 24*time.Hour,
		"how long after its closing what is stored for an account is removed once more")
	f.DurationVar(&c.ClaimTimeout, "claim-timeout", 20*time.Second, "silence after which a worker counts as dead")
	f.DurationVar(&c.RetryLimit, "retry-limit", time.Minute,
		"how long work that fails again and again rests at most before it is tried again")
	f.DurationVar(&c.WebhookTimeout, "webhook-timeout", 30*time.Second, "how long a webhook waits for an answer")
	f.DurationVar(&c.DrainTimeout, "drain-timeout", 8*time.Second,
		"time for a shutdown: work that has not ended three seconds before is handed back")
}

// Encoders are the values of --encoder.
var Encoders = ffmpeg.Choices()

// BindEncoder declares the flag for the encoder of movies.
func BindEncoder(f *pflag.FlagSet, choice *ffmpeg.Choice) {
	*choice = ffmpeg.X264
	f.Var(choice, "encoder", "what encodes movies: x264; nvenc, vaapi or qsv, which are hardware, or auto, the first of them that "+
		"works. It is tried at the start; x264 stands in for one that does not work")
}

// BindSandbox declares the flag for the sandbox of ffmpeg, Chromium and the built-in voice.
func BindSandbox(f *pflag.FlagSet, mode *jail.Mode) {
	*mode = jail.Best
	f.Var(mode, "sandbox", "what confines ffmpeg, Chromium and espeak-ng: require refuses to start when a layer is missing, best "+
		"takes what the machine allows, off nothing")
}

// BindProviders declares the flags for browsers, fonts, speech and images. The API keys of providers belong into
// environment variables or files: other users of the host may be able to read command lines.
func (c *Config) BindProviders(f *pflag.FlagSet) {
	f.IntVar(&c.Look, "look", document.CurrentLook,
		"how movies look: 1 is the look before text styles followed their documentation, for one more release")
	f.StringVar(&c.Chromium, "chromium", browser.DefaultPath, "chromium-headless-shell, for html elements")
	BindFonts(f, &c.FontsURL)
	f.StringVar(&c.Speech.URL, "speech-url", "", "base of an OpenAI-compatible speech service (default: the built-in voices)")
	f.StringVar(&c.Speech.Key, "speech-key", "", "key of the speech service")
	f.StringVar(&c.Speech.Model, "speech-model", "", "model of the speech service (default tts-1)")
	f.StringVar(&c.Speech.Voice, "speech-voice", "", "voice of the speech service where a movie names none (default alloy)")
	f.StringVar(&c.Transcription.URL, "transcription-url", "",
		"base of an OpenAI-compatible transcription service, for subtitles (default: none)")
	f.StringVar(&c.Transcription.Key, "transcription-key", "", "key of the transcription service")
	f.StringVar(&c.Transcription.Model, "transcription-model", "", "model of the transcription service (default whisper-1)")
	f.StringVar(&c.Images.URL, "image-url", "", "base of an OpenAI-compatible service that makes images of prompts (default: none)")
	f.StringVar(&c.Images.Key, "image-key", "", "key of the image service")
	f.StringVar(&c.Images.Model, "image-model", "", "model of the image service (default gpt-image-1)")
}

// FromEnvironment sets flags to the values of their environment variables, except flags that the command line gives.
func FromEnvironment(f *pflag.FlagSet) error {
	var errs []error
	f.VisitAll(func(flag *pflag.Flag) {
		name := variableOf(flag.Name)
		value, ok := os.LookupEnv(name)
		if !ok || flag.Changed {
			return
		}
		if err := set(f, flag.Name, value); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
		mark(flag, fromVariable)
	})
	return errors.Join(errs...)
}

// variableOf names the environment variable of a flag.
func variableOf(flag string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Plays reports whether this process has the role.
func (c *Config) Plays(role string) bool { return slices.Contains(c.Roles, role) }

// Works reports whether this process takes work from the work list.
func (c *Config) Works() bool {
	return c.Plays(RoleRenderer) || c.Plays(RoleDeliverer) || c.Plays(RoleKeeper)
}

// Loopback reports whether a listening address can be reached from this host only.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func BindFonts(f *pflag.FlagSet, to *string) {
	f.StringVar(to, "fonts-url", "https://fonts.googleapis.com/css2",
		"font service that speaks the CSS interface of Google Fonts, for families that are neither installed nor part of the "+
			"program; empty: none")
}
