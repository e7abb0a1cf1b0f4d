package tables

import (
	"fmt"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func (m *rig) personal(token string) (personal farm.Personal) {
	m.t.Helper()
	m.read(func(tx *Tx) (err error) {
		personal, err = tx.Personal(token)
		return err
	})
	return personal
}

func viewsOf(p farm.Personal) string {
	var said []string
	for _, v := range p.Views {
		said = append(said, v.Name+"="+v.Query)
	}
	return strings.Join(said, " ")
}

func TestPeopleKeepViewsOfTheListOfJobs(t *testing.T) {
	m := leveled(t)
	for _, id := range []string{"mia", "tom"} {
		m.must(command.PutToken{Token: farm.Token{ID: id, Team: "team", Name: id, Role: farm.RoleViewer, Hash: "hash of " + id}})
	}
	view := func(name, query, was string) command.PutView {
		return command.PutView{Token: "mia", View: farm.JobView{Name: name, Query: query}, Was: was}
	}
	m.must(view("Failed", "f", ""))
	m.must(view("all", "a", ""))
	m.must(view("FAILED", "f2", "")) // the same name
	if got := viewsOf(m.personal("mia")); got != "all=a FAILED=f2" {
		t.Errorf("the views are %s", got)
	}
	m.must(view("Broken", "f2", "failed"))
	m.must(view("BROKEN", "f3", "broken"))
	if got := viewsOf(m.personal("mia")); got != "all=a BROKEN=f3" {
		t.Errorf("after another name the views are %s", got)
	}
	wantRefused(t, m, view("All", "x", "broken"), farm.CodeConflict)
	wantRefused(t, m, view("x", "x", "nothing"), farm.CodeNotFound)
	wantRefused(t, m, view(" ", "x", ""), farm.CodeInvalid)
	wantRefused(t, m, view("two\nlines", "x", ""), farm.CodeInvalid)
	wantRefused(t, m, view(strings.Repeat("n", farm.MostViewName+1), "x", ""), farm.CodeInvalid)
	wantRefused(t, m, view("long", strings.Repeat("q", farm.MostViewQuery+1), ""), farm.CodeInvalid)
	wantRefused(t, m, command.PutView{Token: "nobody", View: farm.JobView{Name: "x"}}, farm.CodeNotFound)
	wantRefused(t, m, command.DeleteView{Token: "mia", Name: "nothing"}, farm.CodeNotFound)
	wantRefused(t, m, command.DeleteView{Token: "tom", Name: "all"}, farm.CodeNotFound)

	m.must(command.DeleteView{Token: "mia", Name: "ALL"})
	if got := m.personal("mia"); viewsOf(got) != "BROKEN=f3" {
		t.Errorf("mia has %+v", got)
	}
	for i := 1; i < farm.MostViews; i++ {
		m.must(view(fmt.Sprint("view ", i), "x", ""))
	}
	wantRefused(t, m, view("one more", "x", ""), farm.CodeConflict)
	m.must(view("view 1", "y", "")) // in its place
	if got := m.personal("tom"); len(got.Views) != 0 {
		t.Errorf("tom has %+v", got)
	}
	m.must(command.RevokeToken{ID: "mia", At: after(1)})
	if got := m.personal("mia"); len(got.Views) != 0 {
		t.Errorf("after the token was revoked there is %+v", got)
	}
}

func TestWhatSomebodyHasChosenGoesBeforeWhatTheirBrowserPrefers(t *testing.T) {
	m := leveled(t)
	m.must(command.PutToken{Token: farm.Token{ID: "mia", Team: "team", Name: "mia", Role: farm.RoleViewer, Hash: "hash"}})
	m.must(command.SwitchKeys{Token: "mia", Off: true})
	reads := func(want farm.Language) {
		t.Helper()
		if got := m.personal("mia"); got.Reads() != want || !got.KeysOff {
			t.Errorf("mia reads %s, want %s: %+v", got.Reads(), want, got)
		}
	}
	reads(farm.English)
	m.must(command.SetLanguage{Token: "mia", Language: farm.German, Browser: true})
	reads(farm.German)
	m.must(command.SetLanguage{Token: "mia", Language: farm.French})
	reads(farm.French)
	m.must(command.SetLanguage{Token: "mia", Language: farm.English, Browser: true})
	reads(farm.French)
	m.must(command.SetLanguage{Token: "mia", Language: "xx"}) // of a later release
	reads(farm.English)
	m.must(command.SetLanguage{Token: "mia", Language: farm.German, Browser: true})
	m.must(command.SetLanguage{Token: "mia"})
	reads(farm.German)
	wantRefused(t, m, command.SetLanguage{Token: "mia", Language: farm.Language(strings.Repeat("x", 36))}, farm.CodeInvalid)
	wantRefused(t, m, command.SetLanguage{Token: "nobody", Language: farm.German}, farm.CodeNotFound)
}

func TestPeopleSwitchKeysOffForThemselves(t *testing.T) {
	m := leveled(t)
	for _, id := range []string{"mia", "tom"} {
		m.must(command.PutToken{Token: farm.Token{ID: id, Team: "team", Name: id, Role: farm.RoleViewer, Hash: "hash of " + id}})
	}
	m.must(command.SwitchKeys{Token: "mia", Off: true})
	m.must(command.PutView{Token: "mia", View: farm.JobView{Name: "Failed", Query: "f"}})
	if !m.personal("mia").KeysOff || m.personal("tom").KeysOff {
		t.Errorf("after switching off: %+v, %+v", m.personal("mia"), m.personal("tom"))
	}
	m.must(command.SwitchKeys{Token: "mia"})
	if got := m.personal("mia"); got.KeysOff || len(got.Views) != 1 {
		t.Errorf("after switching on: %+v", got)
	}
	wantRefused(t, m, command.SwitchKeys{Token: "nobody", Off: true}, farm.CodeNotFound)
}
