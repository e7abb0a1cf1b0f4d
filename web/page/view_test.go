package page

import (
	"strings"
	"testing"

	"overcrank/coordinator/dispatch"
	"overcrank/farm"
)

func TestAFilmStripHasACellForEveryStretchOfFrames(t *testing.T) {
	for _, c := range []struct {
		name   string
		job    Job
		cells  int
		filled []int // cells that have a picture
	}{
		{"nothing known", Job{}, stripSlots, nil},
		{"a film", Job{Job: farm.Job{FramesTotal: 240}, Thumbs: []int{0, 10, 239}}, stripSlots, []int{0, 11}},
		{"a short film", Job{Job: farm.Job{FramesTotal: 5}, Thumbs: []int{4}}, 5, []int{4}},
		{"a range", Job{Job: farm.Job{FramesTotal: 48, Settings: farm.Settings{Frames: &farm.Frames{Start: 100, End: 147}}}, Thumbs: []int{100, 147}}, stripSlots, []int{0, 11}},
		{"one still", Job{Job: farm.Job{FramesTotal: 1, Settings: farm.Settings{Frames: &farm.Frames{Start: 9, End: 9, Single: true}}}, Thumbs: []int{9}}, 1, []int{0}},
		{"pictures before the length is known", Job{Thumbs: []int{0, 3, 900}}, stripSlots, []int{0, 11}},
	} {
		slots := c.job.Slots()
		if len(slots) != c.cells {
			t.Errorf("%s: %d cells, want %d", c.name, len(slots), c.cells)
		}
		var filled []int
		for i, s := range slots {
			if s.Thumb >= 0 {
				filled = append(filled, i)
			}
			if i > 0 && s.First != slots[i-1].Last+1 {
				t.Errorf("%s: cell %d begins at %d, the one before ends at %d", c.name, i, s.First, slots[i-1].Last)
			}
		}
		if len(filled) != len(c.filled) {
			t.Errorf("%s: cells %v have pictures, want %v", c.name, filled, c.filled)
			continue
		}
		for i := range filled {
			if filled[i] != c.filled[i] {
				t.Errorf("%s: cells %v have pictures, want %v", c.name, filled, c.filled)
			}
		}
	}
}

func TestTasksOfOneMachineAreOneMachine(t *testing.T) {
	for want, agents := range map[string][]string{
		"40 % done, on 2 machines": {"a", "b", "a"}, "40 % done": {"a", "a"}, "Frame 13 of 30": {"a"}, "40 % done, on 3 machines": {"", "", ""},
	} {
		j := Job{Job: farm.Job{Status: farm.JobRendering, Progress: 40, FramesTotal: 30}, Frame: 12}
		for _, agent := range agents {
			j.Working = append(j.Working, farm.RunningTask{Agent: agent})
		}
		if got := j.Sentence(t.Context()); got != want {
			t.Errorf("tasks at %q: %q, want %q", agents, got, want)
		}
	}
}

func TestTheStripTellsWhatIsDoneAndWhatIsRendered(t *testing.T) {
	slots := Job{Job: farm.Job{Status: farm.JobRendering, FramesTotal: 120}, Frame: 35}.Slots()
	for i, s := range slots {
		want := ""
		switch {
		case i < 3:
			want = "done"
		case i == 3:
			want = "now"
		}
		if got := s.class(); got != want {
			t.Errorf("cell %d is %q, want %q", i, got, want)
		}
	}
	for _, s := range (Job{Job: farm.Job{Status: farm.JobFailed, FramesTotal: 120}, Frame: 35}).Slots() {
		if s.Now || s.Done {
			t.Errorf("a failed job has the cell %+v", s)
		}
	}
}

func TestHomeAnswersInASentence(t *testing.T) {
	for want, h := range map[string]Home{
		"The farm is ready.": {Machines: 1},
		"All is well: 2 jobs are rendering, 1 is waiting.": {Machines: 1, Active: 2, Waiting: 1},
		"All is well: 1 job is rendering.":                 {Machines: 1, Active: 1},
		"All is well: everything is done.":                 {Machines: 1, Recent: make([]Job, 1)},
		"No machine is connected, so jobs wait.":           {Waiting: 1},
		"1 failed job needs you.":                          {Machines: 1, Active: 2, Failed: 1},
		"57 failed jobs need you.":                         {Failed: 57},
		"1,000 or more failed jobs need you; 2 jobs wait for approval; 1 job waits that no machine can render.": {
			Failed: 1000, More: More{Failed: true}, Stuck: []Stuck{{Jobs: make([]Job, 1), More: 1, Ask: true}, {Jobs: make([]Job, 1)}},
		},
		"4 or more jobs wait for approval; 3 or more jobs wait that no machine can render.": {
			Stuck: []Stuck{{Jobs: make([]Job, 3), More: 1, Ask: true, Least: true}, {Jobs: make([]Job, 3), Least: true}},
		},
	} {
		if got := h.Answer(t.Context()); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestErrorsBecomeSentences(t *testing.T) {
	for in, want := range map[string]string{"": "", "no such job": "No such job.", "Is it?": "Is it?", "über": "Über.", "it is cut o…": "It is cut o…"} {
		if got := sentence(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestThePulseCountsNoMachinesThatNobodyKnowsOf(t *testing.T) {
	for want, p := range map[string]Pulse{"<b>2</b> machines": {Waiting: 3, Machines: 2}, "no leader": {Waiting: 3, Leaderless: true}} {
		var b strings.Builder
		if err := PulseLine(p).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if said := b.String(); !strings.Contains(said, want) || !strings.Contains(said, "<b>3</b> waiting") || p.Leaderless && strings.Contains(said, "machine") {
			t.Errorf("%+v is told as %s", p, said)
		}
	}
}

func TestWhichMachinesCouldRenderATemplateIsSaid(t *testing.T) {
	none := farm.Placement{Agents: 3, Nearest: &farm.NearAgent{ID: "m1", Name: "Suite 4", Lacks: []farm.Text{farm.AsIs("the font X")}}, Requirements: []farm.Requirement{{Kind: "font", Wants: farm.AsIs("X"), RulesOut: 3}}}
	some := []farm.NearAgent{{ID: "m2", Name: "Suite 2"}}
	for want, able := range map[string]dispatch.Able{
		"No machine is connected.":                                     {},
		"No machine can render this template as it is.":                {Placement: none},
		`href="/settings/fonts">Add the font</a>`:                      {Placement: none},
		`href="/machines/m1" dir="auto">Suite 4</a> lacks the font X`:  {Placement: none},
		"2 of 3 machines that are connected can render this template.": {Placement: farm.Placement{Agents: 3, Fitting: 2}, Machines: some},
		`href="/machines/m2" dir="auto">Suite 2</a> and 1 more`:        {Placement: farm.Placement{Agents: 3, Fitting: 2}, Machines: some},
		"All 3 machines that are connected can render this template.":  {Placement: farm.Placement{Agents: 3, Fitting: 3}, Machines: some},
		"1 machine is connected, and can render this template.":        {Placement: farm.Placement{Agents: 1, Fitting: 1}, Machines: some},
	} {
		if html := htmlOf(t, ableCard(Shell{Reader: farm.Principal{Role: farm.RoleOperator, FirstTeam: true}}, Template{}, Able{Able: able, Known: true})); !strings.Contains(html, want) {
			t.Errorf("%q is not said in %s", want, html)
		}
	}
}
