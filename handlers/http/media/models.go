package media

import (
	"moviola/handlers/http/operation"
)

// models describe the JSON of this package's request bodies and answers.
var models = []operation.Model{
	operation.Of[done]("MediaDone", "",
		operation.F("fileUrl", "Of a moved file: its new address."),
		operation.F("folder", "Of a new folder: its name as it is kept."),
		operation.F("message", "That the folder exists already."),
	),
	operation.Of[registered]("MediaRegistered", "",
		operation.F("uploadUrl", "", operation.Format("uri")),
		operation.F("fileUrl", "Where the file will be. It answers 404 until then.", operation.Format("uri")),
		operation.F("expiresIn", "Seconds."),
	),
	operation.Of[fileView]("MediaFile", "",
		operation.F("folder", "Empty: the root."),
		operation.F("type", "", operation.Enum("image", "video", "audio", "other")),
		operation.F("url", "", operation.Format("uri")),
		operation.F("fileUrl", "The same as url.", operation.Format("uri")),
		operation.F("status", "", operation.Enum("pending", "uploaded")),
	),
	operation.Object("MediaFileAnswer", "",
		operation.F("success", "", operation.Const(true)),
		operation.F("file", "", operation.Is(operation.Ref("MediaFile"))),
		operation.F("timestamp", "", operation.Time),
	),
	operation.Of[storage]("MediaStorage", "",
		operation.F("credits_per_week", "There is no fee.", operation.Const(0)),
		operation.F("blocked", "True while the balance is zero: nothing can be uploaded."),
	),
	operation.Of[listed]("MediaList", "",
		operation.F("folders", "Names of the folders directly in it, the first thousand."),
		operation.F("total", "Files that fit type and q."),
		operation.F("total_size", "Bytes of the uploaded files directly in the folder."),
	),
	operation.Of[treeAnswer]("MediaTree", ""),
	operation.Of[branch]("MediaTreeTree", ""),
}
