package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"overcrank/cmd/overcrank/client"
)

// handover sends files of this machine to the farm, each content once.
type handover struct {
	client *client.Client
	out    *output
	paths  map[string]string           // the farm's addresses of files, by path
	sizes  map[int64][]client.KeptFile // what was sent, by size: only files of a size that was sent are worth a hash
}

func newHandover(c *client.Client, out *output) *handover {
	return &handover{client: c, out: out, paths: map[string]string{}, sizes: map[int64][]client.KeptFile{}}
}

// job sends the files that a request names, in nested jobs too, and puts their farm addresses in their places. Paths start
// from the folder base.
func (h *handover) job(ctx context.Context, body map[string]any, base string) error {
	return h.within(ctx, body, base, "")
}

func (h *handover) within(ctx context.Context, body map[string]any, base, field string) error {
	if t, ok := body["template"].(map[string]any); ok {
		if err := h.replace(ctx, t, "src", base, field+"template"); err != nil {
			return err
		}
	}
	assets, _ := body["assets"].([]any)
	for i, a := range assets {
		asset, ok := a.(map[string]any)
		if !ok {
			continue
		}
		at := fmt.Sprintf("%sassets[%d]", field, i)
		if err := h.replace(ctx, asset, "src", base, at); err != nil {
			return err
		}
		if err := h.within(ctx, asset, base, at+"."); err != nil {
			return err
		}
	}
	return nil
}

// replace puts the farm's address in the place of a local path.
func (h *handover) replace(ctx context.Context, holder map[string]any, key, base, what string) error {
	path, _ := holder[key].(string)
	if path == "" || !isLocal(path) {
		return nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, filepath.FromSlash(path))
	}
	address, err := h.send(ctx, path)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	holder[key] = address
	return nil
}

// send gives the farm's address of a file, which is sent unless its content was.
func (h *handover) send(ctx context.Context, path string) (string, error) {
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
	b := h.out.bar("handing over " + filepath.Base(path))
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
