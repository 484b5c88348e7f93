// Package mcp lets agents make movies: it serves the Model Context Protocol at /mcp, by the official SDK, without sessions,
// so that any process with the role api may answer any request. Most tools call operations of the HTTP API, in this process
// and with the API key of the caller. Only those operations decide what an API key may do, whether a movie is valid and
// what it costs. Bridge serves the tools of a service over stdio.
package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gorilla/mux"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/domain/key"
	"moviola/handlers/http/access"
	"moviola/handlers/http/openapi"
	"moviola/handlers/http/operation"
	"moviola/handlers/http/web"
)

// Path is the path at which the protocol is served.
var Path = openapi.PostMcp.Path

// maxBody is the maximum size of a message, in bytes: a movie of the maximum size, and the fields around it.
const maxBody = 4 << 20

// The refusals that are made before a message is handled.
var (
	errHost = domain.Errorf(domain.Invalid, "host_not_allowed",
		"This host name is not allowed here: use the name in --public-url, an IP address or localhost")
	errOrigin = domain.Errorf(domain.Forbidden, "origin_not_allowed",
		"Pages of this origin may not use the service: name it with --cors-origin")
	errLarge = domain.Errorf(domain.TooLarge, "body_too_large", "The message is larger than the limit of %d bytes", maxBody)
)

// Gate finds the caller of a request.
type Gate interface {
	Caller(r *http.Request) (access.Call, error)
}

// Config is what a Server needs. Every field but CORSOrigins is required.
type Config struct {
	Gate Gate
	// Operations are the operations of the HTTP API. The role that a tool needs follows from the operations that it calls.
	Operations []access.Operation
	// Interface serves Operations. Only tools call it, so it may be set up after New.
	Interface http.Handler
	// PublicURL is the public address of the service: requests may name its host, and its own pages may call the server.
	// CORSOrigins are the origins whose pages may call the server too; pages of other origins are refused.
	PublicURL   string
	CORSOrigins []string
	Version     string
	Log         logrus.FieldLogger
}

// Server serves the protocol. It is safe for concurrent use.
type Server struct {
	cfg     Config
	host    string // host name of PublicURL, without a port
	origin  string // origin of PublicURL
	byRole  map[key.Role]*mcp.Server
	handler http.Handler
	open    *opened
}

// roles are all roles, the lowest first.
var roles = []key.Role{key.Viewer, key.Render, key.Editor, key.Manager, key.Admin}

type roleKey struct{}

// New returns a Server, or an error that names every missing field of the configuration.
func New(cfg Config) (*Server, error) {
	if err := web.Complete(cfg, "CORSOrigins"); err != nil {
		return nil, err
	}
	public, err := url.Parse(cfg.PublicURL)
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, host: public.Hostname(), origin: public.Scheme + "://" + public.Host, byRole: map[key.Role]*mcp.Server{},
		open: newOpened(),
	}
	for _, role := range roles {
		if s.byRole[role], err = s.serverFor(role); err != nil {
			return nil, err
		}
	}
	s.handler = mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		role, _ := r.Context().Value(roleKey{}).(key.Role)
		return s.byRole[role]
	}, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the SDK's own check of the host name is off: serve checks it, and accepts the public name
	})
	return s, nil
}

// corsSent are the headers that pages of other origins may send beside those of every operation.
const corsSent = "Authorization, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name"

// Routes registers Path on the root router.
func (s *Server) Routes(router *mux.Router) {
	shared := router.NewRoute().Subrouter()
	shared.Use(web.CORS{Origins: s.cfg.CORSOrigins, Sent: corsSent}.Middleware)
	operation.Register(shared, []operation.Route{{Operation: openapi.PostMcp, Serve: s.post}})
}

// post serves one message, or a list of messages.
func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	if err := s.serve(w, r); err != nil {
		switch {
		case errors.Is(err, errHost):
			web.Refuse(w, http.StatusMisdirectedRequest, errHost)
		case errors.Is(err, access.ErrKeyMissing), errors.Is(err, access.ErrKeyInvalid):
			w.Header().Set("WWW-Authenticate", "Bearer")
			web.Fail(w, r, s.cfg.Log, err)
		default:
			web.Fail(w, r, s.cfg.Log, err)
		}
	}
}

// serve checks the host name, the origin and the API key before it reads a message.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) error {
	if !web.CalledByName(r.Host, s.host) {
		return errHost
	}
	if origin := r.Header.Get("Origin"); origin != "" && !s.allows(origin) {
		return errOrigin
	}
	header, err := withKey(r.Header)
	if err != nil {
		return err
	}
	keyed := r.Clone(r.Context())
	keyed.Header = header
	caller, err := s.cfg.Gate.Caller(keyed)
	if err != nil {
		return err
	}
	ctx := web.ForAccount(r.Context(), caller.Account)
	body, err := web.ReadTable(w, r.WithContext(ctx), maxBody, errLarge)
	if err != nil {
		return err
	}
	keyed = keyed.WithContext(context.WithValue(ctx, roleKey{}, caller.Role))
	keyed.Body, keyed.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	keyed.Header.Set(web.RequestIDHeader, web.RequestID(ctx))
	w.Header().Set("Cache-Control", "no-store")
	s.handler.ServeHTTP(w, keyed)
	return nil
}

// allows reports whether pages of an origin may call the server.
func (s *Server) allows(origin string) bool {
	return strings.EqualFold(origin, s.origin) || slices.ContainsFunc(s.cfg.CORSOrigins, func(o string) bool {
		return o == "*" || strings.EqualFold(o, origin)
	})
}

// keyHeader is the header with the API key, as in every operation of the HTTP API.
const keyHeader = "X-Api-Key"

// withKey returns headers with the API key in the header that operations read. A client of this endpoint may send its API key in
// Authorization instead. Two API keys in one request are refused, because it is unclear which of them counts. Decision 64.
func withKey(header http.Header) (http.Header, error) {
	header = header.Clone()
	bearers := header.Values("Authorization")
	header.Del("Authorization")
	if len(bearers) == 0 {
		return header, nil
	}
	scheme, value, ok := strings.Cut(bearers[0], " ")
	if len(bearers) > 1 || !ok || !strings.EqualFold(scheme, "Bearer") || len(header.Values(keyHeader)) > 0 {
		return nil, access.ErrKeyInvalid
	}
	header.Set(keyHeader, strings.TrimSpace(value))
	return header, nil
}

// instructions are the text that every client gets when it connects.
const instructions = "Moviola renders videos from JSON. A movie has scenes, each with elements (image, video, text, html, " +
	"component, audio, voice, subtitles). " +
	"The usual way: write the movie as JSON, validate it and mend what its problems say, look at a preview, render it with the " +
	"most credits that may be spent, " +
	"and ask for its status until it is done. Every answer says what to do next in `next`. The resources describe every property; " +
	"the prompts are a good beginning."

// serverFor returns a server with only the tools and prompts that keys of a role may use, and with all resources.
func (s *Server) serverFor(role key.Role) (*mcp.Server, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "moviola", Title: "Moviola", Version: s.cfg.Version}, &mcp.ServerOptions{
		Instructions: instructions, PageSize: 100,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{},
			Resources: &mcp.ResourceCapabilities{}},
	})
	listed := map[string]bool{}
	for _, t := range tools {
		needed, err := t.role(s.cfg.Operations)
		if err != nil {
			return nil, err
		}
		if listed[t.name] = role.AtLeast(needed); listed[t.name] {
			if err := s.addTool(server, t); err != nil {
				return nil, err
			}
		}
	}
	addPrompts(server, listed)
	addResources(server)
	return server, nil
}
