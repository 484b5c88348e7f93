// Package blobkey builds and parses the keys under which files are stored, in a folder or a bucket. No other package builds them.
package blobkey

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"moviola/domain"
	"moviola/domain/connection"
	"moviola/domain/preload"
	"moviola/domain/template"
)

// Kind is the first part of a key. It determines the meaning of the other parts.
type Kind string

// The kinds of files. No event names files of the kinds Uploads, Inboxes, Sources and Fonts; these are removed by age or by
// use.
const (
	Documents Kind = "movies"    // JSON of a movie: <account>/<project>.json
	Renders   Kind = "renders"   // files of a movie: <project>/<attempt><extension>, of its outputs: <project>/<attempt>-<name>
	Bodies    Kind = "templates" // movie JSON of a template: <template>/<hash>.json
	Examples  Kind = "library"   // files of a template's example in the template library: <template>/<attempt><extension>
	Media     Kind = "media"     // file of a media library: <account>/<entry>-<upload>
	Uploads   Kind = "staging"   // upload that is not confirmed: <account>/<entry>
	Requests  Kind = "batches"   // posted JSON of a preload batch: <account>/<preload>.json
	Rows      Kind = "rows"      // rows of a batch of movies: <account>/<batch>.json
	Exchanges Kind = "exchanges" // request and answer of a try at a destination: <account>/<project>-<destination>-<run>-<try>.json
	Inboxes   Kind = "inboxes"   // <account>/<inbox>/<name>.json: an inbox for trying webhooks, or one of its letters
	Prepared  Kind = "preloads"  // prepared asset: <account>/<preload>/<number>-<random><extension>
	Sources   Kind = "sources"   // downloaded source, shared by the hosts of an installation
	Fonts     Kind = "fonts"     // font fetched by its name, shared by all accounts
	History   Kind = "history"   // events that are no longer in the log: <year>-<month>/<name>.jsonl.zst
)

// Prefix returns the prefix of the keys of all files of a kind.
func (k Kind) Prefix() string { return string(k) + "/" }

// Of returns the prefix of the keys of an account's files of a kind. Keys of the kinds Renders, Bodies,
// Examples, Sources, Fonts and History do not contain the id of an account.
func (k Kind) Of(account domain.AccountID) string { return k.Prefix() + string(account) + "/" }

// Is reports whether a key belongs to the kind.
func (k Kind) Is(key string) bool { return strings.HasPrefix(key, k.Prefix()) }

// IsDocument reports whether a file is the JSON of a movie or a template. Such files may be encrypted, and are stored in a
// database if there is one.
func IsDocument(key string) bool { return Documents.Is(key) || Bodies.Is(key) }

// DocumentPrefixes returns the prefixes of keys for which IsDocument is true.
func DocumentPrefixes() []string { return []string{Documents.Prefix(), Bodies.Prefix()} }

// AccountPrefixes returns the prefixes of the keys of files that count towards an account's storage. In a key, such a prefix is
// followed by the account's id and a slash.
func AccountPrefixes() []string {
	return []string{Media.Prefix(), Uploads.Prefix(), Documents.Prefix(), Requests.Prefix(), Rows.Prefix(), Exchanges.Prefix(),
		Inboxes.Prefix(), Prepared.Prefix()}
}

// Document returns the key of the JSON of a movie.
func Document(account domain.AccountID, project domain.ProjectID) string {
	return Documents.Of(account) + string(project) + jsonExtension
}

// RendersOf returns the prefix of the keys of all files rendered for a movie.
func RendersOf(project domain.ProjectID) string { return Renders.Prefix() + string(project) + "/" }

// Body returns the key of the movie JSON of a template, by the hash of the JSON. The stored JSON never changes.
func Body(id template.ID, hash string) string { return BodiesOf(id) + hash + jsonExtension }

// BodiesOf returns the prefix of the keys of all movie JSON of a template.
func BodiesOf(id template.ID) string { return Bodies.Prefix() + string(id) + "/" }

// ExamplesOf returns the prefix of the keys of a template's examples.
func ExamplesOf(id template.ID) string { return Examples.Prefix() + string(id) + "/" }

// MediaFile returns the key of a file of an account's media library. entry is the id of the file at its path; upload
// distinguishes several uploads for the same entry.
func MediaFile(account domain.AccountID, entry, upload string) string {
	return Media.Of(account) + entry + "-" + upload
}

// Upload returns the key of an upload that is not confirmed yet.
func Upload(account domain.AccountID, entry string) string { return Uploads.Of(account) + entry }

// Request returns the key of the posted JSON of a preload batch.
func Request(account domain.AccountID, id preload.ID) string {
	return Requests.Of(account) + string(id) + jsonExtension
}

// BatchRows returns the key of the rows of a batch of movies. The file is kept until each row has its movie, or
// will get none.
func BatchRows(account domain.AccountID, id domain.BatchID) string {
	return Rows.Of(account) + string(id) + jsonExtension
}

// Exchange returns the key of the request and answer of one try at a destination of a movie. The file is encrypted.
func Exchange(account domain.AccountID, project domain.ProjectID, destination, run, try int) string {
	return fmt.Sprintf("%s%s-%d-%d-%d%s", Exchanges.Of(account), project, destination, run, try, jsonExtension)
}

// InboxOf returns the prefix of the keys of all files of an inbox.
func InboxOf(account domain.AccountID, id connection.InboxID) string {
	return Inboxes.Of(account) + string(id) + "/"
}

// Inbox returns the key of an inbox's own file, which is encrypted like its letters.
func Inbox(account domain.AccountID, id connection.InboxID) string {
	return InboxOf(account, id) + "inbox" + jsonExtension
}

// InboxLetter returns the key of a letter in an inbox. Keys sort by time; random distinguishes letters of the same time.
func InboxLetter(account domain.AccountID, id connection.InboxID, at time.Time, random string) string {
	return fmt.Sprintf("%s%020d-%s%s", InboxOf(account, id), at.UnixNano(), random, jsonExtension)
}

// PreparedStem returns the key of a prepared asset without its extension. number counts the items of a preload batch from 1;
// random differs between attempts.
func PreparedStem(account domain.AccountID, id preload.ID, number int, random string) string {
	return fmt.Sprintf("%s%s/%d-%s", Prepared.Of(account), id, number, random)
}

// SourceFilesOf and SourceVisitsOf are the prefixes of the keys of an account's shared downloads: SourceFilesOf of the files,
// named by their content, SourceVisitsOf of the records of requested addresses. holder stands for the account and is a valid
// folder name.
func SourceFilesOf(holder string) string  { return SourcesOf(holder) + filesFolder }
func SourceVisitsOf(holder string) string { return SourcesOf(holder) + "visits/" }

// SourcesOf returns the prefix of the keys of all shared downloads of an account. holder stands for the account.
func SourcesOf(holder string) string { return Sources.Prefix() + holder + "/" }

// SourceFile returns the key of a download whose content has the given hash and size.
func SourceFile(holder, hash string, size int64) string {
	return SourceFilesOf(holder) + content(hash, size)
}

// SourceVisit returns the key of the record of a requested address. hash is the hash of the address.
func SourceVisit(holder, hash string) string { return SourceVisitsOf(holder) + hash + jsonExtension }

// HistoryFile returns the key of an archive file of events. Only the catalogue of the archive, in the log, names these files.
func HistoryFile(month, name string) string {
	return History.Prefix() + month + "/" + name + ".jsonl.zst"
}

// FontFiles and FontFamilies are the prefixes of the keys of fetched fonts: FontFiles of the font files, named by their content,
// FontFamilies of the records of families.
func FontFiles() string    { return Fonts.Prefix() + filesFolder }
func FontFamilies() string { return Fonts.Prefix() + "families/" }

// FontFile returns the key of a font whose content has the given hash and size.
func FontFile(hash string, size int64) string { return FontFiles() + content(hash, size) }

// FontFamily returns the key of the record of the family whose name has the given hash.
func FontFamily(hash string) string { return FontFamilies() + hash + jsonExtension }

// content returns a file name made of the hash and size of the content.
func content(hash string, size int64) string { return hash + "." + strconv.FormatInt(size, 10) }

// Content reads the hash and the size from the key of a SourceFile or a FontFile. It returns false for any other key.
func Content(key string) (hash string, size int64, ok bool) {
	folder, name := path.Split(key)
	if !strings.HasSuffix(folder, "/"+filesFolder) || !Sources.Is(key) && !Fonts.Is(key) {
		return "", 0, false
	}
	hash, digits, _ := strings.Cut(name, ".")
	size, err := strconv.ParseInt(digits, 10, 64)
	return hash, size, err == nil && size >= 0
}

const (
	jsonExtension = ".json"
	filesFolder   = "files/"
)

// Owner is what a file belongs to: its account, movie, template, preload batch or batch of movies. Fields that the key does
// not name are empty.
type Owner struct {
	Kind     Kind
	Account  domain.AccountID
	Project  domain.ProjectID
	Template template.ID
	Preload  preload.ID
	Batch    domain.BatchID
}

// Parse returns the owner of the file with a key. It returns false when keys of its kind do not name an owner, or the key
// does not have the form of its kind.
func Parse(key string) (Owner, bool) {
	parts := strings.Split(key, "/")
	if len(parts) < 3 || parts[1] == "" || parts[2] == "" {
		return Owner{}, false
	}
	o := Owner{Kind: Kind(parts[0])}
	s, ok := shapes[o.Kind]
	name, isJSON := strings.CutSuffix(parts[2], jsonExtension)
	if !ok || s.folder != (len(parts) > 3) || s.json && !isJSON {
		return Owner{}, false
	}
	if !s.json {
		name = parts[2]
	}
	s.read(&o, parts[1], name)
	return o, true
}

// shape describes how the keys of a kind name their owner. A key is KIND/FIRST/SECOND or KIND/FIRST/SECOND/THIRD.
type shape struct {
	folder bool // the part SECOND of a key names a folder, and THIRD names a file in it
	json   bool // the part SECOND of a key ends with .json
	read   func(o *Owner, first, second string)
}

// shapes holds the shapes of the kinds whose keys name their owner.
var shapes = map[Kind]shape{
	Documents: {json: true, read: func(o *Owner, first, second string) {
		o.Account, o.Project = domain.AccountID(first), domain.ProjectID(second)
	}},
	Renders:  {read: func(o *Owner, first, _ string) { o.Project = domain.ProjectID(first) }},
	Bodies:   {json: true, read: func(o *Owner, first, _ string) { o.Template = template.ID(first) }},
	Examples: {read: func(o *Owner, first, _ string) { o.Template = template.ID(first) }},
	Media:    {read: ofAccount},
	Uploads:  {read: ofAccount},
	Requests: {json: true, read: ofPreload},
	Rows: {json: true, read: func(o *Owner, first, second string) {
		o.Account, o.Batch = domain.AccountID(first), domain.BatchID(second)
	}},
	Exchanges: {json: true, read: func(o *Owner, first, second string) {
		project, _, _ := strings.Cut(second, "-")
		o.Account, o.Project = domain.AccountID(first), domain.ProjectID(project)
	}},
	Inboxes:  {folder: true, read: ofAccount},
	Prepared: {folder: true, read: ofPreload},
}

func ofAccount(o *Owner, first, _ string) { o.Account = domain.AccountID(first) }

func ofPreload(o *Owner, first, second string) {
	o.Account, o.Preload = domain.AccountID(first), preload.ID(second)
}
