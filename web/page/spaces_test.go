package page

import (
	"regexp"
	"testing"
	"time"

	"github.com/a-h/templ"

	"overcrank/aep"
	"overcrank/coordinator/cluster"
	"overcrank/farm"
)

// gluedWords finds text that touches that of an element beside it: templates leave out the white space where lines end.
var gluedWords = regexp.MustCompile(`.{0,60}(?:[\pL\pN.,:;)”·]<(?:time|b|a|code|span)\b|</(?:time|b|a|code|span)>[\pL\pN(“·]).{0,60}`)

func TestNoWordsTouch(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	admin := Shell{Reader: farm.Principal{Role: farm.RoleAdmin, FirstTeam: true, Name: "Ann"}, Pause: Pause{On: true, At: at, By: "Ann"}}
	job := Job{Job: farm.Job{
		ID: "j1", Name: "Spot", Status: farm.JobQueued, CreatedAt: at, StartedAt: at, Approve: true, ApprovedAt: at, ApprovedBy: "Ann", SubmittedBy: "Bea",
		NotBefore: at, RequireTags: []string{"gpu"}, MissingFonts: []string{"A", "B"}, Warnings: []string{"careful"}, Priority: 3,
		Webhook: &farm.Webhook{URL: "https://x.example"}, Batch: "b1", Template: farm.JobTemplate{ID: "t1", Composition: "main"},
	}, Template: "Card", Delivery: &farm.Delivery{Tries: 3, EndedAt: at, Error: "refused"}}
	placed := &farm.Placement{
		Task: "j1.1", Why: farm.AsIs("No machine has it."), Place: 2, Agents: 3, Fitting: 1, Free: 1, Start: &farm.Span{Low: 10, High: 90}, Finish: &farm.Span{Low: 20, High: 200},
		Nearest: &farm.NearAgent{ID: "m1", Name: "Suite 4", Lacks: []farm.Text{farm.AsIs("the font X")}}, Requirements: []farm.Requirement{{Kind: "font", Wants: farm.AsIs("X"), RulesOut: 3}},
	}
	done := job
	done.Status, done.FinishedAt = farm.JobFinished, at
	done.Job.Output = &farm.OutputRef{GoneAt: at, Width: 1, Height: 1, Remote: &farm.RemoteObject{Endpoint: "https://s3.example"}}
	failed := job
	failed.Status, failed.Error, failed.ErrorAt = farm.JobFailed, "it broke", at
	machine := Machine{Runs: []Run{{RunningTask: farm.RunningTask{Job: "j1", Frame: 3}, Title: "Spot", Total: 9}, {}}, Machine: farm.Machine{Agent: farm.Agent{ID: "m1", Name: "Suite 4", Paused: true, EnrolledAt: at}, LastSeen: at}, Jobs: []Job{job}, Others: 2}
	for name, c := range map[string]templ.Component{
		"waiting job": JobBody(admin, JobView{Job: job, Placement: placed, Samples: []int{0, 5}}), "finished job": JobBody(admin, JobView{Job: done}),
		"failed job": JobBody(admin, JobView{Job: failed}), "pause": PauseBanner(admin), "machine": MachineHead(admin, machine),
		"machines": MachinesBody(admin, Machines{All: 1, Found: 1, Machines: []Machine{machine}, Counts: map[farm.MachineState]int{farm.MachineFree: 1}}),
		"day":      MachineDayPart(MachineDay{Now: at, Jobs: []Choice{{"j1", "Spot"}, {"j2", "Card"}}, MachineDay: farm.MachineDay{Since: at.Add(-time.Hour), Parts: []farm.MachinePart{{From: at, Failed: 1, Jobs: 2, Seconds: [farm.MachineUses]float64{100, 100, 9, 9}}}}}),
		"hours":    machineSchedule(MachinePageValues{Machine: Machine{Machine: farm.Machine{Rules: &farm.WorkRules{Zone: "CET"}}}, Now: at}),
		"pictures": MachinesBody(admin, Machines{All: 1, Found: 1, Filter: MachineFilter{Wall: true}, Machines: []Machine{machine}}),
		"home":     HomeBody(admin, Home{Rendering: []Job{job}, Next: []Job{job}, Failed: 4, Causes: []FailureGroup{{Name: "suite-1", Own: true}}, Recent: []Job{done}, Stuck: []Stuck{{Why: farm.AsIs("why"), Jobs: []Job{job}, More: 3}}}),
		"people":   TokensPage(admin, Tokens{People: true, Own: "k1", All: []farm.Token{{ID: "k1", Name: "Ann", CreatedAt: at}}, Made: &farm.Token{Name: "Ann"}, Secret: "x", Until: at}),
		"template": TemplateBody(admin, Template{Template: farm.Template{ID: "t1", Status: farm.TemplateUploaded}, Summary: &aep.Summary{
			Version: "24", Warnings: []string{"w"}, Footage: []aep.FootageSummary{{Name: "a.png", Media: "image", Used: true}}, Fonts: []aep.FontSummary{{PostScript: "Inter"}},
			Compositions: []aep.CompositionSummary{{ID: 1, Name: "main", Root: true, Layers: []aep.LayerSummary{{Name: "Picture", Missing: "a.png", Media: "image"}}}},
		}}),
		"coordinators": CoordinatorsBody(Coordinators{Status: cluster.Status{Self: "n1", Members: []cluster.Member{{Coordinator: farm.Coordinator{ID: "n1", Name: "north"}}}}}),
		"queue":        QueueBody(admin, Queue{Lines: []QueueLine{}}),
	} {
		for _, words := range gluedWords.FindAllString(htmlOf(t, c), -1) {
			t.Errorf("%s: words without a space between them: %s", name, words)
		}
	}
}
