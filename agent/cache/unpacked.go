package cache

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"overcrank/farm"
)

// noteName is the first entry of the archives that KeepUnpacked writes: the caller's note. No unpacked file can have this name.
const noteName = "/note"

// KeepUnpacked adds the unpacked form of a file to the cache: the folder dir as it is now. Later tasks get the folder from Unpack without
// unpacking the file again. Unpack also returns note. Folders of more than limit bytes are not kept.
func (c *Cache) KeepUnpacked(ctx context.Context, sha, dir string, note []byte, limit int64) error {
	if !farm.IsSHA256(sha) {
		return fmt.Errorf("%q is no SHA-256", sha)
	}
	size, err := treeSize(dir)
	if err != nil || size > min(limit, c.limit) || c.has(sha+unpackedKey) {
		return err
	}
	c.mu.Lock()
	c.coming += size
	c.evict(0)
	c.mu.Unlock()
	e, err := c.pack(ctx, sha, dir, note)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.coming -= size
	if err != nil {
		return fmt.Errorf("keep an unpacked file: %w", err)
	}
	if now := c.entries[e.key]; now != nil && now.file != e.file {
		return os.Remove(c.path(e.file)) // another task was faster
	}
	if c.entries[e.key] == nil {
		c.add(e)
	}
	c.evictBut(e.key, 0)
	return nil
}

func (c *Cache) has(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[key] != nil
}

// treeSize is the size of all files in a folder, in bytes.
func treeSize(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

// pack writes a folder into one file of the cache. Its name holds its hash, so that it is renamed at the end.
func (c *Cache) pack(ctx context.Context, sha, dir string, note []byte) (*entry, error) {
	tmp, err := os.CreateTemp(c.dir, partPrefix+"*")
	if err != nil {
		return nil, err
	}
	sum := &meter{w: tmp, hash: sha256.New(), limit: -1}
	err = writeTree(ctx, sum, dir, note)
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(tmp.Name()))
	}
	e := entryOf(sha + "." + hex.EncodeToString(sum.hash.Sum(nil)))
	e.size = sum.n
	info, err := os.Stat(tmp.Name())
	if err == nil {
		e.used = info.ModTime()
		err = os.Rename(tmp.Name(), c.path(e.file))
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(tmp.Name()))
	}
	return e, nil
}

func writeTree(ctx context.Context, w io.Writer, dir string, note []byte) error {
	archive := tar.NewWriter(w)
	if err := archive.WriteHeader(&tar.Header{Name: noteName, Mode: 0o600, Size: int64(len(note)), Typeflag: tar.TypeReg}); err != nil {
		return err
	}
	if _, err := archive.Write(note); err != nil {
		return err
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		below, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return writeNode(ctx, archive, path, filepath.ToSlash(below), d)
	})
	return errors.Join(err, archive.Close())
}

func writeNode(ctx context.Context, archive *tar.Writer, path, name string, d fs.DirEntry) error {
	switch {
	case d.IsDir():
		return archive.WriteHeader(&tar.Header{Name: name + "/", Mode: 0o700, Typeflag: tar.TypeDir, Format: tar.FormatPAX})
	case !d.Type().IsRegular():
		return fmt.Errorf("%s is neither a file nor a folder", name)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: info.Size(), Typeflag: tar.TypeReg, Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err = io.Copy(archive, contextReader{ctx, f})
	return err
}

// Unpack writes the unpacked form of a file, which KeepUnpacked kept, into the empty folder dir. ok is false, and dir empty, when the cache
// does not have it, or it is damaged.
func (c *Cache) Unpack(ctx context.Context, sha, dir string) (note []byte, ok bool, err error) {
	c.mu.Lock()
	h, err := c.openLocked(sha + unpackedKey)
	c.mu.Unlock()
	if h == nil {
		return nil, false, err
	}
	note, err = h.unpack(ctx, dir)
	if released := h.release(); err == nil {
		err = released
	}
	if err == nil {
		return note, true, nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, false, cause
	}
	if cleared := empty(dir); cleared != nil || !errors.Is(err, ErrContent) {
		return nil, false, errors.Join(fmt.Errorf("unpack from the cache: %w", err), cleared)
	}
	return nil, false, nil
}

func (h *held) unpack(ctx context.Context, dir string) (note []byte, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	sum := &meter{w: io.Discard, hash: sha256.New(), limit: -1}
	content := io.TeeReader(contextReader{ctx, h.f}, sum)
	note, broken := readTree(root, content)
	if _, err := io.Copy(io.Discard, content); err != nil {
		return nil, err
	}
	// A damaged file is reported as such, whatever error it led to while it was read.
	if err := h.verify(hex.EncodeToString(sum.hash.Sum(nil)), sum.n); err != nil {
		return nil, err
	}
	return note, broken
}

func readTree(root *os.Root, content io.Reader) (note []byte, err error) {
	archive := tar.NewReader(content)
	for {
		head, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return note, nil
		case err != nil:
			return nil, err
		case head.Name == noteName:
			note, err = io.ReadAll(archive)
		case head.Typeflag == tar.TypeDir:
			err = root.MkdirAll(filepath.FromSlash(filepath.Clean(head.Name)), 0o755)
		case head.Typeflag == tar.TypeReg:
			err = readNode(root, filepath.FromSlash(head.Name), archive)
		}
		if err != nil {
			return nil, err
		}
	}
}

func readNode(root *os.Root, name string, content io.Reader) error {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}

// empty removes everything in a folder.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}
