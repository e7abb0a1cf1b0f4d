package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
)

// Restored is what a farm was put back to.
type Restored struct {
	Raw        `json:"-"`
	MadeAt     string `json:"madeAt"`     // the backup
	Change     int64  `json:"change"`     // number of the last change in it
	RestoredAt int64  `json:"restoredAt"` // number of the change that put the farm back
	Files      int    `json:"files"`      // that the farm's storage lacked
	Before     string `json:"before"`     // file with what was replaced
	Node       string `json:"node"`       // coordinator on which it is
}

// ErrRestoringUnknown says that the farm broke off while it was put back: it may have been.
var ErrRestoringUnknown = errors.New("the connection broke off while the farm was put back; whether it was says its log")

// restoreLine is one line of the answer.
type restoreLine struct {
	Step      string
	Done, All int64
	Restored  json.RawMessage
	Error     string
}

// Restore puts the farm back to the backup at path. sent hears of the upload, step of what the farm does then.
func (c *Client) Restore(ctx context.Context, path, passphrase string, sent Progress, step func(name string, done, all int64)) (Restored, error) {
	var out Restored
	r, err := withFile(request{method: http.MethodPost, path: "/api/farm/v1/restore", once: true}, path, sent)
	if err != nil {
		return out, err
	}
	var before bytes.Buffer
	form := multipart.NewWriter(&before)
	if passphrase != "" {
		err = form.WriteField("passphrase", passphrase)
	}
	if err == nil {
		_, err = form.CreateFormFile("backup", filepath.Base(path))
	}
	if err != nil {
		return out, fmt.Errorf("prepare the request: %w", err)
	}
	resp, err := c.send(ctx, inForm(r, form, &before))
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	for lines := json.NewDecoder(resp.Body); ; {
		var line restoreLine
		if err := lines.Decode(&line); err != nil {
			if !errors.Is(err, io.EOF) {
				return out, fmt.Errorf("%w: %w", ErrRestoringUnknown, err)
			}
			return out, ErrRestoringUnknown
		}
		switch {
		case line.Error != "":
			return out, &Error{Status: http.StatusConflict, Message: line.Error}
		case line.Restored != nil:
			if err := json.Unmarshal(line.Restored, &out); err != nil {
				return out, fmt.Errorf("read what the farm was put back to: %w", err)
			}
			out.keepRaw(line.Restored)
			return out, nil
		}
		step(line.Step, line.Done, line.All)
	}
}
