package media

import (
	"net/http"

	"moviola/domain/key"
	"moviola/handlers/http/operation"
)

// Declared lists the operations and models of this package, for the OpenAPI document.
var Declared = operation.Room{Operations: []operation.Operation{
	getMedia, deleteMedia, getMediaFile, registerMediaFile, moveMediaFile, deleteMediaFile, listMedia, createMediaFolder,
	deleteMediaFolder, uploadMediaFile,
}, Models: models}

// The parameters that several operations of this package have.
var (
	pathParameter = operation.Query("path", "The folder; / or nothing is the root.")
	pageParameter = operation.Query("page",
		"Pages to leave out, from 0. Use next_token for what lies far back: it costs the same everywhere.", operation.Integer,
		operation.Min(0), operation.Default(0))
	typeParameter      = operation.Query("type", "Only files of this type.", operation.Enum("image", "video", "audio", "other"))
	qParameter         = operation.Query("q", "Only files and folders whose name contains this text, whatever its case.")
	nextTokenParameter = operation.Query("next_token", "Cursor from the answer before. It carries all other parameters; what is "+
		"sent beside it must be the same.")
	folderParameter = operation.Query("folder", "As in the body; with another value there, the answer is 400.")
)

// The declarations of this package's operations.
var (
	getMedia = operation.Operation{
		Method: http.MethodGet, Path: "/v2/media", ID: "getMedia", Tag: "Media", Role: key.Viewer,
		Summary: "Storage, and the files of a folder",
		Text:    "What an account stores, and the listing of GET /v2/media/folder.",
		Parameters: []operation.Parameter{
			pathParameter,
			pageParameter,
			operation.Page("page_size", "Files per page.", 100, 100),
			typeParameter,
			qParameter,
			nextTokenParameter,
			operation.Account,
			operation.OperatorToken,
		},
		Answers: operation.OK("The storage and a page of the folder.", operation.A[listed]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "account_ambiguous", "next_token_invalid", "page_invalid", "page_size_invalid",
				"parameter_ambiguous", "type_invalid"),
			operation.On(404, "Folder not found.", "account_not_found", "folder_not_found"),
		},
	}
	deleteMedia = operation.Operation{
		Method: http.MethodDelete, Path: "/v2/media", ID: "deleteMedia", Tag: "Media", Role: key.Render,
		Summary: "Delete a file by its path",
		Text:    "What is to be deleted may stand in the query, in the body, or in both.",
		Parameters: []operation.Parameter{
			operation.Query("path", "As in the body; with another value there, the answer is 400."),
		},
		Body: operation.JSON(operation.Inline(
			operation.F("path", "folder/name"),
		)).Optional(),
		Answers: operation.OK("The file is gone.", operation.A[done]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The path is missing or names no file.", "folder_invalid", "name_invalid", "parameter_differs",
				"path_required", "path_without_filename"),
			operation.On(404, "File not found.", "file_not_found"),
			operation.On(409, "The file is being moved.", "file_moving"),
		},
	}
	getMediaFile = operation.Operation{
		Method: http.MethodGet, Path: "/v2/media/file", ID: "getMediaFile", Tag: "Media", Role: key.Viewer,
		Summary:    "One file",
		Parameters: []operation.Parameter{operation.Query("path", "folder/name"), operation.Account, operation.OperatorToken},
		Answers:    operation.OK("The file.", operation.Ref("MediaFileAnswer")),
		Refusals: []operation.Refusal{
			operation.On(400, "The path is missing or names no file.", "account_ambiguous", "folder_invalid", "name_invalid",
				"path_ambiguous", "path_required", "path_without_filename"),
			operation.On(404, "File not found.", "account_not_found", "file_not_found"),
		},
	}
	registerMediaFile = operation.Operation{
		Method: http.MethodPost, Path: "/v2/media/file", ID: "registerMediaFile", Tag: "Media", Role: key.Render,
		Summary: "Register a file, to be uploaded",
		Text: "Answers with an address to which the bytes are sent with PUT, without a key, within expiresIn seconds. The address " +
			"works once. The name is reserved until it expires.",
		Body: operation.JSON(operation.Inline(
			operation.F("name", "Characters outside of [a-zA-Z0-9._-] become _."),
			operation.F("contentType", "MIME type; the upload carries the same."),
			operation.F("size", "Bytes, exactly.", operation.Integer, operation.Min(1), operation.Max(524288000)),
			operation.F("folder", "Characters outside of [a-zA-Z0-9/_-] are left out; empty is the root; files in temp are deleted "+
				"after 72 hours.", operation.Optional),
		)),
		Answers: operation.OK("Send the bytes now.", operation.A[registered]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "content_type_invalid", "content_type_required", "folder_invalid", "name_invalid",
				"name_required", "size_invalid"),
			operation.On(403, "The key's role is below the one that is needed. Or the storage is blocked because the balance is zero, "+
				"or the account stores as much as it may.", "account_closed", "storage_blocked", "storage_full"),
			operation.On(409, "A file with this name already exists. Delete it first.", "file_exists"),
			operation.On(413, "The file, or the body, is too large.", "file_too_large"),
		},
	}
	moveMediaFile = operation.Operation{
		Method: http.MethodPut, Path: "/v2/media/file", ID: "moveMediaFile", Tag: "Media", Role: key.Render,
		Summary: "Move a file",
		Text:    "The source is gone afterwards; the file has another address.",
		Body: operation.JSON(operation.Inline(
			operation.F("name", "Characters outside of [a-zA-Z0-9._-] become _."),
			operation.F("folder", "Characters outside of [a-zA-Z0-9/_-] are left out; empty is the root; files in temp are deleted "+
				"after 72 hours.", operation.Optional),
			operation.F("destination", "Characters outside of [a-zA-Z0-9/_-] are left out; empty is the root; files in temp are "+
				"deleted after 72 hours."),
		)),
		Answers: operation.OK("The file is there.", operation.A[done]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "destination_required", "folder_invalid", "name_invalid", "name_required"),
			operation.On(404, "File not found.", "file_not_found"),
			operation.On(409, "The destination has a file of this name, or the file is just being moved.", "file_exists",
				"file_moving"),
		},
	}
	deleteMediaFile = operation.Operation{
		Method: http.MethodDelete, Path: "/v2/media/file", ID: "deleteMediaFile", Tag: "Media", Role: key.Render,
		Summary: "Delete a file",
		Text:    "What is to be deleted may stand in the query, in the body, or in both.",
		Parameters: []operation.Parameter{
			operation.Query("name", "As in the body; with another value there, the answer is 400."),
			folderParameter,
		},
		Body: operation.JSON(operation.Inline(
			operation.F("name", "Characters outside of [a-zA-Z0-9._-] become _."),
			operation.F("folder", "Characters outside of [a-zA-Z0-9/_-] are left out; empty is the root; files in temp are deleted "+
				"after 72 hours.", operation.Optional),
		)).Optional(),
		Answers: operation.OK("The file is gone.", operation.A[done]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "folder_invalid", "name_invalid", "name_required", "parameter_differs"),
			operation.On(404, "File not found.", "file_not_found"),
			operation.On(409, "The file is being moved.", "file_moving"),
		},
	}
	listMedia = operation.Operation{
		Method: http.MethodGet, Path: "/v2/media/folder", ID: "listMedia", Tag: "Media", Role: key.Viewer,
		Summary: "The files of a folder, or all folders",
		Text:    "Files by name. With tree=true all folders instead, a thousand on a page.",
		Parameters: []operation.Parameter{
			operation.Query("tree", "true: all folders with their sizes.", operation.Enum("true", "false", "1", "0")),
			pathParameter,
			pageParameter,
			operation.Page("page_size", "Files per page.", 100, 100),
			typeParameter,
			qParameter,
			nextTokenParameter,
			operation.Account,
			operation.OperatorToken,
		},
		Answers: operation.OK("A page.", operation.Either(operation.A[listed](), operation.A[treeAnswer]())),
		Refusals: []operation.Refusal{
			operation.On(400, "", "account_ambiguous", "next_token_invalid", "page_invalid", "page_size_invalid",
				"parameter_ambiguous", "tree_invalid", "type_invalid"),
			operation.On(404, "Folder not found.", "account_not_found", "folder_not_found"),
		},
	}
	createMediaFolder = operation.Operation{
		Method: http.MethodPost, Path: "/v2/media/folder", ID: "createMediaFolder", Tag: "Media", Role: key.Render,
		Summary: "Make a folder",
		Text:    "A folder also exists while a file is in it. One that exists already is answered the same, with a message.",
		Body: operation.JSON(operation.Inline(
			operation.F("folder", "Characters outside of [a-zA-Z0-9/_-] are left out; empty is the root; files in temp are deleted "+
				"after 72 hours."),
		)),
		Answers: operation.OK("The folder is there.", operation.A[done]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The name is missing, or nothing is left of it.", "folder_invalid", "folder_required"),
		},
	}
	deleteMediaFolder = operation.Operation{
		Method: http.MethodDelete, Path: "/v2/media/folder", ID: "deleteMediaFolder", Tag: "Media", Role: key.Render,
		Summary:    "Delete an empty folder",
		Text:       "The root and temp stay. What is to be deleted may stand in the query, in the body, or in both.",
		Parameters: []operation.Parameter{folderParameter},
		Body: operation.JSON(operation.Inline(
			operation.F("folder", "Characters outside of [a-zA-Z0-9/_-] are left out; empty is the root; files in temp are deleted "+
				"after 72 hours."),
		)).Optional(),
		Answers: operation.OK("The folder is gone.", operation.A[done]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The folder cannot be deleted.", "folder_invalid", "folder_not_empty", "folder_protected",
				"folder_required", "parameter_differs"),
			operation.On(404, "Folder not found.", "folder_not_found"),
		},
	}
	uploadMediaFile = operation.Operation{
		Method: http.MethodPut, Path: uploadPath + "{ticket}", ID: "uploadMediaFile", Tag: "Media", Caller: operation.Anyone,
		Summary: "Send the bytes of a registered file",
		Text: "The address comes from POST /v2/media/file and is used as it is: no key, exactly the registered length, the " +
			"registered Content-Type or none. It works once. A body is read as long as bytes flow. With S3 storage the address is the " +
			"storage's own.",
		Parameters: []operation.Parameter{operation.InPath("ticket", "Signed; no part of it can be changed.")},
		Body: operation.Upload(
			operation.Content{Type: "*/*", Schema: operation.Binary},
		),
		Answers: operation.OK("The file is there.", operation.A[done]()),
		Refusals: []operation.Refusal{
			operation.On(400, "Length or type differ from what was registered, or the body was not complete.",
				"upload_incomplete", "upload_length_mismatch", "upload_length_required", "upload_type_mismatch"),
			operation.On(403, "The address was altered, or has expired; or nothing may be stored: the balance is zero, the account is "+
				"closed, or it stores as much as it may.", "account_closed", "storage_blocked", "storage_full",
				"upload_address_invalid", "upload_expired"),
			operation.On(409, "The address has been used, or the file is no longer registered.", "upload_superseded",
				"upload_used"),
			operation.On(503, "The service is being shut down, or a part of it does not answer. Send the body to the same address "+
				"again; it is used up only by a success.", "upload_interrupted"),
		},
	}
)
