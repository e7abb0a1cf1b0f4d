package tables

import (
	"cmp"
	"fmt"
	"slices"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// A machine's health is a record of its own: that of the machine is large, and failures are counted often.

func (t *tables) health(agent string) farm.Health {
	health, _ := get[farm.Health](t, bucketHealth, agent)
	return health
}

// agent reads a machine with what its health adds.
func (t *tables) agent(id string) (farm.Agent, bool) {
	agent, ok := get[farm.Agent](t, bucketAgents, id)
	if ok {
		agent.SetAside = t.health(id).SetAside
	}
	return agent, ok
}

// clearFailures forgets a machine's failures: an attempt of it has succeeded.
func (t *tables) clearFailures(agent string, result *command.Result) {
	if !t.has(bucketHealth, agent) {
		return
	}
	wasAside := t.health(agent).SetAside != nil
	t.remove(bucketHealth, agent)
	if wasAside {
		t.tellAgent(agent, result)
	}
}

// countFailure counts a failure against its machine. Several failures of one job in a row count once: they may be the job's fault.
func (t *tables) countFailure(task farm.Task, job farm.Job, end ending, result *command.Result) {
	if !t.has(bucketAgents, task.Agent) {
		return
	}
	health := t.health(task.Agent)
	if health.LastJob == job.ID {
		return
	}
	health.LastJob = job.ID
	health.InRow++
	aside := health.InRow >= t.retrying().FailuresInRow()
	if aside {
		health.SetAside = &farm.SetAside{Reason: setAsideReason(health, end), At: end.at, Until: end.at.Add(farm.SetAsideFor)}
	}
	put(t, bucketHealth, task.Agent, health)
	if aside {
		t.tellAgent(task.Agent, result)
	}
}

// spoiltFactor is how many times more projects have to fail for good on a machine than jobs fail otherwise before it is set aside: people repeat a
// mistake in several projects.
const spoiltFactor = 2

// countSpoiltJob counts a job that failed for good against its machine. Normally that is the job's fault. A machine that fails very different jobs,
// and finishes none, is set aside before it ends everybody's jobs.
func (t *tables) countSpoiltJob(task farm.Task, job farm.Job, end ending, result *command.Result) {
	if !t.has(bucketAgents, task.Agent) {
		return
	}
	work := cmp.Or(job.Template.ID, job.Template.Src, job.Team+"/"+job.Template.Composition)
	if known, _ := often[farm.Health](t, bucketHealth, task.Agent); slices.Contains(known.Spoilt, work) {
		return
	}
	health := t.health(task.Agent)
	health.Spoilt = append(health.Spoilt, work)
	most := spoiltFactor * t.retrying().FailuresInRow()
	if over := len(health.Spoilt) - most; over > 0 {
		health.Spoilt = slices.Delete(health.Spoilt, 0, over)
	}
	aside := len(health.Spoilt) >= most
	if aside {
		reason := fmt.Sprintf("jobs of %d templates in a row failed for good on it, and none went well", len(health.Spoilt))
		health.SetAside = &farm.SetAside{Reason: reason, At: end.at, Until: end.at.Add(farm.SetAsideFor)}
	}
	put(t, bucketHealth, task.Agent, health)
	if aside {
		t.tellAgent(task.Agent, result)
	}
}

// setAsideReason names the last failure only where that is the machine's own: other messages tell of a team's job.
func setAsideReason(health farm.Health, end ending) string {
	reason := fmt.Sprintf("attempts of %d jobs in a row failed on it", health.InRow)
	if end.outcome == farm.OutcomeLost {
		return reason + "; the last because it vanished while it rendered"
	}
	if end.class.Consequence().BarsMachine {
		return reason + "; the last said: " + end.message
	}
	return reason
}

// tellAgent adds a machine to those that a command changed.
func (t *tables) tellAgent(id string, result *command.Result) {
	if agent, ok := t.agent(id); ok {
		result.Agents = append(result.Agents, agent)
	}
}
