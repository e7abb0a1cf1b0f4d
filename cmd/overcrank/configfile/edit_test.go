package configfile_test

import (
	"strings"
	"testing"

	"overcrank/cmd/overcrank/configfile"
)

func TestEditingAFileKeepsTheRest(t *testing.T) {
	coordinator := configfile.Change{Key: "coordinator", Value: []string{"https://b:1"}, List: true}
	tags := configfile.Change{Key: "tags", Value: []string{"gpu", "suite: 4", "null", "7"}, List: true}
	updates := configfile.Change{Key: "updates", Value: []string{"managed"}}
	const tagged = "tags: [gpu, 'suite: 4', \"null\", \"7\"]\n"
	for name, c := range map[string]struct {
		before  string
		changes []configfile.Change
		after   string
	}{
		"a new file":              {"", []configfile.Change{coordinator, updates}, "coordinator: ['https://b:1']\nupdates: managed\n"},
		"nothing but comments":    {"# mine\n", []configfile.Change{updates}, "# mine\nupdates: managed\n"},
		"no end of the last line": {"slots: 2", []configfile.Change{updates}, "slots: 2\nupdates: managed\n"},
		"a value between others": {
			"# above\nslots: 2   # two\n\n# the farm\ncoordinator: http://a:1 # old\n# below\n\nname: x\n", []configfile.Change{coordinator},
			"# above\nslots: 2   # two\n\n# the farm\ncoordinator: ['https://b:1']\n# below\n\nname: x\n",
		},
		"a list of lines": {
			"coordinator:\n  - http://a:1\n  # the second\n  - http://a:2\n# below\ntags:\n- old\nslots: 1\n", []configfile.Change{coordinator, tags},
			"coordinator: ['https://b:1']\n# below\n" + tagged + "slots: 1\n",
		},
		"Windows": {
			"\ufeffslots: 2\r\ncoordinator: http://a:1\r\nname: x\r\n", []configfile.Change{coordinator, updates},
			"\ufeffslots: 2\r\ncoordinator: ['https://b:1']\r\nname: x\r\nupdates: managed\r\n",
		},
		"one line for all":      {"{slots: 2, name: x} # short\n", []configfile.Change{updates}, "slots: 2\nname: x\nupdates: managed\n"},
		"a key with a quote":    {"\"coordinator\": http://a:1\n", []configfile.Change{coordinator}, "coordinator: ['https://b:1']\n"},
		"no value":              {"tags:\nslots: 1\n", []configfile.Change{tags}, tagged + "slots: 1\n"},
		"an empty list":         {"tags: [a]\n", []configfile.Change{{Key: "tags", List: true}}, "tags: []\n"},
		"the end of a document": {"---\nslots: 2\n...\n", []configfile.Change{{Key: "slots", Value: []string{"3"}}}, "---\nslots: \"3\"\n...\n"},
	} {
		got, err := configfile.Edit("agent.yaml", c.before, c.changes)
		if err != nil || got != c.after {
			t.Errorf("%s: %v\n%q, want\n%q", name, err, got, c.after)
		}
	}
}

func TestAFileWithAMistakeIsNotEdited(t *testing.T) {
	for _, text := range []string{"slots: [", "- a\n- b\n", "slots: 1\nslots: 2\n", "just words"} {
		got, err := configfile.Edit("agent.yaml", text, []configfile.Change{{Key: "slots", Value: []string{"3"}}})
		if err == nil || got != "" || !strings.Contains(err.Error(), "agent.yaml") {
			t.Errorf("%q becomes %q, %v", text, got, err)
		}
	}
}

// FuzzEdit: whatever a file says, an edited one says the same but for what was changed. Edit itself checks that; here it must not panic, and what it wrote can be
// edited again.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{"", "a: 1\n", "# x\ncoordinator:\n - a\n - b\n#c\nslots: 2\n", "{a: 1}", "\ufeffa: 'x'\r\n", "a: |\n  b\n  # c\nd: 1\n"} {
		f.Add(seed, "https://farm:1", "gpu")
	}
	f.Fuzz(func(t *testing.T, text, server, tag string) {
		changes := []configfile.Change{{Key: "coordinator", Value: []string{server}, List: true}, {Key: "tags", Value: []string{tag, tag}, List: true}}
		once, err := configfile.Edit("f", text, changes)
		if err != nil {
			return
		}
		if twice, err := configfile.Edit("f", once, changes); err != nil {
			t.Errorf("edited twice: %v\n%q\n%q", err, once, twice)
		}
	})
}
