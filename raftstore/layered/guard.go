package layered

import (
	"errors"
	"fmt"
	"runtime/debug"

	"go.etcd.io/bbolt"

	"overcrank/raftstore/boltfile"
)

// ErrDamaged says that a file does not hold what was written to it.
var ErrDamaged = boltfile.ErrDamaged

// Damaged is why nothing of the file may be believed any more, nil while it may.
func (s *Store) Damaged() error {
	if err := s.damaged.Load(); err != nil {
		return *err
	}
	return nil
}

// hurt notes that the file is damaged. The first reason stays.
func (s *Store) hurt(err error) { s.damaged.CompareAndSwap(nil, &err) }

// noting notes what is damage among errors.
func (s *Store) noting(err error) error {
	if errors.Is(err, ErrDamaged) {
		s.hurt(err)
	}
	return err
}

// Reading begins a reading of the file without the layers.
func (s *Store) Reading() (*bbolt.Tx, error) { return s.start(false) }

// start begins a reading of the file or a change. All of them begin here: bbolt keeps its locks when it meets damage at that moment, and
// whoever came next would wait for ever. It also goes back to the change before the last when what leads to the last is damaged.
func (s *Store) start(change bool) (tx *bbolt.Tx, err error) {
	s.beginning.Lock()
	defer s.beginning.Unlock()
	if err := s.Damaged(); err != nil {
		return nil, err
	}
	written := s.written.Load()
	err = boltfile.Guarded(func() error {
		tx, err = s.db.Begin(change)
		return err
	})
	switch {
	case errors.Is(err, ErrDamaged):
		s.left.Store(true)
	case err == nil && (int64(tx.ID()) < written || change && int64(tx.ID()) == written):
		s.left.Store(s.left.Load() || change)
		if err = fmt.Errorf("%w: its last change is gone", ErrDamaged); !change {
			err = errors.Join(err, tx.Rollback())
		}
	}
	return tx, s.noting(err)
}

// changing changes the file.
func (s *Store) changing(fn func(tx *bbolt.Tx) error) error {
	tx, err := s.start(true)
	if err != nil {
		return err
	}
	id := int64(tx.ID())
	switch err = boltfile.Make(tx, fn); {
	case err == nil:
		s.written.Store(id)
	case errors.Is(err, ErrDamaged):
		s.left.Store(true)
	}
	return s.noting(err)
}

// Closable says whether the file can be closed, now that nothing is written to it. bbolt would wait for ever for a change, or a lock, that damage has left behind.
func (s *Store) Closable() bool { return !s.left.Load() }

// reading runs what reads rows. Nothing of a file that turns out to be damaged meanwhile is worth anything, whatever fn made of it. A row
// of a damaged file may end where there is no memory.
func (s *Store) reading(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			fault, is := p.(interface{ Addr() uintptr })
			if !is || fault.Addr() < nilPage {
				panic(p)
			}
			s.hurt(fmt.Errorf("%w: %v", ErrDamaged, p))
		}
		if damaged := s.Damaged(); damaged != nil {
			err = damaged
		}
	}()
	return fn()
}

// nilPage is below which an address is that of a nil pointer, a mistake of the program.
const nilPage = 1 << 12

// damage notes what reading the file has met. Where no store is before the file, it is up to whoever reads it.
func (r *Rows) damage(met any) {
	if r.store == nil {
		panic(met)
	}
	r.store.hurt(fmt.Errorf("%w: %v", ErrDamaged, met))
}
