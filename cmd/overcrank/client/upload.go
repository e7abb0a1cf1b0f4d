package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
)

// partsFrom is from which size on a file is sent in parts, in bytes: a smaller one is soon sent again.
const partsFrom = 32 << 20

// Upload is a file on its way to the farm in parts.
type Upload struct {
	Raw      `json:"-"`
	ID       string  `json:"id"`
	Size     int64   `json:"size"`
	PartSize int64   `json:"partSize"` // bytes of each part but the last one
	Missing  []int   `json:"missing"`  // numbers of parts, from 0
	Arrived  int64   `json:"arrived"`
	Src      *string `json:"src"` // once the farm keeps the file
}

// NewUpload announces a file that is sent in parts.
type NewUpload struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	Key  string `json:"key"` // of this file in this state, by which a later try goes on
}

// isLarge tells whether the file at path is better sent in parts.
func isLarge(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Size() > partsFrom
}

// keepInParts hands a local file to the farm in parts, and goes on where an earlier try stopped. A farm before this release answers the first
// request with 404.
func (c *Client) keepInParts(ctx context.Context, path string, report Progress) (KeptFile, error) {
	st, err := os.Stat(path)
	if err != nil {
		return KeptFile{}, err
	}
	name := filepath.Base(path)
	up, err := fetch[Upload](ctx, c, http.MethodPost, "/api/farm/v1/uploads", nil,
		NewUpload{Name: name, Size: st.Size(), Key: name + " " + strconv.FormatInt(st.ModTime().UnixNano(), 36)})
	if err != nil {
		return KeptFile{}, err
	}
	arrived := up.Arrived
	for _, number := range up.Missing {
		size := min(up.PartSize, up.Size-int64(number)*up.PartSize)
		if err := c.sendPart(ctx, up, path, number, size, partProgress(report, arrived, up.Size)); err != nil {
			return KeptFile{}, fmt.Errorf("%w (%d of %d MB have arrived; the same command goes on there, for a day)", err, arrived>>20, up.Size>>20)
		}
		arrived += size
	}
	hash, err := hashOf(path)
	if err != nil {
		return KeptFile{}, err
	}
	kept, err := fetch[KeptFile](ctx, c, http.MethodPost, at("/api/farm/v1/uploads/%s/finish", up.ID), nil, map[string]string{"sha256": hash})
	if err == nil || IsStatus(err, http.StatusConflict) { // what is kept now, or is not this file, need not be kept in parts
		if gone := c.do(ctx, http.MethodDelete, at("/api/farm/v1/uploads/%s", up.ID)); gone != nil && err != nil {
			return kept, fmt.Errorf("%w; and what arrived could not be deleted: %w", err, gone)
		}
	}
	return kept, err
}

// partProgress counts a part into the whole.
func partProgress(report Progress, before, total int64) Progress {
	return func(done, _ int64) {
		if report != nil {
			report(before+done, total)
		}
	}
}

func (c *Client) sendPart(ctx context.Context, up Upload, path string, number int, size int64, report Progress) error {
	r := request{
		method: http.MethodPut, path: at("/api/farm/v1/uploads/%s/parts/", up.ID) + strconv.Itoa(number), size: size, repeats: true,
		header: http.Header{"Content-Type": {"application/octet-stream"}},
	}
	r.open = func() (io.ReadCloser, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		part := struct {
			io.Reader
			io.Closer
		}{io.NewSectionReader(f, int64(number)*up.PartSize, size), f}
		return &countingReader{ReadCloser: part, total: size, report: report}, nil
	}
	return c.answer(ctx, r, nil)
}

func hashOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// ReplaceTemplate gives a template the file at path, and gives the template as it is then.
func (c *Client) ReplaceTemplate(ctx context.Context, id, path string, report Progress) (Template, error) {
	if isLarge(path) {
		kept, err := c.KeepFile(ctx, path, report)
		if err != nil {
			return Template{}, err
		}
		_, err = fetch[TemplateMark](ctx, c, http.MethodPut, at("/api/farm/v1/templates/%s/file", id), nil, map[string]string{"src": kept.Src})
		if err != nil {
			return Template{}, err
		}
		return c.Template(ctx, id)
	}
	to, err := c.RenewUpload(ctx, id)
	if err != nil {
		return Template{}, err
	}
	if err := c.UploadTemplate(ctx, to, path, report); err != nil {
		return Template{}, err
	}
	return c.Template(ctx, id)
}
