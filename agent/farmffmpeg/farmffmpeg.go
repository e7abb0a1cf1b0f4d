// Package farmffmpeg keeps the ffmpeg that the farm hands out on this machine: it fetches the build that the farm pins by its hash, checks and unpacks
// it, and has this process, and the engines that it starts, use it.
package farmffmpeg

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"overcrank/durable"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/farm/wording"
	"overcrank/ffmpeg"
	"overcrank/ffmpeg/build"
	"overcrank/interval"
	"overcrank/launcher"
)

// Farm is where files come from.
type Farm interface {
	// Download writes a file of the farm, named by its hash, to w. A transfer that breaks off is resumed.
	Download(ctx context.Context, sha256 string, w io.Writer) error
}

// Config says for which machine ffmpeg is kept.
type Config struct {
	DataDir string // the agent's; builds lie in its folder ffmpeg, each in one that is named by its hash
	// Named says that the farm's ffmpeg is not used: the settings name another one, or let the farm bring no programs.
	Named bool
	Farm  Farm
	// Room is asked before anything is unpacked whether there is room for so many bytes.
	Room func(bytes int64) error
	// Lacks tells whether this machine's own ffmpeg, that of the PATH, is missing or cannot write all that jobs ask for.
	Lacks   func() bool
	Changed func() // called when another ffmpeg is used, or Why has changed
	// RetryAfter is the pause after the first failed fetch; it doubles each time. 0 means a minute.
	RetryAfter time.Duration
	Log        *slog.Logger
}

// Keeper keeps the farm's ffmpeg on a machine. Its methods may be called at the same time.
type Keeper struct {
	cfg   Config
	woken chan struct{} // something else is wanted

	mu     sync.Mutex
	wanted *wire.FFmpeg // nil while the farm has not told
	// refused is the build that this machine will not take, so that no new connection to the farm has it fetched again.
	refused wire.FFmpeg
	why     string
	stop    context.CancelFunc // of what is being fetched; nil for nothing
}

// folderName is the folder below the data folder, currentName the file in it that names the build that is used.
const (
	folderName  = "ffmpeg"
	currentName = "current"
)

// maxCurrent limits the file current, in bytes.
const maxCurrent = 100

// Folder is the folder of builds below an agent's data folder.
func Folder(dataDir string) string { return filepath.Join(dataDir, folderName) }

// Hash is the hash of the farm's build that the ffmpeg at path belongs to; "" when it is not one below the data folder.
func Hash(dataDir, path string) string {
	dir := filepath.Dir(path)
	if name := filepath.Base(dir); farm.IsSHA256(name) && filepath.Dir(dir) == Folder(dataDir) {
		return name
	}
	return ""
}

// Adopt has this process use the farm's build that was used last, if there is one. It is for programs that look at the machine beside the agent.
func Adopt(dataDir string) error {
	sum, err := current(dataDir)
	if err != nil || sum == "" {
		return err
	}
	dir := filepath.Join(Folder(dataDir), sum)
	for _, program := range build.Programs(runtime.GOOS) {
		// Whoever looks may be root, and runs nothing that the agent's account, or somebody else, could have put there.
		if err := launcher.Trusted(filepath.Join(dir, program)); err != nil {
			return fmt.Errorf("the farm's ffmpeg is not used: %w", err)
		}
	}
	return use(dir)
}

// current is the hash of the build that was used last; "" when there is none.
func current(dataDir string) (string, error) {
	path := filepath.Join(Folder(dataDir), currentName)
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	var text []byte
	if err == nil {
		text, err = durable.ReadSmall(path, maxCurrent)
	}
	if err != nil {
		return "", fmt.Errorf("reading which ffmpeg is used: %w", err)
	}
	sum := strings.TrimSpace(string(text))
	if !farm.IsSHA256(sum) || !whole(filepath.Join(Folder(dataDir), sum)) {
		return "", nil
	}
	return sum, nil
}

// whole tells whether a folder has the programs of a build.
func whole(dir string) bool {
	for _, program := range build.Programs(runtime.GOOS) {
		if _, err := os.Stat(filepath.Join(dir, program)); err != nil {
			return false
		}
	}
	return true
}

// use has this process use the ffmpeg of a folder, "" for that of the PATH.
func use(dir string) error {
	var err error
	if dir == "" {
		err = os.Unsetenv(ffmpeg.FolderVariable)
	} else {
		err = os.Setenv(ffmpeg.FolderVariable, dir)
	}
	if err != nil {
		return fmt.Errorf("changing over to another ffmpeg: %w", err)
	}
	return nil
}

// New returns the keeper of a machine, whose process uses the build that was used last. Builds that are no longer used are deleted.
func New(cfg Config) *Keeper {
	k := &Keeper{cfg: cfg, woken: make(chan struct{}, 1)}
	if cfg.Named {
		return k
	}
	sum, err := current(cfg.DataDir)
	if err == nil && sum != "" {
		err = use(filepath.Join(Folder(cfg.DataDir), sum))
	}
	if err = errors.Join(err, k.clear(sum)); err != nil {
		cfg.Log.Warn("the farm's ffmpeg is not used", "error", err)
	}
	return k
}

// clear deletes all builds but one, and what was not unpacked to its end.
func (k *Keeper) clear(sum string) error {
	list, err := os.ReadDir(Folder(k.cfg.DataDir))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range list {
		if e.Name() != sum && e.Name() != currentName {
			err = errors.Join(err, os.RemoveAll(filepath.Join(Folder(k.cfg.DataDir), e.Name())))
		}
	}
	return err
}

// Want sets which build the farm hands out.
func (k *Keeper) Want(wanted wire.FFmpeg) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stop != nil && (k.wanted == nil || *k.wanted != wanted) {
		k.stop()
	}
	k.wanted = &wanted
	select {
	case k.woken <- struct{}{}:
	default:
	}
}

// Why is what keeps the machine from having the farm's ffmpeg, in words; "" for nothing.
func (k *Keeper) Why() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.why
}

func (k *Keeper) tell(why string) {
	k.mu.Lock()
	k.why = why
	k.mu.Unlock()
	k.cfg.Changed()
}

// Run follows what the farm hands out until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	if k.cfg.Named {
		<-ctx.Done()
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.woken:
			k.follow(ctx)
		}
	}
}

// longestPause is the longest pause between two attempts to fetch a build.
const longestPause = 30 * time.Minute

// follow changes over to the build that the farm hands out. It repeats what fails while that is wanted.
func (k *Keeper) follow(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	k.mu.Lock()
	wanted := *k.wanted
	if k.refused == wanted && wanted.SHA256 != "" {
		k.mu.Unlock()
		return
	}
	k.stop = stop
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.stop = nil
	}()
	pause := k.cfg.RetryAfter
	if pause == 0 {
		pause = time.Minute
	}
	for ; ; pause = min(2*pause, longestPause) {
		err := k.take(ctx, wanted)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			k.tell("")
			return
		}
		k.cfg.Log.Warn("cannot take the farm's ffmpeg", "version", wanted.Version, "sha256", wanted.SHA256, "error", err, "retry_after", pause)
		k.tell(err.Error())
		if errors.Is(err, build.ErrRefused) {
			k.mu.Lock()
			k.refused = wanted
			k.mu.Unlock()
			return
		}
		if interval.Wait(ctx, pause) != nil {
			return
		}
	}
}

// take has this process use the build that is wanted, and fetches it if need be. A machine whose own ffmpeg does takes none.
func (k *Keeper) take(ctx context.Context, wanted wire.FFmpeg) error {
	used, err := current(k.cfg.DataDir)
	if err != nil {
		return err
	}
	folder := Folder(k.cfg.DataDir)
	switch {
	case wanted.SHA256 == used:
		return nil
	case wanted.SHA256 == "":
		k.cfg.Log.Info("the farm hands out no ffmpeg any more; this machine uses its own")
		return errors.Join(os.Remove(filepath.Join(folder, currentName)), use(""))
	case !farm.IsSHA256(wanted.SHA256) || wanted.Size <= 0 || wanted.Size > build.MaxArchive:
		return build.Refused("invalid hash or size: %.64q, %d bytes", wanted.SHA256, wanted.Size)
	case used == "" && !k.cfg.Lacks():
		return nil
	}
	dir := filepath.Join(folder, wanted.SHA256)
	if !whole(dir) {
		k.cfg.Log.Info("fetching the farm's ffmpeg", "version", wanted.Version, "bytes", wanted.Size)
		if err := k.fetch(ctx, wanted, dir); err != nil {
			return err
		}
	}
	if err := durable.WriteFile(filepath.Join(folder, currentName), []byte(wanted.SHA256+"\n"), 0o600); err != nil {
		return fmt.Errorf("noting which ffmpeg is used: %w", err)
	}
	if err := use(dir); err != nil {
		return err
	}
	k.cfg.Log.Info("using the farm's ffmpeg", "version", wanted.Version, "folder", dir)
	return nil
}

// fetch fetches a build, checks it, unpacks it, and moves it to dir once it is whole and runs on this machine.
func (k *Keeper) fetch(ctx context.Context, wanted wire.FFmpeg, dir string) (err error) {
	folder := Folder(k.cfg.DataDir)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("making room for ffmpeg: %w", err)
	}
	if err := k.cfg.Room(wanted.Size); err != nil {
		return err
	}
	incoming, err := os.MkdirTemp(folder, ".incoming-")
	if err != nil {
		return fmt.Errorf("making room for ffmpeg: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(incoming)) }()
	archive, unpacked := filepath.Join(incoming, "archive"), filepath.Join(incoming, "unpacked")
	if err := k.download(ctx, wanted, archive); err != nil {
		return fmt.Errorf("fetching the farm's ffmpeg: %w", err)
	}
	if err := os.Mkdir(unpacked, 0o700); err != nil {
		return fmt.Errorf("making room for ffmpeg: %w", err)
	}
	if err := build.Unpack(archive, runtime.GOOS, unpacked, k.cfg.Room); err != nil {
		return err
	}
	if err := starts(ctx, unpacked); err != nil {
		return err
	}
	if err := durable.SyncFolder(unpacked); err != nil {
		return fmt.Errorf("keeping the farm's ffmpeg: %w", err)
	}
	if err := os.RemoveAll(dir); err != nil { // what somebody has taken files from
		return fmt.Errorf("keeping the farm's ffmpeg: %w", err)
	}
	if err := os.Rename(unpacked, dir); err != nil {
		return fmt.Errorf("keeping the farm's ffmpeg: %w", err)
	}
	return durable.SyncFolder(folder)
}

// startTime is how long a program may take to say its version.
const startTime = time.Minute

// starts is an error unless the programs in a folder run on this machine.
func starts(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for _, program := range build.Programs(runtime.GOOS) {
		cmd := exec.CommandContext(ctx, filepath.Join(dir, program), "-version")
		cmd.WaitDelay = time.Second
		out, err := cmd.CombinedOutput()
		if ctx.Err() != nil { // a slow machine, or a search for viruses
			return fmt.Errorf("its %s did not say its version within %s", program, wording.Duration(startTime))
		}
		if err != nil {
			first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
			return build.Refused("its %s does not run on this machine: %v %.200s", program, err, first)
		}
	}
	return nil
}

// download writes the archive to path.
func (k *Keeper) download(ctx context.Context, wanted wire.FFmpeg, path string) error {
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := &sums{ctx: ctx, w: out, left: wanted.Size, hash: sha256.New()}
	if wanted.BytesPerSecond > 0 {
		w.pace = rate.NewLimiter(rate.Limit(wanted.BytesPerSecond), paceStep)
	}
	if err := errors.Join(k.cfg.Farm.Download(ctx, wanted.SHA256, w), out.Close()); err != nil {
		return err
	}
	if got := hex.EncodeToString(w.hash.Sum(nil)); got != wanted.SHA256 {
		return fmt.Errorf("the file that came has the SHA-256 %s, not %s", got, wanted.SHA256)
	}
	return nil
}

// paceStep is how many bytes are written at once.
const paceStep = 16 << 10

// errLonger means that more came than the farm had said.
var errLonger = errors.New("the file that came is longer than the farm says")

// sums is a writer that hashes, keeps to a pace, and takes no more than left bytes.
type sums struct {
	ctx  context.Context
	w    io.Writer
	left int64
	hash hash.Hash
	pace *rate.Limiter // nil for no limit
}

func (s *sums) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		step := min(len(p), paceStep)
		if s.left -= int64(step); s.left < 0 {
			return n, errLonger
		}
		if s.pace != nil {
			if err := s.pace.WaitN(s.ctx, step); err != nil {
				return n, err
			}
		}
		m, err := s.w.Write(p[:step])
		s.hash.Write(p[:m]) // never an error, as hash.Hash says
		n += m
		if err != nil {
			return n, err
		}
		p = p[step:]
	}
	return n, nil
}
