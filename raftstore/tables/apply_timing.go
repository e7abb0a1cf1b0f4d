package tables

import (
	"cmp"
	"slices"
	"strings"

	"overcrank/farm"
)

// maxTimings is how many timings of one project's file are kept: of its compositions, and of each on each machine. When there
// are more, the oldest quarter goes.
const maxTimings = 2000

// maxTimedName is how much of a composition's name tells its timings from another's, in bytes.
const maxTimedName = 200

// TimingKey names a kind of work whose duration is measured.
type TimingKey struct {
	File        string // content of the project's file, as SHA-256 in hex
	Composition string
	Kind        farm.TaskKind // farm.TaskRender also for samples
	Engine      string        // kind of engine; "" for work that needs none
	Quality     string        // of the job's settings
}

// TimingKeyOf is the kind of work of a task; kept is false when the project is not a file that timings are kept for.
func TimingKeyOf(job farm.Job, template farm.Template, kind farm.TaskKind, engine string) (key TimingKey, kept bool) {
	if job.Template.ID == "" || template.File == nil || job.Join {
		return TimingKey{}, false
	}
	key = TimingKey{File: template.File.SHA256, Composition: job.Template.Composition, Kind: kind, Quality: job.Settings.Quality}
	switch {
	case kind == farm.TaskSample:
		key.Kind = farm.TaskRender
	case job.Preview:
		key.Quality = "preview"
	}
	if kind != farm.TaskAssemble {
		key.Engine, _, _ = strings.Cut(engine, " ")
	}
	if key.Composition == "" && len(template.Compositions) == 1 {
		key.Composition = template.Compositions[0]
	}
	return key, true
}

// prefix begins the keys of a kind of work: that of all machines together, then one of each.
func (k TimingKey) prefix() string {
	name := strings.ReplaceAll(k.Composition, sep, " ")
	name = name[:min(len(name), maxTimedName)]
	return strings.Join([]string{k.File, string(k.Kind), k.Engine, k.Quality, name, ""}, sep)
}

// keepTiming adds how long an attempt took to the timings of its machine and of all machines.
func (t *tables) keepTiming(task farm.Task, job farm.Job, end ending) {
	if !end.measured.Usable() {
		return
	}
	template, ok := t.template(job.Template.ID)
	template = template.RenderedBy(job)
	key, kept := TimingKeyOf(job, template, task.Kind, end.measured.Engine)
	if !ok || !kept {
		return
	}
	for _, agent := range []string{"", task.Agent} {
		place := key.prefix() + agent
		timing, known := get[farm.Timing](t, bucketTimings, place)
		if !known {
			t.add(countOfTimings(key.File), 1)
		}
		timing.Add(end.measured, end.at)
		put(t, bucketTimings, place, timing)
	}
	if t.count(countOfTimings(key.File)) > maxTimings {
		t.forgetTimings(key.File, maxTimings/4)
	}
}

// forgetTimings removes the oldest timings of a project's file.
func (t *tables) forgetTimings(file string, most int) {
	type entry struct {
		key    string
		timing farm.Timing
	}
	var entries []entry
	for _, rest := range t.keysUnder(bucketTimings, file+sep) {
		if timing, ok := get[farm.Timing](t, bucketTimings, file+sep+rest); ok {
			entries = append(entries, entry{file + sep + rest, timing})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(a.timing.At.Compare(b.timing.At), strings.Compare(a.key, b.key))
	})
	entries = entries[:min(most, len(entries))]
	for _, e := range entries {
		t.remove(bucketTimings, e.key)
	}
	t.add(countOfTimings(file), -len(entries))
}

// dropTimings forgets the timings of a file that no template has any more.
func (t *tables) dropTimings(file *farm.FileRef) {
	if file != nil && t.count(countOfTemplateRefs(file.SHA256)) == 0 {
		t.forgetTimings(file.SHA256, t.count(countOfTimings(file.SHA256)))
	}
}

// dropTimingsOf forgets the timings of the files that a template had and that none has any more.
func (t *tables) dropTimingsOf(was farm.Template) {
	t.dropTimings(was.File)
	for i := range was.Versions {
		if version := &was.Versions[i]; version.Kept {
			t.dropTimings(&version.File)
		}
	}
}

// Timings reads how long a kind of work has taken: on all machines together, and on each by its id. The zero Timing stands for
// what was never measured.
func (tx *Tx) Timings(key TimingKey) (all farm.Timing, machines map[string]farm.Timing, err error) {
	machines = map[string]farm.Timing{}
	prefix := key.prefix()
	for _, agent := range tx.t.keysUnder(bucketTimings, prefix) {
		timing, _ := get[farm.Timing](tx.t, bucketTimings, prefix+agent)
		if agent == "" {
			all = timing
		} else {
			machines[agent] = timing
		}
	}
	return all, machines, tx.t.err
}

// Timing reads how long a kind of work has taken on all machines together; the zero Timing when it was never measured.
func (tx *Tx) Timing(key TimingKey) (farm.Timing, error) {
	timing, _ := get[farm.Timing](tx.t, bucketTimings, key.prefix())
	return timing, tx.t.err
}
