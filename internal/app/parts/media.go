// Package parts opens what all roles of a process share, and makes the use cases that more than one role needs.
package parts

import (
	"github.com/sirupsen/logrus"

	"moviola/commands/mediafiles"
	domainmedia "moviola/domain/media"
	"moviola/handlers/http/files"
	"moviola/internal/secret"
)

// Media is what the operations, work and renders of this process need to use media libraries.
type Media struct {
	Addresses *domainmedia.Addresses
	UploadKey []byte
	Storage   *mediafiles.Storage
}

// openMedia sets s.Media, which the operations, work and renders of this process need to use media libraries. It derives
// the keys for addresses of files and for uploads from secret.
func (s *Parts) openMedia(secret secret.Secret) error {
	key, err := secret.Key("media addresses")
	if err != nil {
		return err
	}
	if s.Media.Addresses, err = domainmedia.NewAddresses(s.Config.PublicURL, key); err != nil {
		return err
	}
	if s.Media.UploadKey, err = secret.Key("uploads"); err != nil {
		return err
	}
	s.Media.Storage = mediafiles.NewStorage(s.Standings(), s.Ledgers)
	return nil
}

// FileServer returns the server of stored files. Clients need no API key, only the address of a file. Renders open files of this
// service through the server, too.
func (s *Parts) FileServer(log logrus.FieldLogger) *files.Server {
	return files.New(files.Config{
		Movies: s.Models.Movies, Library: s.Models.Library, Addresses: s.Media.Addresses, Files: s.Stores.Files,
		Tokens: s.Tokens, CacheTTL: s.Config.AssetCacheTTL, Log: log,
	})
}
