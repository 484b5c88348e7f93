package browser

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strings"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/timeline"
	"moviola/third_party/tailwindcss"
)

// Page is a page to draw. HTML or URL must be set; if both are, HTML is used.
type Page struct {
	HTML          string // a fragment or a whole document, shown on a transparent background
	URL           string // address of the page, http or https
	Width, Height int    // size of the viewport and of the picture, in pixels
	// DPI is the number of drawn pixels per CSS pixel, 1 to 4; the picture is scaled down afterwards. Values outside of
	// the range are moved to its nearest end; 0 means 1. It is reduced, but not below 1, if more than maxDrawn pixels
	// would be drawn.
	DPI      float64
	Wait     time.Duration      // virtual time from when the page and its fonts are loaded to the picture; at most 10 s
	Finished bool               // after Wait, also wait until finite animations have ended; at most 5 s. Decision 67
	Tailwind bool               // load Tailwind CSS with the page
	Style    []timeline.Setting // CSS properties of the page's body
	Now      time.Time          // time on the page's clock when it begins to load; zero: the current time

	fonts  []Font        // fonts that the page gets from this process
	sealed bool          // the page has no network: its requests are refused
	work   time.Duration // limit of the browser's processor time; 0: only the time limit
}

const (
	maxDPI       = 4
	maxWait      = 10 * time.Second
	maxSide      = 3840
	maxDrawn     = 36_000_000 // largest number of pixels that the browser draws for a picture: see Page.DPI
	maxHTMLBytes = 8 << 20
)

// check returns the page with every value in its range, or an error that tells the page's user what is wrong.
func (p Page) check() (Page, error) {
	switch {
	case p.HTML == "" && p.URL == "":
		return p, fault("The page has neither html nor src")
	case len(p.HTML) > maxHTMLBytes:
		return p, fault("The html is larger than %d MB", maxHTMLBytes>>20)
	case p.Width < 1 || p.Height < 1 || p.Width > maxSide || p.Height > maxSide:
		return p, fault("The page is %d × %d pixels: width and height must be between 1 and %d", p.Width, p.Height, maxSide)
	}
	if p.HTML == "" {
		u, err := url.Parse(p.URL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return p, fault("src must be an http or https address")
		}
	}
	if !(p.DPI >= 1) { // the condition is also true if the DPI is NaN
		p.DPI = 1
	}
	room := math.Sqrt(maxDrawn / (float64(p.Width) * float64(p.Height)))
	p.DPI = max(1, min(p.DPI, maxDPI, room))
	if p.Now.IsZero() {
		p.Now = time.Now()
	}
	p.Wait = max(0, min(p.Wait, maxWait))
	return p, nil
}

// fault returns an error that the page's user can act on.
func fault(format string, args ...any) *domain.Error {
	return domain.Errorf(domain.Invalid, "html_failed", format, args...)
}

// crash is the error of a page that has crashed its browser.
func crash(text string) *domain.Error {
	return domain.Errorf(domain.Invalid, commands.PageCrashed, "%s", text)
}

var (
	doctype = regexp.MustCompile(`(?is)^\s*(<!--.*?-->\s*)*<!doctype[^>]*>`)
	opening = regexp.MustCompile(`(?is)^\s*(<!--.*?-->\s*)*(<html[^>]*>\s*)?(<!--.*?-->\s*)*(<head[^>]*>)?`)
)

// document returns the page's HTML as a document in standards mode. The HTML that additions returns is inserted at the start of
// the head.
func (p Page) document() string {
	text := strings.TrimPrefix(p.HTML, "\ufeff")
	head := doctype.FindString(text)
	text = text[len(head):]
	if head == "" {
		head = "<!DOCTYPE html>"
	}
	open := opening.FindString(text)
	return head + open + p.additions() + text[len(open):]
}

// additions returns the HTML to insert into the head of a page.
func (p Page) additions() string {
	var b strings.Builder
	if len(p.fonts) > 0 {
		fmt.Fprintf(&b, "<style>%s</style>", faces(p.fonts))
	}
	if p.Tailwind {
		// The script can stand before the page's content: it finds the classes of elements that are added later. When it
		// runs, it appends its styles to the head, so they precede the page's own styles.
		fmt.Fprintf(&b, "<script>%s</script>", tailwindcss.Script)
	}
	if css := p.css(); css != "" {
		fmt.Fprintf(&b, "<style>%s</style>", css)
	}
	return b.String()
}

// css returns the CSS rule for the body of the page; empty: the page has no settings for it.
func (p Page) css() string {
	var b strings.Builder
	for _, s := range p.Style {
		// Names and values come from the page's own user. They need no check except that they cannot end the style element or the rule.
		if strings.ContainsAny(s.Name, "<>{};:") || strings.ContainsAny(s.Value, "<>{}") {
			continue
		}
		fmt.Fprintf(&b, "%s:%s;", s.Name, s.Value)
	}
	if b.Len() == 0 {
		return ""
	}
	return "body{" + b.String() + "}"
}

// origin returns scheme and host of an address, without parts that may be secret.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the page"
	}
	return u.Scheme + "://" + u.Host
}
