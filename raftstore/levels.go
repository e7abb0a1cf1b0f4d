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
	return s.View(func(tx *tables.Tx) error { return tx.Allows(cmd) })
}

// audits says whether all coordinators understand who asks for a command.
func (s *Store) audits() (understood bool) {
	_ = s.View(func(tx *tables.Tx) error {
		level, _, err := tx.Level()
		understood = err == nil && level >= command.AuditLevel
		return err
	})
	return understood
}

// KnowsMissingFootage says whether all coordinators understand FinishTemplate.MissingFootage.
func (s *Store) KnowsMissingFootage() (known bool) {
	_ = s.View(func(tx *tables.Tx) error {
		level, _, err := tx.Level()
		known = err == nil && level >= command.CheckedLevel
		return err
	})
	return known
}
