package eventstore_test

import (
	"time"

	"moviola/domain"
	"moviola/domain/media"
	"moviola/domain/preload"
)

// mediaSamples has one event of every type of the media library and of preloads, every field set.
func mediaSamples() []domain.Event {
	expires := at.Add(time.Hour)
	file := media.File{Folder: "brand", Name: "logo.png", Entry: "e1", ContentType: "image/png", Size: 42}
	return []domain.Event{
		media.FileRegistered{File: file, ExpiresAt: expires, At: at},
		media.FileUploaded{File: file, Blob: "media/acct/e1-x", At: at},
		media.FileMoveStarted{Move: "m1", ToFolder: "old", ToName: "logo.png", At: at},
		media.FileMovedIn{File: file, Blob: "media/acct/e1-x", FromFolder: "brand", FromName: "logo.png", UploadedAt: at, At: expires},
		media.FileMovedOut{File: file, Move: "m1", At: at},
		media.FileMoveAborted{Move: "m1", At: at},
		media.FileDeleted{File: file, Blob: "media/acct/e1-x", Reason: media.ByUser, At: at},
		media.FolderCreated{Folder: "brand/new", Number: 1, At: at},
		media.FolderDeleted{Folder: "brand/new", Number: 1, At: at},
		preload.Requested{Account: "acct", Items: []preload.Item{{ID: "logo", Type: preload.Image, Save: true, Held: 10, Sources: true}}, DocumentHash: "abcd", At: at},
		preload.ItemFetchStarted{Index: 1, Attempt: 2, Worker: "w1", At: at, Alone: true, Death: domain.Crashed},
		preload.ItemFetchReleased{Index: 1, Attempt: 2, Worker: "w1", At: at, Memory: true},
		preload.ItemFetched{Index: 1, Attempt: 2, Worker: "w1", At: at},
		preload.ItemStarted{Index: 1, Attempt: 2, Worker: "w1", At: at, Alone: true, Death: domain.Crashed},
		preload.ItemReleased{Index: 1, Attempt: 2, Worker: "w1", At: at, Memory: true},
		preload.ItemFinished{Index: 1, Attempt: 2, Worker: "w1", At: at, Result: preload.Result{
			Error: "why", Key: "preloads/acct/p/1.mov", Folder: "generated", Name: "p-1.mov", Web: "preloads/acct/p/1-web.webm", WebName: "p-1-web.webm",
			ExpiresAt: &expires, Warning: preload.PersistFailed, Duration: 1.5, Width: 1920, Height: 1080, Size: 42, Generated: true, Credits: 10,
		}},
		preload.Finished{At: at},
	}
}
