package completion

import (
	"errors"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

type show struct {
	Job  string `arg:"" complete:"job"`
	JSON bool   `name:"json" help:"Print JSON."`
}

// program has what the real one has, in small.
type program struct {
	Server string `help:"Where."`
	Quiet  bool   `short:"q" help:"Say less."`
	Secret string `hidden:""`
	Jobs   struct {
		List struct {
			State string `enum:"queued,finished" default:"queued"`
		} `cmd:"" default:"withargs" help:"List jobs."`
		Show   show `cmd:"" help:"Show a job.\nAll of it."`
		Cancel struct {
			Jobs []string `arg:"" complete:"job"`
		} `cmd:"" aliases:"stop"`
	} `cmd:"" help:"Work."`
	Add struct {
		Name  string `arg:""`
		File  string `arg:"" type:"existingfile"`
		Limit int    `short:"l"`
	} `cmd:"" help:"Add."`
	Inner struct{} `cmd:"" hidden:""`
}

func TestSuggest(t *testing.T) {
	parser, err := kong.New(&program{})
	if err != nil {
		t.Fatal(err)
	}
	source := func(kind string, flags map[string]string) []Candidate {
		if kind != "job" {
			t.Errorf("asked for %q", kind)
		}
		return []Candidate{{"J1", "at " + flags["server"]}, {"j2", ""}, {"X", ""}, {"", "no word"}}
	}
	for _, c := range []struct{ words, want string }{
		{"", "jobs add"},
		{"j", "jobs"},
		{"jobs ", "list show cancel"},
		{"jobs s", "show"},
		{"jobs show ", "J1 j2 X"},
		{"jobs show j", "J1 j2"},
		{"jobs show J1 ", ""},
		{"jobs stop J1 j2 x", "X"},
		{"--server http://h jobs show J", "J1(at http://h) j2"},
		{"--server=http://h jobs show J", "J1(at http://h) j2"},
		{"--server jobs jobs show J", "J1(at jobs) j2"},
		{"-q jobs sh", "show"},
		{"jobs --st", "--state"},
		{"jobs --state ", "queued finished"},
		{"jobs --state=f", "--state=finished"},
		{"jobs list --unknown=f", ""},
		{"jobs show --j", "--json"},
		{"jobs show --json J", "J1 j2"},
		{"jobs show -- --", ""},
		{"jobs show -- J", "J1 j2"},
		{"add ", ""},
		{"add x ", ":files"},
		{"add -l 5 x ", ":files"},
		{"add -l ", ""},
		{"--se", "--server"},
		{"unknown ", ""},
	} {
		got, files := Suggest(parser.Model, strings.Split(c.words, " "), source)
		var list []string
		for _, candidate := range got {
			word := candidate.Word
			if strings.HasPrefix(candidate.Help, "at h") || candidate.Help == "at jobs" {
				word += "(" + candidate.Help + ")"
			}
			list = append(list, word)
		}
		if files {
			list = append(list, ":files")
		}
		if text := strings.Join(list, " "); text != c.want {
			t.Errorf("%q is completed to %q, want %q", c.words, text, c.want)
		}
	}
}

func TestAnswersKeepToTheirLines(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, []Candidate{{"a\nb", "x\ty"}, {"c", ""}}, true); err != nil || b.String() != "a b\tx y\nc\n:files\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestThereIsAScriptForEachShell(t *testing.T) {
	for _, shell := range Shells() {
		if text, err := Script(shell); err != nil || !strings.Contains(text, "complete --") && !strings.Contains(text, "complete '--'") {
			t.Errorf("%s: %v\n%s", shell, err, text)
		}
	}
	if _, err := Script("csh"); err == nil {
		t.Error("csh has a script")
	}
}

func FuzzSuggest(f *testing.F) {
	parser, err := kong.New(&program{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("jobs show J")
	f.Add("-- --=x -")
	f.Fuzz(func(t *testing.T, line string) {
		words := strings.Split(line, " ")
		candidates, _ := Suggest(parser.Model, words, func(string, map[string]string) []Candidate { return []Candidate{{"w", ""}} })
		for _, c := range candidates {
			if c.Word == "" {
				t.Fatalf("%q is completed to nothing", line)
			}
		}
		if help, explained := Misspelt(parser.Model, words, errors.New("unexpected argument x")); explained == nil || help == "" {
			t.Fatalf("%q is explained as %v, %q", line, explained, help)
		}
	})
}
