// Package mcp lets agents make movies: it serves the Model Context Protocol at /mcp, by the official SDK, without sessions, so
// that any process with the role api may answer any request. A tool asks the operations of the HTTP interface, in this process
// and with the caller's key: what a key may do, what a movie may be and what it costs is decided there and nowhere else. Bridge
// serves the tools of a service over stdio.
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

// Path is where the protocol is served.
var Path = openapi.PostMcp.Path

// maxBody is the largest message: a movie of the largest size, and what stands around it.
const maxBody = 4 << 20

// The refusals before the protocol.
var (
	errHost = domain.Errorf(domain.Invalid, "host_not_allowed",
		"This host name is not allowed here: use the name in --public-url, an IP address or localhost")
	errOrigin = domain.Errorf(domain.Forbidden, "origin_not_allowed",
		"Pages of this origin may not use the service: name it with --cors-origin")
	errLarge = domain.Errorf(domain.TooLarge, "body_too_large", "The message is larger than the limit of %d bytes", maxBody)
)

// Gate finds out who calls.
type Gate interface {
	Caller(r *http.Request) (access.Call, error)
}

// Config is what a Server needs. Every field is required, but for CORSOrigins.
type Config struct {
	Gate Gate
	// Operations are those of the HTTP interface: a tool needs the roles of those that it asks.
	Operations []access.Operation
	// Interface serves them. It is called by tools only, so that it may be set up after New.
	Interface http.Handler
	// PublicURL is the base of every address handed out; CORSOrigins are the origins whose pages may use the interface. Other pages
	// are refused.
	PublicURL   string
	CORSOrigins []string
	Version     string
	Log         logrus.FieldLogger
}

// Server serves the protocol. It is safe for concurrent use.
type Server struct {
	cfg     Config
	host    string // of PublicURL, without its port
	origin  string // of PublicURL
	byRole  map[key.Role]*mcp.Server
	handler http.Handler
	open    *opened
}

// roles are all of them.
var roles = []key.Role{key.Viewer, key.Render, key.Editor, key.Manager, key.Admin}

type roleKey struct{}

// New returns a Server, or an error that names everything the configuration lacks.
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
		DisableLocalhostProtection: true, // serve looks at the name itself, and knows the public one
	})
	return s, nil
}

// corsSent are the headers that pages of other origins may send beside those of every operation.
const corsSent = "Authorization, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name"

// Routes registers the path on the root router.
func (s *Server) Routes(router *mux.Router) {
	shared := router.NewRoute().Subrouter()
	shared.Use(web.CORS{Origins: s.cfg.CORSOrigins, Sent: corsSent}.Middleware)
	operation.Register(shared, []operation.Route{{Operation: openapi.PostMcp, Serve: s.post}})
}

// post serves one message, or several.
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

// serve looks at host, origin and key before anything is read.
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

// allows says whether pages of an origin may call.
func (s *Server) allows(origin string) bool {
	return strings.EqualFold(origin, s.origin) || slices.ContainsFunc(s.cfg.CORSOrigins, func(o string) bool {
		return o == "*" || strings.EqualFold(o, origin)
	})
}

// keyHeader carries the key, as on every operation.
const keyHeader = "X-Api-Key"

// withKey returns headers with the key where operations look for it. Here alone it may stand in Authorization; in two places it
// is refused, as which of them counts would depend on who reads it. Decision 64.
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

// instructions are what every client is told first.
const instructions = "Moviola renders videos from JSON. A movie has scenes, each with elements (image, video, text, html, " +
	"component, audio, voice, subtitles). " +
	"The usual way: write the movie as JSON, validate it and mend what its problems say, look at a preview, render it with the " +
	"most credits that may be spent, " +
	"and ask for its status until it is done. Every answer says what to do next in `next`. The resources describe every property; " +
	"the prompts are a good beginning."

// serverFor returns the server that keys of a role see: what is above it is not there.
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
