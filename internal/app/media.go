package app

import (
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands/mediafiles"
	"moviola/domain/blobkey"
	domainmedia "moviola/domain/media"
	"moviola/handlers/background/chores"
	"moviola/handlers/http/access"
	"moviola/handlers/http/files"
	"moviola/handlers/http/media"
	"moviola/internal/secret"
)

// mediaParts are what the media libraries of this process share.
type mediaParts struct {
	addresses *domainmedia.Addresses
	uploadKey []byte
	storage   *mediafiles.Storage
	keep      mediafiles.KeepMediaHandler
	move      mediafiles.MoveMediaHandler
	remove    mediafiles.DeleteMediaHandler
	confirm   mediafiles.ConfirmUploadHandler
}

// openMedia puts together what the media libraries need.
func (s *service) openMedia(secret secret.Secret) error {
	key, err := secret.Key("media addresses")
	if err != nil {
		return err
	}
	if s.media.addresses, err = domainmedia.NewAddresses(s.cfg.PublicURL, key); err != nil {
		return err
	}
	if s.media.uploadKey, err = secret.Key("uploads"); err != nil {
		return err
	}
	log, bucket := s.stores.Log, s.stores.Files
	s.media.storage = mediafiles.NewStorage(s.standings(), s.ledgers)
	s.media.keep = mediafiles.NewKeepMediaHandler(log, bucket, s.media.storage, time.Now)
	s.media.move = mediafiles.NewMoveMediaHandler(log, time.Now)
	s.media.confirm = mediafiles.NewConfirmUploadHandler(log, bucket, bucket, s.media.storage, time.Now)
	s.media.remove = mediafiles.NewDeleteMediaHandler(log, bucket, time.Now, s.cfg.TempRetention)
	return nil
}

// libraryWork is what is left to do in media libraries.
type libraryWork struct {
	mediafiles.MoveMediaHandler
	mediafiles.DeleteMediaHandler
}

// rowsAge is how long the rows of a batch are kept that no work has removed: far longer than an installation stands still.
const rowsAge = 60 * 24 * time.Hour

// mediaChores tidy up what is stored for media libraries and preloads.
func (s *service) mediaChores() []chores.Chore {
	files := s.stores.Files
	return []chores.Chore{
		chores.Media(files, s.models.Library, s.caughtUp),
		chores.Old("prepared assets", blobkey.Prepared.Prefix(), s.cfg.AssetCacheTTL+halfFileAge, files),
		chores.Old("rows of batches", blobkey.Rows.Prefix(), rowsAge, files),
		chores.Old("documents of preloads", blobkey.Requests.Prefix(), s.cfg.AssetCacheTTL+24*time.Hour, files),
		chores.Old("uploads that nobody expects", blobkey.Uploads.Prefix(), 24*time.Hour, files),
	}
}

// fileServer serves stored files at their addresses, to everybody who knows one and to renders.
func (s *service) fileServer(log logrus.FieldLogger) *files.Server {
	return files.New(files.Config{
		Movies: s.models.Movies, Library: s.models.Library, Addresses: s.media.addresses, Files: s.stores.Files,
		Tokens: s.tokens, CacheTTL: s.cfg.AssetCacheTTL, Log: log,
	})
}

// newMedia wires the operations on media libraries.
func (s *service) newMedia(secret secret.Secret, gate *access.Gate, log logrus.FieldLogger) (*media.API, error) {
	cursorKey, err := secret.Key("cursors")
	if err != nil {
		return nil, err
	}
	elog, bucket := s.stores.Log, s.stores.Files
	var presign media.Presign
	if bucket.Presigns() {
		presign = s.media.confirm.Presign
	}
	return media.New(media.Config{
		Presign:     presign,
		Room:        s.room,
		Fits:        s.stores.Stored.Fits,
		Uploads:     newUploads(),
		Library:     s.models.Library,
		Gate:        gate,
		Storage:     s.media.storage.Since,
		Register:    mediafiles.NewRegisterMediaHandler(elog, s.media.storage, time.Now, s.cfg.UploadTTL),
		Upload:      mediafiles.NewUploadMediaHandler(elog, bucket, s.media.storage, time.Now),
		Move:        s.media.move,
		Delete:      s.media.remove,
		Folders:     mediafiles.NewMediaFolderHandler(elog, time.Now),
		Addresses:   s.media.addresses,
		Projected:   s.models.Reader,
		PublicURL:   s.cfg.PublicURL,
		CursorKey:   cursorKey,
		UploadKey:   s.media.uploadKey,
		UploadTTL:   s.cfg.UploadTTL,
		CORSOrigins: s.cfg.CORSOrigin,
		Log:         log,
	})
}
