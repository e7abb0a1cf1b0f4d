package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"overcrank/cmd/overcrank/exit"
	"overcrank/durable"
)

const (
	exitFailed      = exit.Failed
	exitUsage       = exit.Usage
	exitNotFound    = exit.NotFound
	exitInterrupted = exit.Interrupted
)

// ready asks a farm whether it can serve.
func ready(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		reason, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		return fmt.Errorf("it answers %s: %s", resp.Status, reason)
	}
	return nil
}

// writeTo writes a file that appears only when it is whole.
func writeTo(path string, write func(io.Writer) error) error {
	return durable.Write(path, 0o644, write)
}
