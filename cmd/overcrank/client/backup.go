package client

import (
	"context"
	"io"
	"net/http"
)

// BackupWish says what a backup is to hold besides the farm's state.
type BackupWish struct {
	Passphrase  string `json:"passphrase,omitempty"` // that seals the farm's keys
	WithoutKeys bool   `json:"withoutKeys,omitempty"`
	Files       bool   `json:"files,omitempty"`
}

// Backup begins a backup of the farm, which the caller reads to its end and closes. Only its content tells whether it is whole.
func (c *Client) Backup(ctx context.Context, wish BackupWish) (io.ReadCloser, error) {
	r, err := withJSON(request{method: http.MethodPost, path: "/api/farm/v1/backup", once: true}, wish)
	if err != nil {
		return nil, err
	}
	resp, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}
