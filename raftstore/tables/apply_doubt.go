package tables

import (
	"fmt"
	"slices"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// A failure for good ends a job on the word of one machine, and a machine that is out of order may say so of every job, of one template or of many.
// So what fails for good on a machine on which job after job does is tried on another one, once. That decides: what is rendered there shows that
// the machine is at fault, and what fails there too that the jobs are.

// countForGood counts a job that failed for good against its machine. One that another machine failed too clears that one of it.
func (t *tables) countForGood(task farm.Task, job farm.Job) {
	if !t.since(command.SecondOpinionsLevel) || !t.has(bucketAgents, task.Agent) {
		return
	}
	others := slices.DeleteFunc(t.failedForGoodOn(task), func(agent string) bool { return agent == task.Agent })
	for _, agent := range others {
		if health := t.health(agent); health.ForGood > 0 {
			health.ForGood, health.LastForGood = 0, ""
			put(t, bucketHealth, agent, health)
		}
	}
	health := t.health(task.Agent)
	if len(others) > 0 || health.LastForGood == job.ID {
		return
	}
	health.ForGood++
	health.LastForGood = job.ID
	put(t, bucketHealth, task.Agent, health)
}

// triedElsewhere says whether a task that just failed for good on its machine is tried on another one before its job fails.
func (t *tables) triedElsewhere(task farm.Task) bool {
	return t.since(command.SecondOpinionsLevel) && t.doubted(t.health(task.Agent)) && len(t.failedForGoodOn(task)) == 0 && t.hasAnother(task.Agent)
}

// doubted says whether so many jobs in a row failed for good on a machine that it may be at fault.
func (t *tables) doubted(health farm.Health) bool {
	return health.ForGood >= t.retrying().FailuresInRow()
}

// blameDoubted sets the machines aside that may be at fault and on which a task failed for good that went well now.
func (t *tables) blameDoubted(task farm.Task, end ending, result *command.Result) {
	if task.Failures == 0 || !t.since(command.SecondOpinionsLevel) {
		return
	}
	for _, agent := range t.failedForGoodOn(task) {
		health := t.health(agent)
		if agent == task.Agent || !t.doubted(health) || !t.has(bucketAgents, agent) {
			continue
		}
		reason := fmt.Sprintf("%d jobs in a row failed for good on it, and another machine could render one of them", health.ForGood)
		health.SetAside = &farm.SetAside{Reason: reason, At: end.at, Until: end.at.Add(farm.SetAsideFor)}
		put(t, bucketHealth, agent, health)
		t.tellAgent(agent, result)
	}
}

// failedForGoodOn are the machines on which earlier attempts of a task failed for good.
func (t *tables) failedForGoodOn(task farm.Task) (agents []string) {
	for _, earlier := range t.attempts(task.ID) {
		if earlier.Number != task.Attempt && earlier.Class.Consequence().FailsJob && !slices.Contains(agents, earlier.Agent) {
			agents = append(agents, earlier.Agent)
		}
	}
	return agents
}

// hasAnother says whether the farm has a machine besides one.
func (t *tables) hasAnother(agent string) bool {
	cursor := t.cursor(bucketAgents)
	for id, _ := cursor.First(); id != nil; id, _ = cursor.Next() {
		if string(id) != agent {
			return true
		}
	}
	return false
}
