package tables

import (
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func TestAnInvitationLetsOneCoordinatorIn(t *testing.T) {
	m := newRig(t, t.TempDir(), "state.db")
	defer m.end()
	use := func(node string, step int) command.UseNodeInvitation {
		return command.UseNodeInvitation{Hash: "hash", Node: node, At: after(step)}
	}
	wantRefused(t, m, use("n2", 1), farm.CodeUnauthorized)
	invitation := farm.NodeInvitation{ID: "i1", Hash: "hash", ExpiresAt: after(100)}
	m.must(command.PutNodeInvitation{Invitation: invitation})
	wantRefused(t, m, command.PutNodeInvitation{Invitation: invitation}, farm.CodeConflict)
	wantRefused(t, m, use("", 1), farm.CodeInvalid)
	wantRefused(t, m, use("n2", 100), farm.CodeUnauthorized)
	m.must(use("n2", 2))
	m.must(use("n2", 3)) // it did not hear the answer
	wantRefused(t, m, use("n3", 4), farm.CodeUnauthorized)
	wantRefused(t, m, use("n2", 100), farm.CodeUnauthorized)
	m.see(func(tx *Tx) {
		list, err := tx.NodeInvitations()
		if err != nil || len(list) != 1 || list[0].Node != "n2" || !list[0].UsedAt.Equal(after(2)) {
			t.Errorf("the invitations are %+v, %v", list, err)
		}
	})
	m.must(command.ForgetNodeInvitations{Before: after(99)})
	m.must(command.RevokeNodeInvitation{ID: "i1"})
	wantRefused(t, m, command.RevokeNodeInvitation{ID: "i1"}, farm.CodeNotFound)
	wantRefused(t, m, use("n2", 5), farm.CodeUnauthorized)
	invitation.ID = "i2"
	m.must(command.PutNodeInvitation{Invitation: invitation})
	m.must(command.ForgetNodeInvitations{Before: after(101)})
	wantRefused(t, m, use("n2", 6), farm.CodeUnauthorized)
}
