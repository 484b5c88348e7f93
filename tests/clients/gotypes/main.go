// Command gotypes writes the types of the Go client from the description of the HTTP interface:
//
//	go generate ./tests/clients/gotypes
package main

import (
	"fmt"
	"os"

	"moviola/handlers/http/openapi"
)

//go:generate go run . ../../../client/types.go

func main() {
	source, err := generate(openapi.Document())
	if err == nil {
		err = os.WriteFile(os.Args[1], source, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
