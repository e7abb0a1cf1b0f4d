package raftstore

import "overcrank/raftstore/command"

// allowed refuses a command that some node of the farm would not understand.
func (s *Store) allowed(cmd command.Command) error {
	if cmd.Needs() <= command.ClusterLevel {
		return nil
	}
	return s.View(func(tx *Tx) error { return tx.allows(cmd) })
}

// KnowsMissingFootage says whether all coordinators understand FinishTemplate.MissingFootage.
func (s *Store) KnowsMissingFootage() (known bool) {
	_ = s.View(func(tx *Tx) error {
		level, _, err := tx.Level()
		known = err == nil && level >= command.CheckedLevel
		return err
	})
	return known
}
