package raftstore

import (
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/tables"
)

// BenchmarkApplyForSomebody commits submissions of one job by one caller, for the farm itself and for somebody whom the audit log names.
func BenchmarkApplyForSomebody(b *testing.B) {
	for name, actor := range map[string]*farm.Actor{"unnamed": nil, "named": {Token: "mia", Address: "192.0.2.1"}} {
		b.Run(name, func(b *testing.B) {
			s := openStore(b, config(b, b.TempDir()))
			putTeam(b, s, "team")
			if _, err := s.Apply(b.Context(), command.SetLevel{Level: command.NewestLevel}); err != nil {
				b.Fatal(err)
			}
			if _, err := s.Apply(b.Context(), command.PutToken{Token: farm.Token{ID: "mia", Team: "team", Name: "Mia", Role: farm.RoleArtist, Hash: "h"}}); err != nil {
				b.Fatal(err)
			}
			n := int64(0)
			for b.Loop() {
				n++
				by := command.Sender{}
				if actor != nil {
					by.Actor = &farm.Actor{Token: actor.Token, Address: actor.Address, At: after(int(n))}
				}
				if _, err := s.ApplyFor(b.Context(), by, benchSubmission(n)); err != nil {
					b.Fatal(err)
				}
			}
			if actor != nil {
				b.StopTimer()
				s.mustAudit(b)
			}
		})
	}
}

// mustAudit ends a benchmark whose farm notes nothing.
func (s *Store) mustAudit(b *testing.B) {
	b.Helper()
	err := s.View(func(tx *tables.Tx) error {
		records, _, err := tx.Audit(farm.AuditQuery{Limit: 1})
		if err == nil && len(records) == 0 {
			b.Error("nothing was noted for the audit log")
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}
