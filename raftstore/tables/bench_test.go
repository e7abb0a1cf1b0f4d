package tables

import (
	"fmt"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// BenchmarkCaller reads what every submission asks for: who calls, and for which template. The rows are in the file.
func BenchmarkCaller(b *testing.B) {
	m := newRig(b, b.TempDir(), "state")
	defer m.end()
	furnish(m)
	for i := range 50 {
		id := fmt.Sprint("k", i)
		m.must(command.PutToken{Token: farm.Token{ID: id, Team: "team", Name: "pipeline", Role: farm.RoleArtist, Hash: "hash of " + id, CreatedAt: epoch}})
	}
	m.flush()
	b.ReportAllocs()
	for b.Loop() {
		m.see(func(tx *Tx) {
			token, err := tx.TokenByHash("hash of k7")
			if err == nil {
				_, err = tx.Team(token.Team)
			}
			if err == nil {
				_, err = tx.Template("tmpl")
			}
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkFailedLease applies what a job of one task costs that fails on its first machine: its lease and its end, sixteen jobs to a change,
// on a farm on which as many have failed for the same cause as are kept.
func BenchmarkFailedLease(b *testing.B) {
	m := newRig(b, b.TempDir(), "state")
	defer m.end()
	m.must(command.SetLevel{Level: command.NewestLevel, Version: "v"})
	furnish(m)
	const together = 16
	rounds := func(first, n int) (entries []Entry) {
		for i := first; i < first+n; i++ {
			id := fmt.Sprintf("j%08d", i)
			at := epoch.Add(time.Duration(i) * time.Millisecond)
			entries = append(entries,
				m.encode(command.Sender{}, command.LeaseTasks{Grants: []command.Grant{{Task: id + ".0", Attempt: 1, Agent: "a1"}}, At: at}),
				m.encode(command.Sender{}, command.FailTask{Task: id + ".0", Attempt: 1, Message: "no such footage", Class: farm.FailureDeterministic,
					Cause: farm.Cause{Kind: farm.CauseFootage, Subject: "nm.png"}, At: at.Add(time.Second)}))
		}
		return entries
	}
	before := farm.MostOpenFailures
	for i := range before + b.N {
		submit(m, fmt.Sprintf("j%08d", i), i%60)
	}
	m.apply(rounds(0, before))
	m.flush()
	b.ReportAllocs()
	b.ResetTimer()
	for done := 0; done < b.N; done += together {
		m.apply(rounds(before+done, min(together, b.N-done)))
	}
}
