package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
)

// BackupWish says what a backup is to hold besides the farm's state.
type BackupWish struct {
	Passphrase  string `json:"passphrase,omitempty"` // that seals the farm's keys
	WithoutKeys bool   `json:"withoutKeys,omitempty"`
	Files       bool   `json:"files,omitempty"`
	Place       string `json:"place,omitempty"` // where it is going to be kept, for people
}

// Backup begins a backup of the farm, which the caller reads to its end and closes. Only its content tells whether it is whole.
func (c *Client) Backup(ctx context.Context, wish BackupWish) (io.ReadCloser, error) {
	r, err := withJSON(request{method: http.MethodPost, path: "/api/farm/v1/backup", once: true}, wish)
	if err != nil {
		return nil, err
	}
	resp, err := c.send(ctx, r)
	if refused(err, "place") && wish.Place != "" { // by a farm that does not remember backups yet
		wish.Place = ""
		return c.Backup(ctx, wish)
	}
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// refused tells whether a field of what was sent is among the things that are wrong.
func refused(err error, field string) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && slices.ContainsFunc(e.Details, func(d Detail) bool { return d.Field == field })
}

// KnownBackup is a backup that the farm remembers. Times are ISO 8601.
type KnownBackup struct {
	Raw       `json:"-"`
	ID        string `json:"id"`
	At        string `json:"at"` // the farm is in it as it was then
	EndedAt   string `json:"endedAt"`
	By        string `json:"by"`
	Place     string `json:"place"`  // "" when nobody said
	Change    int64  `json:"change"` // number of the last one in it
	Bytes     int64  `json:"bytes"`
	Keys      bool   `json:"keys"`
	Files     bool   `json:"files"`
	CheckedAt string `json:"checkedAt"` // "" when nobody reported that it was found whole
}

// BackupChecked tells the farm that a backup was read to its end where it is kept, and is whole.
func (c *Client) BackupChecked(ctx context.Context, id string) (KnownBackup, error) {
	return fetch[KnownBackup](ctx, c, http.MethodPost, "/api/farm/v1/backups/"+url.PathEscape(id)+"/checked", nil, nil)
}
