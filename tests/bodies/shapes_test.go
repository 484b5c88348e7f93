package bodies_test

import (
	"fmt"
	"strings"
)

// The largest body of a movie, and a little less for what stands around a filling.
const (
	full   = 2 << 20
	filled = full - 1024
)

// shapes are values of JSON that are as costly as a size allows. They stand for any value of a body.
var shapes = map[string]func(size int) string{
	"empty objects":    func(size int) string { return "[" + repeated("{}", size-2) + "]" },
	"empty lists":      func(size int) string { return "[" + repeated("[]", size-2) + "]" },
	"digits":           func(size int) string { return "[" + repeated("1", size-2) + "]" },
	"nulls":            func(size int) string { return "[" + repeated("null", size-2) + "]" },
	"short texts":      func(size int) string { return "[" + repeated(`""`, size-2) + "]" },
	"small objects":    func(size int) string { return "[" + repeated(`{"a":0}`, size-2) + "]" },
	"members":          func(size int) string { return members(size, `"k%06d":0`) },
	"members of lists": func(size int) string { return members(size, `"k%06d":[0]`) },
	"doubled keys":     func(size int) string { return "{" + repeated(`"a":0`, size-2) + "}" },
	"doubled objects":  func(size int) string { return "{" + repeated(`"a":{"b":{}}`, size-2) + "}" },
	"long keys":        func(size int) string { return members(size, `"`+strings.Repeat("k", 4000)+`%06d":0`) },
	"one key":          func(size int) string { return `{"` + strings.Repeat("k", size-6) + `":0}` },
	"one text":         func(size int) string { return `"` + strings.Repeat("x", size-2) + `"` },
	"one number":       func(size int) string { return strings.Repeat("9", size) },
	"fractions":        func(size int) string { return "[" + repeated("0."+strings.Repeat("3", 60)+"e-299", size-2) + "]" },
	"huge numbers":     func(size int) string { return "[" + repeated("9e999999999", size-2) + "]" },
	"escapes":          func(size int) string { return `"` + cut(`\u0041`, size-2) + `"` },
	"halves":           func(size int) string { return `"` + cut(`\ud800`, size-2) + `"` },
	"braces":           func(size int) string { return `"` + cut("{{", size-2) + `"` },
	"expressions":      func(size int) string { return `"` + cut("{{a}}", size-2) + `"` },
	"nesting": func(size int) string {
		return "[" + repeated(strings.Repeat("[", 50)+strings.Repeat("]", 50), size-2) + "]"
	},
	"nested objects": func(size int) string {
		return "[" + repeated(strings.Repeat(`{"a":`, 50)+"0"+strings.Repeat("}", 50), size-2) + "]"
	},
	"bottomless": func(size int) string { return strings.Repeat("[", size) },
	"blanks":     func(size int) string { return "[" + strings.Repeat(" ", size-2) + "]" },
}

// cut is as many of a text as fit into a size.
func cut(text string, size int) string { return strings.Repeat(text, size/len(text)) }

// repeated is as many of a text, with commas between them, as fit into a size.
func repeated(text string, size int) string {
	return strings.TrimSuffix(cut(text+",", size), ",")
}

// members is an object with members that count.
func members(size int, format string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := 0; ; i++ {
		next := fmt.Sprintf(format, i)
		if b.Len()+len(next)+2 > size {
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(next)
	}
	b.WriteByte('}')
	return b.String()
}

// movies are whole movies, as POST /movies takes them.
var movies = map[string]func() string{
	"scenes":             func() string { return `{"scenes":[` + repeated("{}", filled) + `]}` },
	"elements":           func() string { return `{"elements":[` + repeated("{}", filled) + `]}` },
	"scenes of elements": func() string { return `{"scenes":[` + repeated(`{"elements":[{}]}`, filled) + `]}` },
	"5,000 full elements": func() string {
		element := `{"type":"text","text":"x",` + strings.Trim(members(380, `"p%02d":0`), "{}") + `}`
		return `{"elements":[` + strings.TrimSuffix(strings.Repeat(element+",", 5000), ",") + `]}`
	},
	"5,000 texts": func() string {
		element := `{"type":"text","text":"` + strings.Repeat("x", 360) + `"}`
		return `{"elements":[` + strings.TrimSuffix(strings.Repeat(element+",", 5000), ",") + `]}`
	},
	"5,000 settings": func() string {
		element := `{"type":"text","text":"x","settings":{` + strings.Trim(members(330, `"p-%02d":"1px"`), "{}") + `}}`
		return `{"elements":[` + strings.TrimSuffix(strings.Repeat(element+",", 5000), ",") + `]}`
	},
	"2,000 warned scenes": func() string {
		scene := `{"duration":1,"elements":[{"type":"text","text":"x","x":"1e9","zoom":99,"volume":"` + strings.Repeat("9", 800) + `"}]}`
		return `{"scenes":[` + strings.TrimSuffix(strings.Repeat(scene+",", 2000), ",") + `]}`
	},
	"variables": func() string {
		return `{"variables":` + members(filled, `"v%06d":"x"`) + `,"elements":[{"type":"text","text":"{{v000001}}"}]}`
	},
	"variables of variables": func() string {
		return `{"variables":` + members(filled/3, `"v%06d":"{{v000000}}x"`) + `,"elements":[{"iterate":5000,"type":"text","text":"{{v000001}}"}]}`
	},
	"a megabyte, 5,000 times": func() string {
		return `{"variables":{"s":"` + strings.Repeat("x", 1<<20) + `"},"elements":[{"iterate":5000,"type":"text","text":"{{s}}"}]}`
	},
	"a megabyte, written, 5,000 times": func() string {
		return `{"elements":[{"iterate":5000,"type":"text","text":"` + strings.Repeat("x", 1<<20) + `"}]}`
	},
	"a megabyte, joined, 5,000 times": func() string {
		return `{"variables":{"s":"` + strings.Repeat("x", 1<<20) + `"},"elements":[{"iterate":5000,"type":"text","text":"{{s + item}}"}]}`
	},
	"3 kilobytes, joined, 5,000 times": func() string {
		return `{"variables":{"s":"` + strings.Repeat("x", 3200) + `"},"elements":[{"iterate":5000,"type":"text","text":"{{s}}{{item}}"}]}`
	},
	"a long number, 5,000 times": func() string {
		return `{"elements":[{"iterate":5000,"type":"text","text":"x","x":` + strings.Repeat("9", 1<<20) + `}]}`
	},
	"a settings' megabyte, 5,000 times": func() string {
		return `{"elements":[{"iterate":5000,"type":"text","text":"x","settings":{"a":"` + strings.Repeat("x", 1<<20) + `"}}]}`
	},
	"as many values and texts as can be": func() string {
		element := `{"iterate":5,"type":"text","text":"{{s}}{{item}}",` + strings.Trim(members(340, `"p%02d":0`), "{}") + `}`
		return `{"variables":{"s":"` + strings.Repeat("x", 3000) + `"},"elements":[` + strings.TrimSuffix(strings.Repeat(element+",", 1000), ",") + `]}`
	},
	"free data": func() string {
		return `{"scenes":[{}],"client-data":{"a":` + shapes["empty objects"](filled/2) + `},"comment":` + shapes["nested objects"](filled/2) + `}`
	},
	"doubled free data": func() string { return `{"scenes":[{}],"client-data":` + shapes["doubled objects"](filled) + `}` },
	"named free data":   func() string { return `{"scenes":[{}],"client-data":` + shapes["members"](filled) + `}` },
	"iterations of iterations": func() string {
		return `{"scenes":[{"iterate":10000,"elements":[{"iterate":10000,"type":"text","text":"{{item}}"}]}]}`
	},
	"iterations of nothing": func() string {
		return `{"scenes":[{"iterate":10000,"elements":[{"iterate":10000,"condition":"{{item > 20000}}"}]}]}`
	},
	"2,000 iterations of scenes": func() string {
		return `{"scenes":[` + strings.TrimSuffix(strings.Repeat(`{"iterate":10000},`, 2000), ",") + `]}`
	},
	"a list in a list": func() string {
		return `{"variables":{"l":[` + repeated("1", 200_000) + `]},"scenes":[{"iterate":"l","elements":[{"iterate":"l","type":"text","text":"x"}]}]}`
	},
	"doubling texts": func() string {
		return `{"variables":` + chain(60, "{{v%d}}{{v%d}}") + `,"elements":[{"text":"{{v0}}"}]}`
	},
	"doubling lists": func() string { return `{"variables":` + chain(60, "{{[v%d, v%d]}}") + `,"elements":[{"x":"{{v0}}"}]}` },
	"ranges": func() string {
		return `{"variables":{"r":"{{range(10000)}}"},"elements":[{"iterate":5000,"settings":{"a":"{{r}}"}}]}`
	},
	"replacing": func() string {
		return `{"variables":{"s":"` + strings.Repeat("x", 1<<20) + `"},"elements":[{"text":"{{replace(replace(s, 'x', 'xxxxxxxx'), 'x', 'xxxxxxxx')}}"}]}`
	},
	"looking": func() string {
		return `{"variables":{"s":"` + strings.Repeat("x", 1<<20) + `"},"elements":[{"iterate":5000,"condition":"{{contains(s, 'y') or s == s + 'y'}}"}]}`
	},
	"a long expression":     func() string { return `{"elements":[{"text":"{{ 1` + cut("+1", filled-64) + ` }}"}]}` },
	"a long name":           func() string { return `{"elements":[{"text":"{{ ` + strings.Repeat("a", filled-64) + ` }}"}]}` },
	"a deep expression":     func() string { return `{"elements":[{"text":"{{ ` + strings.Repeat("(", filled-64) + ` }}"}]}` },
	"many expressions":      func() string { return `{"elements":[{"text":` + numbered(filled-64, "{{a%d}}") + `}]}` },
	"texts of expressions":  func() string { return `{"elements":[{"settings":` + members(filled-64, `"k%06d":"{{a+1}}"`) + `}]}` },
	"different expressions": func() string { return `{"elements":[{"settings":` + twice(filled-64, `"k%d":"{{a+%d}}"`) + `}]}` },
	"conditions": func() string {
		return `{"elements":[` + repeated(`{"condition":"`+cut("a && ", 380)+`a"}`, filled) + `]}`
	},
	"imports":             func() string { return `{"scenes":[` + imported(1900) + `]}` },
	"times in a row":      func() string { return `{"elements":[` + following(5000) + `]}` },
	"times in a circle":   func() string { return `{"elements":[{"id":"a","start":"{{b_end}}"},{"id":"b","start":"{{a_end}}"}]}` },
	"times of iterations": func() string { return `{"elements":[{"iterate":5000,"id":"e{{item}}","start":"{{e1_end + item}}"}]}` },
	"times of all":        func() string { return `{"elements":[{"iterate":5000,"id":"e","start":"{{e_end}}"}]}` },
	"subtitles": func() string {
		return `{"elements":[{"type":"subtitles","captions":` + shapes["one text"](filled-64) + `}]}`
	},
	"a page": func() string { return `{"elements":[{"type":"html","html":` + shapes["one text"](filled-64) + `}]}` },
	"destinations": func() string {
		return `{"scenes":[{}],"exports":[{"destinations":[` + repeated(`{"type":"webhook"}`, filled-64) + `]}]}`
	},
	"exports": func() string { return `{"scenes":[{}],"exports":[` + repeated("{}", filled-64) + `]}` },
	"secrets": func() string {
		return `{"scenes":[{}],"exports":[{"destinations":[` + repeated(`{"password":"x"}`, 1<<20) + `]}]}`
	},
	"secrets of variables": func() string {
		return `{"scenes":[{}],"exports":[{"destinations":[{"password":` + numbered(1<<20, "{{a%d}}") + `}]}]}`
	},
	"keys of the cloud": func() string {
		return `{"scenes":[{}],"exports":[{"destinations":[{"a":"` + cut("AKIA", filled-64) + `"}]}]}`
	},
	"addresses with a login": func() string {
		return `{"scenes":[{}],"exports":[{"destinations":[{"endpoint":"a://` + cut(":@", filled-64) + `"}]}]}`
	},
	"preloads": func() string {
		return `{"scenes":[{}],"preload":[` + repeated(`{"type":"image","id":"a"}`, filled-64) + `]}`
	},
	"elements of templates": func() string {
		return `{"elements":[` + repeated(`{"type":"template","template":"TTTTTTTTTTTTTTTTTTTT"}`, 200_000) + `]}`
	},
	"elements, and an error": func() string {
		return `{"elements":[` + strings.Repeat(`{"type":"text","a":1,"b":2},`, 4999) + `{"template":}]}`
	},
	"a template, and free data": func() string {
		return `{"template":"TTTTTTTTTTTTTTTTTTTT","client-data":` + members(filled-64, `"k%06d":[{}]`) + `}`
	},
}

// chain is variables v0 to vn, each made of two of the next.
func chain(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"v%d":%q,`, i, fmt.Sprintf(format, i+1, i+1))
	}
	return "{" + b.String() + fmt.Sprintf(`"v%d":"xxxxxxxx"}`, n)
}

// numbered is a text of many that count.
func numbered(size int, format string) string {
	var b strings.Builder
	for i := 0; b.Len() < size-16; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return `"` + b.String() + `"`
}

// twice is an object whose members count twice.
func twice(size int, format string) string {
	var b strings.Builder
	b.WriteString(`{"k":0`)
	for i := 0; b.Len() < size-64; i++ {
		fmt.Fprintf(&b, ","+format, i, i)
	}
	return b.String() + "}"
}

// imported are scenes that import one with many elements.
func imported(n int) string {
	return `{"id":"s","elements":[` + repeated("{}", 2000) + `]},` + strings.TrimSuffix(strings.Repeat(`{"import":"s"},`, n), ",")
}

// following are elements of which each begins when the one before it ends.
func following(n int) string {
	var b strings.Builder
	b.WriteString(`{"id":"e0","duration":0.01}`)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, `,{"id":"e%d","duration":0.01,"start":"{{e%d_end}}"}`, i, i-1)
	}
	return b.String()
}
