package coordinator_test

import (
	"testing"
	"time"

	"overcrank/coordinator/people"
	"overcrank/farm"
)

func TestAFarmIsSetUpWithACode(t *testing.T) {
	r := open(t)
	setup, err := r.SetupCode()
	if err != nil || setup.Code == "" {
		t.Fatalf("a farm without people: %+v, %v", setup, err)
	}
	ada := people.Founder{Name: " Ada ", Email: "Ada@Studio.example", Password: chosen, Studio: "Northlight"}
	for name, wrong := range map[string]func(*people.Founder){
		"no name": func(f *people.Founder) { f.Name = " " }, "no studio": func(f *people.Founder) { f.Studio = "" },
		"no address": func(f *people.Founder) { f.Email = "ada" }, "a short password": func(f *people.Founder) { f.Password = "short" },
	} {
		in := ada
		wrong(&in)
		if _, err := r.SetUp(t.Context(), setup.Code, in); farm.CodeOf(err) != farm.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	link := r.SignIn(r.admin)
	forAnother := "A" + setup.Code[1:]
	if forAnother == setup.Code {
		forAnother = "B" + setup.Code[1:]
	}
	for name, code := range map[string]string{"no code": "", "another farm's": forAnother, "a link that signs in": link.Code} {
		if _, err := r.SetUp(t.Context(), code, ada); farm.CodeOf(err) != farm.CodeGone {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := r.LookAtSignIn(t.Context(), setup.Code); farm.CodeOf(err) != farm.CodeGone {
		t.Errorf("the code as a link that signs in: %v", err)
	}
	p, err := r.SetUp(t.Context(), setup.Code, ada)
	if err != nil || p.Name != "Ada" || p.Role != farm.RoleAdmin || !p.FirstTeam {
		t.Fatalf("the founder: %+v, %v", p, err)
	}
	if _, err := r.SetUp(t.Context(), setup.Code, ada); farm.CodeOf(err) != farm.CodeGone {
		t.Errorf("a second time: %v", err)
	}
	if again, err := r.SetupCode(); err != nil || again.Code != "" {
		t.Errorf("another code: %+v, %v", again, err)
	}
	if in, err := r.SignInWithPassword(t.Context(), people.Login{Name: "ada@studio.example", Password: chosen, Address: "192.0.2.1"}); err != nil || in.TokenID != p.TokenID {
		t.Errorf("the founder signs in: %+v, %v", in, err)
	}
}

func TestACodeThatSetsUpEndsWithTheFirstAdministrator(t *testing.T) {
	r := open(t)
	first, err := r.SetupCode()
	if err != nil {
		t.Fatal(err)
	}
	r.person(people.NewToken{Name: "Art", Role: farm.RoleArtist})
	if err := r.LookAtSetup(first.Code); err != nil {
		t.Errorf("with an artist: %v", err)
	}
	until := time.Now().Add(1000 * time.Hour)
	r.person(people.NewToken{Name: "Ada", Role: farm.RoleAdmin, ExpiresAt: until})
	if err := r.LookAtSetup(first.Code); farm.CodeOf(err) != farm.CodeGone {
		t.Errorf("with an administrator: %v", err)
	}
}
