package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// UploadTool is the name of the tool that uploads files to the media library. Bridge replaces it by a tool that reads the
// files.
const UploadTool = "upload_media"

var mediaTools = []tool{
	{
		name: "list_media", title: "List files", asks: []string{"GET /v2/media"}, run: listMedia,
		about: "List pictures, videos and sounds that were uploaded to the media library, with the addresses by which movies name " +
			"them as src.",
		schema: `{"type": "object", "additionalProperties": false, "properties": {
	"folder": {"type": "string", "description": "The folder; left out: the root"},
	"type": {"type": "string", "enum": ["image", "video", "audio", "other"]},
	"search": {"type": "string", "description": "A part of the file name"},
	"next_token": {"type": "string", "description": "Of the answer before, for the page after it"}}}`,
	},
	{
		name: UploadTool, title: "Upload a file", asks: []string{"POST /v2/media/file"}, changes: true, run: uploadMedia,
		about: "Upload a file to the media library: answers an address to which its bytes are sent, by HTTP PUT, within two minutes.",
		schema: `{"type": "object", "required": ["name", "content_type", "size"], "additionalProperties": false, "properties": {
	"name": {"type": "string", "description": "The file name"},
	"content_type": {"type": "string", "description": "Its media type, such as image/png"},
	"size": {"type": "integer", "minimum": 1, "description": "Its length in bytes"},
	"folder": {"type": "string", "description": "The folder of the library; left out: the root"}}}`,
	},
}

// stored is a file of the media library in a list.
type stored struct {
	Name   string `json:"name"`
	Folder string `json:"folder,omitempty"`
	Type   string `json:"type"`
	Size   int64  `json:"size"`
	URL    string `json:"url"`
	Status string `json:"status"`
}

// listMedia is the tool that lists files of the media library.
func listMedia(ctx context.Context, c caller, arguments json.RawMessage) (*reply, error) {
	var given struct {
		Folder, Type, Search string
		Token                string `json:"next_token"`
	}
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, err
	}
	query := url.Values{"page_size": {"25"}}
	for name, value := range map[string]string{"path": given.Folder, "type": given.Type, "q": given.Search,
		"next_token": given.Token} {
		if value != "" {
			query.Set(name, value)
		}
	}
	var listed struct {
		Folders []string
		Files   []stored
		Next    *string `json:"next_token"`
	}
	if err := c.ask(ctx, http.MethodGet, "/v2/media", query, nil, &listed); err != nil {
		return nil, err
	}
	return &reply{
		facts: map[string]any{"folders": listed.Folders, "files": listed.Files, "next_token": listed.Next},
		next:  "Use the url of a file as the src of an element.",
	}, nil
}

// uploadMedia is the tool that registers a file for an upload.
func uploadMedia(ctx context.Context, c caller, arguments json.RawMessage) (*reply, error) {
	var given struct {
		Name        string
		ContentType string `json:"content_type"`
		Size        whole
		Folder      string
	}
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, err
	}
	body, err := json.Marshal(map[string]any{"name": given.Name, "contentType": given.ContentType, "size": given.Size,
		"folder": given.Folder})
	if err != nil {
		return nil, err
	}
	var registered struct {
		UploadURL string `json:"uploadUrl"`
		FileURL   string `json:"fileUrl"`
		ExpiresIn int64  `json:"expiresIn"`
	}
	if err := c.ask(ctx, http.MethodPost, "/v2/media/file", nil, body, &registered); err != nil {
		return nil, err
	}
	return &reply{
		facts: map[string]any{"upload_url": registered.UploadURL, "content_type": given.ContentType, "expires_in": registered.ExpiresIn,
			"url": registered.FileURL},
		next: "Send the bytes to upload_url by HTTP PUT with this Content-Type and the exact length, then use url as the src of an " +
			"element.",
	}, nil
}
