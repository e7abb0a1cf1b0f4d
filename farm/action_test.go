package farm_test

import (
	"cmp"
	"os"
	"strings"
	"testing"

	"overcrank/farm"
)

func TestEveryActionTakesAKnownRole(t *testing.T) {
	seen, least := map[farm.Action]bool{}, farm.RoleViewer
	for _, g := range farm.Grants() {
		switch {
		case g.Action == "" || seen[g.Action]:
			t.Errorf("%q stands in the table twice, or is nothing", g.Action)
		case !g.Least.Known():
			t.Errorf("%q takes the role %q, which does not exist", g.Action, g.Least)
		case !g.Least.Allows(least):
			t.Errorf("%q stands behind what takes more", g.Action)
		}
		seen[g.Action], least = true, g.Least
	}
}

func TestWhatIsNotInTheTableIsForNobody(t *testing.T) {
	admin := farm.Principal{Name: "ada", Role: farm.RoleAdmin, FirstTeam: true}
	for _, p := range []farm.Principal{admin, {}, {Role: "owner", FirstTeam: true}} {
		if err := p.May("fly"); farm.CodeOf(err) != farm.CodeForbidden {
			t.Errorf("%v may do what no table knows: %v", p, err)
		}
	}
	if err := (farm.Principal{Role: "owner", FirstTeam: true}).May(farm.ActView); farm.CodeOf(err) != farm.CodeForbidden {
		t.Errorf("an unknown role may look: %v", err)
	}
}

func TestARefusalSaysWhatItTakes(t *testing.T) {
	for _, test := range []struct {
		who   farm.Principal
		act   farm.Action
		words []string
	}{
		{farm.Principal{Name: "art", Role: farm.RoleArtist, FirstTeam: true}, farm.ActDeleteTemplates, []string{`"art"`, "delete templates", "producer or higher", "has the role artist"}},
		{farm.Principal{Name: "zoe", Role: farm.RoleAdmin}, farm.ActSteerFarm, []string{`"zoe"`, "pause the farm", "operator or higher", "first team"}},
		{farm.Principal{Name: "ops", Role: farm.RoleOperator, FirstTeam: true}, farm.ActBackUp, []string{"needs the role admin, and"}},
	} {
		err := test.who.May(test.act)
		if farm.CodeOf(err) != farm.CodeForbidden || test.who.Can(test.act) {
			t.Errorf("%s may %s: %v", test.who.Name, test.act, err)
			continue
		}
		for _, w := range test.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q does not say %q", err, w)
			}
		}
	}
}

func TestThePolicyMayLetOthersRush(t *testing.T) {
	art, pro := farm.Principal{Name: "art", Role: farm.RoleArtist}, farm.Principal{Name: "pro", Role: farm.RoleProducer}
	levels := func(r farm.Role) farm.Policy {
		return farm.Policy{Levels: map[farm.Level]farm.LevelPolicy{farm.LevelRush: {Role: r}}}
	}
	for _, test := range []struct {
		policy   farm.Policy
		who      farm.Principal
		may, set bool
	}{
		{farm.Policy{}, art, false, true}, {farm.Policy{}, pro, true, true},
		{levels(farm.RoleArtist), art, true, true}, {levels(farm.RoleAdmin), pro, false, true},
		{levels(farm.RoleViewer), art, true, false}, {levels("owner"), pro, false, false},
	} {
		if err := test.policy.MayRush(test.who); (err == nil) != test.may {
			t.Errorf("%s under %+v: %v", test.who.Name, test.policy.Levels, err)
		}
		if wrong := test.policy.Problems(); (len(wrong) == 0) != test.set {
			t.Errorf("%+v: %v", test.policy.Levels, wrong)
		}
	}
	normal := farm.Policy{Levels: map[farm.Level]farm.LevelPolicy{farm.LevelNormal: {Role: farm.RoleAdmin}}}
	if len(normal.Problems()) == 0 {
		t.Error("a role for the level normal is taken")
	}
}

func TestThePolicySaysWhoseJobsMayHaveScripts(t *testing.T) {
	for _, set := range append(farm.Roles(), "", "owner") {
		policy := farm.Policy{Scripts: farm.ScriptPolicy{Role: set}}
		if valid := set == "" || set.Known() && set != farm.RoleViewer; (len(policy.Problems()) == 0) != valid {
			t.Errorf("the role %q: %v", set, policy.Problems())
		}
		for _, role := range farm.Roles() {
			err := policy.MayRunScripts(farm.Principal{Name: "who", Role: role})
			if may := role.Allows(cmp.Or(set, farm.RoleArtist)); (err == nil) != may {
				t.Errorf("scripts of %s where the policy asks for %q: %v", role, set, err)
			} else if !may && (farm.CodeOf(err) != farm.CodeForbidden || !strings.Contains(err.Error(), "scripts.role")) {
				t.Errorf("refused with %v", err)
			}
		}
	}
}

// TestTheDocumentedTableIsTheOneInForce holds docs/access.md to the table.
func TestTheDocumentedTableIsTheOneInForce(t *testing.T) {
	text, err := os.ReadFile("../docs/access.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, g := range farm.Grants() {
		whose := "your own team"
		if g.Farm {
			whose = "the farm's first team"
		}
		want.WriteString("| " + string(g.Action) + " | " + string(g.Least) + " | " + whose + " |\n")
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/access.md does not hold the table of who may do what; it should be:\n%s", want.String())
	}
}
