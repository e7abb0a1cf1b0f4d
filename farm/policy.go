package farm

import (
	"cmp"
	"time"
)

// Policy is how the farm shares its machines, as its administrators set it. The zero value is a farm where nothing is
// set.
type Policy struct {
	Revision int       `json:"revision"` // counts the changes; a change names the revision that it is based on
	At       time.Time `json:"at,omitzero"`
	By       string    `json:"by,omitempty"`

	Paused bool `json:"paused,omitempty"` // no new tasks are started
	// PausedAt and PausedBy are since when and by whom. The state sets them; a change cannot.
	PausedAt time.Time `json:"pausedAt,omitzero"`
	PausedBy string    `json:"pausedBy,omitempty"`

	Levels map[Level]LevelPolicy  `json:"levels,omitempty"`
	Teams  map[string]TeamPolicy  `json:"teams,omitempty"` // by id
	Limits map[string]LimitPolicy `json:"limits,omitempty"`
	Split  SplitPolicy            `json:"split,omitzero"`
	Retry  RetryPolicy            `json:"retry,omitzero"`
	// Scripts says whose jobs may bring their own scripts.
	Scripts ScriptPolicy `json:"scripts,omitzero"`
	// MaxMachinesPerJob is how many machines may render one job at once; 0 for any number.
	MaxMachinesPerJob int `json:"maxMachinesPerJob,omitempty"`
	// MaxSlotsPerMachine is how many tasks one machine runs at once at most, whatever it asks for; 0 means MostSlots.
	MaxSlotsPerMachine int `json:"maxSlotsPerMachine,omitempty"`
}

// LevelPolicy is how one level is served.
type LevelPolicy struct {
	Paused bool `json:"paused,omitempty"`
	// MaxShare is the largest share of the farm's slots that the level may take, above 0 and up to 1; 0 for all.
	MaxShare float64 `json:"maxShare,omitempty"`
	// Hours are when the level takes its turn among the others, in the farm's time zone; none means always. Outside of
	// them it gets only machines that nothing else wants.
	Hours []Hours `json:"hours,omitempty"`
	// Role is the least role that may choose the level, "" for the default (Policy.LeastFor). Only rush has one: whoever
	// may submit may choose the others.
	Role Role `json:"role,omitempty"`
}

// LeastFor is the least role that may choose a level for a job. Rush goes before the work of all other teams, so it
// needs more than submitting does, unless the policy says otherwise.
func (p Policy) LeastFor(level Level) Role {
	if level != LevelRush {
		return ActSubmit.Grant().Least
	}
	return cmp.Or(p.Levels[level].Role, ActRush.Grant().Least)
}

// MayRush is nil when the principal may choose the level rush for a job, and otherwise an error of CodeForbidden.
func (p Policy) MayRush(who Principal) error {
	if err := who.MayAs(ActRush, p.LeastFor(LevelRush)); err != nil {
		return Errorf(CodeForbidden, "%w; choose the level normal, or ask somebody with that role to move the job to rush", err)
	}
	return nil
}

// ScriptPolicy is about assets of the type script. After Effects runs them with all the rights of its user on the
// machine; the embedded engine gives them only the project.
type ScriptPolicy struct {
	// Role is the least role whose jobs may have them, "" for that of ActRunScripts.
	Role Role `json:"role,omitempty"`
}

// LeastForScripts is the least role whose jobs may have assets of the type script.
func (p Policy) LeastForScripts() Role { return cmp.Or(p.Scripts.Role, ActRunScripts.Grant().Least) }

// MayRunScripts is nil when the principal's jobs may have assets of the type script, and otherwise an error of CodeForbidden.
func (p Policy) MayRunScripts(who Principal) error {
	if err := who.MayAs(ActRunScripts, p.LeastForScripts()); err != nil {
		return Errorf(CodeForbidden, "%w by the farm's policy (scripts.role); leave the script out, or ask somebody with that role to submit the job", err)
	}
	return nil
}

// TeamPolicy is what one team gets.
type TeamPolicy struct {
	Weight      float64 `json:"weight,omitempty"`      // of its share; 0 means 1
	MaxMachines int     `json:"maxMachines,omitempty"` // that work for it at once; 0 for any number
}

// Share is how much machine time the team gets, as a measure beside those of others.
func (t TeamPolicy) Share() float64 {
	if t.Weight > 0 {
		return t.Weight
	}
	return 1
}

// LimitPolicy bounds how many tasks use something at once, such as the licences of a plug-in. A task uses it when its
// job names the limit, or when its project uses one of the limit's effects.
type LimitPolicy struct {
	Total      int      `json:"total"`                // on the whole farm at once
	PerMachine int      `json:"perMachine,omitempty"` // tasks on one machine at once; 0 for any number
	ByMachine  bool     `json:"byMachine,omitempty"`  // all tasks on one machine count as one
	Effects    []string `json:"effects,omitempty"`    // match names, or prefixes followed by *
}

// SplitPolicy says when several machines render one composition.
type SplitPolicy struct {
	Off        bool    `json:"off,omitempty"`
	MinSeconds float64 `json:"minSeconds,omitempty"` // a range should take at least this long; 0 means the default
	MaxRanges  int     `json:"maxRanges,omitempty"`  // of one job; 0 means the default
}

// RetryPolicy is how often failures are retried.
type RetryPolicy struct {
	MaxAttempts int `json:"maxAttempts,omitempty"` // of a task; 0 means MaxAttempts
	// MaxJobFailures is how many attempts of a job's tasks together may fail before the job does; 0 means 10 or a tenth
	// of its tasks, whichever is more.
	MaxJobFailures int `json:"maxJobFailures,omitempty"`
	// SetAsideAfter is how many attempts in a row, of different jobs, may fail on a machine before it is set aside; 0
	// means the constant SetAsideAfter.
	SetAsideAfter int `json:"setAsideAfter,omitempty"`
}

// AttemptsOf is how many attempts of a task of the job may fail before the job does.
func (p RetryPolicy) AttemptsOf(job Job) int {
	return cmp.Or(job.MaxAttempts, p.MaxAttempts, MaxAttempts)
}

// JobFailures is how many attempts of a job with so many tasks may fail before the job does.
func (p RetryPolicy) JobFailures(tasks int) int {
	return cmp.Or(p.MaxJobFailures, max(10, tasks/10))
}

// FailuresInRow is how many failures in a row set a machine aside.
func (p RetryPolicy) FailuresInRow() int { return cmp.Or(p.SetAsideAfter, SetAsideAfter) }
