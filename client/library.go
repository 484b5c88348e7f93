package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Templates returns the saved templates of the account.
func (c *Client) Templates(ctx context.Context) (*Templates, error) {
	return ask[Templates](ctx, c, Request{Path: "/v2/templates"})
}

// Template returns a saved template.
func (c *Client) Template(ctx context.Context, id string) (*Template, error) {
	single, err := ask[SingleTemplate](ctx, c, Request{Path: "/v2/templates", Query: url.Values{"id": {id}}})
	if err != nil {
		return nil, err
	}
	return &single.Template, nil
}

// Media returns a page of a folder of the media library. query has the parameters of GET /v2/media, such as path and next_token.
func (c *Client) Media(ctx context.Context, query url.Values) (*MediaList, error) {
	return ask[MediaList](ctx, c, Request{Path: "/v2/media", Query: query})
}

// DeleteMedia removes a file of the media library; folder is empty for the root.
func (c *Client) DeleteMedia(ctx context.Context, folder, name string) (*MediaDone, error) {
	return ask[MediaDone](ctx, c, Request{
		Method: http.MethodDelete, Path: "/v2/media/file", Query: url.Values{"name": {name}, "folder": {folder}}, Repeatable: true,
	})
}

// Credits returns the account's credits (balance, held and available), its plan and its state.
func (c *Client) Credits(ctx context.Context) (*Credits, error) {
	return ask[Credits](ctx, c, Request{Path: "/v2/credits"})
}

// Upload is a file for the media library.
type Upload struct {
	Name        string    `json:"name"`
	ContentType string    `json:"contentType"`
	Size        int64     `json:"size"` // exact size in bytes
	Folder      string    `json:"folder,omitempty"`
	Body        io.Reader `json:"-"`
}

// Upload stores a file in the media library and returns the address that movies name it by. Neither of its two
// requests is repeated: the body can be read only once.
func (c *Client) Upload(ctx context.Context, file Upload) (address string, err error) {
	body, err := json.Marshal(file)
	if err != nil {
		return "", fmt.Errorf("encode the upload: %w", err)
	}
	at, err := ask[MediaRegistered](ctx, c, Request{
		Method: http.MethodPost, Path: "/v2/media/file", Header: jsonHeader(), Body: body,
	})
	if err != nil {
		return "", err
	}
	// The API key is not sent with the bytes, because the address contains the permission to upload.
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, at.UploadUrl, io.NopCloser(file.Body))
	if err != nil {
		return "", fmt.Errorf("the service named an address for the upload that cannot be read: %w", err)
	}
	request.ContentLength = file.Size
	request.Header.Set("Content-Type", file.ContentType)
	response, err := c.http().Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode/100 == 2 {
		return at.FileUrl, nil
	}
	said, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	refusal := &Error{Status: response.StatusCode, Answer: said}
	if err != nil || json.Unmarshal(said, refusal) != nil || refusal.Message == "" {
		refusal.Message = fmt.Sprintf("%s answered the upload with %s", request.URL.Host, response.Status)
	}
	return "", refusal
}
