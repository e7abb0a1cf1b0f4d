package schedule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/farm/codec"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) // a Friday

func task(id string, edit ...func(*schedule.Task)) schedule.Task {
	t := schedule.Task{ID: id + ".1", Job: id, Team: "ours", Attempt: 1, Created: epoch}
	for _, e := range edit {
		e(&t)
	}
	return t
}

// machine has the embedded engine and some releases of After Effects.
func machine(id string, slots int, versions ...string) schedule.Machine {
	m := schedule.Machine{ID: id, Name: "box " + id, Slots: slots}
	m.Inventory.Engines = []farm.EngineInfo{{Kind: farm.EngineEmbedded, Version: "1"}}
	for _, v := range versions {
		m.Inventory.Engines = append(m.Inventory.Engines, farm.EngineInfo{Kind: farm.EngineAfterEffects, Version: v})
	}
	return m
}

// come adds machines and connects them.
func come(q *schedule.Queue, machines ...schedule.Machine) {
	for _, m := range machines {
		q.SetMachine(m)
		q.Connect(m.ID, schedule.Out{})
	}
}

func ids(grants []schedule.Grant) []string {
	var s []string
	for _, g := range grants {
		s = append(s, strings.TrimSuffix(g.Task.ID, ".1")+">"+g.Machine)
	}
	return s
}

func wantGrants(t *testing.T, q *schedule.Queue, now time.Time, want ...string) {
	t.Helper()
	if got := ids(q.Assign(now, 100)); !slices.Equal(got, want) {
		t.Errorf("granted %v, want %v", got, want)
	}
}

func TestOrderIsLevelThenPriorityThenAge(t *testing.T) {
	q := schedule.NewQueue()
	q.Add(task("late", func(t *schedule.Task) { t.Created = epoch.Add(time.Second) }), epoch)
	q.Add(task("early"), epoch)
	q.Add(task("important", func(t *schedule.Task) { t.Priority = 5; t.Created = epoch.Add(time.Minute) }), epoch)
	q.Add(task("rush", func(t *schedule.Task) { t.Level = farm.LevelRush; t.Priority = -10 }), epoch)
	q.Add(task("overnight", func(t *schedule.Task) { t.Level = farm.LevelOvernight; t.Priority = 1000 }), epoch)
	q.Add(task("tagged", func(t *schedule.Task) { t.Need.AllTags = []string{"gpu"}; t.Priority = 3 }), epoch)
	q.Add(task("sample", func(t *schedule.Task) { t.Sample = true; t.Created = epoch.Add(2 * time.Second) }), epoch)
	m := machine("m", 10)
	m.Tags = []string{"gpu"}
	come(q, m)
	wantGrants(t, q, epoch, "rush>m", "important>m", "tagged>m", "sample>m", "early>m", "late>m", "overnight>m")
}

func TestPriorityIsWorthALimitedWait(t *testing.T) {
	q := schedule.NewQueue()
	q.Add(task("urgent", func(t *schedule.Task) { t.Priority = 2; t.Created = epoch.Add(3 * schedule.PointOfPriority) }), epoch)
	q.Add(task("old"), epoch)
	q.Add(task("patient", func(t *schedule.Task) { t.Created = epoch.Add(2 * schedule.PointOfPriority) }), epoch)
	come(q, machine("m", 3))
	wantGrants(t, q, epoch, "old>m", "urgent>m", "patient>m")
}

func TestTasksGoOnlyToFittingMachines(t *testing.T) {
	embedded, ae25, ae26 := machine("embedded", 9), machine("ae25", 9, "25.3"), machine("ae26", 9, "26.0.2")
	ae26.Tags = []string{"gpu", "fast"}
	ae26.Inventory.Memory, ae26.Inventory.OS = 64e9, "windows"
	ae26.Inventory.Fonts = []farm.FontUse{{PostScript: "Futura-Bold"}}
	ae26.Inventory.Effects = []string{"tc Particular"}
	embedded.Inventory.Codecs = []string{codec.ProRes422}
	ae25.Inventory.Codecs = []string{codec.ProRes4444, codec.DefaultFilm}
	bare := schedule.Machine{ID: "bare", Slots: 9}
	tests := []struct {
		name string
		need schedule.Need
		want []string
	}{
		{"anything", schedule.Need{}, []string{"ae25", "ae26", "embedded"}},
		{"the farm's own", schedule.Need{Engine: schedule.EngineEmbedded}, []string{"ae25", "ae26", "embedded"}},
		{"any After Effects", schedule.Need{Engine: schedule.EngineAfterEffects}, []string{"ae25", "ae26"}},
		{"one release", schedule.Need{Engine: "ae2026"}, []string{"ae26"}},
		{"a release nobody has", schedule.Need{Engine: "ae2024"}, nil},
		{"a project of a later version", schedule.Need{Engine: schedule.EngineAfterEffects, SavedWith: "26.0"}, []string{"ae26"}},
		{"a project of an earlier version", schedule.Need{Engine: schedule.EngineAfterEffects, SavedWith: "17.5.1"}, []string{"ae25", "ae26"}},
		{"a project of a later minor version", schedule.Need{Engine: schedule.EngineAfterEffects, SavedWith: "25.4"}, []string{"ae26"}},
		{"a project of the same minor version", schedule.Need{Engine: schedule.EngineAfterEffects, SavedWith: "25.3.9"}, []string{"ae25", "ae26"}},
		{"tags", schedule.Need{AllTags: []string{"gpu"}}, []string{"ae26"}},
		{"one tag too many", schedule.Need{AllTags: []string{"gpu", "huge"}}, nil},
		{"one of some tags", schedule.Need{AnyTags: []string{"huge", "fast"}}, []string{"ae26"}},
		{"none of some tags", schedule.Need{NoTags: []string{"huge", "fast"}}, []string{"ae25", "embedded"}},
		{"memory", schedule.Need{MinMemory: 32e9}, []string{"ae26"}},
		{"system", schedule.Need{OS: "windows"}, []string{"ae26"}},
		{"a font that one has", schedule.Need{Fonts: []string{"Futura-Bold"}}, []string{"ae26"}},
		{"a font that nobody has", schedule.Need{Fonts: []string{"Comic"}}, []string{"ae25", "ae26", "embedded"}},
		{"an encoder that one lacks", schedule.Need{Writes: codec.H264}, []string{"ae25", "ae26"}},
		{"an encoder that all have", schedule.Need{Writes: codec.ProRes}, []string{"ae25", "ae26", "embedded"}},
		{"an effect", schedule.Need{Engine: schedule.EngineAfterEffects, Effects: []string{"tc Particular"}}, []string{"ae26"}},
		{"an effect that nobody has", schedule.Need{Engine: schedule.EngineAfterEffects, Effects: []string{"CC Nothing"}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, alone := range []schedule.Machine{ae25, ae26, embedded, bare} {
				q := schedule.NewQueue()
				for _, m := range []schedule.Machine{ae25, ae26, embedded, bare} {
					q.SetMachine(m)
				}
				q.Connect(alone.ID, schedule.Out{})
				q.Add(task("t", func(t *schedule.Task) { t.Need = tt.need }), epoch)
				granted := q.Assign(epoch, 9)
				if p := q.Explain(task("t", func(t *schedule.Task) { t.Need = tt.need }), epoch); (p.Fitting == 1) != (len(granted) == 1) {
					t.Errorf("%s: granted %v, but explained as %+v", alone.ID, ids(granted), p)
				}
				if len(granted) > 0 {
					got = append(got, alone.ID)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("goes to %v, want %v", got, tt.want)
			}
		})
	}
}

func TestNeedsDependOnWhatTheFarmHas(t *testing.T) {
	q := schedule.NewQueue()
	come(q, machine("plain", 9))
	need := schedule.Need{Engine: "ae2026", Effects: []string{"tc Particular"}, Fonts: []string{"Futura-Bold"}}
	add := func(id string) { q.Add(task(id, func(t *schedule.Task) { t.Need = need }), epoch) }
	add("before")
	wantGrants(t, q, epoch, "before>plain")
	add("after")
	adobe := machine("adobe", 1, "26.0")
	q.SetMachine(adobe)
	wantGrants(t, q, epoch)
	adobe.Inventory.Effects = []string{"tc Particular"}
	come(q, adobe)
	wantGrants(t, q, epoch, "after>adobe")
	add("fonts")
	font := machine("font", 1)
	font.Inventory.Fonts = []farm.FontUse{{PostScript: "Futura-Bold"}}
	q.SetMachine(font)
	q.Release("after.1", 1, epoch)
	wantGrants(t, q, epoch)
	q.RemoveMachine("font")
	wantGrants(t, q, epoch, "fonts>adobe")
	add("gone")
	q.RemoveMachine("adobe")
	wantGrants(t, q, epoch, "gone>plain")
}

func TestFailedMachineIsAvoidedForAWhile(t *testing.T) {
	failed := task("t", func(t *schedule.Task) { t.Avoid = []string{"bad"} })
	setUp := func() *schedule.Queue {
		q := schedule.NewQueue()
		come(q, machine("bad", 1), machine("good", 1))
		q.Hold(task("other"), "good", epoch)
		q.Add(failed, epoch)
		wantGrants(t, q, epoch)
		return q
	}
	q := setUp()
	q.Disconnect("good")
	wantGrants(t, q, epoch, "t>bad")
	q = setUp()
	q.Connect("good", schedule.Out{Why: schedule.OutAway})
	wantGrants(t, q, epoch, "t>bad")
	q = setUp()
	wantGrants(t, q, epoch.Add(schedule.AvoidFor-1))
	wantGrants(t, q, epoch.Add(schedule.AvoidFor), "t>bad")
}

func TestBarredMachineNeverGetsTheTask(t *testing.T) {
	q := schedule.NewQueue()
	come(q, machine("bad", 1))
	barred := task("t", func(t *schedule.Task) { t.Barred = []string{"bad"} })
	q.Add(barred, epoch)
	wantGrants(t, q, epoch.Add(1000*time.Hour))
	if p := q.Explain(barred, epoch); p.Fitting != 0 || p.Nearest == nil || !strings.Contains(p.Why.String(), "failed") {
		t.Errorf("explained as %+v", p)
	}
	q.Add(task("other"), epoch)
	wantGrants(t, q, epoch, "other>bad")
	come(q, machine("good", 1))
	wantGrants(t, q, epoch, "t>good")
}

func TestTasksWaitForNotBefore(t *testing.T) {
	q := schedule.NewQueue()
	come(q, machine("m", 5))
	at := epoch.Add(time.Minute)
	q.Add(task("t", func(t *schedule.Task) { t.NotBefore = at }), epoch)
	wantGrants(t, q, at.Add(-time.Nanosecond))
	if got := q.Wake(); !got.Equal(at) {
		t.Errorf("wakes at %v, want %v", got, at)
	}
	wantGrants(t, q, at, "t>m")
}

func TestDistantNotBefore(t *testing.T) {
	q := schedule.NewQueue()
	come(q, machine("m", 5))
	q.Add(task("t", func(t *schedule.Task) { t.NotBefore = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC) }), epoch)
	wantGrants(t, q, epoch.AddDate(100, 0, 0))
	if got := q.Wake(); got.Before(epoch.AddDate(100, 0, 0)) {
		t.Errorf("wakes at %v", got)
	}
}

func TestOlderAttemptDoesNotReplaceANewerOne(t *testing.T) {
	q := schedule.NewQueue()
	q.Add(task("t", func(t *schedule.Task) { t.Attempt = 3 }), epoch)
	q.Add(task("t", func(t *schedule.Task) { t.Attempt = 2 }), epoch)
	come(q, machine("m", 5))
	grants := q.Assign(epoch, 9)
	if len(grants) != 1 || grants[0].Task.Attempt != 3 {
		t.Errorf("granted %+v, want attempt 3 once", grants)
	}
	q.Add(task("t", func(t *schedule.Task) { t.Attempt = 3 }), epoch)
	wantGrants(t, q, epoch)
	q.Revoke(grants[0])
	q.Add(grants[0].Task, epoch)
	wantGrants(t, q, epoch, "t>m")
}

func TestMachinesWithoutWork(t *testing.T) {
	for _, out := range []schedule.OutKind{schedule.OutAway, schedule.OutDrained, schedule.OutPaused, schedule.OutAside, schedule.OutResting} {
		q := schedule.NewQueue()
		come(q, machine("m", 1))
		q.Connect("m", schedule.Out{Why: out})
		q.Add(task("t"), epoch)
		wantGrants(t, q, epoch)
		q.Connect("m", schedule.Out{})
		wantGrants(t, q, epoch, "t>m")
		q.Connect("m", schedule.Out{Why: out})
		q.Release("t.1", 1, epoch)
		q.Add(task("u"), epoch)
		wantGrants(t, q, epoch)
	}
}

func TestNeedOfAJob(t *testing.T) {
	template := &farm.Template{SavedWith: "26.1", Effects: []string{"tc Particular"}}
	job := farm.Job{MissingFonts: []string{"Futura"}, RequireTags: []string{"gpu"}, Limits: []string{"particular"}}
	edit := func(change func(*farm.Job)) farm.Job {
		j := job
		change(&j)
		return j
	}
	base := schedule.Need{AllTags: []string{"gpu"}, Limits: []string{"particular"}}
	render := base
	render.Engine, render.SavedWith, render.Fonts, render.Effects = schedule.EngineAfterEffects, "26.1", job.MissingFonts, template.Effects
	asked, preview, own := render, base, base
	asked.Engine, asked.SavedWith = "ae2025", ""
	preview.Fonts, own.Fonts, own.Engine = job.MissingFonts, job.MissingFonts, schedule.EngineEmbedded
	film := func(settings farm.Settings) farm.Job { return edit(func(j *farm.Job) { j.Settings = settings }) }
	writing := func(n schedule.Need, family string) schedule.Need {
		n.Writes = family
		return n
	}
	prores := film(farm.Settings{Codec: codec.ProRes4444})
	for name, tt := range map[string]struct {
		job  farm.Job
		task farm.Task
		want schedule.Need
	}{
		"a film":                   {prores, farm.Task{Kind: farm.TaskRender}, writing(render, codec.ProRes)},
		"a part of a film":         {prores, farm.Task{Kind: farm.TaskRender, Part: true}, render},
		"the sound of a film":      {prores, farm.Task{Kind: farm.TaskSound}, render},
		"a sample of a film":       {prores, farm.Task{Kind: farm.TaskSample}, render},
		"a film of parts":          {prores, farm.Task{Kind: farm.TaskAssemble}, writing(base, codec.ProRes)},
		"a picture":                {film(farm.Settings{Codec: codec.JPEG}), farm.Task{Kind: farm.TaskRender}, writing(render, "JPEG")},
		"a render":                 {job, farm.Task{Kind: farm.TaskRender}, writing(render, codec.H264)},
		"sound":                    {job, farm.Task{Kind: farm.TaskSound}, render},
		"a sample":                 {job, farm.Task{Kind: farm.TaskSample}, render},
		"with an engine":           {edit(func(j *farm.Job) { j.Settings.Engine = "ae2025" }), farm.Task{Kind: farm.TaskRender}, writing(asked, codec.H264)},
		"a preview":                {edit(func(j *farm.Job) { j.Preview = true }), farm.Task{Kind: farm.TaskRender}, writing(preview, codec.H264)},
		"a part of the farm's own": {job, farm.Task{Kind: farm.TaskRender, Engine: farm.EngineEmbedded, Part: true}, own},
		"clips":                    {edit(func(j *farm.Job) { j.Join = true }), farm.Task{Kind: farm.TaskJoin}, writing(base, codec.H264)},
		"assembly":                 {job, farm.Task{Kind: farm.TaskAssemble}, writing(base, codec.H264)},
		"a still":                  {film(farm.Settings{Type: "image"}), farm.Task{Kind: farm.TaskRender}, writing(render, "PNG")},
		"a project":                {film(farm.Settings{Type: "aep"}), farm.Task{Kind: farm.TaskRender}, render},
	} {
		if got := schedule.NeedOf(tt.job, template, tt.task); fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s needs %+v, want %+v", name, got, tt.want)
		}
	}
}

func TestReleaseOfAVersion(t *testing.T) {
	for version, want := range map[string]schedule.Engine{"26.0.2": "ae2026", "25": "ae2025", "": "", "x": "", "-1.2": ""} {
		if got := schedule.Release(version); got != want {
			t.Errorf("Release(%q) = %q, want %q", version, got, want)
		}
	}
}
