package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"overcrank/durable"
)

// Folder is a Store in a folder of this machine to which no other process writes.
type Folder struct {
	dir      string
	root     *os.Root
	incoming string // folder for incomplete files
	minFree  int64
	lenient  bool // ignore that folders cannot be synced: a file server syncs them itself
	free     func() (int64, error)
	skew     atomic.Int64 // how far file times are ahead of this machine's clock, in nanoseconds

	// names keeps DeleteIf from removing a file that arrives at the same time: arrivals share it, DeleteIf holds it alone.
	names sync.RWMutex
}

// temporary is the folder for incomplete files. No key names it: its part begins with a dot.
const temporary = ".incoming"

// OpenFolder opens the store in dir, creates dir if needed, and deletes files that an earlier process left incomplete. minFree is how
// many bytes must stay free on the disk; below 0 it is not checked.
func OpenFolder(dir string, minFree int64) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the file store: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the file store: %w", err)
	}
	f := newFolder(dir, root, temporary, minFree)
	if err := f.clearIncoming(); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return f, nil
}

func newFolder(dir string, root *os.Root, incoming string, minFree int64) *Folder {
	return &Folder{
		dir: dir, root: root, incoming: incoming, minFree: minFree,
		free: func() (int64, error) { free, _, err := durable.Space(dir); return free, err },
	}
}

// clearIncoming deletes files that an earlier process left incomplete.
func (f *Folder) clearIncoming() error {
	if err := errors.Join(f.root.RemoveAll(f.incoming), f.root.MkdirAll(f.incoming, 0o700)); err != nil {
		return fmt.Errorf("clearing unfinished files: %w", err)
	}
	return nil
}

// Close releases the folder. Open readers stay readable.
func (f *Folder) Close() error { return f.root.Close() }

// Put implements Store.
func (f *Folder) Put(ctx context.Context, key string, r io.Reader, lim Limits) (Object, error) {
	if err := Check(key); err != nil {
		return Object{}, err
	}
	return f.put(ctx, r, lim, func(string) (string, error) { return key, nil })
}

// PutBlob implements Store.
func (f *Folder) PutBlob(ctx context.Context, r io.Reader, lim Limits) (Object, error) {
	return f.put(ctx, r, lim, BlobKey)
}

func (f *Folder) put(ctx context.Context, r io.Reader, lim Limits, keyOf func(hash string) (string, error)) (Object, error) {
	temp := path.Join(f.incoming, rand.Text())
	obj, err := f.receive(ctx, temp, r, lim)
	if err == nil {
		obj.Key, err = keyOf(obj.SHA256)
	}
	if err == nil {
		err = f.install(temp, obj.Key)
	}
	if err != nil {
		return Object{}, errors.Join(fullDisk(err), ignoreMissing(f.root.Remove(temp)))
	}
	return obj, nil
}

// receive writes a stream to a temporary file and makes it durable.
func (f *Folder) receive(ctx context.Context, temp string, r io.Reader, lim Limits) (_ Object, err error) {
	in, err := newIntake(ctx, r, lim)
	if err != nil {
		return Object{}, err
	}
	if err := f.room(max(lim.Size, 0)); err != nil {
		return Object{}, err
	}
	file, err := f.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Object{}, fmt.Errorf("making a file: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()

	if err := f.fill(file, in); err != nil {
		return Object{}, err
	}
	if err := file.Sync(); err != nil {
		return Object{}, fmt.Errorf("writing a file to the disk: %w", err)
	}
	return Object{Size: in.n, SHA256: in.sha256(), Modified: time.Now()}, nil
}

// checkEvery is how many bytes of one file are written between checks of the free space.
const checkEvery = 64 << 20

// fillBuffer is how many bytes are written at once. Most files are smaller.
const fillBuffer = 256 << 10

func (f *Folder) fill(file *os.File, in *intake) error {
	size := int64(fillBuffer)
	if limit := in.limit(); limit >= 0 {
		size = min(size, limit+1)
	}
	buf := make([]byte, size)
	for {
		_, err := io.CopyBuffer(struct{ io.Writer }{file}, struct{ io.Reader }{io.LimitReader(in, checkEvery)}, buf)
		switch {
		case in.err != nil:
			return in.err
		case err != nil:
			return fmt.Errorf("writing a file: %w", err)
		case in.ended:
			return nil
		}
		if err := f.room(0); err != nil {
			return err
		}
	}
}

// install gives a complete temporary file its key, and a time to the nanosecond: the system's own times move in steps of some
// milliseconds, within which a file and the one that replaces it would count as the same version.
func (f *Folder) install(temp, key string) error {
	now := time.Now().Add(time.Duration(f.skew.Load()))
	_ = f.root.Chtimes(temp, now, now) // a mount that refuses keeps its own time
	f.names.RLock()
	defer f.names.RUnlock()
	if err := f.inFolder(path.Dir(key), func() error { return f.root.Rename(temp, key) }); err != nil {
		return fmt.Errorf("naming a file: %w", err)
	}
	return f.syncDir(path.Dir(key))
}

// inFolder makes a folder, unless it is there, and calls do, which puts an entry into it. A sweep by this process, or by another one on the
// same storage, may remove the folder while it is empty; then both are done again.
func (f *Folder) inFolder(dir string, do func() error) (err error) {
	for range maxFolderTries {
		if err = f.root.MkdirAll(dir, 0o700); err == nil {
			err = do()
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) { // it was removed, or was there and then removed
			break
		}
	}
	return err
}

// maxFolderTries is how often a folder is made that others remove at the same moment.
const maxFolderTries = 30

// Append appends to a log file, creating it if needed, and returns its new size. It does not sync.
func (f *Folder) Append(key string, data []byte) (size int64, err error) {
	a, err := f.Appender(key, int64(len(data)))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return a.Append(data)
}

// Appender appends to one file, which it keeps open. Nobody else may write to the file meanwhile.
type Appender struct {
	folder *Folder
	key    string
	file   *os.File
	size   int64
	room   int64 // bytes that there was room for when it was opened, and that nothing was written of
}

// Appender opens a file for appending, creating it if needed; ErrFull unless the disk has room for first bytes.
func (f *Folder) Appender(key string, first int64) (*Appender, error) {
	if err := errors.Join(Check(key), f.room(first)); err != nil {
		return nil, err
	}
	file, err := f.root.OpenFile(key, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		err = f.inFolder(path.Dir(key), func() (err error) {
			file, err = f.root.OpenFile(key, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
			return err
		})
	}
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", key, err)
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("measuring %s: %w", key, err), file.Close())
	}
	return &Appender{f, key, file, size, first}, nil
}

// Append appends data and returns the file's new size. After an error part of data may have been written.
func (a *Appender) Append(data []byte) (size int64, err error) {
	if int64(len(data)) > a.room {
		if err := a.folder.room(int64(len(data))); err != nil {
			return 0, err
		}
	}
	a.room = 0
	n, err := a.file.Write(data)
	a.size += int64(n)
	if err != nil {
		return 0, fullDisk(fmt.Errorf("adding to %s: %w", a.key, err))
	}
	return a.size, nil
}

// Size is the file's size, in bytes.
func (a *Appender) Size() int64 { return a.size }

// Close closes the file.
func (a *Appender) Close() error { return a.file.Close() }

// Open implements Store.
func (f *Folder) Open(_ context.Context, key string) (*Reader, error) {
	if err := Check(key); err != nil {
		return nil, err
	}
	file, err := f.root.Open(key)
	if err != nil {
		return nil, missing(key, err)
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s: %w", key, ErrNotFound)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Reader{ReadSeekCloser: file, Object: f.object(key, info), Near: true}, nil
}

// Stat implements Store.
func (f *Folder) Stat(_ context.Context, key string) (Object, error) {
	if err := Check(key); err != nil {
		return Object{}, err
	}
	info, err := f.root.Stat(key)
	if err != nil {
		return Object{}, missing(key, err)
	}
	if info.IsDir() {
		return Object{}, fmt.Errorf("%s: %w", key, ErrNotFound)
	}
	return f.object(key, info), nil
}

// Rename implements Store.
func (f *Folder) Rename(_ context.Context, from, to string) error {
	if err := errors.Join(Check(from), Check(to)); err != nil {
		return err
	}
	err := f.inFolder(path.Dir(to), func() error {
		err := f.root.Rename(from, to)
		if _, lost := f.root.Stat(from); err != nil && errors.Is(lost, fs.ErrNotExist) {
			return ErrNotFound
		}
		return err
	})
	if err != nil {
		return missing(from, err)
	}
	return f.syncDir(path.Dir(to))
}

// Delete implements Store.
func (f *Folder) Delete(_ context.Context, key string) error {
	if err := Check(key); err != nil {
		return err
	}
	err := ignoreMissing(f.root.Remove(key))
	if err != nil {
		if info, lost := f.root.Stat(key); lost == nil && info.IsDir() {
			return nil
		}
		return fmt.Errorf("removing %s: %w", key, err)
	}
	return nil
}

// DeleteBelow implements Store.
func (f *Folder) DeleteBelow(_ context.Context, key string) error {
	if err := Check(key); err != nil {
		return err
	}
	switch info, err := f.root.Stat(key); {
	case errors.Is(err, fs.ErrNotExist), err == nil && !info.IsDir():
		return nil
	}
	if err := f.root.RemoveAll(key); err != nil {
		return fmt.Errorf("removing what is below %s: %w", key, err)
	}
	return nil
}

// DeleteIf implements Store.
func (f *Folder) DeleteIf(ctx context.Context, key string, before time.Time, keep func() (bool, error)) error {
	f.names.Lock()
	defer f.names.Unlock()
	obj, err := f.Stat(ctx, key)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil || !obj.Modified.Before(before) {
		return err
	}
	if kept, err := keep(); err != nil || kept {
		return err
	}
	return f.Delete(ctx, key)
}

// List implements Store.
func (f *Folder) List(_ context.Context, key string, fn func(Object) error) error {
	if err := Check(key); err != nil {
		return err
	}
	return f.list(key, fn)
}

func (f *Folder) list(key string, fn func(Object) error) error {
	dir, err := f.root.Open(key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("listing %s: %w", key, err)
	}
	entries, err := dir.ReadDir(-1)
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, fs.ErrNotExist) { // the folder was removed meanwhile
		err = nil
	}
	if err = errors.Join(err, dir.Close()); err != nil {
		return fmt.Errorf("listing %s: %w", key, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(keyOf(a), keyOf(b)) })
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") { // hidden files, such as those of file servers
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("listing %s: %w", key, err)
		}
		obj := f.object(path.Join(key, e.Name()), info)
		if e.IsDir() {
			obj.Key += "/"
		}
		if err := fn(obj); err != nil {
			return err
		}
	}
	return nil
}

// keyOf is what orders an entry among keys: its name, with a slash behind a folder's.
func keyOf(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

// Walk implements Store.
func (f *Folder) Walk(ctx context.Context, key string, fn func(Object) error) error {
	if err := Check(key); err != nil {
		return err
	}
	return f.walk(ctx, key, fn)
}

func (f *Folder) walk(ctx context.Context, key string, fn func(Object) error) error {
	return f.list(key, func(o Object) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !strings.HasSuffix(o.Key, "/") {
			return fn(o)
		}
		empty := true
		err := f.walk(ctx, strings.TrimSuffix(o.Key, "/"), func(below Object) error {
			empty = false
			return fn(below)
		})
		if err != nil || !empty {
			return err
		}
		return fn(o)
	})
}

// Sweep implements Store. OpenFolder has deleted all remains.
func (f *Folder) Sweep(context.Context) error { return nil }

// Path implements Store.
func (f *Folder) Path(ctx context.Context, key string) (string, func(), error) {
	if _, err := f.Stat(ctx, key); err != nil {
		return "", nil, err
	}
	return filepath.Join(f.dir, filepath.FromSlash(key)), func() {}, nil
}

// room checks that enough of the disk stays free after n more bytes; ErrFull otherwise.
func (f *Folder) room(n int64) error {
	if f.minFree < 0 {
		return nil
	}
	free, err := f.free()
	if err != nil {
		return fmt.Errorf("measuring free disk space: %w", err)
	}
	if free-n < f.minFree {
		return fmt.Errorf("%w: %d bytes are free, %d are needed and %d must stay free", ErrFull, free, n, f.minFree)
	}
	return nil
}

func (f *Folder) syncDir(name string) error {
	dir, err := f.root.Open(name)
	if err != nil {
		return fmt.Errorf("opening a folder: %w", err)
	}
	err = syncFolder(dir)
	if f.lenient && (errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)) {
		err = nil
	}
	return errors.Join(err, dir.Close())
}

// object describes a file, with its time converted to this machine's clock.
func (f *Folder) object(key string, info fs.FileInfo) Object {
	return Object{
		Key: key, Size: info.Size(), Modified: info.ModTime().Add(-time.Duration(f.skew.Load())),
		Version: strconv.FormatInt(info.ModTime().UnixNano(), 36),
	}
}

func missing(key string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%s: %w", key, ErrNotFound)
	}
	return fmt.Errorf("%s: %w", key, err)
}

func fullDisk(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, errDiskFull) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
