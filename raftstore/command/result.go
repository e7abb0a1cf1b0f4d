package command

import "overcrank/farm"

// Result is what a command came to. Refused is nil when it was applied; a refusal by the rules changes nothing.
type Result struct {
	Index   uint64
	Refused *farm.Error
	// Each holds, for commands whose parts stand or are refused on their own, one entry per part: nil when it stood.
	Each []*farm.Error
	// Repeated is what is kept of the request when it was carried out before; nothing was done then.
	Repeated *Request
	Jobs     []farm.Job   // as they are after the command, for those commands that move jobs; of new jobs only the heads
	Tasks    []farm.Task  // likewise
	Agents   []farm.Agent // that the command changed otherwise than by their own word, as they are after it
	Changed  []Changed    // besides these
	// Named says that what is searched for in Jobs is as it was before: only how far they are has changed.
	Named bool
	// Owed are the jobs whose webhooks are to be called once more.
	Owed []string
	// Notices are the queues that have something to send, or from which it was taken: by token and way.
	Notices []NoticeQueue
	// Policy is the farm's policy after a command that changed it, nil after others.
	Policy *farm.Policy
	// Trimmed are the jobs of which something was taken out, or that were forgotten: what was derived of them has to follow.
	Trimmed []string
	// SecretTags says that a secret whose value goes to some machines only was put, changed or deleted.
	SecretTags bool
	// Budgets says that a budget of a project or a team was set, changed, raised or used up: what is held may be other work.
	Budgets bool
	// Updates says that a release, or how machines get releases, was changed.
	Updates bool
	// Replaced says that the whole state is another from here on: that of a backup.
	Replaced bool

	places places // while the command is carried out
}

// Changed is a record that a command made, changed or removed, for those who show it. Jobs, tasks and machines are told of otherwise.
type Changed struct {
	Kind farm.EventKind
	Team string
	ID   string
}

// NoticeQueue names a farm.NoticeQueue.
type NoticeQueue struct {
	Token string
	Way   farm.NoticeWay
}

// AddJob puts a job into the result; of a job that moved twice the later shape stays.
func (r *Result) AddJob(job farm.Job) {
	r.Jobs = placed(r.Jobs, job, &r.places.jobs, func(j *farm.Job) string { return j.ID })
}

// AddTask puts a task into the result; of a task that moved twice the later shape stays.
func (r *Result) AddTask(task farm.Task) {
	r.Tasks = placed(r.Tasks, task, &r.places.tasks, func(t *farm.Task) string { return t.ID })
}

// places are where jobs and tasks lie in a result that holds many, by id. A command moves one or two most often, and up to hundreds of
// thousands, as when the template is read that they all wait for.
type places struct{ jobs, tasks map[string]int }

// manyPlaces is from how many on the places are kept.
const manyPlaces = 16

// placed is list with one more record, or with that record in the place of an earlier one of the same id.
func placed[R any](list []R, record R, places *map[string]int, id func(*R) string) []R {
	own := id(&record)
	if len(list) < manyPlaces {
		for i := range list {
			if id(&list[i]) == own {
				list[i] = record
				return list
			}
		}
		return append(list, record)
	}
	if len(*places) != len(list) { // the first time, or something was put behind by itself
		*places = make(map[string]int, 2*len(list))
		for i := range list {
			(*places)[id(&list[i])] = i
		}
	}
	if at, known := (*places)[own]; known {
		list[at] = record
		return list
	}
	(*places)[own] = len(list)
	return append(list, record)
}

// Sealed is the result once its command has been carried out: no more is added to it.
func (r Result) Sealed() Result {
	r.places = places{}
	return r
}
