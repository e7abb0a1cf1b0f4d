package tables

import (
	"slices"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/commandtest"
)

func TestAnInvitationLetsInAsManyAsItSays(t *testing.T) {
	m := newRig(t, t.TempDir(), "state.db")
	defer m.end()
	wantRefused(t, m, commandtest.Join("m1", "k1", after(1)), farm.CodeUnauthorized)
	m.must(command.PutJoinToken{Token: commandtest.Invitation(2)})
	m.must(commandtest.Join("m1", "k1", after(1)))
	m.must(commandtest.Join("m2", "k2", after(2)))
	wantRefused(t, m, commandtest.Join("m3", "k3", after(3)), farm.CodeUnauthorized)
	m.must(commandtest.Join("m4", "k2", after(4))) // m2 did not hear that it had come
	m.see(func(tx *Tx) {
		token, err := tx.JoinTokenByHash("hash of i1")
		if err != nil || token.Left != 0 || !token.LastUsedAt.Equal(after(2)) {
			t.Errorf("the invitation is %+v, %v", token, err)
		}
		agent, err := tx.AgentByKey("k2")
		if agent.Inventory.OS != "" {
			t.Errorf("the inventory comes with the machine: %+v", agent.Inventory)
		}
		if whole, err := tx.Agent("m2"); err != nil || whole.Inventory.OS != "linux" {
			t.Errorf("the inventory is %+v, %v", whole.Inventory, err)
		}
		if err != nil || agent.ID != "m2" || agent.JoinToken != "i1" || len(agent.Tags) != 1 {
			t.Errorf("the second machine is %+v, %v", agent, err)
		}
		if _, err := tx.Agent("m4"); farm.CodeOf(err) != farm.CodeNotFound {
			t.Errorf("the repeated enrolment made a machine: %v", err)
		}
	})
}

func TestInvitationsThatLetNobodyIn(t *testing.T) {
	m := newRig(t, t.TempDir(), "state.db")
	defer m.end()
	m.must(command.PutJoinToken{Token: commandtest.Invitation(5)})
	m.must(commandtest.Join("m1", "k1", after(1)))
	for name, cmd := range map[string]command.Command{
		"expired":             commandtest.Join("m2", "k2", after(100)),
		"id of another":       commandtest.Join("m1", "k2", after(2)),
		"no key":              commandtest.Join("m2", "", after(2)),
		"the same invitation": command.PutJoinToken{Token: commandtest.Invitation(1)},
		"for nobody":          command.PutJoinToken{Token: farm.JoinToken{ID: "i2", Hash: "h2", ExpiresAt: after(9)}},
		"without a secret":    command.PutJoinToken{Token: farm.JoinToken{ID: "i2", Left: 1, ExpiresAt: after(9)}},
		"revoking another":    command.RevokeJoinToken{ID: "i2"},
	} {
		if result := m.do(cmd); result.Refused == nil {
			t.Errorf("%s: %T was applied", name, cmd)
		}
	}
	m.must(command.PutJoinToken{Token: farm.JoinToken{ID: "i2", Hash: "hash of i2", Left: 1, ExpiresAt: after(9)}})
	stolen := commandtest.Join("m2", "k1", after(2))
	stolen.Hash = "hash of i2"
	wantRefused(t, m, stolen, farm.CodeConflict) // the key came by another invitation
	m.must(command.RevokeJoinToken{ID: "i1"})
	wantRefused(t, m, commandtest.Join("m2", "k2", after(2)), farm.CodeUnauthorized)
	m.must(command.ForgetInvitations{Before: after(8)})
	m.must(command.ForgetInvitations{Before: after(9)})
	m.see(func(tx *Tx) {
		if tokens, err := tx.JoinTokens(); err != nil || len(tokens) != 0 {
			t.Errorf("left are %v, %v", tokens, err)
		}
		if _, err := tx.Agent("m1"); err != nil {
			t.Errorf("the machine went with its invitation: %v", err)
		}
	})
}

func TestKeysOfAMachineFollowEachOther(t *testing.T) {
	m := newRig(t, t.TempDir(), "state.db")
	defer m.end()
	m.must(command.PutJoinToken{Token: commandtest.Invitation(2)})
	m.must(commandtest.Join("m1", "k1", after(1)))
	m.must(commandtest.Join("m2", "x1", after(1)))
	good := func(want ...string) {
		t.Helper()
		m.see(func(tx *Tx) {
			agent, err := tx.Agent("m1")
			if err != nil || len(agent.Keys) != len(want) {
				t.Fatalf("the keys are %v, %v, want %v", agent.Keys, err, want)
			}
			for i, key := range want {
				if id, err := tx.AgentIDByKey(key); err != nil || id != "m1" || agent.Keys[i].SHA256 != key {
					t.Errorf("key %s leads to %q, %v; the keys are %v", key, id, err, agent.Keys)
				}
			}
			for _, key := range []string{"k1", "k2", "k3"} {
				if id, _ := tx.AgentIDByKey(key); (id != "") != slices.Contains(want, key) {
					t.Errorf("key %s leads to %q", key, id)
				}
			}
		})
	}
	next := func(shown, next string) command.RenewAgentKey {
		return command.RenewAgentKey{ID: "m1", Key: shown, Next: farm.AgentKey{SHA256: next}, At: after(2)}
	}
	m.must(next("k1", "k2"))
	good("k1", "k2")
	m.must(next("k1", "k3")) // the answer with k2 was lost
	good("k1", "k3")
	wantRefused(t, m, next("k2", "k4"), farm.CodeUnauthorized)
	wantRefused(t, m, next("k1", "k1"), farm.CodeInvalid)
	wantRefused(t, m, next("k1", "x1"), farm.CodeConflict)
	wantRefused(t, m, command.RenewAgentKey{ID: "m9", Key: "k1", Next: farm.AgentKey{SHA256: "k4"}}, farm.CodeNotFound)
	wantRefused(t, m, command.RenewAgentKey{ID: "m1", Next: farm.AgentKey{SHA256: "k4"}}, farm.CodeUnauthorized)
	wantRefused(t, m, command.ConfirmAgentKey{ID: "m1", Key: "x1"}, farm.CodeUnauthorized)
	m.must(command.ConfirmAgentKey{ID: "m1", Key: "k3"})
	good("k3")
	m.must(command.RemoveAgent{ID: "m1"})
	m.see(func(tx *Tx) {
		if id, err := tx.AgentIDByKey("k3"); err != nil || id != "" {
			t.Errorf("the key of a machine that is gone leads to %q, %v", id, err)
		}
	})
}

// TestASecretOfAnEarlierReleaseBecomesAKey begins with the command with which release v0.1.0 enrolled machines.
func TestASecretOfAnEarlierReleaseBecomesAKey(t *testing.T) {
	m := newRig(t, t.TempDir(), "state.db")
	defer m.end()
	_, cmd, err := newTestCodec(t).Decode([]byte("\x28\x01" + `{"Agent":{"id":"m1","name":"mac","secretHash":"old","enrolledAt":"2026-05-01T12:00:00Z","inventory":{"os":"linux","arch":"amd64","cpus":2,"memory":1,"version":"v0.1.0","engines":null,"slots":1}}}`))
	if err != nil {
		t.Fatal(err)
	}
	m.must(cmd)
	wantRefused(t, m, command.RenewAgentKey{ID: "m1", SecretHash: "other", Next: farm.AgentKey{SHA256: "k1"}}, farm.CodeUnauthorized)
	m.must(command.RenewAgentKey{ID: "m1", SecretHash: "old", Next: farm.AgentKey{SHA256: "k1"}})
	m.must(command.RenewAgentKey{ID: "m1", SecretHash: "old", Next: farm.AgentKey{SHA256: "k2"}}) // the first answer was lost
	m.must(command.ConfirmAgentKey{ID: "m1", Key: "k2"})
	wantRefused(t, m, command.RenewAgentKey{ID: "m1", SecretHash: "old", Next: farm.AgentKey{SHA256: "k3"}}, farm.CodeUnauthorized)
	m.see(func(tx *Tx) {
		if _, err := tx.AgentBySecretHash("old"); farm.CodeOf(err) != farm.CodeNotFound {
			t.Errorf("the old secret still leads somewhere: %v", err)
		}
		if agent, err := tx.AgentByKey("k2"); err != nil || agent.Name != "mac" || agent.SecretHash != "" {
			t.Errorf("the machine is %+v, %v", agent, err)
		}
	})
}
