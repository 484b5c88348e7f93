package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

const (
	// fileSuffix is the suffix of a flag that names a file with the value of a secret flag.
	fileSuffix = "-file"
	// blobsKey is the flag for the credential that opens a storage of files.
	blobsKey = "blobs-key"
	// maxSecretFile is the maximum size of a file with a secret, in bytes.
	maxSecretFile = 64 << 10
	// elsewhere is the name of the annotation of a flag whose value does not come from the command line.
	elsewhere = "source"
)

// Where the value of a flag may come from, beside the command line.
const (
	fromVariable = "variable"
	fromFile     = "file" // the file of --config
)

// secretFlags are the flags whose values are secrets, or addresses that may contain one.
var secretFlags = []string{"eventstore", "mongo", "blobs", blobsKey, "smtp", "speech-key", "transcription-key", "image-key",
	"operators-oidc-secret", AnchorTo}

// bindSecretFiles declares --NAME-file for each secret flag.
func bindSecretFiles(f *pflag.FlagSet) {
	for _, name := range secretFlags {
		bindSecretFile(f, name)
	}
}

func bindSecretFile(f *pflag.FlagSet, name string) {
	f.String(name+fileSuffix, "", "file with the value of --"+name)
}

// BindBlobsKeyFile declares the flag for the file with the credential for a storage of files, on commands that have no other
// secret flags.
func BindBlobsKeyFile(f *pflag.FlagSet) { bindSecretFile(f, blobsKey) }

// BindSMTPFile declares the flag for the file with the address of a mail server, on commands that have no other secret flags.
func BindSMTPFile(f *pflag.FlagSet) { bindSecretFile(f, "smtp") }

// BlobsFromEnvironment returns the address of the storage of files and the credential for it, from the environment variables. It
// serves commands without the flags for these.
func BlobsFromEnvironment() (where, key string, err error) {
	where, key = os.Getenv(EnvPrefix+"BLOBS"), os.Getenv(EnvPrefix+"BLOBS_KEY")
	for name, value := range map[string]*string{"BLOBS_FILE": &where, "BLOBS_KEY_FILE": &key} {
		if file := os.Getenv(EnvPrefix + name); file != "" && err == nil {
			*value, err = ReadSecretFile(file)
		}
	}
	return where, key, err
}

// FromFiles sets secret flags from the files that are named for them.
func FromFiles(f *pflag.FlagSet) error {
	var errs []error
	for _, name := range secretFlags {
		file := f.Lookup(name + fileSuffix)
		if file == nil || file.Value.String() == "" {
			continue
		}
		if f.Changed(name) {
			errs = append(errs, fmt.Errorf("--%s and --%s%s: give one of them", name, name, fileSuffix))
			continue
		}
		value, err := ReadSecretFile(file.Value.String())
		if _, list := f.Lookup(name).Value.(pflag.SliceValue); list { // the file of a list flag has a value in each line
			value = strings.Join(strings.Fields(value), ",")
		}
		if err == nil {
			err = set(f, name, value)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--%s%s: %w", name, fileSuffix, err))
			continue
		}
		mark(f.Lookup(name), "secret file")
	}
	return errors.Join(errs...)
}

// ReadSecretFile returns the content of a file without surrounding white space. A file that is empty or larger than maxSecretFile
// is an error.
func ReadSecretFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // closing a file that was only read loses nothing
	content, err := io.ReadAll(io.LimitReader(file, maxSecretFile+1))
	if err != nil {
		return "", err
	}
	if len(content) > maxSecretFile {
		return "", fmt.Errorf("%s is larger than %d KiB: give a file that holds only the secret", path, maxSecretFile>>10)
	}
	value := strings.TrimSpace(string(content))
	if value == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return value, nil
}

// mark records where a flag's value comes from, if not from the command line.
func mark(flag *pflag.Flag, source string) {
	if flag.Annotations == nil {
		flag.Annotations = map[string][]string{}
	}
	flag.Annotations[elsewhere] = []string{source}
}

// sourceOf returns where a flag's value comes from.
func sourceOf(flag *pflag.Flag) string {
	switch source := flag.Annotations[elsewhere]; {
	case len(source) > 0:
		return source[0]
	case flag.Changed:
		return "flag"
	default:
		return "default"
	}
}

// Exposed returns the flags whose secrets are on the command line, which other users of the host may be able to read.
func Exposed(f *pflag.FlagSet) []string {
	var names []string
	for _, name := range secretFlags {
		flag := f.Lookup(name)
		if flag == nil || !flag.Changed {
			continue
		}
		_, marked := flag.Annotations[elsewhere]
		if value := flag.Value.String(); !marked && WithoutSecret(name, value) != value {
			names = append(names, name)
		}
	}
	return names
}

// WarnOfExposed logs which secrets are on the command line, and where to put them instead.
func (c *Config) WarnOfExposed(warn func(...any)) {
	for _, name := range c.Exposed {
		warn(fmt.Sprintf("The command line can be read by every user of this host, and --%s carries a secret: use %s or --%s%s",
			name, variableOf(name), name, fileSuffix))
	}
}
