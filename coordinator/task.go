package coordinator

import (
	"cmp"
	"context"
	"slices"

	"overcrank/farm"
	"overcrank/raftstore"
)

// TaskView is a task with what the leader knows of its lease.
type TaskView struct {
	farm.Task
	AgentName string            // of who holds or held the lease
	Running   *farm.RunningTask // nil while nobody holds it
}

// Tasks lists the tasks of a job of the caller's team in the order of their numbers: at most limit of those behind the id after.
// next is the after of the page that follows, "" after the last.
func (c *Coordinator) Tasks(_ context.Context, p farm.Principal, job, after string, limit int) (list []TaskView, next string, err error) {
	tasks, err := c.tasksOf(p, job)
	if err != nil {
		return nil, "", err
	}
	page, next := pageBehind(tasks, after, limit)
	list = make([]TaskView, len(page))
	names := c.agentNames()
	for i, t := range page {
		list[i] = TaskView{Task: t, AgentName: names(t.Agent), Running: c.RunningTask(t)}
	}
	return list, next, nil
}

// Task finds a task of a job of the caller's team.
func (c *Coordinator) Task(_ context.Context, p farm.Principal, id string) (TaskView, error) {
	t, err := c.teamTask(p, id)
	if err != nil {
		return TaskView{}, err
	}
	return TaskView{Task: t, AgentName: c.agentNames()(t.Agent), Running: c.RunningTask(t)}, nil
}

// Attempts lists the attempts of a task of the caller's team, the one under way last.
func (c *Coordinator) Attempts(_ context.Context, p farm.Principal, task string) ([]farm.AttemptRecord, error) {
	t, err := c.teamTask(p, task)
	if err != nil {
		return nil, err
	}
	return c.attemptsOf(t, c.agentNames())
}

// JobAttempts lists the attempts of all tasks of a job of the caller's team, those of one task behind each other: of at most limit
// tasks behind the id after. next is the after of the page that follows, "" after the last.
func (c *Coordinator) JobAttempts(_ context.Context, p farm.Principal, job, after string, limit int) (list []farm.AttemptRecord, next string, err error) {
	tasks, err := c.tasksOf(p, job)
	if err != nil {
		return nil, "", err
	}
	page, next := pageBehind(tasks, after, limit)
	names := c.agentNames()
	for _, t := range page {
		attempts, err := c.attemptsOf(t, names)
		if err != nil {
			return nil, "", err
		}
		list = append(list, attempts...)
	}
	return list, next, nil
}

// mostMakers is how many attempts are told of one task that made parts of a film.
const mostMakers = 3

// Makers are the attempts that made the parts of some tasks of a job of the caller's team, by task: the latest of them, the earlier first. It reads
// these attempts only, so that a film that hundreds of ranges make up costs little. Those that are not remembered any more are left out.
func (c *Coordinator) Makers(_ context.Context, p farm.Principal, job string, tasks []farm.Task) (map[string][]farm.AttemptRecord, error) {
	if _, err := c.state.JobOf(p, job); err != nil {
		return nil, err
	}
	made, names := make(map[string][]farm.AttemptRecord, len(tasks)), c.agentNames()
	err := c.state.View(func(tx *raftstore.Tx) error {
		for _, t := range tasks {
			for _, number := range makersOf(t) {
				record, known, err := tx.Attempt(t.ID, number)
				if err != nil {
					return err
				}
				if known && t.Job == job {
					made[t.ID] = append(made[t.ID], record)
				}
			}
		}
		return nil
	})
	for _, attempts := range made {
		for i := range attempts {
			attempts[i].AgentName = cmp.Or(attempts[i].AgentName, names(attempts[i].Agent))
		}
	}
	return made, err
}

// makersOf are the numbers of the latest attempts that made parts of a task, the earlier first.
func makersOf(t farm.Task) []int {
	var numbers []int
	for _, part := range slices.Backward(t.Parts) {
		if len(numbers) == mostMakers {
			break
		}
		if !slices.Contains(numbers, part.Attempt) {
			numbers = append(numbers, part.Attempt)
		}
	}
	slices.Sort(numbers)
	return numbers
}

func (c *Coordinator) tasksOf(p farm.Principal, job string) (tasks []farm.Task, err error) {
	if _, err := c.state.JobOf(p, job); err != nil {
		return nil, err
	}
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		tasks, err = tx.TasksOf(job)
		return err
	})
	return tasks, err
}

// pageBehind is the page of tasks behind the one with the id after, and the after of the page that follows.
func pageBehind(tasks []farm.Task, after string, limit int) (page []farm.Task, next string) {
	first := 0
	if after != "" {
		first = slices.IndexFunc(tasks, func(t farm.Task) bool { return t.ID == after }) + 1
	}
	page = tasks[first:]
	if limit = cmp.Or(limit, 100); len(page) > limit {
		page = page[:limit]
		next = page[limit-1].ID
	}
	return page, next
}

func (c *Coordinator) teamTask(p farm.Principal, id string) (task farm.Task, err error) {
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		task, err = tx.Task(id)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && task.Team != p.Team {
		return farm.Task{}, farm.Errorf(farm.CodeNotFound, "there is no task %q", id)
	}
	return task, err
}

// attemptsOf are the attempts of a task, the one under way last.
func (c *Coordinator) attemptsOf(t farm.Task, names func(string) string) (attempts []farm.AttemptRecord, err error) {
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		attempts, err = tx.Attempts(t.ID)
		return err
	})
	if t.Status == farm.TaskLeased {
		attempts = append(attempts, farm.AttemptRecord{Task: t.ID, Number: t.Attempt, Agent: t.Agent, LeasedAt: t.LeasedAt})
	}
	for i := range attempts {
		attempts[i].AgentName = cmp.Or(attempts[i].AgentName, names(attempts[i].Agent))
	}
	return attempts, err
}

// agentNames looks the names of machines up, each once. One that is gone has none.
func (c *Coordinator) agentNames() func(id string) string {
	known := map[string]string{}
	return func(id string) string {
		if name, ok := known[id]; ok || id == "" {
			return name
		}
		_ = c.state.View(func(tx *raftstore.Tx) error {
			a, err := tx.Agent(id)
			known[id] = a.Name
			return err
		})
		return known[id]
	}
}

// CountTasks counts the tasks of a job of the caller's team by state.
func (c *Coordinator) CountTasks(_ context.Context, p farm.Principal, job string) (map[farm.TaskStatus]int, error) {
	tasks, err := c.tasksOf(p, job)
	counts := map[farm.TaskStatus]int{}
	for _, t := range tasks {
		counts[t.Status]++
	}
	return counts, err
}
