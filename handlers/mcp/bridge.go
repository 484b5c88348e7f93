package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"moviola/domain"
	"moviola/domain/media"
)

// Bridge serves the tools, prompts and resources of a service on another transport, such as stdin and stdout. It offers what
// the service offers to the role of the API key in the field Key. With Root, files below that folder can be uploaded.
type Bridge struct {
	URL     string // base address of the service
	Key     string
	Root    *os.Root // folder whose files may be uploaded; nil: no file can be read
	Version string
}

// errRedirected ends a call that the service answers with a redirect: following the redirect would send the API key to another
// address.
var errRedirected = errors.New("the service answers with a redirect: give its own address")

// withHeader adds the API key to the header of every request.
type withHeader struct {
	key  string
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(keyHeader, t.key)
	return t.next.RoundTrip(r)
}

// Run serves until the client on the transport disconnects, or the context ends.
func (b *Bridge) Run(ctx context.Context, transport mcp.Transport) error {
	// A redirect is not followed, because the API key would be sent to its target.
	plain := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirected }}
	keyed := *plain
	keyed.Transport = withHeader{b.Key, http.DefaultTransport}
	client := mcp.NewClient(&mcp.Implementation{Name: "moviola", Version: b.Version}, nil)
	service, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: strings.TrimRight(b.URL, "/") + Path, HTTPClient: &keyed, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return fmt.Errorf("ask %s for its tools: %w", b.URL, err)
	}
	defer func() { _ = service.Close() }() // the service keeps no session, so an error of closing loses nothing
	server := mcp.NewServer(&mcp.Implementation{Name: "moviola", Title: "Moviola", Version: b.Version},
		&mcp.ServerOptions{Instructions: instructions})
	if err := errors.Join(b.addTools(ctx, server, service, plain), forwardPrompts(ctx, server, service),
		forwardResources(ctx, server, service)); err != nil {
		return err
	}
	return server.Run(ctx, transport)
}

// addTools adds the tools of the service to the bridge's own server.
func (b *Bridge) addTools(ctx context.Context, server *mcp.Server, service *mcp.ClientSession, plain *http.Client) error {
	for t, err := range service.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("list the tools of %s: %w", b.URL, err)
		}
		if t.Name == UploadTool && b.Root != nil {
			server.AddTool(&mcp.Tool{
				Name: t.Name, Title: t.Title, Annotations: t.Annotations, InputSchema: json.RawMessage(uploadSchema),
				Description: "Upload a file of this machine to the media library, and get the address by which movies name it as src.",
			}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return b.upload(ctx, service, plain, r.Params.Arguments)
			})
			continue
		}
		server.AddTool(t, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return service.CallTool(ctx, &mcp.CallToolParams{Name: r.Params.Name, Arguments: r.Params.Arguments})
		})
	}
	return nil
}

func forwardPrompts(ctx context.Context, server *mcp.Server, service *mcp.ClientSession) error {
	for p, err := range service.Prompts(ctx, nil) {
		if err != nil {
			return fmt.Errorf("list the prompts: %w", err)
		}
		server.AddPrompt(p, func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return service.GetPrompt(ctx, &mcp.GetPromptParams{Name: r.Params.Name, Arguments: r.Params.Arguments})
		})
	}
	return nil
}

func forwardResources(ctx context.Context, server *mcp.Server, service *mcp.ClientSession) error {
	for one, err := range service.Resources(ctx, nil) {
		if err != nil {
			return fmt.Errorf("list the resources: %w", err)
		}
		server.AddResource(one, func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return service.ReadResource(ctx, &mcp.ReadResourceParams{URI: r.Params.URI})
		})
	}
	return nil
}

const uploadSchema = `{"type": "object", "required": ["file"], "additionalProperties": false, "properties": {
	"file": {"type": "string", "description": "The path of the file, below the folder that this server may read"},
	"folder": {"type": "string", "description": "The folder of the library; left out: the root"}}}`

// upload reads a file below the root, registers it at the service and sends its bytes.
func (b *Bridge) upload(
	ctx context.Context, service *mcp.ClientSession, plain *http.Client, arguments json.RawMessage,
) (*mcp.CallToolResult, error) {
	var given struct{ File, Folder string }
	if err := json.Unmarshal(arguments, &given); err != nil || given.File == "" {
		return refused(domain.Errorf(domain.Invalid, "arguments_invalid", "Name a file"))
	}
	file, err := b.Root.Open(filepath.FromSlash(given.File))
	if err != nil {
		return refused(unreadable(given.File))
	}
	defer func() { _ = file.Close() }() // closing a file that was only read loses nothing
	info, err := file.Stat()
	switch {
	case err != nil || !info.Mode().IsRegular():
		return refused(unreadable(given.File))
	case info.Size() > media.MaxSize:
		return refused(domain.Errorf(domain.Invalid, "file_too_large", "%s is larger than %d bytes", given.File, media.MaxSize))
	}
	registered, err := service.CallTool(ctx, &mcp.CallToolParams{Name: UploadTool, Arguments: map[string]any{
		"name": path.Base(filepath.ToSlash(given.File)), "content_type": contentTypeOf(file), "size": info.Size(),
		"folder": given.Folder,
	}})
	if err != nil || registered.IsError {
		return registered, err
	}
	var address struct {
		UploadURL   string `json:"upload_url"`
		ContentType string `json:"content_type"`
		URL         string `json:"url"`
	}
	facts, err := json.Marshal(registered.StructuredContent)
	if err == nil {
		err = json.Unmarshal(facts, &address)
	}
	if err == nil {
		err = put(ctx, plain, address.UploadURL, address.ContentType, io.LimitReader(file, info.Size()), info.Size())
	}
	if err != nil {
		return refused(domain.Errorf(domain.Internal, "upload_incomplete", "%s was not uploaded: %v", given.File, err))
	}
	return (&reply{facts: map[string]any{"url": address.URL, "size": info.Size()},
		next: "Use url as the src of an element."}).result()
}

func unreadable(name string) *domain.Error {
	return domain.Errorf(domain.NotFound, "file_not_found", "%s is no file below the folder that this server may read", name)
}

// contentTypeOf returns the media type of a file: that of its extension, or that of its first bytes.
func contentTypeOf(file *os.File) string {
	if known := mime.TypeByExtension(strings.ToLower(filepath.Ext(file.Name()))); known != "" {
		return known
	}
	head := make([]byte, 512)
	n, _ := file.ReadAt(head, 0) // a file that cannot be read fails later, when it is sent
	return http.DetectContentType(head[:n])
}

// put sends a body to the address of an upload.
func put(ctx context.Context, client *http.Client, address, contentType string, body io.Reader, size int64) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, address, body)
	if err != nil {
		return err
	}
	r.ContentLength = size
	r.Header.Set("Content-Type", contentType)
	answer, err := client.Do(r)
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err // without the address, which alone gives the right to upload
	}
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // closing an answer that was only read loses nothing
	said, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if answer.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("the storage answered %s: %s", answer.Status, bytes.TrimSpace(said))
	}
	return err
}
