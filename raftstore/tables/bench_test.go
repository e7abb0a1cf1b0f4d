package tables

import (
	"fmt"
	"testing"

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
