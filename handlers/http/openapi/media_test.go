package openapi_test

import (
	"context"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/domain"
	domainmedia "moviola/domain/media"
	"moviola/handlers/http/media"
	"moviola/handlers/http/preloads"
	"moviola/handlers/http/web"
)

// library has the operations on media libraries, with nothing behind them.
func library(t *testing.T) *media.API {
	t.Helper()
	addresses, err := domainmedia.NewAddresses("https://video.example", make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	api, err := media.New(media.Config{
		Library: struct{ media.MediaReader }{}, Gate: struct{ media.Gate }{},
		Storage:  func(context.Context, domain.AccountID) (*time.Time, bool, error) { return nil, false, nil },
		Register: struct{ media.Registrar }{}, Upload: struct{ media.Uploader }{}, Move: struct{ media.Mover }{},
		Delete: struct{ media.Deleter }{}, Folders: struct{ media.Folders }{}, Addresses: addresses, Projected: struct{ web.Projected }{},
		PublicURL: "https://video.example", CursorKey: make([]byte, 32), UploadKey: make([]byte, 32), Log: logrus.New(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// batches has the operations on preloads, with nothing behind them.
func batches(t *testing.T) *preloads.API {
	t.Helper()
	addresses, err := domainmedia.NewAddresses("https://video.example", make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	api, err := preloads.New(preloads.Config{
		Request: struct{ preloads.Requester }{}, Batches: struct{ preloads.PreloadReader }{}, Addresses: addresses,
		Projected: struct{ web.Projected }{}, Log: logrus.New(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return api
}
