package browser

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Font is a font file that pages can use by its family name, although it is not installed.
type Font struct {
	Family string
	Weight int    // 100 to 900; if the field To is set, the lightest weight of a variable font
	To     int    // the heaviest weight of a variable font; 0: the field Weight is the font's only weight
	Italic bool   // the font is slanted
	Range  string // unicode-range of CSS, the characters that the file is for; empty: all
	Key    string // name of the file: letters, digits, and -._/
	Read   func() ([]byte, error)
}

// fontHost is the start, with a made-up host, of the addresses that pages use for fonts of this process. No such host can
// exist. When a page has fonts of this process, Chromium passes the page's requests to the host to this process (see
// asksForFont) instead of the network.
const fontHost = "https://fonts.moviola.invalid/"

// faces returns the @font-face rules for a page. A file is loaded when text uses it.
func faces(fonts []Font) string {
	var b strings.Builder
	for _, f := range fonts {
		weight, style := strconv.Itoa(f.Weight), "normal"
		if f.To > f.Weight {
			weight += " " + strconv.Itoa(f.To)
		}
		if f.Italic {
			style = "italic"
		}
		fmt.Fprintf(&b, "@font-face{font-family:%s;font-weight:%s;font-style:%s;src:url(%s%s);", quoteCSS(f.Family), weight,
			style, fontHost, f.Key)
		if f.Range != "" {
			fmt.Fprintf(&b, "unicode-range:%s;", f.Range)
		}
		b.WriteString("}")
	}
	return b.String()
}

// quoteCSS quotes a name as a CSS string. It drops the characters by which the name could end the CSS rule or the style
// element.
func quoteCSS(name string) string {
	return `"` + strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`"\<>{};`, r) {
			return -1
		}
		return r
	}, name) + `"`
}

// maxFontRequests is the largest number of font requests that wait for an answer.
const maxFontRequests = 512

// offerFonts makes the fonts available to the page. In HTML that is given as text, their rules come first, so that those of
// the page have priority. A page with an address gets them as an adopted style sheet. Without fonts the page is not
// changed.
func (t *tab) offerFonts(ctx context.Context) error {
	if len(t.fonts) == 0 {
		return nil
	}
	patterns := []map[string]any{{"urlPattern": fontHost + "*"}}
	if err := t.call(ctx, "Fetch.enable", map[string]any{"patterns": patterns}, nil); err != nil {
		return fmt.Errorf("offer fonts: %w", err)
	}
	if t.page.HTML != "" {
		return nil // the font rules are in the head of the page's own HTML
	}
	rules, err := json.Marshal(faces(t.fonts))
	if err != nil {
		return fmt.Errorf("quote fonts: %w", err)
	}
	script := "{const s=new CSSStyleSheet();s.replaceSync(" + string(rules) +
		");document.adoptedStyleSheets=[s,...document.adoptedStyleSheets]}"
	if err := t.call(ctx, "Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": script}, nil); err != nil {
		return fmt.Errorf("offer fonts: %w", err)
	}
	return nil
}

// asksForFont queues the page's request for a font, on the goroutine that reads the browser's pipe.
func (t *tab) asksForFont(e event) {
	var paused struct {
		RequestID string `json:"requestId"`
		Request   struct{ URL string }
	}
	if err := json.Unmarshal(e.Params, &paused); err != nil {
		return
	}
	select {
	case t.wanted <- fontRequest{paused.RequestID, strings.TrimPrefix(paused.Request.URL, fontHost)}:
	default: // too many requests: this one is not answered, and the page waits for it as for a slow network
	}
}

type fontRequest struct{ id, key string }

// serveFonts answers the page's requests for fonts until ctx ends.
func (t *tab) serveFonts(ctx context.Context) {
	for {
		select {
		case r := <-t.wanted:
			t.answerFont(ctx, r)
		case <-ctx.Done():
			return
		}
	}
}

func (t *tab) answerFont(ctx context.Context, r fontRequest) {
	answer := map[string]any{
		"requestId": r.id, "responseCode": 404,
		"responseHeaders": []map[string]string{{"name": "Access-Control-Allow-Origin", "value": "*"}},
	}
	for _, f := range t.fonts {
		if f.Key != r.key {
			continue
		}
		if content, err := f.Read(); err == nil {
			answer["responseCode"], answer["body"] = 200, base64.StdEncoding.EncodeToString(content)
		}
		break
	}
	_ = t.call(ctx, "Fetch.fulfillRequest", answer, nil) // the page may have cancelled the request, or have ended
}
