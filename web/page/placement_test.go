package page

import (
	"slices"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/web/language"
)

func TestARequirementThatNoMachineMeetsHasAWayOut(t *testing.T) {
	p := farm.Placement{Agents: 3, Requirements: []farm.Requirement{{Kind: "engine", RulesOut: 1}, {Kind: "font", Wants: farm.Say("the font %s", "Lora"), RulesOut: 3}}}
	s := Shell{Reader: farm.Principal{Role: farm.RoleArtist}}
	if words, href := wayOut(s, p); href != "/settings/fonts" || !strings.Contains(words, "Add the font") {
		t.Errorf("the way out is %q at %q", words, href)
	}
	if words, href := wayOut(Shell{Reader: farm.Principal{Role: farm.RoleViewer}}, p); href != "/machines" || !strings.Contains(words, "Look at the machines") {
		t.Errorf("who may add no fonts is sent to %q at %q", words, href)
	}
	p.Requirements[1].Kind = "tags"
	for role, want := range map[farm.Role]string{farm.RoleArtist: "Look at the machines", farm.RoleProducer: "Look at the machines", farm.RoleOperator: "Change a machine’s tags"} {
		if words, _ := wayOut(Shell{Reader: farm.Principal{Role: role, FirstTeam: true}}, p); words != want {
			t.Errorf("the way out of a %s is %q", role, words)
		}
	}
	p.Fitting = 1
	if words, _ := wayOut(s, p); words != "" {
		t.Errorf("a job that some machine fits is told %q", words)
	}
}

func TestWhyATaskWaitsInAWord(t *testing.T) {
	full := []farm.Requirement{{Kind: "limit", RulesOut: 2}}
	for want, p := range map[string]farm.Placement{
		"No machine": {},
		"None fits":  {Agents: 2},
		"Limit full": {Agents: 2, Fitting: 2, Requirements: full},
		"Held back":  {Agents: 2, Fitting: 2},
		"All busy":   {Agents: 2, Fitting: 2, Start: &farm.Span{High: 9}},
		"Next":       {Agents: 2, Fitting: 2, Free: 1, Start: &farm.Span{}},
	} {
		if got := WhyWord(p, false).Said(t.Context()); got != want {
			t.Errorf("%+v waits for %q, want %q", p, got, want)
		}
	}
	if got := WhyWord(farm.Placement{}, true).Said(t.Context()); got != "Paused" {
		t.Errorf("on a paused farm it waits for %q", got)
	}
}

func TestASplitJobIsAStripOfItsRanges(t *testing.T) {
	frames := func(from, to int) *farm.Frames { return &farm.Frames{Start: from, End: to} }
	all := []Task{
		{Task: farm.Task{ID: "j.1", Kind: farm.TaskRender, Part: true, Status: farm.TaskDone, Frames: frames(0, 49), Parts: []farm.TaskPart{{Frames: *frames(0, 49)}}}},
		{Task: farm.Task{ID: "j.2", Kind: farm.TaskRender, Part: true, Status: farm.TaskLeased, Failures: 1, Frames: frames(60, 99), Parts: []farm.TaskPart{{Frames: *frames(50, 59)}}},
			AgentName: "suite-4", Running: &farm.RunningTask{Progress: 50}},
		{Task: farm.Task{ID: "j.3", Kind: farm.TaskSound, Part: true, Status: farm.TaskReady}},
		{Task: farm.Task{ID: "j.4", Kind: farm.TaskAssemble, Status: farm.TaskBlocked}},
		{Task: farm.Task{ID: "j.5", Kind: farm.TaskRender, Part: true, Redo: 1, Status: farm.TaskReady, Frames: frames(3, 3)}},
	}
	tasks := Tasks{Ranges: RangesOf(t.Context(), all, map[string][]farm.AttemptRecord{
		"j.1": {{AgentName: "suite-1", Measured: farm.Measured{Frames: 30, FrameSeconds: 12}}, {Agent: "gone", Measured: farm.Measured{Frames: 20, FrameSeconds: 50}}},
		"j.2": {{AgentName: "suite-1", Measured: farm.Measured{Frames: 10, FrameSeconds: 4}}},
	})}
	if shown := InStrip(all); len(shown) != 2 || shown[0].ID != "j.1" || shown[1].ID != "j.2" {
		t.Errorf("the strip shows %v", shown)
	}
	if shown := InStrip(slices.Repeat(all, mostRanges)); len(shown) != mostRanges {
		t.Errorf("of a film of many ranges the attempts of %d are read, want %d", len(shown), mostRanges)
	}
	bars := tasks.Bars()
	if len(bars) != 2 || bars[0].Class != "finished" || bars[1].From != "500.000" || bars[1].Done != "298.800" {
		t.Errorf("the strip is %+v", bars)
	}
	if want := "Frames 0 to 49: Done, suite-1 (0.4\u00a0s a frame), gone (2.5\u00a0s a frame)"; bars[0].Words != want {
		t.Errorf("a range says %q, want %q", bars[0].Words, want)
	}
	if want := "Frames 50 to 99: At work, suite-4, suite-1 (0.4\u00a0s a frame), failed 1 time before"; bars[1].Words != want {
		t.Errorf("a range says %q, want %q", bars[1].Words, want)
	}
	if want := "1 of 2 ranges done, 1 rendering"; tasks.Words(t.Context()) != want {
		t.Errorf("the strip says %q, want %q", tasks.Words(t.Context()), want)
	}
}

func TestPlacesInLineAreNumberedAsTheLanguageDoes(t *testing.T) {
	for want, c := range map[string]struct {
		l farm.Language
		n int
	}{
		"2nd": {farm.English, 2}, "3rd": {farm.English, 3}, "4th": {farm.English, 4}, "11th": {farm.English, 11}, "21st": {farm.English, 21},
		"112th": {farm.English, 112}, "2.": {farm.German, 2}, "2e": {farm.French, 2},
	} {
		if got := ordinal(language.With(t.Context(), c.l), c.n); got != want {
			t.Errorf("%d in %s is %q, want %q", c.n, c.l, got, want)
		}
	}
}
