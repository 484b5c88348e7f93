// Package anchorage keeps anchors of the ledgers in places outside of the installation: a folder, a bucket of S3 that may
// lock objects, a web address, or a mailbox. The name of an anchor has the time at which it was taken, so that no anchor
// replaces an earlier one.
package anchorage

import (
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The kinds of places in which anchors are kept.
const (
	Folder  = "folder"
	S3      = "s3"
	Webhook = "webhook"
	Mail    = "mail"
)

// Address says in which place anchors are kept.
type Address struct {
	Kind   string
	Folder string // path of the folder, for the kind Folder
	// URL is the address of a webhook, or of the endpoint of a bucket. For a bucket, nil means the endpoint that the AWS
	// client uses by default.
	URL    *url.URL
	To     string // e-mail address, for the kind Mail
	Bucket string

	Region, Prefix, Profile string
	PathStyle               bool
	Lock                    time.Duration // how long the objects stored in the bucket are locked; 0: the bucket's own rule
}

// errKind is the error for an address of no known kind, and for one that its kind does not permit.
var errKind = errors.New("give a folder by its whole path, s3://bucket?region=…, https://… without a user, or mailto:address")

// Parse reads an address: a folder's absolute path or file:///path, s3://bucket?…, https://… or http://…, or mailto:address.
// Errors repeat nothing of the address but the name of an unknown parameter.
func Parse(text string) (Address, error) {
	scheme, rest, found := strings.Cut(text, ":")
	if !found || len(scheme) == 1 || strings.ContainsAny(scheme, `/\`) {
		return folderOf(text)
	}
	switch scheme {
	case "mailto":
		to, err := mail.ParseAddress(rest)
		if err != nil {
			return Address{}, errors.New("give mailto: and one e-mail address")
		}
		return Address{Kind: Mail, To: to.Address}, nil
	case "file", "http", "https", "s3":
		u, err := url.Parse(text)
		if err != nil || u.User != nil || u.Fragment != "" {
			return Address{}, errKind
		}
		return addressOf(u)
	}
	return Address{}, errKind
}

func folderOf(path string) (Address, error) {
	if !filepath.IsAbs(path) {
		return Address{}, errKind
	}
	return Address{Kind: Folder, Folder: filepath.Clean(path)}, nil
}

func addressOf(u *url.URL) (Address, error) {
	switch {
	case u.Scheme == "s3":
		return bucketOf(u)
	case u.Scheme == "file" && u.Host == "":
		return folderOf(u.Path)
	case u.Scheme != "file" && u.Host != "":
		return Address{Kind: Webhook, URL: u}, nil
	}
	return Address{}, errKind
}

// bucketOf reads the address of a bucket. The address may have the parameters region, endpoint and use_path_style, which
// mean what they mean in an s3:// address of --blobs, and the parameters prefix, profile and lock-days.
func bucketOf(u *url.URL) (Address, error) {
	if u.Host == "" || strings.Trim(u.Path, "/") != "" {
		return Address{}, errors.New(
			"s3://…: give the name of the bucket alone after the slashes, and a folder in it as ?prefix=folder/")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Address{}, errors.New("s3://…: what follows the question mark cannot be read")
	}
	a := Address{Kind: S3, Bucket: u.Host}
	for name, values := range query {
		if err := a.set(name, values[0]); err != nil {
			return Address{}, err
		}
	}
	return a, nil
}

// set stores the value of one parameter of a bucket's address.
func (a *Address) set(name, value string) (err error) {
	switch name {
	case "region":
		a.Region = value
	case "prefix":
		a.Prefix = value
	case "profile":
		a.Profile = value
	case "endpoint":
		if a.URL, err = url.Parse(value); err != nil || a.URL.Host == "" || a.URL.User != nil {
			return errors.New("s3://…: endpoint is an address such as https://s3.example.com")
		}
	case "use_path_style":
		a.PathStyle = value == "true"
	case "lock-days":
		days, err := strconv.Atoi(value)
		if err != nil || days < 1 || days > 36500 {
			return errors.New("s3://…: lock-days is a number of days, such as 3650")
		}
		a.Lock = time.Duration(days) * 24 * time.Hour
	default:
		return fmt.Errorf("s3://…: %s is none of region, endpoint, use_path_style, prefix, profile and lock-days", name)
	}
	return nil
}
