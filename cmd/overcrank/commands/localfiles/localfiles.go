// Package localfiles sends the files of this machine that a request names to the farm.
package localfiles

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm/address"
)

// Sender sends files of this machine to the farm, each content once.
type Sender struct {
	client *client.Client
	out    *terminal.Output
	paths  map[string]string           // the farm's addresses of files, by path
	sizes  map[int64][]client.KeptFile // what was sent, by size: only files of a size that was sent are worth a hash
}

// NewSender makes a sender that shows its progress on out.
func NewSender(c *client.Client, out *terminal.Output) *Sender {
	return &Sender{client: c, out: out, paths: map[string]string{}, sizes: map[int64][]client.KeptFile{}}
}

// Job sends the files that a request names, in nested jobs too, and puts their farm addresses in their places. Paths start
// from the folder base.
func (h *Sender) Job(ctx context.Context, body map[string]any, base string) error {
	for _, f := range In(body, base, "") {
		if err := h.Replace(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// File is a place of a request that holds the path of a file of this machine.
type File struct {
	holder map[string]any
	key    string
	path   string
	What   string // for messages
}

// Check tells whether the file is there.
func (f File) Check() error {
	st, err := os.Stat(f.path)
	var wrong *fs.PathError
	switch {
	case errors.As(err, &wrong):
		return fmt.Errorf("%s: %s: %w", f.What, f.path, wrong.Err)
	case err != nil:
		return fmt.Errorf("%s: %w", f.What, err)
	case !st.Mode().IsRegular():
		return fmt.Errorf("%s: %s is not a file", f.What, f.path)
	}
	return nil
}

// In are the files that a request names in its sources, in nested jobs too.
func In(body map[string]any, base, field string) []File {
	var out []File
	add := func(holder map[string]any, what string) {
		if f, ok := Named(holder, "src", base, what); ok {
			out = append(out, f)
		}
	}
	if t, ok := body["template"].(map[string]any); ok {
		add(t, field+"template")
	}
	assets, _ := body["assets"].([]any)
	for i, a := range assets {
		asset, ok := a.(map[string]any)
		if !ok {
			continue
		}
		at := fmt.Sprintf("%sassets[%d]", field, i)
		what := at
		if layer, ok := asset["layerName"].(string); ok {
			what += " (layer '" + layer + "')"
		}
		add(asset, what)
		out = append(out, In(asset, base, at+".")...)
	}
	return out
}

// Named is the file that a member of an object names, if it names one.
func Named(holder map[string]any, key, base, what string) (File, bool) {
	path, _ := holder[key].(string)
	if path == "" || !address.IsPath(path) {
		return File{}, false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, filepath.FromSlash(path))
	}
	return File{holder, key, path, what}, true
}

// Replace puts the farm's address in the place of a path.
func (h *Sender) Replace(ctx context.Context, f File) error {
	if err := f.Check(); err != nil {
		return err
	}
	address, err := h.send(ctx, f.path)
	if err != nil {
		return fmt.Errorf("%s: %w", f.What, err)
	}
	f.holder[f.key] = address
	return nil
}

// send gives the farm's address of a file, which is sent unless its content was.
func (h *Sender) send(ctx context.Context, path string) (string, error) {
	if address := h.paths[path]; address != "" {
		return address, nil
	}
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if same := h.sizes[st.Size()]; len(same) > 0 {
		sum, err := hashFile(path)
		if err != nil {
			return "", err
		}
		for _, kept := range same {
			if kept.SHA256 == sum {
				h.paths[path] = kept.Src
				return kept.Src, nil
			}
		}
	}
	b := h.out.Bar("handing over " + filepath.Base(path))
	kept, err := h.client.KeepFile(ctx, path, b.Bytes)
	b.End()
	if err != nil {
		return "", err
	}
	h.paths[path] = kept.Src
	h.sizes[kept.Size] = append(h.sizes[kept.Size], kept)
	return kept.Src, nil
}

// hashFile is the SHA-256 of a file in lower-case hex.
func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
