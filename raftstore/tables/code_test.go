package tables

import (
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func TestACodeIsGoodOnceAndForgottenWhenItsTimeIsOver(t *testing.T) {
	m := newRig(t, t.TempDir(), "state.db")
	defer m.end()
	code := command.UseCode{Hash: "c1", Until: after(10), At: after(1)}
	m.must(code)
	wantRefused(t, m, code, farm.CodeGone)
	wantRefused(t, m, command.UseCode{Hash: "c2", Until: after(3), At: after(3)}, farm.CodeGone)
	m.must(command.UseCode{Hash: "c3", Until: after(20), At: after(11)})
	if left := m.keys(bucketUsedCodes); len(left) != 1 {
		t.Errorf("%d codes are remembered, of which one could still be used", len(left))
	}
	code.At = after(12)
	wantRefused(t, m, code, farm.CodeGone)
	m.see(func(tx *Tx) {
		for hash, want := range map[string]bool{"c3": true, "c4": false} {
			if used, err := tx.CodeUsed(hash, after(20)); used != want || err != nil {
				t.Errorf("%s is used: %v, %v", hash, used, err)
			}
		}
	})
}

func TestWhatACommandChangedIsTold(t *testing.T) {
	m := newRig(t, t.TempDir(), "state.db")
	defer m.end()
	m.must(command.PutTeam{Team: farm.Team{ID: "team0"}})
	template := farm.Template{ID: "t1", Team: "team0", Status: farm.TemplateAwaitingUpload, UploadNonce: "n"}
	for _, step := range []struct {
		cmd  command.Command
		want command.Changed
	}{
		{command.PutToken{Token: farm.Token{ID: "k1", Team: "team0", Role: farm.RoleViewer, Hash: "h1"}}, command.Changed{Kind: farm.EventAccess, Team: "team0", ID: "k1"}},
		{command.RevokeToken{ID: "k1", At: after(1)}, command.Changed{Kind: farm.EventAccess, Team: "team0", ID: "k1"}},
		{command.CreateTemplate{Template: template}, command.Changed{Kind: farm.EventTemplate, Team: "team0", ID: "t1"}},
		{command.RenameTemplate{Team: "team0", ID: "t1", DisplayName: "Title", At: after(1)}, command.Changed{Kind: farm.EventTemplate, Team: "team0", ID: "t1"}},
		{command.MarkTemplate{Team: "team0", ID: "t1", Sequential: true, At: after(1)}, command.Changed{Kind: farm.EventTemplate, Team: "team0", ID: "t1"}},
		{command.DeleteTemplate{Team: "team0", ID: "t1"}, command.Changed{Kind: farm.EventTemplate, Team: "team0", ID: "t1"}},
	} {
		if res := m.must(step.cmd); len(res.Changed) != 1 || res.Changed[0] != step.want {
			t.Errorf("after %T it is told of %+v, want %+v", step.cmd, res.Changed, step.want)
		}
	}
	if res := m.must(command.UseCode{Hash: "s1", Team: "team0", Until: after(10), At: after(1)}); len(res.Changed) != 1 || res.Changed[0].Kind != farm.EventAccess {
		t.Errorf("the end of a session tells of %+v", res.Changed)
	}
	if res := m.must(command.UseCode{Hash: "c1", Until: after(10), At: after(1)}); len(res.Changed) != 0 {
		t.Errorf("a command that changes none of these tells of %+v", res.Changed)
	}
}
