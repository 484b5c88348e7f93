package eventstores

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"moviola/eventstore/embedded"
	"moviola/internal/config"
)

// eventStoreGrace is how long a stopping event store waits for running calls.
const eventStoreGrace = 5 * time.Second

// EventStoreCommand is `moviola eventstore`.
func EventStoreCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "eventstore", Short: "Run the event store apart from the service; look into its log, back it " +
		"up, verify or copy it; its users"}
	cmd.AddCommand(eventStoreServeCommand(), eventStoreBackupCommand(), eventStoreVerifyCommand(), eventStoreCopyCommand(),
		eventStoreUserCommand(), eventStoreStreamsCommand(), eventStoreReadCommand(), eventStoreTailCommand(), eventStoreStatsCommand(),
		eventStoreGroupsCommand(), eventStoreScavengeCommand())
	return cmd
}

func eventStoreServeCommand() *cobra.Command {
	var options embedded.Config
	var level, format string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the event log to other processes of this host, or of others by TLS and with users",
		Long: "Serve the event log to other processes. Without --listen they reach it by a socket that only this user can " +
			"open, with a\n" +
			"loopback address by a port that every user of this host can. Any other address needs --tls-cert, --tls-key and --users.\n" +
			"Certificate and users are read anew when the files change, and on SIGHUP; what cannot be read stays as it was.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkListener(options); err != nil {
				return err
			}
			log, err := config.NewLog(cmd.ErrOrStderr(), level, format)
			if err != nil {
				return err
			}
			options.Log, options.NeedsPass = log.WithField("part", "eventstore"), true
			server, err := embedded.Open(options)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintln(cmd.OutOrStdout(), "event store listens on", server.Addr()); err != nil {
				return err
			}
			defer refreshOnHangup(server)()
			return serveEventStore(cmd.Context(), server)
		},
	}
	f := cmd.Flags()
	f.StringVar(&options.Dir, "data", "./data/events", "folder of the log")
	f.StringVar(&options.Listen, "listen", "", "host:port (default: a unix socket in the data folder)")
	f.StringVar(&options.CertFile, "tls-cert", "", "PEM file of the certificate, with those between it and its authority")
	f.StringVar(&options.KeyFile, "tls-key", "", "PEM file of the certificate's key")
	f.StringVar(&options.UsersFile, "users", "", "`file` of the users, as \"moviola eventstore user add\" writes it")
	f.StringVar(&level, "log-level", "info", "trace, debug, info, warn or error")
	f.StringVar(&format, "log-format", "text", "text or json")
	return cmd
}

// checkListener refuses insecure combinations of listener flags. Its errors name the flags.
func checkListener(options embedded.Config) error {
	withTLS, open := options.CertFile != "" && options.KeyFile != "", options.Listen != "" && !config.Loopback(options.Listen)
	switch {
	case (options.CertFile == "") != (options.KeyFile == ""):
		return errors.New("--tls-cert and --tls-key: give both or none")
	case withTLS && options.Listen == "":
		return errors.New("--tls-cert: give an address with --listen; the unix socket needs no TLS")
	case open && (!withTLS || options.UsersFile == ""):
		return fmt.Errorf("--listen %s: an address that other hosts reach needs --tls-cert, --tls-key and --users; "+
			"without them the event store listens on loopback addresses only", options.Listen)
	case options.UsersFile != "" && !withTLS:
		return errors.New("--users: give --tls-cert and --tls-key too; without TLS clients do not send their passwords")
	}
	return nil
}

// refreshOnHangup reloads certificate and users on SIGHUP, until stop is called. The server logs the result.
func refreshOnHangup(server *embedded.Server) (stop func()) {
	hangups, end := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(hangups, syscall.SIGHUP)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-hangups:
				_ = server.Refresh()
			case <-end:
				return
			}
		}
	})
	return func() {
		signal.Stop(hangups)
		close(end)
		running.Wait()
	}
}

// serveEventStore serves until the context ends, and then waits for running calls.
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
