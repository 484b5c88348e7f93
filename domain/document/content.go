package document

// Page is the web page of an html element. HTML or Src is set; if both are, HTML is used.
type Page struct {
	HTML     string  // HTML fragment, shown on a transparent background
	Src      string  // address of a page
	Tailwind bool    // load Tailwind CSS before the page
	Wait     float64 // seconds to wait after the page and its fonts have been loaded, 0 to 10
	Waits    bool    // the property wait was given
	// DPI is the number of drawn pixels per CSS pixel, 0.1 to 4. Above 1, the drawn picture is scaled down to the element's size.
	// Values below 1 are drawn as 1.
	DPI float64
	// Capture is the duration in seconds for which the page's animations are recorded, 0 to 60; 0: one still picture. After
	// the recording its last frame is held. The page has the element's size.
	Capture Seconds
}

// Component is a ready-made graphic.
type Component struct {
	ID string // id of the component, such as "basic/001"
	// Settings are the component's groups as decoded from JSON, numbers as json.Number. Never nil.
	Settings map[string]any
}

// Voice is the voice that speaks the element's Text.
type Voice struct {
	Voice      string // name of the voice, such as "en-GB-LibbyNeural"; empty: the model's default voice
	Model      string // name of the speech model in lower case: "azure" (default), "elevenlabs", …
	Connection string // id of a saved connection; empty: no connection is named
	// ModelSettings are passed to the provider unchanged; nil: none.
	ModelSettings map[string]any
}

// Audiogram draws the waveform of the movie's sound.
type Audiogram struct {
	Color     Color
	Amplitude float64 // amplification of the drawn waveform, 0 to 10; with 5, a full-scale signal fills the element's height
}

// Subtitles are the movie's captions. A movie has at most one set of captions, drawn above everything else.
type Subtitles struct {
	Ref Ref
	// Captions is an SRT, VTT or ASS text, Source is the address of such a text. Both empty: the captions are transcribed
	// from the sound.
	Captions string
	Source   string
	Language string // language in which the sound is transcribed, in lower case; "auto": it is detected
	Model    string // name of the transcription model in lower case; "default": the provider's default
	// Connection is the id of a saved connection to the provider that transcribes; empty: none.
	Connection string
	Fresh      bool // captions and font must not come from a cache
	// Settings are the look of the captions, and replacements of words. caption.ReadStyle reads them.
	Settings map[string]any
}
