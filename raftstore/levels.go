package raftstore

import (
	"overcrank/raftstore/command"
	"overcrank/raftstore/tables"
)

// allowed refuses a command that some node of the farm would not understand.
func (s *Store) allowed(cmd command.Command) error {
	if cmd.Needs() <= command.ClusterLevel {
		return nil
	}
	if level, err := s.Level(); err == nil && cmd.Needs() <= level {
		return nil
	}
	return s.View(func(tx *tables.Tx) error { return tx.Allows(cmd) })
}

// audits says whether all coordinators understand who asks for a command.
func (s *Store) audits() bool {
	level, err := s.Level()
	return err == nil && level >= command.AuditLevel
}

// Level is the farm's level. It never falls, so it is not read again once it is the newest that this program knows.
func (s *Store) Level() (level int, err error) {
	if s.newest.Load() {
		return command.NewestLevel, nil
	}
	err = s.View(func(tx *tables.Tx) error {
		level, _, err = tx.Level()
		return err
	})
	if err == nil && level == command.NewestLevel {
		s.newest.Store(true)
	}
	return level, err
}

// KnowsMissingFootage says whether all coordinators understand FinishTemplate.MissingFootage.
func (s *Store) KnowsMissingFootage() bool {
	level, err := s.Level()
	return err == nil && level >= command.CheckedLevel
}

// KnowsCompleted says whether all coordinators understand FinishTemplate.Completed.
func (s *Store) KnowsCompleted() bool {
	level, err := s.Level()
	return err == nil && level >= command.CompletedLevel
}
