package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"

	"overcrank/durable"
)

// Download is a file that the farm hands out: a package that machines are installed with, or an ffmpeg.
type Download struct {
	Raw
	Kind    string `json:"kind"`
	System  string `json:"system"`
	Arch    string `json:"arch"`
	Format  string `json:"format"`
	Version string `json:"version"`
	Name    string `json:"name"`
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
	AddedAt string `json:"addedAt"`
	AddedBy string `json:"addedBy"`
}

// NewDownload is what a sent file is. Those of its fields that a package says of itself may be left out.
type NewDownload struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	SHA256  string `json:"sha256"`
	System  string `json:"system,omitempty"`
	Arch    string `json:"arch,omitempty"`
	Format  string `json:"format,omitempty"`
	Version string `json:"version,omitempty"`
}

const downloadsPath = "/api/farm/v1/downloads"

// Downloads lists the files that the farm hands out.
func (c *Client) Downloads(ctx context.Context) (List[Download], error) {
	return fetch[List[Download]](ctx, c, http.MethodGet, downloadsPath, nil, nil)
}

// SendDownload hands over a file that AddDownload adds afterwards. report may be nil.
func (c *Client) SendDownload(ctx context.Context, sha256, path string, report Progress) error {
	r, err := withFile(request{method: http.MethodPut, path: downloadsPath + at("/%s/content", sha256)}, path, report)
	if err != nil {
		return err
	}
	return c.answer(ctx, r, nil)
}

// GetDownload writes a file that the farm hands out to path, wholly or not at all. report may be nil. It is an error when the file is another than was asked for.
func (c *Client) GetDownload(ctx context.Context, sha256sum, path string, report Progress) error {
	return durable.Write(path, 0o644, func(w io.Writer) error {
		sum := sha256.New()
		signed := http.Header{"Authorization": {"Bearer " + c.Token}}
		r := request{method: http.MethodGet, path: downloadsPath + at("/%s/content", sha256sum), header: signed}
		if err := c.downloadBy(ctx, r, io.MultiWriter(w, sum), report); err != nil {
			return err
		}
		if got := hex.EncodeToString(sum.Sum(nil)); got != sha256sum {
			return fmt.Errorf("the download has the SHA-256 %s, and not %s: try again", got, sha256sum)
		}
		return nil
	})
}

// AddDownload hands a file out that was sent.
func (c *Client) AddDownload(ctx context.Context, d NewDownload) (Download, error) {
	return fetch[Download](ctx, c, http.MethodPost, downloadsPath, nil, d)
}

// RemoveDownload hands a file out no longer.
func (c *Client) RemoveDownload(ctx context.Context, sha256 string) error {
	return c.do(ctx, http.MethodDelete, downloadsPath+at("/%s", sha256))
}
