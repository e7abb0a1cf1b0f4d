package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/farmtest"

	"overcrank/cmd/overcrank/configfile"
)

// settingsOf is what `overcrank agent config` says with these arguments, by name.
func settingsOf(t *testing.T, args ...string) map[string]configfile.Setting {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), append([]string{"agent", "config", "--json"}, args...), &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	var answer struct{ Settings []configfile.Setting }
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	all := map[string]configfile.Setting{}
	for _, s := range answer.Settings {
		all[s.Name] = s
	}
	return all
}

func TestFlagsCountMoreThanTheEnvironmentThanTheFileThanDefaults(t *testing.T) {
	path := farmtest.Configuration(t, "\ufeff# a comment\r\nslots: 2\r\nname: from the file\r\ntags: [a, 'b,c']\r\ncache-size:\r\n")
	at := func(line string) string { return path + ":" + line }
	for _, c := range []struct {
		name  string
		args  []string
		env   string // of the name
		old   string // the variable that release 0.1 had for it
		want  string
		from  configfile.Source
		place string
	}{
		{"name", nil, "", "", "from the file", configfile.SourceFile, at("3")},
		{"name", nil, "", "older", "older", configfile.SourceEnvironment, "OVERCRANK_NAME"},
		{"name", nil, "newer", "older", "newer", configfile.SourceEnvironment, "OVERCRANK_AGENT_NAME"},
		{"name", []string{"--name", "typed"}, "newer", "older", "typed", configfile.SourceFlag, "--name"},
		{"slots", nil, "", "", "2", configfile.SourceFile, at("2")},
		{"tags", nil, "", "", "a|b,c", configfile.SourceFile, at("4")},
		{"cache-size", nil, "", "", "21474836480", configfile.SourceDefault, ""},
	} {
		for variable, text := range map[string]string{"OVERCRANK_AGENT_NAME": c.env, "OVERCRANK_NAME": c.old} {
			t.Setenv(variable, text)
			if text == "" {
				os.Unsetenv(variable)
			}
		}
		got := settingsOf(t, append(c.args, "--config", path)...)[c.name]
		if strings.Join(got.Value, "|") != c.want || got.Source != c.from || got.Place != c.place {
			t.Errorf("%s with %v, %q and %q around: %+v, want %s by %s %s", c.name, c.args, c.env, c.old, got, c.want, c.from, c.place)
		}
	}
}

func TestMistakesInAConfigurationAreNamedByLine(t *testing.T) {
	for text, want := range map[string]string{
		"slots: 1\nslot: 2\n":            `line 2: there is no setting "slot"; did you mean slots?`,
		"Cache_Size: 2\n":                `line 1: there is no setting "Cache_Size"; did you mean cache-size?`,
		"until-stdin-ends: true\n":       `line 1: there is no setting "until-stdin-ends"`,
		"\n\nslots: many\n":              `line 3: slots: "many" is not a whole number`,
		"name: [a, b]\n":                 "line 1: name takes one value",
		"name: {a: b}\n":                 "line 1: name takes a value or a list of values",
		"slots: 1\nslots: 2\n":           `line 2: "slots" stands at line 1 already`,
		"just words\n":                   "line 1: a configuration is lines of the form key: value",
		"name: 'open\n":                  "found unexpected end of stream",
		"xyzzy: 1\n":                     `line 1: there is no setting "xyzzy"`,
		"config: /etc/other.yaml\n":      `line 1: there is no setting "config"`,
		"slots: 0\n":                     "an agent needs one slot at least",
		"slots: many\nnome: x\nrot: /\n": "did you mean name?",
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{"agent", "--config", farmtest.Configuration(t, text)}, &stdout, &stderr)
		if code != exit.Usage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%q: exit code %d and\n%swant %s", text, code, &stderr, want)
		}
	}
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"agent", "--config", "/nowhere/agent.yaml"}, &stderr, &stderr); code != exit.Usage || !strings.Contains(stderr.String(), "/nowhere/agent.yaml") {
		t.Errorf("a file that is not there: exit code %d, %s", code, &stderr)
	}
}

func TestSecretsOfAConfigurationAreNotPrinted(t *testing.T) {
	for _, args := range [][]string{{"agent", "config"}, {"agent", "config", "--json"}} {
		var stdout bytes.Buffer
		if code := run(t.Context(), append(args, "--join-token", "hush"), &stdout, &stdout); code != 0 || strings.Contains(stdout.String(), "hush") || !strings.Contains(stdout.String(), "(not shown)") {
			t.Errorf("%v: exit code %d\n%s", args, code, &stdout)
		}
	}
}

// TestTheExampleOfAConfigurationIsOne takes the marks of comment away, and expects a file that says what is so without one.
func TestTheExampleOfAConfigurationIsOne(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"agent", "config", "--example"}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	usual := settingsOf(t, "--config", os.DevNull)
	if as := settingsOf(t, "--config", farmtest.Configuration(t, stdout.String())); as["slots"].Source != configfile.SourceDefault {
		t.Errorf("the example as it is sets something: %+v", as)
	}
	plain := regexp.MustCompile(`(?m)^#(\S|  - )`).ReplaceAllString(stdout.String(), "$1")
	taken := settingsOf(t, "--config", farmtest.Configuration(t, plain))
	for name, s := range usual {
		if !strings.Contains(plain, "\n"+name+":") {
			t.Errorf("the example lacks %s", name)
		}
		if s.Source == configfile.SourceDefault && len(s.Value) > 0 && (strings.Join(taken[name].Value, "|") != strings.Join(s.Value, "|") || taken[name].Source != configfile.SourceFile) {
			t.Errorf("%s is %+v by default, and %+v by the example", name, s, taken[name])
		}
	}
}

func TestAFarmTakesItsFlagsFromAFileToo(t *testing.T) {
	path := farmtest.Configuration(t, "listen: 127.0.0.1:1\nlease: 7s\nallow-address: [10.0.0.0/8]\n")
	var c cli
	parser, err := newParser(&c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"coordinator", "--config", path, "--data-dir", t.TempDir(), "--lease", "9s"}); err != nil {
		t.Fatal(err)
	}
	if f := c.Coordinator.Flags; f.Listen != "127.0.0.1:1" || f.Lease.String() != "9s" || len(f.AllowAddress) != 1 {
		t.Errorf("%+v", f)
	}
}
