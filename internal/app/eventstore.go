package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"moviola/eventstore/embedded"
)

// eventStoreGrace is how long the event store lets running calls finish when it stops.
const eventStoreGrace = 5 * time.Second

func eventStoreCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "eventstore", Short: "Run the event store apart from the service; back up, verify or copy its log"}
	cmd.AddCommand(eventStoreServeCommand(), eventStoreBackupCommand(), eventStoreVerifyCommand(), eventStoreCopyCommand())
	return cmd
}

func eventStoreServeCommand() *cobra.Command {
	var data, listen, level, format string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the event log to other processes of this host",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if listen != "" && !loopback(listen) {
				return fmt.Errorf("--listen %s: without TLS the event store listens on loopback addresses only", listen)
			}
			log, err := newLog(cmd.ErrOrStderr(), level, format)
			if err != nil {
				return err
			}
			server, err := embedded.Open(embedded.Config{Dir: data, Listen: listen, Log: log.WithField("part", "eventstore")})
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintln(cmd.OutOrStdout(), "event store listens on", server.Addr()); err != nil {
				return err
			}
			return serveEventStore(cmd.Context(), server)
		},
	}
	f := cmd.Flags()
	f.StringVar(&data, "data", "./data/events", "folder of the log")
	f.StringVar(&listen, "listen", "", "loopback host:port (default: a unix socket in the data folder)")
	f.StringVar(&level, "log-level", "info", "trace, debug, info, warn or error")
	f.StringVar(&format, "log-format", "text", "text or json")
	return cmd
}

// serveEventStore serves until the context ends, and then lets running calls finish.
func serveEventStore(ctx context.Context, server *embedded.Server) error {
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	var err error
	select {
	case err = <-served:
		served <- nil
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), eventStoreGrace)
	defer cancel()
	return errors.Join(err, server.Close(grace), <-served)
}
