package tables

import (
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func TestAFarmIsSetUpOnce(t *testing.T) {
	m := withPeople(t)
	m.must(command.PutTeam{Team: farm.Team{ID: "team1"}})
	founder := func(id string) command.SetUp {
		return command.SetUp{
			Person:   farm.Token{ID: id, Team: "team0", Name: "Ada", Role: farm.RoleAdmin, Hash: "hash-of-" + id, Person: true, Email: id + "@studio.example"},
			Password: "a", Studio: "Northlight", Code: command.UseCode{Hash: "code-of-" + id, Until: after(9), At: after(1)}, At: after(1),
		}
	}
	other := founder("ada")
	other.Person.Team = "team1"
	wantRefused(t, m, other, farm.CodeInvalid)
	other = founder("ada")
	other.Person.Role = farm.RoleOperator
	wantRefused(t, m, other, farm.CodeInvalid)
	other = founder("ada")
	other.Password = ""
	wantRefused(t, m, other, farm.CodeInvalid)
	other = founder("ada")
	other.Person.Email = "mia@studio.example"
	wantRefused(t, m, other, farm.CodeConflict)
	other = founder("ada")
	other.Code.Until = after(1)
	wantRefused(t, m, other, farm.CodeGone)

	m.must(founder("ada"))
	m.see(func(tx *Tx) {
		person, err := tx.Token("ada")
		if err != nil || person.Name != "Ada" {
			t.Errorf("the administrator: %+v, %v", person, err)
		}
		if p, err := tx.Password("ada"); err != nil || p.Hash != "a" || !p.ChangedAt.Equal(after(1)) {
			t.Errorf("the password: %+v, %v", p, err)
		}
		if team, err := tx.Team("team0"); err != nil || team.Name != "Northlight" {
			t.Errorf("the studio: %+v, %v", team, err)
		}
		if there, err := tx.HasAdministrator(after(1)); err != nil || !there {
			t.Errorf("the farm has an administrator: %v, %v", there, err)
		}
	})
	wantRefused(t, m, founder("eve"), farm.CodeGone)
}
