package connection

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"moviola/domain"
)

// Masked replaces a secret wherever settings are shown. A client that sends this text back leaves the secret unchanged.
const Masked = "***"

// Read reads the settings that a client has sent: texts, numbers, booleans, lists of texts. Secrets that are left out or
// masked are taken from the present settings, before (nil: there are none, for example because the connection is new). They
// are not taken, and have to be sent again, when they would go to another place: otherwise a secret could be stolen by
// changing the address in its connection. Unknown settings, invalid values and missing required settings are *domain.Error
// of kind Invalid.
func Read(k Kind, sent map[string]any, before Settings) (Settings, error) {
	settings, err := k.read(sent, before)
	if err != nil {
		return nil, err
	}
	if k != Webhook && k.goesElsewhere(settings, before) {
		before = nil
	}
	for _, f := range k.descriptor().fields {
		if keeps(f, sent, before) && settings[f.Name] == "" && before[f.Name] != "" {
			settings[f.Name] = before[f.Name]
		}
		if f.Required && settings[f.Name] == "" {
			return nil, domain.Errorf(domain.Invalid, "setting_required", "%s is required", f.Name)
		}
	}
	if err := k.complete(settings); err != nil {
		return nil, err
	}
	return settings, nil
}

// read reads the sent settings. It leaves out empty settings and masked secrets.
func (k Kind) read(sent map[string]any, before Settings) (Settings, error) {
	settings := Settings{}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		f, known := k.field(name)
		value, ok := AsText(sent[name])
		switch {
		case !known:
			return nil, domain.Errorf(domain.Invalid, "setting_unknown", "A connection of type %s has no property %.60s", k, name)
		case f.Secret && isMasked(name, value, before[name]) || value == "" && ok:
			continue
		case name == endpoint && f.Secret && strings.HasSuffix(value, "/"+Masked): // shown of another address
			return nil, domain.Errorf(domain.Invalid, "setting_invalid",
				"%s must be the whole address: *** stands for what is not shown", name)
		case !ok || !f.check(value):
			return nil, domain.Errorf(domain.Invalid, "setting_invalid", "%s must be %s", name, f.wants)
		}
		settings[name] = value
	}
	return settings, nil
}

// keeps reports whether the sent settings leave the secret f unchanged.
func keeps(f Field, sent map[string]any, before Settings) bool {
	value, set := sent[f.Name]
	return f.Secret && (!set || isMasked(f.Name, value, before[f.Name]))
}

// isMasked reports whether a sent value is what is shown of the secret with a name.
func isMasked(name string, sent any, secret string) bool {
	address := shownAddress(name, secret)
	return sent == Masked || address != "" && sent == address
}

// endpoint is the name of the only setting that is secret and an address.
const endpoint = "endpoint"

// shownAddress returns what is shown of a secret with a name: scheme and host of an endpoint, of other secrets nothing.
func shownAddress(name, secret string) string {
	u, err := url.Parse(secret)
	if name != endpoint || err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host + "/" + Masked
}

// Override replaces settings of a saved connection by given, the properties of a movie's destination. Secrets cannot be
// replaced. Settings that determine where secrets are sent cannot be changed either, because a password must not go to a
// host that a movie names. A webhook is the exception: a movie may replace its whole address. Movie-schema §11.
func (k Kind) Override(saved Settings, given map[string]any) (Settings, error) {
	settings := maps.Clone(saved)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name == "id" || name == "type" || name == "format" && k.TakesFiles() {
			continue
		}
		value, err := k.override(saved, name, given[name])
		if err != nil {
			return nil, err
		}
		if value != "" {
			settings[name] = value
		}
	}
	return settings, nil
}

// override returns the value that a movie gives to a setting of a saved connection; empty: the saved value stays.
func (k Kind) override(saved Settings, name string, given any) (string, error) {
	f, known := k.field(name)
	value, ok := AsText(given)
	switch {
	case !known:
		return "", domain.Errorf(domain.Invalid, "setting_unknown", "A destination of type %s has no property %.60s", k, name)
	// A movie may replace the secret address of a webhook: no saved secret is sent to the new address.
	case f.Secret && k != Webhook:
		return "", domain.Errorf(domain.Invalid, "setting_secret",
			"%s is a secret of the saved connection and cannot be changed by a movie", name)
	case f.Standing:
		return "", domain.Errorf(domain.Invalid, "setting_bound",
			"%s belongs to the saved connection and cannot be set by a movie", name)
	case f.Bound && k != Webhook && value != saved[name]:
		return "", domain.Errorf(domain.Invalid, "setting_bound",
			"%s belongs to the secrets of the saved connection and cannot be changed by a movie", name)
	case !ok || value != "" && !f.check(value):
		return "", domain.Errorf(domain.Invalid, "setting_invalid", "%s must be %s", name, f.wants)
	}
	return value, nil
}

// Inline reads a destination that names no saved connection. Unknown properties are ignored (decision 23), and so are
// settings that only saved connections have.
func (k Kind) Inline(given map[string]any) (Settings, error) {
	sent := map[string]any{}
	for name, value := range given {
		if f, known := k.field(name); known && !f.Standing {
			sent[name] = value
		}
	}
	return Read(k, sent, nil)
}

// AsText returns a property as a text: numbers and booleans as JSON, a list of texts joined by commas, null as an empty
// text. It returns false for any other value.
func AsText(value any) (string, bool) {
	switch v := value.(type) {
	case nil:
		return "", true
	case string:
		return strings.TrimSpace(v), true
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case json.Number:
		return v.String(), true
	case []any:
		var parts []string
		for _, item := range v {
			text, ok := item.(string)
			if !ok {
				return "", false
			}
			parts = append(parts, strings.TrimSpace(text))
		}
		return strings.Join(parts, ", "), true
	}
	return "", false
}

// Split divides settings into public and secret ones. The scheme and host of a secret address are public.
func (k Kind) Split(settings Settings) (shown, secret Settings) {
	shown, secret = Settings{}, Settings{}
	for name, value := range settings {
		f, _ := k.field(name)
		if !f.Secret {
			shown[name] = value
			continue
		}
		secret[name] = value
		if address := shownAddress(name, value); address != "" {
			shown[name] = address
		}
	}
	return shown, secret
}
