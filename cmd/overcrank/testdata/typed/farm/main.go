// Command farm looks at a farm with a client that was generated from the document of the farm's own interface.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

func main() {
	log.SetFlags(log.Lshortfile)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	token := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Getenv("OVERCRANK_TOKEN"))
		return nil
	}
	c, err := NewClientWithResponses(os.Getenv("OVERCRANK_SERVER"), WithRequestEditorFn(token))
	must(err)
	machines, err := c.ListMachinesWithResponse(ctx)
	must(err)
	want(machines.JSON200 != nil && len(*machines.JSON200) == 1, "machines: %s", machines.Body)
	fmt.Println("done")
}

func must(err error) {
	if err != nil {
		_ = log.Output(2, err.Error())
		os.Exit(1)
	}
}

func want(ok bool, format string, args ...any) {
	if !ok {
		_ = log.Output(2, fmt.Sprintf(format, args...))
		os.Exit(1)
	}
}
