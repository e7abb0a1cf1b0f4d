package tables

import (
	"strings"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func tokenOf(id, team string, role farm.Role) farm.Token {
	return farm.Token{ID: id, Team: team, Name: "name of " + id, Role: role, Hash: "hash of " + id, CreatedAt: epoch}
}

func (m *rig) token(id string) (token farm.Token, code farm.Code) {
	m.t.Helper()
	m.read(func(tx *Tx) error {
		var err error
		token, err = tx.Token(id)
		if code = farm.CodeOf(err); code == farm.CodeNotFound {
			return nil
		}
		return err
	})
	return token, code
}

func TestTokensAreMadeChangedAndRevoked(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(command.PutToken{Token: tokenOf("k1", "team", farm.RoleArtist)})
	wantRefused(t, m, command.PutToken{Token: tokenOf("k1", "team", farm.RoleArtist)}, farm.CodeConflict)
	twin := tokenOf("k2", "team", farm.RoleArtist)
	twin.Hash = "hash of k1"
	wantRefused(t, m, command.PutToken{Token: twin}, farm.CodeConflict)
	wantRefused(t, m, command.PutToken{Token: tokenOf("k2", "team", "king")}, farm.CodeInvalid)
	wantRefused(t, m, command.PutToken{Token: tokenOf("k2", "none", farm.RoleArtist)}, farm.CodeNotFound)

	name, role, until := "night shift", farm.RoleProducer, after(100)
	m.must(command.ChangeToken{ID: "k1", Name: &name, At: after(1)})
	m.must(command.ChangeToken{ID: "k1", Role: &role, ExpiresAt: &until, At: after(2)})
	if got, _ := m.token("k1"); got.Name != name || got.Role != role || !got.ExpiresAt.Equal(until) || got.Hash != "hash of k1" {
		t.Errorf("the changed token is %+v", got)
	}
	m.must(command.ChangeToken{ID: "k1", ExpiresAt: new(time.Time), At: after(3)})
	if got, _ := m.token("k1"); !got.ExpiresAt.IsZero() || got.Role != role {
		t.Errorf("the token whose end was taken away is %+v", got)
	}
	king := farm.Role("king")
	wantRefused(t, m, command.ChangeToken{ID: "k1", Role: &king}, farm.CodeInvalid)
	wantRefused(t, m, command.ChangeToken{ID: "none", Name: &name}, farm.CodeNotFound)

	wantRefused(t, m, command.RevokeToken{ID: "none"}, farm.CodeNotFound)
	m.must(command.RevokeToken{ID: "k1", At: after(4)})
	wantRefused(t, m, command.RevokeToken{ID: "k1", At: after(5)}, farm.CodeNotFound)
	m.read(func(tx *Tx) error {
		if _, err := tx.TokenByHash("hash of k1"); farm.CodeOf(err) != farm.CodeNotFound || strings.Contains(err.Error(), "hash of") {
			t.Errorf("a revoked token answers %v", err)
		}
		return nil
	})
}

func TestUsesOfATokenOnlyMoveForward(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(command.PutToken{Token: tokenOf("k1", "team", farm.RoleArtist)})
	m.must(command.RecordUses{Uses: []command.TokenUse{{Token: "gone", At: after(1)}, {Token: "k1", At: after(60)}}})
	m.must(command.RecordUses{Uses: []command.TokenUse{{Token: "k1", At: after(30)}}})
	if got, _ := m.token("k1"); !got.LastUsedAt.Equal(after(60)) {
		t.Errorf("last used at %s, want %s", got.LastUsedAt, after(60))
	}
	if _, code := m.token("gone"); code != farm.CodeNotFound {
		t.Error("a use made a token")
	}
}

func TestSomebodyCanAlwaysAdministerTheFarm(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(command.PutTeam{Team: farm.Team{ID: "another"}}) // its id sorts before the first team's
	m.must(command.PutToken{Token: tokenOf("admin", "team", farm.RoleAdmin)})
	person := tokenOf("person", "team", farm.RoleAdmin)
	person.Person = true
	short := tokenOf("short", "team", farm.RoleAdmin)
	short.ExpiresAt = after(10)
	for _, token := range []farm.Token{person, short, tokenOf("operator", "team", farm.RoleOperator), tokenOf("elsewhere", "another", farm.RoleAdmin)} {
		m.must(command.PutToken{Token: token})
	}
	viewer, past := farm.RoleViewer, after(10)
	for _, cmd := range []command.Command{
		command.RevokeToken{ID: "admin", At: after(10)}, command.ChangeToken{ID: "admin", Role: &viewer, At: after(10)}, command.ChangeToken{ID: "admin", ExpiresAt: &past, At: after(10)},
	} {
		wantRefused(t, m, cmd, farm.CodeConflict)
	}
	for _, id := range []string{"elsewhere", "person", "operator"} {
		m.must(command.RevokeToken{ID: id, At: after(5)})
	}
	m.must(command.RevokeToken{ID: "admin", At: after(5)}) // the short one is still good
	wantRefused(t, m, command.RevokeToken{ID: "short", At: after(6)}, farm.CodeConflict)
	m.must(command.RevokeToken{ID: "short", At: after(11)}) // it administers nothing any more
}

func TestATeamEndsWithAllThatItHas(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	m.must(command.PutTeam{Team: farm.Team{ID: "z-first"}})
	furnish(m)
	m.must(command.PutToken{Token: tokenOf("k1", "team", farm.RoleAdmin)})
	m.must(command.PutToken{Token: tokenOf("k2", "z-first", farm.RoleAdmin)})
	m.must(command.PutFile{File: farm.StoredFile{FileRef: farm.FileRef{SHA256: "pic"}, Team: "team", ExpiresAt: after(1000)}})
	m.must(command.PutFile{File: farm.StoredFile{FileRef: farm.FileRef{SHA256: "pic"}, Team: "z-first", ExpiresAt: after(1000)}})
	submit(m, "j1", 1)
	m.must(command.RenameTeam{ID: "team", Name: "Nights"})
	wantRefused(t, m, command.RenameTeam{ID: "none", Name: "x"}, farm.CodeNotFound)
	wantRefused(t, m, command.EndTeam{ID: "none"}, farm.CodeNotFound)
	wantRefused(t, m, command.EndTeam{ID: "z-first"}, farm.CodeConflict)
	wantRefused(t, m, command.EndTeam{ID: "team"}, farm.CodeConflict)
	m.must(command.CancelJobs{Team: "team", IDs: []string{"j1"}, At: after(2)})
	m.must(command.EndTeam{ID: "team", At: after(3)})
	wantRefused(t, m, command.EndTeam{ID: "team"}, farm.CodeNotFound)

	job, task := jobOf("j2", 4)
	job.Template = farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"}
	wantRefused(t, m, command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}}, farm.CodeNotFound)
	wantRefused(t, m, command.PutToken{Token: tokenOf("k3", "team", farm.RoleViewer)}, farm.CodeNotFound)
	wantRefused(t, m, command.CreateTemplate{Template: farm.Template{ID: "t2", Team: "team", Status: farm.TemplateAwaitingUpload}}, farm.CodeNotFound)
	wantRefused(t, m, command.PutFile{File: farm.StoredFile{FileRef: farm.FileRef{SHA256: "late"}, Team: "team", ExpiresAt: after(1000)}}, farm.CodeNotFound)
	m.read(func(tx *Tx) error {
		for sha256, want := range map[string]bool{"f1": false, "i1": false, "pic": true} {
			if got, err := tx.FileReferenced(sha256); err != nil || got != want {
				t.Errorf("content %s is used: %v, %v", sha256, got, err)
			}
		}
		if _, err := tx.Template("tmpl"); farm.CodeOf(err) != farm.CodeNotFound {
			t.Errorf("the template of an ended team answers %v", err)
		}
		if _, err := tx.Token("k1"); farm.CodeOf(err) != farm.CodeNotFound {
			t.Errorf("the token of an ended team answers %v", err)
		}
		_, err := tx.Token("k2")
		return err
	})
}
