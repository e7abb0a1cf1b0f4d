package tables

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// as applies a command for somebody.
func (m *rig) as(token string, cmd command.Command, second int) command.Result {
	m.t.Helper()
	by := command.Sender{Actor: &farm.Actor{Token: token, Address: "192.0.2.1", At: after(second)}}
	return m.apply([]Entry{m.encode(by, cmd)})[0]
}

// audit reads records as words.
func (m *rig) audit(q farm.AuditQuery) (words []string, next string) {
	m.t.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	m.see(func(tx *Tx) {
		records, more, err := tx.Audit(q)
		if err != nil {
			m.t.Fatalf("%v", err)
		}
		for _, r := range records {
			words = append(words, fmt.Sprintf("%s %s %s %s%s", r.Name, r.Action, r.Thing.Kind, r.Thing.Name, r.Refused))
		}
		next = more
	})
	return words, next
}

// TestWhoIsMovedIsNotedWithBothTeams moves people by hand and by single sign-on. Each of the two teams finds it.
func TestWhoIsMovedIsNotedWithBothTeams(t *testing.T) {
	m := withPeople(t)
	m.must(command.RenameTeam{ID: "team0", Name: "Titles"})
	m.must(command.PutTeam{Team: farm.Team{ID: "team1", Name: "Trailers"}})
	m.must(command.PutTeam{Team: farm.Team{ID: "team2", Name: "Spots"}})
	to, name := "team1", "Mia"
	m.must(command.ChangeToken{ID: "p1", Name: &name, At: after(1)})
	m.as("p1", command.ChangeToken{ID: "p1", Team: &to, At: after(1)}, 1)
	for step, team := range []string{2: "team1", 3: "team2"} {
		if ada := entry(step, "ada", "p9", farm.RoleArtist); team != "" {
			ada.Person.Name, ada.Person.Team = "Ada", team
			m.as("", ada, step)
		}
	}
	linked := entry(4, "mia", "p10", farm.RoleArtist)
	linked.Person.Email, linked.Person.Team, linked.Link = "mia@studio.example", "team2", true
	m.as("", linked, 4)
	moves := func(team string) (words []string) {
		m.see(func(tx *Tx) {
			records, _, err := tx.Audit(farm.AuditQuery{Team: team, Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				if r.Left != (farm.AuditThing{}) {
					words = append(words, fmt.Sprintf("%s %s: %s to %s %s", r.Action, r.Thing.Name, r.Left.Name, r.Joined.Kind, r.Joined.Name))
				}
			}
		})
		return words
	}
	byHand, bySignOn, byLink := "person.move Mia: Titles to team Trailers", "person.move Ada: Trailers to team Spots", "person.link Mia: Trailers to team Spots"
	for team, want := range map[string][]string{"team0": {byHand}, "team1": {byLink, bySignOn, byHand}, "team2": {byLink, bySignOn}, "team3": nil} {
		if got := moves(team); !slices.Equal(got, want) {
			t.Errorf("%s reads of moves %q, want %q", team, got, want)
		}
	}
	m.must(command.ForgetAudit{Before: after(10), Limit: 10})
	if got, _ := m.audit(farm.AuditQuery{Team: "team1"}); got != nil {
		t.Errorf("what was forgotten is found by team: %q", got)
	}
}

func TestWhoAsksForACommandIsNotedWithIt(t *testing.T) {
	m := withPeople(t)
	mia := "p1"
	m.must(command.PutToken{Token: farm.Token{ID: "p2", Team: "team0", Name: "Ada", Role: farm.RoleAdmin, Hash: "h3", Person: true}})
	m.must(command.PutToken{Token: farm.Token{ID: "k2", Team: "team0", Name: "ci", Role: farm.RoleAdmin, Hash: "h4"}})
	m.as("p2", command.RevokeToken{ID: "k1", At: after(1)}, 1)
	m.as("p2", command.RevokeToken{ID: "k2", At: after(2)}, 2) // the last administrator's
	m.as("", session("s1", 3, 9), 3)
	m.as(mia, command.EndSessions{Token: mia, At: after(4)}, 4)
	m.as(mia, command.TurnSession{Token: mia, ID: "s1", At: after(5)}, 5)
	m.must(command.EndSessions{Token: mia, At: after(5)}) // by the farm
	want := []string{" session.end person ", " session.begin person ", "Ada token.revoke token ciconflict", "Ada token.revoke token "}
	if got, next := m.audit(farm.AuditQuery{}); !slices.Equal(got, want) || next != "" {
		t.Errorf("the log is %q, %q", got, next)
	}
	if got, _ := m.audit(farm.AuditQuery{Token: "p2"}); !slices.Equal(got, want[2:]) {
		t.Errorf("by Ada: %q", got)
	}
	if got, _ := m.audit(farm.AuditQuery{Thing: mia}); !slices.Equal(got, want[:2]) {
		t.Errorf("of Mia: %q", got)
	}
	if got, _ := m.audit(farm.AuditQuery{Refused: true, Team: "team0"}); !slices.Equal(got, want[2:3]) {
		t.Errorf("refused: %q", got)
	}
	if got, _ := m.audit(farm.AuditQuery{Team: "team1"}); got != nil {
		t.Errorf("another team's: %q", got)
	}
	if got, _ := m.audit(farm.AuditQuery{From: after(2), To: after(4)}); !slices.Equal(got, want[1:3]) {
		t.Errorf("of some seconds: %q", got)
	}
	var paged []string
	for before := ""; ; {
		part, next := m.audit(farm.AuditQuery{Before: before, Limit: 1})
		paged = append(paged, part...)
		if before = next; next == "" {
			break
		}
	}
	if !slices.Equal(paged, want) {
		t.Errorf("page by page: %q", paged)
	}
	m.must(command.ForgetAudit{Before: after(3), Limit: 10})
	if got, _ := m.audit(farm.AuditQuery{}); !slices.Equal(got, want[:2]) {
		t.Errorf("what is left: %q", got)
	}
	if got, _ := m.audit(farm.AuditQuery{Token: "p2"}); got != nil {
		t.Errorf("an index still leads to what was forgotten: %q", got)
	}
}

func TestAnActorThatIsCutShortIsRefused(t *testing.T) {
	m := withPeople(t)
	codec, cmd := m.rules.Codec, command.RenameTeam{ID: "team0", Name: "n"}
	by := command.Sender{Key: &command.RequestKey{Team: "team0", Key: "k", At: after(1)}, Actor: &farm.Actor{Token: "p1", Address: "<\u2028>", At: after(1)}}
	data := m.encode(by, cmd).Data
	if got, read, err := codec.Decode(data); err != nil || !reflect.DeepEqual(got, by) || read != command.Command(cmd) {
		t.Errorf("it reads as %+v of %+v, %v", read, got, err)
	}
	if err := codec.Understands(data); err != nil {
		t.Errorf("an entry with an actor and a key: %v", err)
	}
	for cut := range data {
		if _, _, err := codec.Decode(data[:cut]); err == nil {
			t.Fatalf("the first %d bytes of it are read", cut)
		}
	}
}

func TestEverydayRecordsGoFirst(t *testing.T) {
	m := withPeople(t)
	for i := range 4 {
		m.as("k1", command.CancelBatch{Team: "team0", ID: fmt.Sprintf("b%d", i), At: after(i)}, i)
		m.as("k1", command.RenameTeam{ID: "team0", Name: fmt.Sprint("n", i)}, i)
	}
	m.damage(func(t *tables) {
		t.dropAuditAbove(5)
	})
	got, _ := m.audit(farm.AuditQuery{})
	names := 0
	for _, words := range got {
		if words[:len(" team.rename")] == " team.rename" {
			names++
		}
	}
	if len(got) != 5 || names != 4 {
		t.Errorf("kept is %q", got)
	}
}

// TestWhatPeopleDoHasWords: what an action of theirs proposes is named by the log in words that are in its list. The others are the farm's own.
func TestWhatPeopleDoHasWords(t *testing.T) {
	m := withPeople(t)
	var unnamed []string
	m.see(func(tx *Tx) {
		for _, cmd := range samples() {
			if about, said := tx.t.auditOf(cmd); said && !slices.Contains(farm.AuditActions(), about.action) {
				unnamed = append(unnamed, string(about.action))
			}
		}
	})
	slices.Sort(unnamed)
	if got := slices.Compact(unnamed); !slices.Equal(got, ofTheFarm) {
		t.Errorf("without words are %q", got)
	}
}

// ofTheFarm are commands that no action of a person or a program leads to.
var ofTheFarm = []string{
	"confirm agent key", "drop parts", "enrol agent", "expire files", "expire leases", "expire outputs", "fail task", "finish task", "forget invitations",
	"forget node invitations", "join agent", "keep frames", "lease tasks", "purge jobs", "put coordinator", "put inventory", "record updates", "redact jobs",
	"redo frames", "renew agent key", "set level", "split tasks", "use node invitation",
}
