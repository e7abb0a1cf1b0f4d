package tables

import (
	"fmt"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// withPeople is a state with a team, a person and a program.
func withPeople(t *testing.T) *rig {
	m := newRig(t, t.TempDir(), "state.db")
	t.Cleanup(m.end)
	m.must(command.PutTeam{Team: farm.Team{ID: "team0"}})
	m.must(command.PutToken{Token: farm.Token{ID: "p1", Team: "team0", Role: farm.RoleArtist, Hash: "h1", Person: true, Email: "mia@studio.example"}})
	m.must(command.PutToken{Token: farm.Token{ID: "k1", Team: "team0", Role: farm.RoleArtist, Hash: "h2"}})
	return m
}

func session(id string, begun, until int) command.BeginSession {
	at := after(begun)
	return command.BeginSession{Session: farm.OpenSession{Session: farm.Session{ID: id, Until: after(until)}, Token: "p1", BegunAt: at, UsedAt: at, TurnedAt: at}}
}

// sessionIDs are the sessions that are open.
func sessionIDs(t *testing.T, m *rig) (ids string) {
	t.Helper()
	m.see(func(tx *Tx) {
		list, err := tx.Sessions("p1")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			ids += s.ID + " "
		}
	})
	return ids
}

func TestAPasswordIsChangedOnlyFromTheOneThatWasChecked(t *testing.T) {
	m := withPeople(t)
	wantRefused(t, m, command.SetPassword{Token: "k1", Hash: "a", At: after(1)}, farm.CodeInvalid)
	wantRefused(t, m, command.SetPassword{Token: "gone", Hash: "a", At: after(1)}, farm.CodeNotFound)
	m.must(command.SetPassword{Token: "p1", Hash: "a", At: after(1)})
	wantRefused(t, m, command.SetPassword{Token: "p1", Hash: "b", At: after(2)}, farm.CodeConflict)
	m.must(command.SetPassword{Token: "p1", Hash: "b", Was: "a", Same: true, At: after(3)})
	m.see(func(tx *Tx) {
		if p, err := tx.Password("p1"); err != nil || p.Hash != "b" || !p.ChangedAt.Equal(after(1)) {
			t.Errorf("the password hashed again: %+v, %v", p, err)
		}
	})
	m.must(command.SetPassword{Token: "p1", Was: "b", At: after(4)})
	m.see(func(tx *Tx) {
		if p, err := tx.Password("p1"); err != nil || p != (farm.Password{}) {
			t.Errorf("the password that was taken away: %+v, %v", p, err)
		}
	})
}

func TestACodeIsUsedUpOnlyWithThePasswordThatItChooses(t *testing.T) {
	m := withPeople(t)
	code := &command.UseCode{Hash: "c", Until: after(100), At: after(1)}
	wantRefused(t, m, command.SetPassword{Token: "p1", Hash: "b", Was: "another", Code: code, At: after(1)}, farm.CodeConflict)
	m.must(command.SetPassword{Token: "p1", Hash: "a", Code: code, At: after(2)})
	wantRefused(t, m, command.SetPassword{Token: "p1", Hash: "b", Was: "a", Code: code, At: after(3)}, farm.CodeGone)
	m.see(func(tx *Tx) {
		if p, err := tx.Password("p1"); err != nil || p.Hash != "a" {
			t.Errorf("the password is %+v, %v", p, err)
		}
	})
}

func TestAnotherPasswordEndsTheOtherSessions(t *testing.T) {
	m := withPeople(t)
	for _, id := range []string{"s1", "s2", "s3"} {
		m.must(session(id, 1, 100))
	}
	m.must(command.SetPassword{Token: "p1", Hash: "a", Same: true, At: after(2)})
	if ids := sessionIDs(t, m); ids != "s1 s2 s3 " {
		t.Errorf("behind the same password, sessions are %s", ids)
	}
	res := m.must(command.SetPassword{Token: "p1", Hash: "b", Was: "a", Keep: "s2", At: after(2)})
	if ids := sessionIDs(t, m); ids != "s2 " {
		t.Errorf("behind another password, sessions are %s", ids)
	}
	if len(res.Changed) != 1 || res.Changed[0] != (command.Changed{Kind: farm.EventAccess, Team: "team0", ID: "p1"}) {
		t.Errorf("told is %+v", res.Changed)
	}
}

func TestSessionsEndOneByOneTogetherOrByTime(t *testing.T) {
	m := withPeople(t)
	for i, id := range []string{"s1", "s2", "s3", "s4"} {
		m.must(session(id, 1, 10+10*i))
	}
	wantRefused(t, m, session("s1", 2, 10), farm.CodeConflict)
	for _, step := range []struct {
		cmd  command.EndSessions
		left string
	}{
		{command.EndSessions{Token: "p1", ID: "s2"}, "s1 s3 s4 "},
		{command.EndSessions{Token: "p1", ID: "s2"}, "s1 s3 s4 "},
		{command.EndSessions{Token: "p1", Over: true, At: after(10)}, "s3 s4 "},
		{command.EndSessions{Token: "p1"}, ""},
	} {
		m.must(step.cmd)
		if ids := sessionIDs(t, m); ids != step.left {
			t.Errorf("behind %+v, sessions are %s, want %s", step.cmd, ids, step.left)
		}
	}
	m.must(command.RevokeToken{ID: "p1", At: after(11)})
	if left := m.keys(bucketSessions); len(left) != 0 {
		t.Errorf("%d sessions outlive their person", len(left))
	}
}

func TestASessionTurnsOnceAndRemembersItsLastUse(t *testing.T) {
	m := withPeople(t)
	m.must(session("s1", 1, 100))
	m.must(command.TurnSession{Token: "p1", ID: "s1", At: after(5)})
	m.must(command.TurnSession{Token: "p1", ID: "s1", At: after(6)})
	m.must(command.TurnSession{Token: "p1", ID: "gone", At: after(6)})
	m.must(command.RecordUses{Sessions: []command.SessionUse{{Token: "p1", Session: "s1", At: after(9)}, {Token: "p1", Session: "gone", At: after(9)}}})
	m.must(command.RecordUses{Sessions: []command.SessionUse{{Token: "p1", Session: "s1", At: after(8)}}})
	m.see(func(tx *Tx) {
		s, err := tx.Session("p1", "s1")
		if err != nil || s.Turn != 1 || !s.TurnedAt.Equal(after(5)) || !s.UsedAt.Equal(after(9)) || !s.Until.Equal(after(100)) {
			t.Errorf("the session is %+v, %v", s, err)
		}
	})
}

func TestASessionThatTurnsMayLastLongerButNeverEndsSooner(t *testing.T) {
	m := withPeople(t)
	m.must(session("s1", 1, 100))
	for turn, step := range []struct{ asked, want int }{{200, 200}, {150, 200}} {
		m.must(command.TurnSession{Token: "p1", ID: "s1", Turn: turn, At: after(5), Until: after(step.asked)})
		m.must(command.TurnSession{Token: "p1", ID: "s1", Turn: turn, At: after(6), Until: after(900)}) // which is too late
		m.see(func(tx *Tx) {
			if s, err := tx.Session("p1", "s1"); err != nil || s.Turn != turn+1 || !s.Until.Equal(after(step.want)) {
				t.Errorf("asked for %d, the session is %+v, %v", step.asked, s, err)
			}
		})
	}
}

func TestTheSessionUnusedForLongestMakesWay(t *testing.T) {
	m := withPeople(t)
	for i := range farm.MostSessions {
		m.must(session(fmt.Sprintf("s%02d", i), i+1, 10_000))
	}
	m.must(command.RecordUses{Sessions: []command.SessionUse{{Token: "p1", Session: "s00", At: after(500)}}})
	m.must(session("t", 600, 10_000))
	m.see(func(tx *Tx) {
		list, err := tx.Sessions("p1")
		if _, gone := tx.Session("p1", "s01"); err != nil || len(list) != farm.MostSessions || farm.CodeOf(gone) != farm.CodeNotFound {
			t.Errorf("%d sessions, %v; the oldest: %v", len(list), err, gone)
		}
	})
	m.must(session("u", 20_000, 30_000))
	if ids := sessionIDs(t, m); ids != "u " {
		t.Errorf("sessions whose time is over stay: %s", ids)
	}
}

func TestNoTwoPeopleHaveOneAddress(t *testing.T) {
	m := withPeople(t)
	wantRefused(t, m, command.PutToken{Token: farm.Token{ID: "p2", Team: "team0", Role: farm.RoleArtist, Hash: "h3", Person: true, Email: "mia@studio.example"}}, farm.CodeConflict)
	m.must(command.PutToken{Token: farm.Token{ID: "p2", Team: "team0", Role: farm.RoleArtist, Hash: "h3", Person: true}})
	mias, none, name := "mia@studio.example", "", "Mia"
	wantRefused(t, m, command.ChangeToken{ID: "p2", Email: &mias, At: after(1)}, farm.CodeConflict)
	m.must(command.ChangeToken{ID: "p1", Name: &name, Email: &mias, At: after(1)})
	m.must(command.ChangeToken{ID: "p1", Email: &none, At: after(1)})
	m.must(command.ChangeToken{ID: "p2", Email: &mias, At: after(1)})
}

// TestWhoComesIntoAnotherTeamTakesNothingAlong moves a person, who is signed out, and refuses programs and teams that there are not.
func TestWhoComesIntoAnotherTeamTakesNothingAlong(t *testing.T) {
	m := withPeople(t)
	m.must(command.PutTeam{Team: farm.Team{ID: "team1", Name: "Trailers"}})
	m.must(session("s1", 1, 100))
	m.must(command.PutView{Token: "p1", View: farm.JobView{Name: "Mine", Query: "by=Mia"}})
	gone, there := "gone", "team1"
	wantRefused(t, m, command.ChangeToken{ID: "p1", Team: &gone, At: after(2)}, farm.CodeNotFound)
	wantRefused(t, m, command.ChangeToken{ID: "k1", Team: &there, At: after(2)}, farm.CodeInvalid)
	if got := sessionIDs(t, m); got != "s1 " {
		t.Errorf("after refusals these sessions are open: %q", got)
	}
	m.must(command.ChangeToken{ID: "p1", Team: &there, At: after(3)})
	m.see(func(tx *Tx) {
		p, err := tx.Token("p1")
		personal, _ := tx.Personal("p1")
		if err != nil || p.Team != "team1" || p.Email != "mia@studio.example" || len(personal.Views) != 0 {
			t.Errorf("moved they are %+v, %v, with views %v", p, err, personal.Views)
		}
	})
	if got := sessionIDs(t, m); got != "" {
		t.Errorf("moved they are still signed in: %q", got)
	}
}
