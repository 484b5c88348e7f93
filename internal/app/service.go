package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/handlers/http/web"
	"moviola/internal/app/background"
	"moviola/internal/app/front"
	"moviola/internal/app/observing"
	"moviola/internal/app/parts"
	"moviola/internal/certificate"
	"moviola/internal/config"
)

// service is one process of an installation: wired, not yet running.
type service struct {
	*parts.Parts
	background *background.Background
	front      *front.Front // nil without the role api

	public      *http.Server             // nil without the role api
	ops         *http.Server             // nil without --ops-listen
	certificate *certificate.Certificate // certificate of the server in the field public; nil: it speaks plain HTTP
}

// newService opens the stores and wires the parts that the roles of this process need.
func newService(ctx context.Context, cfg config.Config, log *logrus.Logger) (s *service, err error) {
	s = &service{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(context.WithoutCancel(ctx)))
		}
	}()
	if s.Parts, err = parts.Open(ctx, cfg, log); err != nil {
		return s, err
	}
	if s.background, err = background.New(ctx, s.Parts); err != nil {
		return s, err
	}
	return s, s.openHTTP()
}

// openHTTP wires the HTTP interface and the operators' address.
func (s *service) openHTTP() (err error) {
	seen := &observing.Observing{Parts: s.Parts}
	if s.Config.Plays(config.RoleAPI) {
		s.front, err = front.New(s.Parts)
		if err := errors.Join(s.loadCertificate(), err); err != nil {
			return err
		}
		seen.Keys, seen.OperatorPage = s.front.Keys, s.front.OperatorPage
		s.public = newHTTPServer(s.Config.Listen, s.front.Handler)
		for _, stop := range s.front.Stops {
			s.public.RegisterOnShutdown(stop)
		}
	}
	if s.background.Anchors != nil {
		seen.Overdue = s.background.Anchors.Overdue
	}
	if s.Config.OpsListen == "" {
		return nil
	}
	handler, err := seen.Handler()
	if err != nil {
		return err
	}
	s.ops = newHTTPServer(s.Config.OpsListen, handler)
	return nil
}

// close closes what newService has opened. Call it when nothing is running any more.
func (s *service) close(ctx context.Context) error {
	var errs []error
	if s.front != nil {
		errs = append(errs, s.front.Close(ctx))
	}
	if s.Parts != nil {
		errs = append(errs, s.Parts.Close(ctx))
	}
	return errors.Join(errs...)
}

// listen opens the listeners of the HTTP servers.
func (s *service) listen(ctx context.Context) (map[*http.Server]net.Listener, error) {
	listeners := map[*http.Server]net.Listener{}
	for _, server := range []*http.Server{s.public, s.ops} {
		if server == nil {
			continue
		}
		ln, err := new(net.ListenConfig).Listen(ctx, "tcp", server.Addr)
		if err != nil {
			for _, open := range listeners {
				err = errors.Join(err, open.Close())
			}
			return nil, err
		}
		if s.certificate != nil && server == s.public {
			ln = s.withTLS(ln)
		}
		listeners[server] = web.AnswerProtocolErrors(ln)
	}
	return listeners, nil
}

// newHTTPServer returns a server that limits how long it waits for what a client sends. Writing has no limit: a large file
// may take long.
func newHTTPServer(addr string, handler http.Handler) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
}
