// A program of somebody else: it gets the client by its import path, has a movie made, and says where it is.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"moviola.example/client"
)

func main() {
	c := &client.Client{URL: os.Getenv("MOVIOLA_URL"), Key: os.Getenv("MOVIOLA_API_KEY")}
	movie := map[string]any{"resolution": "custom", "width": 64, "height": 64, "scenes": []any{map[string]any{"duration": 1}}}
	submitted, err := c.Submit(context.Background(), movie, nil)
	if err != nil {
		log.Fatal(err)
	}
	done, err := c.Wait(context.Background(), submitted.Project, func(m client.Status) { log.Println(m.Status, m.Progress) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(*done.URL)
}
