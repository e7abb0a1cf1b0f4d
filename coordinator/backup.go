package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"overcrank/coordinator/backup"
	"overcrank/coordinator/farmkeys"
	"overcrank/coordinator/files"
	"overcrank/farm"
)

// BackupWish says what a backup is to hold besides the state.
type BackupWish struct {
	// Passphrase seals the farm's keys. Without one they are left out.
	Passphrase farm.Confidential
	Files      bool // templates, results, logs and all else that the farm keeps as files
	// Place is where it is going to be kept, for people to read; "" when nobody says.
	Place string
}

// Backup gives the farm, as it is at this moment, as one file, which is made while it is read; the caller closes it. What was
// acknowledged before is in it, also on a node that does not lead. It is for administrators of the farm.
func (c *Coordinator) Backup(ctx context.Context, p farm.Principal, wish BackupWish) (io.ReadCloser, backup.Manifest, error) {
	if err := p.May(farm.ActBackUp); err != nil {
		return nil, backup.Manifest{}, err
	}
	if wrong := farm.CheckBackupPlace(wish.Place); !wrong.IsZero() {
		return nil, backup.Manifest{}, farm.Invalid("the backup cannot be made", farm.Field("place", "%s", wrong))
	}
	m := backup.Manifest{
		Version: c.cfg.Version, Farm: c.keys.Farm(), CreatedAt: c.cfg.Now().UTC(), Keys: wish.Passphrase.Reveal() != "", Files: wish.Files,
	}
	var secrets map[string][]byte
	if m.Keys {
		if err := backup.CheckPassphrase(wish.Passphrase); err != nil {
			return nil, m, farm.Invalid("the backup cannot be made", farm.Field("passphrase", "%v", err))
		}
		var err error
		if secrets, err = readKeyFiles(c.cfg.DataDir); err != nil {
			return nil, m, err
		}
	}
	done := c.begin()
	if done == nil {
		return nil, m, farm.Errorf(farm.CodeUnavailable, "this coordinator is stopping")
	}
	id, err := c.state.NewID()
	if err != nil {
		done()
		return nil, m, err
	}
	m.ID = id
	state, err := c.store.Backup(ctx)
	if err != nil {
		done()
		return nil, m, fmt.Errorf("backing up the farm: %w", err)
	}
	m.Index, m.StateBytes = state.Index, state.Size
	out, in := io.Pipe()
	stop := context.AfterFunc(c.ctx, func() { in.CloseWithError(errors.New("the coordinator stopped")) })
	go func() {
		defer done()
		defer stop()
		size := &counted{to: in}
		err := c.writeBackup(size, m, secrets, wish, state)
		if err = errors.Join(err, state.Close()); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			c.log.Error("a backup of the farm broke off", "error", err)
		}
		if err == nil { // before its reader sees the end, who may ask for it at once
			c.rememberBackup(farm.Backup{
				ID: m.ID, At: m.CreatedAt, EndedAt: c.cfg.Now().UTC(), By: p.Name, Place: wish.Place, Index: m.Index, Bytes: size.n, Keys: m.Keys, Files: m.Files,
			})
		}
		in.CloseWithError(err)
	}()
	c.log.Info("a backup of the farm is read", "by", p.Name, "change", m.Index, "bytes", m.StateBytes, "keys", m.Keys, "files", m.Files)
	return out, m, nil
}

func (c *Coordinator) writeBackup(w io.Writer, m backup.Manifest, secrets map[string][]byte, wish BackupWish, state io.Reader) error {
	b, err := backup.NewWriter(w, m, secrets, wish.Passphrase)
	if err != nil {
		return err
	}
	if err := b.AddState(m.StateBytes, state); err != nil {
		return err
	}
	if m.Files {
		for _, root := range files.Roots() {
			if root == files.Uploads { // half a file is of no use to a farm that is brought back
				continue
			}
			if err := c.backUpFiles(b, root); err != nil {
				return err
			}
		}
	}
	return b.Close()
}

// backUpFiles adds all files below a key. What goes meanwhile is left out.
func (c *Coordinator) backUpFiles(b *backup.Writer, key string) error {
	return c.files.Walk(c.ctx, key, func(o files.Object) error {
		if strings.HasSuffix(o.Key, "/") {
			return nil
		}
		r, err := c.files.Open(c.ctx, o.Key)
		if errors.Is(err, files.ErrNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("backing up the file %s: %w", o.Key, err)
		}
		return errors.Join(b.AddFile(o.Key, r.Size, r), r.Close())
	})
}

// readKeyFiles reads what of the farm's key files there is.
func readKeyFiles(dir string) (map[string][]byte, error) {
	found := map[string][]byte{}
	for _, name := range append(farmkeys.Files(), AdminTokenFile) {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading the farm's keys: %w", err)
		}
		found[name] = content
	}
	return found, nil
}
