package document

import (
	"regexp"
	"slices"
	"strings"

	"moviola/domain"
)

// cloudKeys describes how the access keys to one cloud's storage are recognised.
type cloudKeys struct {
	refusal  error
	prefixes []string // prefixes of field names, removed before names are compared
	// fields are names of fields that hold access keys, in lower case, without dashes and underscores.
	fields []string
	value  *regexp.Regexp // matches an access key inside a text
}

const noKeys = "Export destinations must not carry %s keys. Save them in a connection and refer to it by its id"

// clouds are the storages whose access keys may be stored in saved connections only. Decisions 29 and 80.
var clouds = []cloudKeys{
	{domain.Errorf(domain.Invalid, "aws_keys_in_movie", noKeys, "AWS"), []string{"aws"},
		[]string{"accesskey", "accesskeyid", "secretkey", "secretaccesskey", "sessiontoken"},
		regexp.MustCompile(`(AKIA|ASIA)[A-Z0-9]{16}`)},
	{domain.Errorf(domain.Invalid, "google_keys_in_movie", noKeys, "Google"), []string{"google", "gcs"},
		[]string{"credentials", "serviceaccount", "serviceaccountkey", "privatekeyid"},
		regexp.MustCompile(`"?type"?\s*:\s*"?service_account|"private_key_id"`)},
	{domain.Errorf(domain.Invalid, "azure_keys_in_movie", noKeys, "Azure"), []string{"azure", "storage"},
		[]string{"accountkey", "storageaccountkey", "storagekey", "sastoken", "connectionstring"},
		regexp.MustCompile(`(?i)AccountKey\s*=|SharedAccessSignature\s*=`)},
}

var undivided = strings.NewReplacer("-", "", "_", "")

// CheckCloudKeys returns the error aws_keys_in_movie, google_keys_in_movie or azure_keys_in_movie when an export contains an
// access key to that cloud's storage. Spec: POST /movies, Rules; decisions 29 and 80.
func CheckCloudKeys(m *Movie) error {
	for _, c := range clouds {
		if c.in(m.exports) {
			return c.refusal
		}
	}
	return nil
}

// in reports whether a value contains an access key to the cloud's storage, at any depth.
func (c cloudKeys) in(value any) bool {
	switch v := value.(type) {
	case string:
		return c.value.MatchString(v)
	case []any:
		return slices.ContainsFunc(v, c.in)
	case map[string]any:
		for name, item := range v {
			if c.names(name) || c.in(item) {
				return true
			}
		}
	}
	return false
}

// names reports whether a field with this name holds an access key to the cloud's storage.
func (c cloudKeys) names(field string) bool {
	plain := undivided.Replace(strings.ToLower(field))
	if slices.Contains(c.fields, plain) {
		return true
	}
	return slices.ContainsFunc(c.prefixes, func(prefix string) bool {
		rest, has := strings.CutPrefix(plain, prefix)
		return has && slices.Contains(c.fields, rest)
	})
}
