// Command ferret is a MongoDB-protocol server for tests: FerretDB over SQLite files, in one process, on loopback.
//
//	go run ./ferret -listen 127.0.0.1:0 -dir DIR
//
// It prints its mongodb:// address on a line of its own once it takes connections, and ends on SIGTERM or SIGINT.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"moviola/tests/mongo/server"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address to listen on; port 0 picks one")
	dir := flag.String("dir", "", "folder of the databases; it must exist")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx, *listen, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "ferret:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, listen, dir string) error {
	s, err := server.Start(listen, dir)
	if err != nil {
		return err
	}
	fmt.Println(s.URL())
	<-ctx.Done()
	return s.Close()
}
