package files

import (
	"net/http"

	"moviola/domain/media"
	"moviola/domain/result"
	"moviola/handlers/http/operation"
	"moviola/third_party/photographs"
)

// Declared lists the operations and models of this package, for the OpenAPI document.
var Declared = operation.Room{Operations: []operation.Operation{
	getFile, getOutputFile, getStoredFile, getPreparedFile, getLibraryPhotograph,
}}

// Parameters used by several of the operations on files.
var (
	tokenParameter = operation.InPath("token", "The part that cannot be guessed.")
	folderToken    = operation.InPath("token", "The part that cannot be guessed, the same for all files of an account.")
)

// outputContents are the media types of the files of outputs.
var outputContents = []operation.Content{
	{Type: "video/mp4", Schema: operation.Binary},
	{Type: "video/webm", Schema: operation.Binary},
	{Type: "video/mp2t", Schema: operation.Binary},
	{Type: "image/gif", Schema: operation.Binary},
	{Type: "image/png", Schema: operation.Binary},
	{Type: "image/jpeg", Schema: operation.Binary},
	{Type: "audio/mpeg", Schema: operation.Binary},
	{Type: "audio/wav", Schema: operation.Binary},
	{Type: "audio/mp4", Schema: operation.Binary},
	{Type: "application/zip", Schema: operation.Binary},
	{Type: "application/vnd.apple.mpegurl", Schema: operation.Plain()},
	{Type: "text/vtt", Schema: operation.Plain()},
}

// The declarations of the operations on files.
var (
	getFile = operation.Operation{
		Method: http.MethodGet, Path: result.FilesPath + "{token}/{name}", ID: "getFile", Tag: "Files", Caller: operation.Anyone,
		Summary: "A rendered file",
		Text: "The address comes from url, thumbnail and ass of a movie. Whoever knows it may read the file: no key is asked for. " +
			"Ranges and conditional requests are served.",
		Parameters: []operation.Parameter{tokenParameter, operation.InPath("name", "The project with .mp4, .jpg or .ass.")},
		Answers: []operation.Answer{
			{Status: 200, Text: "The file.", Contents: []operation.Content{
				{Type: "video/mp4", Schema: operation.Binary},
				{Type: "image/jpeg", Schema: operation.Binary},
				{Type: "text/x-ssa", Schema: operation.Plain()},
			}},
			{Status: 206, Text: "A part of it.", Contents: []operation.Content{
				{Type: "video/mp4", Schema: operation.Binary},
				{Type: "image/jpeg", Schema: operation.Binary},
				{Type: "text/x-ssa", Schema: operation.Plain()},
			}},
			{Status: 304, Text: "Not changed."},
		},
		Refusals: []operation.Refusal{
			operation.On(404, "There is no such file any more, or never was.", "not_found"),
			operation.On(416, "The range lies outside of the file."),
		},
	}
	getOutputFile = operation.Operation{
		Method: http.MethodGet, Path: result.FilesPath + "{token}/{project}/{name}", ID: "getOutputFile", Tag: "Files",
		Caller:  operation.Anyone,
		Summary: "A file of an output of a movie",
		Text: "The address comes from outputs of a movie; a playlist or a storyboard names its other file by a name beside it. " +
			"Whoever knows it may read the file: no key is asked for. Ranges and conditional requests are served.",
		Parameters: []operation.Parameter{
			tokenParameter,
			operation.InPath("project", "The project of the movie."),
			operation.InPath("name", "The name of the file: movie.gif, index.m3u8."),
		},
		Answers: []operation.Answer{
			{Status: 200, Text: "The file.", Contents: outputContents},
			{Status: 206, Text: "A part of it.", Contents: outputContents},
			{Status: 304, Text: "Not changed."},
		},
		Refusals: []operation.Refusal{
			operation.On(404, "There is no such file any more, or never was.", "not_found"),
			operation.On(416, "The range lies outside of the file."),
		},
	}
	getStoredFile = operation.Operation{
		Method: http.MethodGet, Path: media.AddressPath + "{token}/files/{path:.+}", ID: "getStoredFile", Tag: "Files",
		Caller:  operation.Anyone,
		Summary: "A file of a media library",
		Text: "The address is fileUrl. Whoever knows it may read the file: no key is asked for. Ranges and conditional requests are " +
			"served. Pages and drawings are sent to be saved, not to be shown.",
		Parameters: []operation.Parameter{folderToken, operation.InPath("path", "folder/name")},
		Answers: []operation.Answer{
			{Status: 200, Text: "The file.", Contents: []operation.Content{{Type: "*/*", Schema: operation.Binary}}},
			{Status: 206, Text: "A part of it.", Contents: []operation.Content{{Type: "*/*", Schema: operation.Binary}}},
			{Status: 304, Text: "Not changed."},
		},
		Refusals: []operation.Refusal{
			operation.On(404, "There is no such file any more, or its bytes have not come.", "not_found"),
			operation.On(416, "The range lies outside of the file."),
		},
	}
	getPreparedFile = operation.Operation{
		Method: http.MethodGet, Path: media.AddressPath + "{token}/cache/{path:.+}", ID: "getPreparedFile", Tag: "Files",
		Caller:     operation.Anyone,
		Summary:    "A prepared asset",
		Text:       "The address is url or webURL of a preload item. It expires about three days after the asset was prepared.",
		Parameters: []operation.Parameter{folderToken, operation.InPath("path", "The preload and a name.")},
		Answers: []operation.Answer{
			{Status: 200, Text: "The file.", Contents: []operation.Content{{Type: "*/*", Schema: operation.Binary}}},
			{Status: 206, Text: "A part of it.", Contents: []operation.Content{{Type: "*/*", Schema: operation.Binary}}},
			{Status: 304, Text: "Not changed."},
		},
		Refusals: []operation.Refusal{
			operation.On(404, "There is no such file any more, or its bytes have not come.", "not_found"),
			operation.On(416, "The range lies outside of the file."),
		},
	}
	getLibraryPhotograph = operation.Operation{
		Method: http.MethodGet, Path: photographs.Path + "{name}", ID: "getLibraryPhotograph", Tag: "Files", Caller: operation.Anyone,
		Summary:    "A photograph that templates of the program show",
		Text:       "Needs no key. Sources and licences are in third_party/photographs of the program's source.",
		Parameters: []operation.Parameter{operation.InPath("name", "The name of the file, such as peaks.jpg.")},
		Answers: []operation.Answer{
			{Status: 200, Text: "The photograph.", Contents: []operation.Content{{Type: "image/jpeg", Schema: operation.Binary}}},
		},
		Fixed: true,
		Refusals: []operation.Refusal{
			operation.On(404, "There is no such photograph.", "not_found"),
		},
	}
)
