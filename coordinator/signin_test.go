package coordinator_test

import (
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/coordinator/people"
	"overcrank/farm"
)

// person lets somebody in, who has chosen a password.
func (r *rig) person(in people.NewToken) farm.Principal {
	r.t.Helper()
	in.Person = true
	token, _, err := r.MakeToken(r.t.Context(), r.admin, in)
	if err != nil {
		r.t.Fatal(err)
	}
	invitation, err := r.InvitePerson(r.t.Context(), r.admin, token.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	p, err := r.UseSignIn(r.t.Context(), invitation.Code, chosen)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

// browse begins a session of somebody.
func (r *rig) browse(p farm.Principal) farm.Principal {
	r.t.Helper()
	s, err := r.BeginSession(r.t.Context(), p.TokenID, people.Browser{Name: "Mozilla/5.0\n", Address: "192.0.2.1"}, 14*24*time.Hour)
	if err != nil {
		r.t.Fatal(err)
	}
	in, err := r.InSession(r.t.Context(), p.TokenID, s)
	if err != nil {
		r.t.Fatal(err)
	}
	return in
}

func TestPeopleSignInByNameOrAddress(t *testing.T) {
	r := open(t)
	mia := r.person(people.NewToken{Name: "Mia", Role: farm.RoleArtist, Email: " Mia@Studio.example "})
	r.person(people.NewToken{Name: "Ben", Role: farm.RoleArtist})
	ben := r.person(people.NewToken{Name: "BEN", Role: farm.RoleArtist, Email: "ben@studio.example"})
	for _, test := range []struct {
		name, password string
		want           string // token id, "" for nobody
	}{
		{"mia", chosen, mia.TokenID}, {" MIA@studio.example", chosen, mia.TokenID}, {"ben@studio.example", chosen, ben.TokenID},
		{"ben", chosen, ""}, {"Mia", "another password", ""}, {"Mia", "", ""}, {"nobody", chosen, ""}, {"", "", ""}, {"admin", chosen, ""},
	} {
		p, err := r.SignInWithPassword(t.Context(), people.Login{Name: test.name, Password: test.password, Address: "192.0.2.1"})
		if p.TokenID != test.want || test.want == "" && farm.CodeOf(err) != farm.CodeUnauthorized {
			t.Errorf("%q, %q: %+v, %v", test.name, test.password, p, err)
		}
	}
}

func TestWhoDoesNotSignInIsToldTheSame(t *testing.T) {
	r := open(t)
	r.person(people.NewToken{Name: "Mia", Role: farm.RoleArtist})
	last := func(name string) (words string) {
		t.Helper()
		for range 30 {
			_, err := r.SignInWithPassword(t.Context(), people.Login{Name: name, Password: "another password", Address: name})
			if farm.CodeOf(err) == farm.CodeRateLimited {
				return words
			}
			if farm.CodeOf(err) != farm.CodeUnauthorized {
				t.Fatalf("%s: %v", name, err)
			}
			words = err.Error()
		}
		t.Fatalf("%s may try for ever", name)
		return ""
	}
	if one, other := last("Mia"), last("Nobody"); one != other {
		t.Errorf("somebody is told %q, and nobody %q", one, other)
	}
}

func TestAGuesserDoesNotKeepTheOwnerOut(t *testing.T) {
	r := open(t)
	mia := r.person(people.NewToken{Name: "Mia", Role: farm.RoleArtist})
	known := r.KnownBrowser(mia.TokenID)
	in := people.Login{Name: "Mia", Password: "another password", Address: "192.0.2.66"}
	var err error
	for range 30 {
		if _, err = r.SignInWithPassword(t.Context(), in); farm.CodeOf(err) == farm.CodeRateLimited {
			break
		}
	}
	wantCodeOf(t, "the guesser", err, farm.CodeRateLimited)
	if p, err := r.SignInWithPassword(t.Context(), people.Login{Name: "Mia", Password: chosen, Address: "192.0.2.1", Known: known}); err != nil || p.TokenID != mia.TokenID {
		t.Errorf("the owner, in a browser of hers: %+v, %v", p, err)
	}
}

func TestAnotherPasswordNeedsTheOneBefore(t *testing.T) {
	r := open(t)
	mia := r.person(people.NewToken{Name: "Mia", Role: farm.RoleArtist})
	here, there := r.browse(mia), r.browse(mia)
	ctx := t.Context()
	const next = "battery horse correct"
	wantCodeOf(t, "a wrong one", r.ChangePassword(ctx, here, people.PasswordChange{Now: "wrong wrong wrong", New: next}), farm.CodeForbidden)
	wantCodeOf(t, "a short one", r.ChangePassword(ctx, here, people.PasswordChange{Now: chosen, New: "short"}), farm.CodeInvalid)
	wantCodeOf(t, "a program", r.ChangePassword(ctx, r.admin, people.PasswordChange{New: next}), farm.CodeConflict)
	if err := r.ChangePassword(ctx, here, people.PasswordChange{Now: chosen, New: next}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Current(ctx, here); err != nil {
		t.Errorf("the browser that changed it: %v", err)
	}
	_, err := r.Current(ctx, there)
	wantCodeOf(t, "the other browser", err, farm.CodeUnauthorized)
	_, err = r.SignInWithPassword(ctx, people.Login{Name: "Mia", Password: chosen})
	wantCodeOf(t, "the password before", err, farm.CodeUnauthorized)
	if _, err := r.SignInWithPassword(ctx, people.Login{Name: "Mia", Password: next}); err != nil {
		t.Errorf("the new password: %v", err)
	}
}

func TestAResetLeavesOnlyALink(t *testing.T) {
	r := open(t)
	mia := r.browse(r.person(people.NewToken{Name: "Mia", Role: farm.RoleArtist}))
	ctx := t.Context()
	if err := r.ResetPassword(ctx, r.admin, mia.TokenID); err != nil {
		t.Fatal(err)
	}
	_, err := r.Current(ctx, mia)
	wantCodeOf(t, "her browser", err, farm.CodeUnauthorized)
	_, err = r.SignInWithPassword(ctx, people.Login{Name: "Mia", Password: chosen})
	wantCodeOf(t, "her password", err, farm.CodeUnauthorized)
	invitation, err := r.InvitePerson(ctx, r.admin, mia.TokenID)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.UseSignIn(ctx, invitation.Code, "short")
	wantCodeOf(t, "a link with a short password", err, farm.CodeInvalid)
	if _, err := r.UseSignIn(ctx, invitation.Code, chosen); err != nil {
		t.Errorf("the link with a good one: %v", err)
	}
}

func TestSessionsAreListedAndEnd(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	ctx := t.Context()
	mia := r.person(people.NewToken{Name: "Mia", Role: farm.RoleArtist})
	first := r.browse(mia)
	c.pass(time.Hour)
	second := r.browse(mia)
	account, err := r.Account(ctx, second)
	if err != nil || len(account.Sessions) != 2 || account.Password.Hash != "" {
		t.Fatalf("%+v, %v", account, err)
	}
	if s := account.Sessions[0]; s.ID != second.Session.ID || s.Browser != "Mozilla/5.0" || s.Address != "192.0.2.1" || !s.BegunAt.Equal(c.read()) {
		t.Errorf("the latest is %+v", s)
	}
	c.pass(time.Hour)
	if _, err := r.InSession(ctx, first.TokenID, first.Session); err != nil {
		t.Fatal(err)
	}
	if err := r.RecordUses(ctx); err != nil {
		t.Fatal(err)
	}
	r.restart()
	if list, err := r.Sessions(ctx, r.admin, mia.TokenID); err != nil || len(list) != 2 || list[0].ID != first.Session.ID || !list[0].UsedAt.Equal(c.read()) {
		t.Errorf("behind a restart: %+v, %v", list, err)
	}
	wantCodeOf(t, "a session that nobody has", r.EndSessions(ctx, r.admin, mia.TokenID, "x"), farm.CodeNotFound)
	if err := r.EndSessions(ctx, r.admin, mia.TokenID, second.Session.ID); err != nil {
		t.Fatal(err)
	}
	_, err = r.Current(ctx, second)
	wantCodeOf(t, "the one that was ended", err, farm.CodeUnauthorized)
	if _, err := r.Current(ctx, first); err != nil {
		t.Errorf("the other one: %v", err)
	}
	if err := r.EndOwnSessions(ctx, first, ""); err != nil {
		t.Fatal(err)
	}
	_, err = r.Current(ctx, first)
	wantCodeOf(t, "out everywhere", err, farm.CodeUnauthorized)
}

func TestASessionsCookieIsReplacedAndTheOldOneEndsIt(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	ctx := t.Context()
	p := r.browse(r.person(people.NewToken{Name: "Mia", Role: farm.RoleArtist}))
	if _, due, err := r.TurnSession(ctx, p, 0); due || err != nil {
		t.Errorf("at once: %v, %v", due, err)
	}
	c.pass(13 * time.Hour)
	turned, due, err := r.TurnSession(ctx, p, 0)
	if !due || err != nil || turned.Turn != 1 || turned.ID != p.Session.ID {
		t.Fatalf("after half a day: %+v, %v, %v", turned, due, err)
	}
	late, err := r.InSession(ctx, p.TokenID, p.Session) // a request that was on its way
	if err != nil {
		t.Fatal(err)
	}
	if again, due, err := r.TurnSession(ctx, late, 0); !due || err != nil || again != turned {
		t.Errorf("a browser that did not get the answer: %+v, %v, %v", again, due, err)
	}
	c.pass(2 * time.Hour)
	if _, err := r.InSession(ctx, p.TokenID, turned); err != nil {
		t.Errorf("the new one: %v", err)
	}
	_, err = r.InSession(ctx, p.TokenID, p.Session)
	wantCodeOf(t, "the old one, much later", err, farm.CodeUnauthorized)
	_, err = r.InSession(ctx, p.TokenID, turned)
	wantCodeOf(t, "the new one from then on", err, farm.CodeUnauthorized)
}

// TestAScreenOnTheWallStaysSignedIn turns the cookie of a session twice a day, as a wall does: it lasts beyond its fourteen days, and not for ever.
func TestAScreenOnTheWallStaysSignedIn(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	ctx := t.Context()
	const fortnight, day = 14 * 24 * time.Hour, 24 * time.Hour
	wall := r.browse(r.person(people.NewToken{Name: "Screen", Role: farm.RoleViewer}))
	begun, other := c.read(), r.browse(r.person(people.NewToken{Name: "Mia", Role: farm.RoleArtist}))
	var ended time.Duration
	for c.pass(13 * time.Hour); ended == 0; c.pass(13 * time.Hour) {
		turned, due, err := r.TurnSession(ctx, wall, fortnight)
		if farm.CodeOf(err) == farm.CodeUnauthorized {
			ended = c.read().Sub(begun)
			break
		}
		if err != nil || !due {
			t.Fatalf("after %v: %v, %v", c.read().Sub(begun), due, err)
		}
		if left := turned.Until.Sub(c.read()); left > fortnight || turned.Until.After(begun.Add(90*day)) {
			t.Fatalf("after %v it lasts for %v more", c.read().Sub(begun), left)
		}
		if wall, err = r.InSession(ctx, wall.TokenID, turned); err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.TurnSession(ctx, other, 0); c.read().Sub(begun) > fortnight {
			wantCodeOf(t, "a session that is not made to last", err, farm.CodeUnauthorized)
		}
	}
	if ended < 89*day || ended > 91*day {
		t.Errorf("the wall was signed out after %v", ended)
	}
}

func TestSessionsWhoseTimeIsOverAreForgotten(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	ctx := t.Context()
	p := r.browse(r.person(people.NewToken{Name: "Mia", Role: farm.RoleArtist}))
	c.pass(15 * 24 * time.Hour)
	_, err := r.Current(ctx, p)
	wantCodeOf(t, "a session after its time", err, farm.CodeUnauthorized)
	if err := r.DropSessions(ctx); err != nil {
		t.Fatal(err)
	}
	if list, err := r.Sessions(ctx, r.admin, p.TokenID); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestTriesAndSessionsHoldAtWhicheverNode(t *testing.T) {
	s := openSeveral(t)
	_, followers := s.parted()
	one, other := followers[0], followers[1]
	one.eventually("the farm understands what this release brings", func() bool {
		level, err := one.Level()
		return err == nil && level == coordinator.Level()
	})
	mia := one.person(people.NewToken{Name: "Mia", Role: farm.RoleArtist})
	in := one.browse(mia)
	if _, err := other.InSession(t.Context(), mia.TokenID, in.Session); err != nil {
		t.Errorf("the other node, at once: %v", err)
	}
	var err error
	for n := range 30 {
		node := followers[n%2]
		if _, err = node.SignInWithPassword(t.Context(), people.Login{Name: "Mia", Password: "another password", Address: "192.0.2.1"}); farm.CodeOf(err) == farm.CodeRateLimited {
			if n < 10 {
				t.Errorf("%d tries were possible", n)
			}
			break
		}
	}
	wantCodeOf(t, "guessing at two nodes", err, farm.CodeRateLimited)
}
