package resources

import (
	"github.com/sirupsen/logrus"

	"moviola/handlers/http/access"
	"moviola/handlers/http/media"
	"moviola/internal/secret"
)

// NewMedia wires the operations on media libraries.
func (s *Resources) NewMedia(secret secret.Secret, gate *access.Gate, log logrus.FieldLogger) (*media.API, error) {
	cursorKey, err := secret.Key("cursors")
	if err != nil {
		return nil, err
	}
	var presign media.Presign
	if s.Stores.Files.Presigns() {
		presign = s.Do.ConfirmUpload.Presign
	}
	return media.New(media.Config{
		Presign:     presign,
		Room:        s.Room,
		Fits:        s.Stores.Stored.Fits,
		Uploads:     newUploads(),
		Library:     s.Models.Library,
		Gate:        gate,
		Storage:     s.Media.Storage.Since,
		Register:    s.Do.RegisterMedia,
		Upload:      s.Do.UploadMedia,
		Move:        s.Do.MoveMedia,
		Delete:      s.Do.DeleteMedia,
		Folders:     s.Do.MediaFolders,
		Addresses:   s.Media.Addresses,
		Projected:   s.Models.Reader,
		PublicURL:   s.Config.PublicURL,
		CursorKey:   cursorKey,
		UploadKey:   s.Media.UploadKey,
		UploadTTL:   s.Config.UploadTTL,
		CORSOrigins: s.Config.CORSOrigin,
		Log:         log,
	})
}
