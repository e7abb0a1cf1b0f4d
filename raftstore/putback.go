package raftstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"overcrank/durable"
	"overcrank/farm"
	"overcrank/interval"
	"overcrank/raftstore/command"
	"overcrank/raftstore/tables"
)

// receivedFiles are the files, in a node's folder, of states that were received and are not in use.
const receivedFiles = "received-*.db"

// partRows is how many bytes of rows go into one command: so few that other commands hardly wait for it.
const partRows = 256 << 10

// Received is the state of a backup, checked and in today's format, in a file beside the state in use. The caller closes it.
type Received struct {
	path string
	db   *bbolt.DB
}

// Receive reads a backup to its end and checks it. It changes nothing. The error is CodeConflict when the backup is of a farm whose coordinators
// run a later release than this one's.
func (s *Store) Receive(backup io.Reader) (*Received, error) {
	r, err := receive(filepath.Dir(s.machine.path), backup)
	if err != nil {
		return nil, fmt.Errorf("receive a state: %w", err)
	}
	var own, other int
	err = s.View(func(tx *tables.Tx) (err error) {
		own, _, err = tx.Level()
		return err
	})
	if err == nil {
		err = r.View(func(tx *tables.Tx) (err error) {
			other, _, err = tx.Level()
			return err
		})
	}
	if err == nil && other > own {
		err = farm.Errorf(farm.CodeConflict, "the backup is of level %d and the farm of level %d: update overcrank on all coordinators, then restore it", other, own)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// receive puts a state into a file of its own in a folder.
func receive(dir string, backup io.Reader) (*Received, error) {
	r := &Received{path: filepath.Join(dir, "received-"+rand.Text()+".db")}
	_, err := receiveSnapshot(backup, r.path)
	if err == nil {
		r.db, err = openState(r.path)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// View runs fn on the received state.
func (r *Received) View(fn func(tx *tables.Tx) error) error {
	return r.db.View(func(tx *bbolt.Tx) error {
		return fn(tables.ReadFile(tx))
	})
}

// Close removes the received state.
func (r *Received) Close() error {
	var err error
	if r.db != nil {
		err = r.db.Close()
	}
	return errors.Join(err, os.RemoveAll(r.path))
}

// PutBack replaces the farm's state by a received one, on all nodes and at one place of the log: commands before it are lost, commands after it
// apply to the received state. It may be called on any node. progress, which may be nil, is told how many bytes of all are done. What of the
// present state stays is in tables/putback_kept.go. After an error the state is as it was, unless the error says otherwise.
func (s *Store) PutBack(ctx context.Context, r *Received, now func() time.Time, progress func(done, all int64)) (index uint64, err error) {
	if err := s.awaitRestoring(ctx, now); err != nil {
		return 0, fmt.Errorf("put the farm's state back: %w", err)
	}
	b := &staging{codec: s.codec, id: rand.Text(), now: now, apply: func(cmd command.Command) (command.Result, error) { return s.Apply(ctx, cmd) }}
	index, err = b.all(r, progress)
	if err != nil && b.parts > 0 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), applyWait)
		defer cancel()
		_, _ = s.Apply(ctx, command.DropStagedState{Restoration: b.id}) // otherwise the leader does, or whoever restores next
	}
	if err != nil {
		return 0, fmt.Errorf("put the farm's state back: %w", err)
	}
	return index, nil
}

// awaitRestoring waits until no other restoration is under way, or the one that is has stood still because its caller is gone.
func (s *Store) awaitRestoring(ctx context.Context, now func() time.Time) error {
	for limit := time.Now().Add(2 * tables.Standstill); ; {
		var id string
		var since time.Time
		err := s.Fresh(ctx)
		if err == nil {
			err = s.View(func(tx *tables.Tx) (err error) {
				id, since, err = tx.Restoring()
				return err
			})
		}
		switch {
		case err != nil:
			return err
		case id == "" || now().Sub(since) >= tables.Standstill:
			return nil
		case time.Now().After(limit) || interval.Wait(ctx, tables.Standstill/100) != nil:
			return tables.RestoringAlready()
		}
	}
}

// staging writes a state to the log, part by part.
type staging struct {
	apply func(command.Command) (command.Result, error)
	codec *command.Codec
	id    string
	now   func() time.Time
	parts int
	rows  []byte // not yet in a part
}

func (b *staging) do(cmd command.Command) (command.Result, error) {
	res, err := b.apply(cmd)
	if err == nil && res.Refused != nil {
		err = res.Refused
	}
	return res, err
}

// all stages a whole state and then replaces the farm's by it; index is that of the replacement.
func (b *staging) all(r *Received, progress func(done, all int64)) (index uint64, err error) {
	err = r.db.View(func(tx *bbolt.Tx) error {
		told := func() {
			if progress != nil {
				progress(min(int64(b.parts)*partRows, tx.Size()), tx.Size())
			}
		}
		for _, name := range tables.Layout().Buckets {
			err := tx.Bucket(name).ForEach(func(key, value []byte) error {
				if !tables.ComesBack(name, key) {
					return nil
				}
				b.rows = appendRow(b.rows, name, key, value)
				for len(b.rows) >= partRows {
					if err := b.next(partRows); err != nil {
						return err
					}
					told()
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return b.next(len(b.rows))
	})
	if err != nil {
		return 0, err
	}
	res, err := b.do(command.ReplaceState{Restoration: b.id, Parts: b.parts, At: b.now()})
	return res.Index, err
}

// next stages the next part, of size bytes.
func (b *staging) next(size int) error {
	packed := b.codec.PackRows(b.rows[:size])
	if _, err := b.do(command.StageState{Restoration: b.id, Number: b.parts, Rows: packed, At: b.now()}); err != nil {
		return err
	}
	b.parts++
	b.rows = append(b.rows[:0], b.rows[size:]...)
	return nil
}

// GiveUpRestoring ends a restoration that has stood still for long: its caller is gone. The leader calls it.
func (s *Store) GiveUpRestoring(ctx context.Context, now time.Time) error {
	var id string
	var since time.Time
	err := s.View(func(tx *tables.Tx) (err error) {
		id, since, err = tx.Restoring()
		return err
	})
	if err != nil || id == "" || now.Sub(since) < 2*tables.Standstill {
		return err
	}
	_, err = s.Apply(ctx, command.DropStagedState{Restoration: id})
	return err
}

// forgetReceived removes states that were received by a process that was killed.
func forgetReceived(dir string) error {
	left, err := durable.Find(dir, receivedFiles)
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
