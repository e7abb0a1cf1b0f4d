package coordinator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overcrank/coordinator/backup"
	"overcrank/coordinator/farmkeys"
	"overcrank/coordinator/files"
	"overcrank/coordinator/library"
	"overcrank/coordinator/peers"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/raftstore"
)

// HeldBackup is a backup of this farm that was received and found whole, and lies beside the farm, which it can be put back to. The
// caller closes it.
type HeldBackup struct {
	Manifest backup.Manifest

	c       *Coordinator
	by      farm.Principal
	dir     string // for what is held
	state   *raftstore.Received
	secrets []byte   // the backup's keys for secrets, as their file has them; nil when they are not in it
	old     []string // of these, the ones that the farm needs and has no more
	missing []string // keys of files that the farm's storage lacks; they lie in dir
	done    func()
}

// Restored is what a farm was put back to.
type Restored struct {
	Index  uint64 // of the change
	Before string // backup of what it replaced, on the coordinator that was asked: its path. Keys and files are not in it
	Node   string // id of that coordinator
	Files  int    // that the farm's storage lacked
}

const (
	heldFolders = "restoring-" // is how the names of such folders in the data folder begin
	// beforeRestoring are the backups of what restorations replaced; keptBefore of them stay.
	beforeRestoring = "before-restore-*.ocbackup"
	keptBefore      = 3
	// restoringRoom is how many times a state has to fit onto the disk that takes its place: as it is received, in the log, in the
	// state until the change, as the file to be, and the backup of what it replaces.
	restoringRoom = 5
	// restoringRoomElsewhere is how many times it has to fit onto those of the other coordinators.
	restoringRoomElsewhere = 3
)

// HoldBackup receives a backup to its end and checks all of it. Nothing changes by it. A backup that this farm cannot be put back to is
// an error of CodeInvalid, or of CodeConflict when another farm, another release or another way could. It is for administrators of the farm.
func (c *Coordinator) HoldBackup(ctx context.Context, p farm.Principal, r io.Reader, passphrase farm.Confidential) (*HeldBackup, error) {
	if err := c.MayRestore(p); err != nil {
		return nil, err
	}
	done := c.begin()
	if done == nil {
		return nil, farm.Errorf(farm.CodeUnavailable, "this coordinator is stopping")
	}
	dir, err := os.MkdirTemp(c.cfg.DataDir, heldFolders+"*")
	if err != nil {
		done()
		return nil, fmt.Errorf("receiving a backup: %w", err)
	}
	h := &HeldBackup{c: c, by: p, dir: dir, done: done}
	h.Manifest, err = backup.Read(while(ctx, r), passphrase, &receiver{HeldBackup: h, ctx: ctx})
	if err == nil {
		err = h.checkSecrets()
	}
	if err != nil {
		return nil, errors.Join(unusable(err), h.Close())
	}
	c.log.Info("a backup was received that the farm can be put back to", "by", p.Name, "made", h.Manifest.CreatedAt, "change", h.Manifest.Index, "files", len(h.missing))
	return h, nil
}

// MayRestore refuses whoever may not put the farm back to a backup.
func (c *Coordinator) MayRestore(p farm.Principal) error { return p.May(farm.ActBackUp) }

// unusable gives what is wrong with a backup the code of the caller's mistake.
func unusable(err error) error {
	for _, wrong := range []error{backup.ErrNotABackup, backup.ErrTruncated, backup.ErrAltered, backup.ErrPassphrase, backup.ErrNoPassphrase, backup.ErrFormat} {
		if errors.Is(err, wrong) {
			return farm.Errorf(farm.CodeInvalid, "nothing was restored: %w", err)
		}
	}
	return err
}

// Close forgets the backup. It may be called again.
func (h *HeldBackup) Close() error {
	if h.done == nil {
		return nil
	}
	defer h.done()
	h.done = nil
	var err error
	if h.state != nil {
		err = h.state.Close()
	}
	return errors.Join(err, os.RemoveAll(h.dir))
}

// clearHeld removes what a process that was killed has received: all that begins with a prefix.
func clearHeld(dir, prefix string) error {
	there, err := os.ReadDir(dir)
	for _, e := range there {
		if strings.HasPrefix(e.Name(), prefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// room refuses what does not fit onto this coordinator's disk.
func (c *Coordinator) room(bytes int64) error {
	free, err := c.store.Free()
	if err != nil {
		return fmt.Errorf("looking for room for a backup: %w", err)
	}
	if free-c.cfg.MinFree < bytes {
		return farm.Errorf(farm.CodeConflict, "restoring needs %d MB of free disk below %s beside the %d MB that stay free, and %d MB are free: make room, there and on the other coordinators",
			bytes>>20, c.cfg.DataDir, c.cfg.MinFree>>20, free>>20)
	}
	return nil
}

// receiver takes the parts of a backup that is held.
type receiver struct {
	*HeldBackup
	ctx context.Context
}

var _ backup.Sink = (*receiver)(nil)

func (h *receiver) Begin(m backup.Manifest) error {
	if own := h.c.keys.Farm(); m.Farm != own {
		return farm.Errorf(farm.CodeConflict, "this is a backup of the farm %s, and this farm is %s: restore it into a new data folder (overcrank restore FILE --data-dir DIR)", m.Farm, own)
	}
	if err := h.c.room(restoringRoom * m.StateBytes); err != nil {
		return err
	}
	return h.c.roomElsewhere(h.ctx, h.by, restoringRoomElsewhere*m.StateBytes)
}

// roomElsewhere refuses what does not fit onto the disk of another coordinator that answers.
func (c *Coordinator) roomElsewhere(ctx context.Context, p farm.Principal, bytes int64) error {
	status, err := c.cluster.Status(ctx, p, 0)
	if err != nil {
		return err
	}
	for _, m := range status.Members {
		if m.ID != status.Self && !m.Dead && m.Free > 0 && m.Free-c.cfg.MinFree < bytes {
			return farm.Errorf(farm.CodeConflict, "restoring needs %d MB of free disk on every coordinator beside the %d MB that stay free, and %s (%s) has %d MB: make room there",
				bytes>>20, c.cfg.MinFree>>20, m.ID, m.Name, m.Free>>20)
		}
	}
	return nil
}

func (h *receiver) Keys(sealed map[string][]byte) error {
	if sealed == nil { // without them nobody knows who has made it
		return backup.ErrNoPassphrase
	}
	own, err := os.ReadFile(h.c.path(farmkeys.FarmFile))
	if err != nil {
		return fmt.Errorf("reading the farm's key: %w", err)
	}
	if !bytes.Equal(bytes.TrimSpace(own), bytes.TrimSpace(sealed[farmkeys.FarmFile])) {
		return farm.Errorf(farm.CodeConflict, "the backup's farm.key is not this farm's: restore it into a new data folder (overcrank restore FILE --data-dir DIR)")
	}
	h.secrets = sealed[farmkeys.SecretsFile]
	return nil
}

func (h *receiver) State(_ int64, r io.Reader) (err error) {
	h.state, err = h.c.store.Receive(r)
	return err
}

// File keeps what the farm's storage lacks.
func (h *receiver) File(key string, size int64, r io.Reader) error {
	if err := files.Check(key); err != nil {
		return fmt.Errorf("restoring a file: %w", err)
	}
	_, err := h.c.files.Stat(h.ctx, key)
	if err == nil || !errors.Is(err, files.ErrNotFound) {
		return err
	}
	if err := h.c.room(size); err != nil {
		return err
	}
	path := filepath.Join(h.dir, filepath.FromSlash(key))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("restoring a file: %w", err)
	}
	h.missing = append(h.missing, key)
	return durable.Write(path, 0o600, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}

// checkSecrets finds the keys that the backup's secrets are sealed with and that the farm has no more.
func (h *HeldBackup) checkSecrets() error {
	own, need := h.c.ring.IDs(), map[string]bool{}
	err := h.state.View(func(tx *raftstore.Tx) error {
		secrets, err := tx.AllSecrets()
		for _, s := range secrets {
			if !slices.Contains(own, s.Key) {
				need[s.Key] = true
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("reading the secrets of a backup: %w", err)
	}
	for line := range bytes.Lines(h.secrets) {
		if id, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" ")); need[string(id)] {
			h.old = append(h.old, string(bytes.TrimSpace(line)))
			delete(need, string(id))
		}
	}
	if len(need) > 0 {
		return farm.Errorf(farm.CodeConflict, "%d of the keys that the backup's secrets are sealed with have been dropped since, and are not in it: restore it into a new data folder with the key files of its time (overcrank restore FILE --data-dir DIR --keys-from DIR)", len(need))
	}
	return nil
}

// Restoring is how far putting a farm back has come.
type RestoringStep string

// The steps, in their order.
const (
	StepBefore RestoringStep = "backing up what is there"
	StepFiles  RestoringStep = "putting files back"
	StepState  RestoringStep = "putting the state back"
)

// PutBack puts the farm back to the backup, on all coordinators at once and while it works: what was acknowledged since the backup is gone
// then, and what is acknowledged behind the change is in force. step is told how far it is. After an error the farm is as it was, unless
// the error says otherwise.
func (h *HeldBackup) PutBack(ctx context.Context, step func(s RestoringStep, done, all int64)) (Restored, error) {
	out := Restored{Node: h.c.store.ID(), Files: len(h.missing)}
	step(StepBefore, 0, 0)
	var err error
	if out.Before, err = h.backUpBefore(ctx); err != nil {
		return out, fmt.Errorf("keeping what a restoration replaces: %w", err)
	}
	if len(h.old) > 0 {
		if _, err := peers.AskLeader(ctx, h.c.peers, askOldKeys, library.Keys{Keys: h.old}); err != nil {
			return out, err
		}
	}
	for i, key := range h.missing {
		step(StepFiles, int64(i), int64(len(h.missing)))
		if err := h.putFile(ctx, key); err != nil {
			return out, err
		}
	}
	out.Index, err = h.c.store.PutBack(ctx, h.state, h.c.cfg.Now, func(done, all int64) { step(StepState, done, all) })
	if err != nil {
		h.c.log.Error("the farm could not be put back to a backup", "by", h.by.Name, "error", err)
		return out, err
	}
	h.c.log.Warn("the farm was put back to a backup", "by", h.by.Name, "token", h.by.TokenID, "made", h.Manifest.CreatedAt, "of change", h.Manifest.Index,
		"at change", out.Index, "files", out.Files, "before", out.Before)
	h.c.feed.Await(ctx, out.Index)
	return out, nil
}

// backUpBefore keeps what is about to be replaced, without its keys and files.
func (h *HeldBackup) backUpBefore(ctx context.Context) (path string, err error) {
	path = h.c.path(fmt.Sprintf("before-restore-%s.ocbackup", h.c.cfg.Now().UTC().Format("20060102T150405.000Z")))
	content, _, err := h.c.Backup(ctx, h.by, BackupWish{Place: backup.PlaceHere(path)})
	if err != nil {
		return "", err
	}
	err = durable.Write(path, 0o600, func(w io.Writer) error {
		_, err := io.Copy(w, while(ctx, content))
		return err
	})
	if err = errors.Join(err, content.Close()); err != nil {
		return "", err
	}
	kept, err := durable.Find(h.c.cfg.DataDir, beforeRestoring) // in the order of their times
	for ; len(kept) > keptBefore; kept = kept[1:] {
		err = errors.Join(err, os.Remove(kept[0]))
	}
	return path, err
}

// putFile brings a file that the farm's storage lacks into it.
func (h *HeldBackup) putFile(ctx context.Context, key string) error {
	file, err := os.Open(filepath.Join(h.dir, filepath.FromSlash(key)))
	if err != nil {
		return fmt.Errorf("restoring the file %s: %w", key, err)
	}
	_, err = h.c.files.Put(ctx, key, while(ctx, file), files.Limits{Size: -1})
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("restoring the file %s: %w", key, err)
	}
	return nil
}

// stateReplaced begins anew what is remembered of a state that is another now.
func (c *Coordinator) stateReplaced() {
	c.log.Warn("the farm's state was put back to that of a backup")
	c.stateRebuilt()
}

// stateRebuilt is stateReplaced for a state of which some may have been read wrong.
func (c *Coordinator) stateRebuilt() {
	c.installed.Forget()
	c.unindexed.Lose()
	c.hub.Lose()
	c.hub.Publish(farm.Event{Kind: farm.EventFarm})
	c.StateReplaced()
	c.templates.Wake()
	c.retention.Wake()
}
