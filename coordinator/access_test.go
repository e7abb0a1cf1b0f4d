package coordinator_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/people"
	"overcrank/farm"
)

// token makes a token and tells who holds it.
func (r *rig) token(by farm.Principal, in people.NewToken) (farm.Principal, string) {
	r.t.Helper()
	token, secret, err := r.MakeToken(r.t.Context(), by, in)
	if err != nil {
		r.t.Fatal(err)
	}
	p, err := r.PrincipalOf(r.t.Context(), token.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return p, secret
}

func wantCodeOf(t *testing.T, what string, err error, code farm.Code) {
	t.Helper()
	if farm.CodeOf(err) != code {
		t.Errorf("%s: got %v, want the code %s", what, err, code)
	}
}

func TestATokenOpensTheFarmUntilItEnds(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	ctx := t.Context()
	p, secret := r.token(r.admin, people.NewToken{Name: "night", Role: farm.RoleArtist, ExpiresAt: c.read().Add(time.Hour)})
	if !strings.HasPrefix(secret, "oct_") || len(secret) < 50 {
		t.Errorf("the secret is %q", secret)
	}
	got, err := r.Authenticate(ctx, secret)
	if err != nil || got != p || got.Role != farm.RoleArtist || got.Can(farm.ActManageTeams) {
		t.Fatalf("the secret stands for %+v, %v; want %+v", got, err, p)
	}
	c.pass(time.Hour)
	_, err = r.Authenticate(ctx, secret)
	wantCodeOf(t, "an expired token", err, farm.CodeUnauthorized)
	never := time.Time{}
	if _, err := r.ChangeToken(ctx, r.admin, p.TokenID, false, people.TokenChange{ExpiresAt: &never}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Authenticate(ctx, secret); err != nil {
		t.Errorf("the token that got more time: %v", err)
	}
	r.restart()
	if _, err := r.Authenticate(ctx, secret); err != nil {
		t.Errorf("the token after a restart: %v", err)
	}
	if err := r.RevokeToken(ctx, r.admin, p.TokenID, false); err != nil {
		t.Fatal(err)
	}
	_, err = r.Authenticate(ctx, secret)
	wantCodeOf(t, "a revoked token", err, farm.CodeUnauthorized)
	_, err = r.PrincipalOf(ctx, p.TokenID)
	wantCodeOf(t, "a session of a revoked token", err, farm.CodeUnauthorized)
}

func TestWhoMayMakeWhichToken(t *testing.T) {
	r := open(t)
	ctx := t.Context()
	second, err := r.MakeTeam(ctx, r.admin, "second")
	if err != nil {
		t.Fatal(err)
	}
	theirs, _ := r.token(r.admin, people.NewToken{Team: second.ID, Name: "boss", Role: farm.RoleAdmin})
	operator, _ := r.token(r.admin, people.NewToken{Name: "op", Role: farm.RoleOperator})
	if !r.admin.Can(farm.ActManageTeams) || theirs.Can(farm.ActManageTeams) || operator.Can(farm.ActManageTeams) {
		t.Errorf("administrators of the farm: %v, %v, %v", r.admin.Can(farm.ActManageTeams), theirs.Can(farm.ActManageTeams), operator.Can(farm.ActManageTeams))
	}
	for _, test := range []struct {
		what string
		by   farm.Principal
		in   people.NewToken
		code farm.Code
	}{
		{"an operator", operator, people.NewToken{Name: "x", Role: farm.RoleViewer}, farm.CodeForbidden},
		{"a role that does not exist", r.admin, people.NewToken{Name: "x", Role: "king"}, farm.CodeInvalid},
		{"an end in the past", r.admin, people.NewToken{Name: "x", Role: farm.RoleViewer, ExpiresAt: time.Now().Add(-time.Hour)}, farm.CodeInvalid},
		{"an unknown team", r.admin, people.NewToken{Team: "01NONE", Name: "x", Role: farm.RoleViewer}, farm.CodeNotFound},
		{"another team", theirs, people.NewToken{Team: r.admin.Team, Name: "x", Role: farm.RoleViewer}, farm.CodeNotFound},
		{"the own team by its name", theirs, people.NewToken{Team: second.ID, Name: "x", Role: farm.RoleAdmin}, ""},
	} {
		_, _, err := r.MakeToken(ctx, test.by, test.in)
		wantCodeOf(t, test.what, err, test.code)
	}
	_, err = r.Token(ctx, theirs, r.admin.TokenID, false)
	wantCodeOf(t, "reading another team's token", err, farm.CodeNotFound)
	wantCodeOf(t, "revoking another team's token", r.RevokeToken(ctx, theirs, r.admin.TokenID, false), farm.CodeNotFound)
	_, err = r.Tokens(ctx, theirs, r.admin.Team, false)
	wantCodeOf(t, "listing another team's tokens", err, farm.CodeNotFound)
	_, err = r.MakeTeam(ctx, theirs, "third")
	wantCodeOf(t, "a team made by another team's administrator", err, farm.CodeForbidden)
	wantCodeOf(t, "ending the own team", r.EndTeam(ctx, theirs, second.ID), farm.CodeForbidden)
	if list, err := r.Tokens(ctx, r.admin, second.ID, false); err != nil || len(list) != 2 {
		t.Errorf("the farm's administrator sees %+v, %v", list, err)
	}
	wantCodeOf(t, "the last administrator's token", r.RevokeToken(ctx, r.admin, r.admin.TokenID, false), farm.CodeConflict)
}

func TestAnEndedTeamIsGoneWithItsPeople(t *testing.T) {
	r := open(t)
	ctx := t.Context()
	team, err := r.MakeTeam(ctx, r.admin, "nights")
	if err != nil {
		t.Fatal(err)
	}
	p, secret := r.token(r.admin, people.NewToken{Team: team.ID, Name: "n", Role: farm.RoleAdmin})
	job, err := r.Submit(ctx, p, farm.Job{Template: farm.JobTemplate{Src: "http://files.test/title.aep", Composition: "main"}})
	if err != nil {
		t.Fatal(err)
	}
	wantCodeOf(t, "ending a team at work", r.EndTeam(ctx, r.admin, team.ID), farm.CodeConflict)
	wantCodeOf(t, "ending the first team", r.EndTeam(ctx, r.admin, r.admin.Team), farm.CodeConflict)
	if _, err := r.CancelJobs(ctx, p, []string{job.ID}, false); err != nil {
		t.Fatal(err)
	}
	events := r.Watch(ctx, p)
	if err := r.EndTeam(ctx, r.admin, team.ID); err != nil {
		t.Fatal(err)
	}
	if e := <-events; e.Kind != farm.EventAccess {
		t.Errorf("those who watch are told %+v", e)
	}
	_, err = r.Authenticate(ctx, secret)
	wantCodeOf(t, "a token of an ended team", err, farm.CodeUnauthorized)
	_, err = r.Submit(ctx, p, farm.Job{Template: farm.JobTemplate{Src: "http://files.test/title.aep", Composition: "main"}})
	wantCodeOf(t, "a submission that was on its way", err, farm.CodeNotFound)
	_, _, err = r.Team(ctx, r.admin, team.ID)
	wantCodeOf(t, "an ended team", err, farm.CodeNotFound)
}

func TestAFileThatOutlivesItsTokenIsNotKept(t *testing.T) {
	r := open(t)
	p, _ := r.token(r.admin, people.NewToken{Name: "nightly", Role: farm.RoleArtist})
	body, sender := io.Pipe()
	kept := make(chan error, 1)
	go func() {
		_, err := r.StoredFiles().Put(t.Context(), p, "late.png", body, -1)
		kept <- err
	}()
	if _, err := sender.Write([]byte("the first half")); err != nil {
		t.Fatal(err)
	}
	if err := r.RevokeToken(t.Context(), r.admin, p.TokenID, false); err != nil {
		t.Fatal(err)
	}
	if err := sender.Close(); err != nil {
		t.Fatal(err)
	}
	wantCodeOf(t, "a file whose sender is out", <-kept, farm.CodeUnauthorized)
}

// chosen is a password that people choose.
const chosen = "correct horse battery"

func TestPeopleSignInWithCodesThatWorkOnce(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	ctx := t.Context()
	person, secret, err := r.MakeToken(ctx, r.admin, people.NewToken{Name: "Ada", Role: farm.RoleProducer, Person: true, ExpiresAt: c.read().Add(48 * time.Hour)})
	if err != nil || secret != "" || !person.Person {
		t.Fatalf("the person is %+v with the secret %q, %v", person, secret, err)
	}
	if tokens, err := r.Tokens(ctx, r.admin, "", false); err != nil || len(tokens) != 1 {
		t.Errorf("the programs are %+v, %v", tokens, err)
	}
	if people, err := r.Tokens(ctx, r.admin, "", true); err != nil || len(people) != 1 || people[0].ID != person.ID {
		t.Errorf("the people are %+v, %v", people, err)
	}
	_, err = r.Token(ctx, r.admin, person.ID, false)
	wantCodeOf(t, "a person asked for as a program", err, farm.CodeNotFound)

	invite := func() string {
		t.Helper()
		s, err := r.InvitePerson(ctx, r.admin, person.ID)
		if err != nil {
			t.Fatal(err)
		}
		return s.Code
	}
	code := invite()
	if p, err := r.UseSignIn(ctx, code, chosen); err != nil || p.TokenID != person.ID {
		t.Errorf("the code stands for %+v, %v", p, err)
	}
	_, err = r.UseSignIn(ctx, code, chosen)
	wantCodeOf(t, "a code used twice", err, farm.CodeGone)

	code = r.SignIn(r.admin).Code
	late := invite()
	c.pass(10 * time.Minute)
	_, err = r.UseSignIn(ctx, code, chosen)
	wantCodeOf(t, "a code of one's own after its time", err, farm.CodeGone)
	c.pass(24 * time.Hour)
	_, err = r.UseSignIn(ctx, late, chosen)
	wantCodeOf(t, "an invitation after its time", err, farm.CodeGone)

	forged := []byte(invite())
	forged[20] ^= 'A' ^ 'B'
	_, err = r.UseSignIn(ctx, string(forged), chosen)
	wantCodeOf(t, "a code that somebody changed", err, farm.CodeGone)

	kept, last := invite(), invite()
	r.restart()
	if p, err := r.UseSignIn(ctx, kept, chosen); err != nil || p.TokenID != person.ID {
		t.Errorf("behind a restart the code stands for %+v, %v", p, err)
	}
	if err := r.RevokeToken(ctx, r.admin, person.ID, true); err != nil {
		t.Fatal(err)
	}
	_, err = r.UseSignIn(ctx, last, chosen)
	wantCodeOf(t, "a code of somebody who is gone", err, farm.CodeGone)
}

func TestNobodyIsInvitedWhoseAccessHasExpired(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	ctx := t.Context()
	person, _, err := r.MakeToken(ctx, r.admin, people.NewToken{Name: "Ada", Role: farm.RoleViewer, Person: true, ExpiresAt: c.read().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	c.pass(2 * time.Hour)
	_, err = r.InvitePerson(ctx, r.admin, person.ID)
	wantCodeOf(t, "an invitation", err, farm.CodeConflict)
	c.pass(31 * 24 * time.Hour)
	if err := r.Tidy(ctx); err != nil {
		t.Fatal(err)
	}
	if people, err := r.Tokens(ctx, r.admin, "", true); err != nil || len(people) != 0 {
		t.Errorf("people whose access ended a month ago: %+v, %v", people, err)
	}
}

func TestTheLastUseOfATokenIsKnownAndSurvives(t *testing.T) {
	c := newClock()
	r := open(t, c.config)
	ctx := t.Context()
	_, secret := r.token(r.admin, people.NewToken{Name: "n", Role: farm.RoleViewer})
	lastUse := func() time.Time {
		t.Helper()
		list, err := r.Tokens(ctx, r.admin, "", false)
		if err != nil || len(list) != 2 {
			t.Fatalf("%+v, %v", list, err)
		}
		return list[1].LastUsedAt
	}
	c.pass(time.Hour)
	used := c.read()
	if _, err := r.Authenticate(ctx, secret); err != nil {
		t.Fatal(err)
	}
	if got := lastUse(); !got.Equal(used) {
		t.Errorf("before it is written, the last use is %s, want %s", got, used)
	}
	if err := r.RecordUses(ctx); err != nil {
		t.Fatal(err)
	}
	c.pass(time.Hour)
	r.restart()
	if got := lastUse(); !got.Equal(used) {
		t.Errorf("after a restart, the last use is %s, want %s", got, used)
	}
}

func TestAnotherTeamsWorkOnAMachineHasNoName(t *testing.T) {
	r := open(t)
	ctx := t.Context()
	team, err := r.MakeTeam(ctx, r.admin, "second")
	if err != nil {
		t.Fatal(err)
	}
	other, _ := r.token(r.admin, people.NewToken{Team: team.ID, Name: "o", Role: farm.RoleAdmin})
	s := r.enrol("mac")
	s.connect()
	job := r.submit()
	s.lease()
	r.eventually("the job renders", func() bool { return r.job(job.ID).Status == farm.JobRendering })
	for _, p := range []farm.Principal{r.admin, other} {
		machines, err := r.Machines(ctx, p)
		if err != nil || len(machines) != 1 || len(machines[0].Running) != 1 {
			t.Fatalf("the machines are %+v, %v", machines, err)
		}
		run := machines[0].Running[0]
		if own := p.Team == r.admin.Team; (run.Job == job.ID) != own || (run.Task != "") != own {
			t.Errorf("%s sees %+v", p.Name, run)
		}
	}
}
