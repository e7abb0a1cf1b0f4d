package tables

import (
	"fmt"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

const issuer = "https://id.studio.example"

// entry is a sign-in of a subject, as a person with an id of its own if it is their first.
func entry(step int, subject, id string, role farm.Role) command.EnterPerson {
	return command.EnterPerson{
		Issuer: issuer, Subject: subject, At: after(step),
		Code:   command.UseCode{Hash: fmt.Sprintf("entry%d", step), Until: after(step + 10), At: after(step)},
		Person: farm.Token{ID: id, Team: "team0", Name: "Mia", Role: role, Hash: "hash of " + id, Person: true, CreatedAt: after(step)},
	}
}

// known is the person whom a subject stands for.
func known(t *testing.T, m *rig, subject string) (person farm.Token) {
	t.Helper()
	m.see(func(tx *Tx) {
		i, err := tx.Identity(issuer, subject)
		if err == nil {
			person, err = tx.Token(i.Token)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	return person
}

func TestASubjectIsOnePersonWhateverTheyAreCalled(t *testing.T) {
	m := withPeople(t)
	m.must(entry(1, "s1", "new1", farm.RoleArtist))
	again := entry(2, "s1", "new2", farm.RoleProducer)
	again.Person.Name = "Mia Married"
	m.must(again)
	if p := known(t, m, "s1"); p.ID != "new1" || p.Role != farm.RoleProducer || p.Name != "Mia Married" {
		t.Errorf("the second time they are %+v", p)
	}
	wantRefused(t, m, again, farm.CodeGone) // replayed
}

func TestAnAddressLinksOnlyWhereThatIsAllowedAndOnce(t *testing.T) {
	m := withPeople(t) // p1 is mia@studio.example
	mia := entry(1, "s1", "new1", farm.RoleArtist)
	mia.Person.Email = "mia@studio.example"
	m.must(mia)
	if p := known(t, m, "s1"); p.ID != "new1" || p.Email != "" {
		t.Errorf("nobody allowed to link, and they are %+v", p)
	}
	mia = entry(2, "s2", "new2", farm.RoleProducer)
	mia.Person.Email, mia.Link = "mia@studio.example", true
	m.must(mia)
	if p := known(t, m, "s2"); p.ID != "p1" || p.Role != farm.RoleProducer {
		t.Errorf("linked they are %+v", p)
	}
	other := entry(3, "s3", "new3", farm.RoleArtist)
	other.Person.Email, other.Link = "mia@studio.example", true
	m.must(other)
	if p := known(t, m, "s3"); p.ID != "new3" || p.Email != "" {
		t.Errorf("somebody else who has the address now is %+v", p)
	}
}

func TestWhoeverLosesTheGroupLosesAccessAndGetsItBack(t *testing.T) {
	m := withPeople(t)
	m.must(entry(1, "s1", "new1", farm.RoleArtist))
	end := after(500)
	m.must(command.ChangeToken{ID: "new1", ExpiresAt: &end, At: after(2)})
	begin := session("s1", 2, 100)
	begin.Session.Token = "new1"
	m.must(begin)
	lost := entry(3, "s1", "none", "")
	m.must(lost)
	if p := known(t, m, "s1"); p.Usable(after(4)) {
		t.Errorf("without a group they still are %+v", p)
	}
	m.see(func(tx *Tx) {
		if open, err := tx.Sessions("new1"); err != nil || len(open) != 0 {
			t.Errorf("their sessions are %v, %v", open, err)
		}
	})
	m.must(entry(5, "s1", "none", "")) // tried once more
	m.must(entry(6, "s1", "none", farm.RoleViewer))
	if p := known(t, m, "s1"); !p.Usable(after(7)) || !p.ExpiresAt.Equal(end) || p.Role != farm.RoleViewer {
		t.Errorf("back in a group they are %+v", p)
	}
	ended := after(7)
	m.must(command.ChangeToken{ID: "new1", ExpiresAt: &ended, At: after(6)})
	m.must(entry(8, "s1", "none", farm.RoleViewer))
	if p := known(t, m, "s1"); p.Usable(after(9)) {
		t.Errorf("an end that an administrator had set was lifted: %+v", p)
	}
	m.must(command.RevokeToken{ID: "new1", At: after(9)})
	m.see(func(tx *Tx) {
		if i, err := tx.Identity(issuer, "s1"); farm.CodeOf(err) != farm.CodeNotFound {
			t.Errorf("the identity of somebody who was removed: %+v, %v", i, err)
		}
	})
}

func TestRulesOfSignInAreForTeamsThatThereAre(t *testing.T) {
	m := withPeople(t)
	rules := farm.SignInRules{Revision: 1, Groups: []farm.GroupRule{{Group: "g", Team: "gone", Role: farm.RoleArtist}}}
	wantRefused(t, m, command.PutSignInRules{Rules: rules}, farm.CodeNotFound)
	rules.Groups[0].Team = "team0"
	m.must(command.PutSignInRules{Rules: rules})
	wantRefused(t, m, command.PutSignInRules{Rules: rules}, farm.CodeConflict)
	rules.Revision, rules.Groups[0].Role = 2, "king"
	wantRefused(t, m, command.PutSignInRules{Rules: rules}, farm.CodeInvalid)
}

func TestTheFirstRuleDecidesTheTeamAndTheHighestRoleCounts(t *testing.T) {
	t.Parallel()
	rules := farm.SignInRules{Groups: []farm.GroupRule{
		{Group: "old", Team: "gone", Role: farm.RoleAdmin}, {Group: "all", Team: "a", Role: farm.RoleViewer},
		{Group: "leads", Team: "b", Role: farm.RoleAdmin}, {Group: "artists", Team: "a", Role: farm.RoleArtist},
	}}
	there := func(team string) bool { return team != "gone" }
	for _, tc := range []struct {
		groups []string
		want   farm.GroupRule
	}{
		{nil, farm.GroupRule{}},
		{[]string{"old", "ALL"}, farm.GroupRule{}},
		{[]string{"artists", "leads", "all"}, rules.Groups[3]},
		{[]string{"leads", "artists"}, rules.Groups[2]},
	} {
		if got, ok := rules.For(tc.groups, there); got != tc.want || ok != (tc.want.Team != "") {
			t.Errorf("%v come in as %+v", tc.groups, got)
		}
	}
}

func passkey(step int, id string) command.PutPasskey {
	return command.PutPasskey{
		Passkey: farm.Passkey{ID: id, Token: "p1", Name: "Phone", Credential: []byte(id), Key: []byte{1}, AddedAt: after(step)},
		Code:    command.UseCode{Hash: fmt.Sprintf("challenge%d", step), Until: after(step + 10), At: after(step)}, At: after(step),
	}
}

func TestTheOnlyWayInStays(t *testing.T) {
	m := withPeople(t)
	m.must(passkey(1, "k1"))
	wantRefused(t, m, passkey(1, "k2"), farm.CodeGone) // one challenge, one passkey
	wantRefused(t, m, passkey(2, "k1"), farm.CodeConflict)
	remove := func(id string) command.ChangePasskey {
		return command.ChangePasskey{Token: "p1", ID: id, Remove: true, At: after(3)}
	}
	wantRefused(t, m, remove("k1"), farm.CodeConflict)
	m.must(passkey(4, "k2"))
	m.must(remove("k1"))
	wantRefused(t, m, remove("k2"), farm.CodeConflict)
	m.must(command.SetPassword{Token: "p1", Hash: "a", At: after(5)})
	m.must(remove("k2"))
	wantRefused(t, m, remove("k2"), farm.CodeNotFound)
	m.must(passkey(6, "k1")) // its id is free again
	m.must(command.SetPassword{Token: "p1", Was: "a", At: after(7)})
	m.see(func(tx *Tx) {
		if keys, err := tx.Passkeys("p1"); err != nil || len(keys) != 0 {
			t.Errorf("a reset left the passkeys %v, %v", keys, err)
		}
	})
}

func TestAChallengeIsAnsweredOnce(t *testing.T) {
	m := withPeople(t)
	m.must(passkey(1, "k1"))
	use := command.ChangePasskey{Token: "p1", ID: "k1", Use: &command.PasskeyUse{Code: command.UseCode{Hash: "x", Until: after(9), At: after(2)}, Signs: 7}, At: after(2)}
	m.must(use)
	wantRefused(t, m, use, farm.CodeGone)
	m.see(func(tx *Tx) {
		if keys, err := tx.Passkeys("p1"); err != nil || len(keys) != 1 || keys[0].Signs != 7 || !keys[0].UsedAt.Equal(after(2)) {
			t.Errorf("after one use: %+v, %v", keys, err)
		}
	})
	for i := range farm.MostPasskeys - 1 {
		m.must(passkey(20+i, fmt.Sprintf("more%d", i)))
	}
	wantRefused(t, m, passkey(60, "toomany"), farm.CodeConflict)
	m.must(command.RevokeToken{ID: "p1", At: after(70)})
	m.must(command.PutToken{Token: farm.Token{ID: "p1", Team: "team0", Role: farm.RoleArtist, Hash: "h9", Person: true, CreatedAt: time.Unix(1, 0)}})
	m.must(passkey(71, "k1"))
}
