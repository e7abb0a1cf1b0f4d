package tables

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// policyKey is where the one record of bucketPolicy lies.
const policyKey = "farm"

func (t *tables) configureAgent(c command.ConfigureAgent) command.Result {
	agent, ok := get[farm.Agent](t, bucketAgents, c.ID)
	if !ok {
		return refuse(noMachine(c.ID))
	}
	if c.Hours != nil {
		if wrong := farm.CheckHours(*c.Hours); !wrong.IsZero() {
			return refusef(farm.CodeInvalid, "the hours of a machine: a list that %s", wrong)
		}
		agent.Hours = *c.Hours
	}
	if c.Name != nil {
		agent.Named = *c.Name != ""
		agent.Name = cmp.Or(*c.Name, c.Own, agent.Name)
	}
	if c.Drained != nil {
		agent.Drained = *c.Drained
	}
	if c.Paused != nil {
		agent.Paused = *c.Paused
	}
	if c.Tags != nil {
		agent.Tags = *c.Tags
	}
	if c.Restore {
		t.remove(bucketHealth, agent.ID)
	}
	put(t, bucketAgents, agent.ID, agent)
	agent.SetAside = t.health(agent.ID).SetAside
	return command.Result{Agents: []farm.Agent{agent}}
}

// policy is the farm's policy, zero while nobody set one.
func (t *tables) policy() farm.Policy {
	policy, _ := get[farm.Policy](t, bucketPolicy, policyKey)
	return policy
}

// retrying is when attempts are tried again, which each failed one asks.
func (t *tables) retrying() farm.RetryPolicy {
	policy, _ := often[farm.Policy](t, bucketPolicy, policyKey)
	return policy.Retry
}

func (t *tables) putPolicy(c command.PutPolicy) command.Result {
	policy := c.Policy
	now := t.policy()
	if policy.Revision != now.Revision {
		return refusef(farm.CodeConflict, "the farm's policy has changed meanwhile: this was made from revision %d, and %d is in force; read it again", policy.Revision, now.Revision)
	}
	wrong := policy.Problems()
	for _, id := range slices.Sorted(maps.Keys(policy.Teams)) {
		if !t.has(bucketTeams, id) {
			wrong = append(wrong, farm.Field("teams."+id, "is not a team of this farm"))
		}
	}
	if len(wrong) > 0 {
		return refuse(farm.Invalid("the farm's policy is not valid", wrong...))
	}
	policy.PausedAt, policy.PausedBy = now.PausedAt, now.PausedBy
	switch {
	case !policy.Paused:
		policy.PausedAt, policy.PausedBy = time.Time{}, ""
	case !now.Paused:
		policy.PausedAt, policy.PausedBy = policy.At, policy.By
	}
	return command.Result{Policy: t.savePolicy(policy)}
}

// savePolicy writes the policy under the next revision.
func (t *tables) savePolicy(policy farm.Policy) *farm.Policy {
	policy.Revision++
	put(t, bucketPolicy, policyKey, policy)
	return &policy
}

// dropShare removes a team that ends from the policy; nil when the policy does not name it.
func (t *tables) dropShare(team string, at time.Time) *farm.Policy {
	policy := t.policy()
	if _, ok := policy.Teams[team]; !ok {
		return nil
	}
	delete(policy.Teams, team)
	policy.At = at
	return t.savePolicy(policy)
}

func (t *tables) changeJob(c command.ChangeJob) command.Result {
	job, ok := t.head(c.ID)
	switch {
	case !ok || job.Team != c.Team:
		return refuse(noJob(c.ID))
	case job.Status.Ended():
		return refusef(farm.CodeConflict, "job %s has ended (%s) and cannot be changed", c.ID, job.Status)
	case c.Level != nil && !c.Level.Known():
		return refusef(farm.CodeInvalid, "level %q does not exist; there are rush, normal and overnight", *c.Level)
	}
	changed := job
	if c.Name != nil {
		changed.Name = *c.Name
	}
	if c.Tags != nil {
		changed.Tags = *c.Tags
	}
	var result command.Result
	t.reorder(job, changed, c, &result)
	return result
}

// reorder gives a job, and those nested in it, their new places.
func (t *tables) reorder(was, job farm.Job, c command.ChangeJob, result *command.Result) {
	if c.Priority != nil {
		job.Priority = *c.Priority
	}
	if c.Level != nil {
		job.Level = *c.Level
	}
	if c.NotBefore != nil {
		job.NotBefore = *c.NotBefore
	}
	job.UpdatedAt = c.At
	t.listJob(&was, was.Status, t.remove)
	t.saveJob(job, was.Status)
	t.listJob(&job, job.Status, func(bucket []byte, key string) { t.set(bucket, key, nil) })
	result.AddJob(job)
	for _, task := range t.tasksOf(job.ID) {
		if task.Status == farm.TaskReady {
			result.Tasks = append(result.Tasks, task)
		}
	}
	if c.Priority == nil && c.Level == nil && c.NotBefore == nil {
		return
	}
	for _, id := range job.Children {
		if child, ok := t.head(id); ok && !child.Status.Ended() {
			t.reorder(child, child, c, result)
		}
	}
}
