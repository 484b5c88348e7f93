package resources

import (
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands/mediafiles"
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
	elog, bucket := s.Stores.Log, s.Stores.Files
	var presign media.Presign
	if bucket.Presigns() {
		presign = s.Media.Confirm.Presign
	}
	return media.New(media.Config{
		Presign:     presign,
		Room:        s.Room,
		Fits:        s.Stores.Stored.Fits,
		Uploads:     newUploads(),
		Library:     s.Models.Library,
		Gate:        gate,
		Storage:     s.Media.Storage.Since,
		Register:    mediafiles.NewRegisterMediaHandler(elog, s.Media.Storage, time.Now, s.Config.UploadTTL),
		Upload:      mediafiles.NewUploadMediaHandler(elog, bucket, s.Media.Storage, time.Now),
		Move:        s.Media.Move,
		Delete:      s.Media.Remove,
		Folders:     mediafiles.NewMediaFolderHandler(elog, time.Now),
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
