package preloads

import (
	"moviola/handlers/http/operation"
)

// models describe the JSON of this package's request bodies and answers.
var models = []operation.Model{
	operation.Object("PreloadRequested", "",
		operation.F("success", "", operation.Const(true)),
		operation.F("preload_id", "", operation.ShortID),
		operation.F("timestamp", "", operation.Time),
	),
	operation.Of[item]("PreloadItem", "",
		operation.F("status", "", operation.Enum("pending", "running", "ready", "error")),
		operation.F("url", "The asset at full quality: in the media library when persistent, otherwise until expires_at.",
			operation.Format("uri")),
		operation.F("webURL", "A form of it that browsers can play: WebM for sources with transparency, MP4 for all others. Only "+
			"when they cannot play the asset itself.", operation.Format("uri")),
		operation.F("warning", "", operation.Enum("quota_blocked", "persist_failed")),
		operation.F("task", "The work on the item, as operators see it."),
	),
	operation.Of[answer]("Preload", "",
		operation.F("status", "", operation.Enum("pending", "running", "done")),
	),
}
