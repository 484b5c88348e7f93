package connection

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
)

// The settings of connections to cloud storages. Decision 80.
var (
	gcsBucket = Field{check: form{regexp.MustCompile(`^[a-z0-9][a-z0-9._-]+[a-z0-9]$`), 222}.MatchString,
		wants: "the name of a bucket, without gs:// and without a folder"}
	serviceAccount = Field{check: checkServiceAccount, wants: "the JSON key of a Google service account, as it was downloaded"}
	azureAccount   = Field{check: regexp.MustCompile(`^[a-z0-9]{3,24}$`).MatchString,
		wants: "the name of a storage account, 3 to 24 small letters and digits"}
	azureContainer = Field{check: form{regexp.MustCompile(`^(\$root|[a-z0-9][a-z0-9-]+[a-z0-9])$`), 63}.MatchString,
		wants: "the name of a container, 3 to 63 small letters, digits and dashes"}
	azureKey = Field{check: func(s string) bool {
		key, err := base64.StdEncoding.DecodeString(s)
		return err == nil && len(key) >= 16
	}, wants: "an access key of the storage account, in Base64 as the portal shows it"}
)

// checkServiceAccount reports whether a text has the form of a service account's key. Google checks its validity when the key is
// used.
func checkServiceAccount(s string) bool {
	var key struct {
		Type  string `json:"type"`
		Email string `json:"client_email"`
		Key   string `json:"private_key"`
	}
	return len(s) <= 64<<10 && json.Unmarshal([]byte(s), &key) == nil && key.Type == "service_account" && key.Email != "" &&
		key.Key != ""
}

// Storage returns the address of a cloud storage, without its bucket. It is the setting endpoint or, without that setting,
// the address that the function place of the kind's descriptor makes of the other settings. For a kind without that
// function, which is not a cloud storage, Storage returns an empty text.
func (k Kind) Storage(s Settings) string {
	place := k.descriptor().place
	switch {
	case place == nil:
		return ""
	case s["endpoint"] != "":
		return s["endpoint"]
	}
	return place(s)
}
