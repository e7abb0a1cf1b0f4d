package files

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Mount is a Store in a folder that several machines have mounted by NFS or SMB. Unlike Folder it expects other writers.
type Mount struct {
	dir, node string
	minFree   int64

	mu   sync.RWMutex
	open *Folder // replaced when something else is mounted there
}

// OpenMount opens the store in an existing folder; a missing one may be a share that is not mounted. node is this coordinator's id.
// minFree is how many bytes must stay free.
func OpenMount(dir, node string, minFree int64) (*Mount, error) {
	if err := Check(node); err != nil {
		return nil, err
	}
	m := &Mount{dir: dir, node: node, minFree: minFree}
	f, err := m.openFolder()
	if err != nil {
		return nil, m.explain(err)
	}
	m.open = f
	return m, nil
}

func (m *Mount) openFolder() (*Folder, error) {
	root, err := os.OpenRoot(m.dir)
	if err != nil {
		return nil, err
	}
	f := newFolder(m.dir, root, path.Join(temporary, m.node), m.minFree)
	f.lenient = true
	if err := errors.Join(f.clearIncoming(), f.root.MkdirAll(notes, 0o700)); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return f, nil
}

func (m *Mount) folder() *Folder {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.open
}

// Where implements Shared.
func (m *Mount) Where() string { return "the shared folder " + m.dir }

// Close releases the folder. Open readers stay readable.
func (m *Mount) Close() error { return m.folder().Close() }

// Reach implements Shared. It switches to whatever is mounted there now, and compares the file server's clock with this machine's.
func (m *Mount) Reach(ctx context.Context) error {
	f := m.folder()
	is, err := os.Stat(m.dir)
	if err != nil {
		return m.explain(err)
	}
	if was, err := f.root.Stat("."); err != nil || !os.SameFile(was, is) {
		anew, err := m.openFolder()
		if err != nil {
			return m.explain(err)
		}
		m.mu.Lock()
		m.open = anew
		m.mu.Unlock()
		// Calls in progress may still use the old one: it is closed when nothing refers to it.
		f = anew
	}
	clock := path.Join(f.incoming, "clock-"+rand.Text())
	file, err := f.root.OpenFile(clock, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return m.explain(err)
	}
	_, err = file.Write([]byte{'\n'})
	now := time.Now()
	err = errors.Join(err, file.Close())
	info, lost := f.root.Stat(clock)
	if err = errors.Join(err, lost, f.root.Remove(clock)); err != nil {
		return m.explain(err)
	}
	f.skew.Store(int64(info.ModTime().Sub(now)))
	return ctx.Err()
}

// explain turns file system errors that concern the mount, rather than one file, into ErrUnreachable.
func (m *Mount) explain(err error) error {
	if err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, ErrKey) {
		return err
	}
	for reason, causes := range map[string][]error{
		"the folder does not exist; is the share mounted?":                              {fs.ErrNotExist, syscall.ENOTDIR},
		"permission denied; every coordinator has to run as a user who may write to it": {fs.ErrPermission},
		"it is mounted read-only": {syscall.EROFS},
		"the file server does not answer, or the mount is stale; check the server, or mount the share again": {
			syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT, syscall.EHOSTDOWN, syscall.EHOSTUNREACH, syscall.ENOTCONN, syscall.ECONNREFUSED, syscall.ENODEV, syscall.ENXIO,
		},
	} {
		for _, cause := range causes {
			if errors.Is(err, cause) {
				return unreachable(m.Where(), reason, err)
			}
		}
	}
	return err
}

// Put implements Store.
func (m *Mount) Put(ctx context.Context, key string, r io.Reader, lim Limits) (Object, error) {
	obj, err := m.folder().Put(ctx, key, r, lim)
	return obj, m.explain(err)
}

// PutBlob implements Store.
func (m *Mount) PutBlob(ctx context.Context, r io.Reader, lim Limits) (Object, error) {
	f := m.folder()
	temp := path.Join(f.incoming, rand.Text())
	obj, err := f.receive(ctx, temp, r, lim)
	if err == nil {
		obj.Key, err = BlobKey(obj.SHA256)
	}
	if err == nil {
		err = ensureKept(ctx, m, obj.Key, obj.Size, func() error { return m.link(f, temp, obj.Key) })
	}
	err = errors.Join(err, ignoreMissing(f.root.Remove(temp)))
	if err != nil {
		return Object{}, m.explain(fullDisk(err))
	}
	return obj, nil
}

// link gives a complete file its key and the current time. It keeps the temporary name, so that it can be repeated.
func (m *Mount) link(f *Folder, temp, key string) error {
	again := temp + ".link"
	err := f.root.Link(temp, again)
	if err != nil { // the file system has no links
		err = copyWithin(f.root, temp, again)
	}
	if err != nil {
		return fmt.Errorf("naming a file: %w", err)
	}
	now := time.Now().Add(time.Duration(f.skew.Load()))
	if err := f.root.Chtimes(again, now, now); err != nil {
		return fmt.Errorf("naming a file: %w", err)
	}
	if err := f.install(again, key); err != nil {
		return errors.Join(err, ignoreMissing(f.root.Remove(again)))
	}
	return ignoreMissing(f.root.Remove(again)) // renaming a file onto another link to it leaves both
}

func copyWithin(root *os.Root, from, to string) error {
	in, err := root.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// retryLookup repeats a lookup that found nothing, once: a client remembers for some seconds that a name did not exist, until it opens
// the folder again.
func retryLookup[T any](m *Mount, key string, look func(*Folder) (T, error)) (T, error) {
	f := m.folder()
	found, err := look(f)
	if !errors.Is(err, ErrNotFound) {
		return found, m.explain(err)
	}
	for dir := "."; ; {
		folder, lost := f.root.Open(dir)
		if lost != nil {
			if dir == "." {
				return found, m.explain(lost)
			}
			return found, err
		}
		_ = folder.Close() // opening refreshed the client's cache
		rest := key
		if dir != "." {
			rest = key[len(dir)+1:]
		}
		next, _, more := strings.Cut(rest, "/")
		if !more {
			break
		}
		dir = path.Join(dir, next)
	}
	found, err = look(f)
	return found, m.explain(err)
}

// Open implements Store.
func (m *Mount) Open(ctx context.Context, key string) (*Reader, error) {
	return retryLookup(m, key, func(f *Folder) (*Reader, error) { return f.Open(ctx, key) })
}

// Stat implements Store.
func (m *Mount) Stat(ctx context.Context, key string) (Object, error) {
	return retryLookup(m, key, func(f *Folder) (Object, error) { return f.Stat(ctx, key) })
}

// Path implements Store.
func (m *Mount) Path(ctx context.Context, key string) (string, func(), error) {
	if _, err := m.Stat(ctx, key); err != nil {
		return "", nil, err
	}
	return m.folder().Path(ctx, key)
}

// Rename implements Store.
func (m *Mount) Rename(ctx context.Context, from, to string) error {
	_, err := retryLookup(m, from, func(f *Folder) (struct{}, error) { return struct{}{}, f.Rename(ctx, from, to) })
	return err
}

// Delete implements Store.
func (m *Mount) Delete(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return m.explain(m.folder().Delete(ctx, key))
}

// DeleteBelow implements Store.
func (m *Mount) DeleteBelow(ctx context.Context, key string) error {
	return m.explain(m.folder().DeleteBelow(ctx, key))
}

// DeleteIf implements Store.
func (m *Mount) DeleteIf(ctx context.Context, key string, before time.Time, keep func() (bool, error)) error {
	return deleteIf(ctx, m, key, before, keep)
}

// List implements Store.
func (m *Mount) List(ctx context.Context, key string, fn func(Object) error) error {
	return m.explain(m.folder().List(ctx, key, fn))
}

// Walk implements Store.
func (m *Mount) Walk(ctx context.Context, key string, fn func(Object) error) error {
	return m.explain(m.folder().Walk(ctx, key, fn))
}

// Sweep implements Store.
func (m *Mount) Sweep(ctx context.Context) error {
	f := m.folder()
	before := time.Now().Add(-uploadExpiry)
	err := f.walk(ctx, temporary, func(o Object) error {
		if o.Modified.After(before) || strings.HasSuffix(o.Key, "/") {
			return nil
		}
		return ignoreMissing(f.root.Remove(o.Key))
	})
	return m.explain(errors.Join(err, sweepMarks(ctx, m)))
}

// PutNote implements Shared.
func (m *Mount) PutNote(ctx context.Context, name string, text []byte) error {
	if err := Check(name); err != nil {
		return err
	}
	f := m.folder()
	temp := path.Join(f.incoming, rand.Text())
	_, err := f.receive(ctx, temp, bytes.NewReader(text), Limits{Size: int64(len(text))})
	if err == nil {
		err = f.install(temp, path.Join(notes, name))
	}
	if err != nil {
		return m.explain(errors.Join(fullDisk(err), ignoreMissing(f.root.Remove(temp))))
	}
	return nil
}

// Note implements Shared.
func (m *Mount) Note(_ context.Context, name string) ([]byte, error) {
	if err := Check(name); err != nil {
		return nil, err
	}
	return retryLookup(m, path.Join(notes, name), func(f *Folder) ([]byte, error) {
		text, err := f.root.ReadFile(path.Join(notes, name))
		if err != nil {
			return nil, missing(name, err)
		}
		return text, nil
	})
}

// DropNote implements Shared.
func (m *Mount) DropNote(_ context.Context, name string) error {
	if err := Check(name); err != nil {
		return err
	}
	return m.explain(ignoreMissing(m.folder().root.Remove(path.Join(notes, name))))
}

// Notes implements Shared.
func (m *Mount) Notes(ctx context.Context, folder string) ([]Object, error) {
	if err := Check(folder); err != nil {
		return nil, err
	}
	var list []Object
	err := m.folder().walk(ctx, path.Join(notes, folder), func(o Object) error {
		if !strings.HasSuffix(o.Key, "/") {
			o.Key = strings.TrimPrefix(o.Key, notes+"/")
			list = append(list, o)
		}
		return nil
	})
	return list, m.explain(err)
}
