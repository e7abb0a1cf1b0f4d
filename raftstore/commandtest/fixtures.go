package commandtest

import (
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// Epoch is when the tests' farms begin.
var Epoch = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// After is a time of such a farm.
func After(seconds int) time.Time { return Epoch.Add(time.Duration(seconds) * time.Second) }

// JobOf makes a job with one task.
func JobOf(id string, second int) (farm.Job, farm.Task) {
	job := farm.Job{ID: id, Team: "team", Template: farm.JobTemplate{ID: "tmpl", Composition: "main"}, OutputName: id + "-out.mp4",
		CreatedAt: After(second), UpdatedAt: After(second)}
	return job, farm.Task{ID: id + ".0", Job: id, Team: "team", Kind: farm.TaskRender}
}

// Submit submits JobOf with its task.
func Submit(id string, second int) command.SubmitJobs {
	job, task := JobOf(id, second)
	return command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}}
}

// Lease gives a task to the machine "a1".
func Lease(task string, attempt, second int) command.LeaseTasks {
	return command.LeaseTasks{Grants: []command.Grant{{Task: task, Attempt: attempt, Agent: "a1"}}, At: After(second)}
}

// Refusal is why a command that asks for one thing was refused, nil when it was not.
func Refusal(result command.Result) *farm.Error {
	if result.Refused == nil && len(result.Each) == 1 {
		return result.Each[0]
	}
	return result.Refused
}

// Invitation is an invitation of machines, for some of them.
func Invitation(uses int) farm.JoinToken {
	return farm.JoinToken{ID: "i1", Hash: "hash of i1", Tags: []string{"gpu"}, Uses: uses, Left: uses, ExpiresAt: After(100)}
}

// Join has a machine come in by Invitation.
func Join(id, key string, at time.Time) command.JoinAgent {
	return command.JoinAgent{Hash: "hash of i1", Agent: farm.Agent{ID: id, Name: "mac " + id, Keys: []farm.AgentKey{{SHA256: key}}, EnrolledAt: at, Inventory: farm.Inventory{OS: "linux"}}, At: at}
}

// Furnish gives a farm a team, a read template "tmpl", and the machines "a1" and "a2".
func Furnish() []command.Command {
	commands := []command.Command{
		command.PutTeam{Team: farm.Team{ID: "team", Name: "Team", CreatedAt: Epoch}},
		command.CreateTemplate{Template: farm.Template{ID: "tmpl", Team: "team", Type: "aep", Status: farm.TemplateAwaitingUpload, UploadNonce: "n", CreatedAt: Epoch}},
		command.ReceiveTemplate{ID: "tmpl", Nonce: "n", File: farm.FileRef{SHA256: "f1", Size: 10}, At: Epoch},
		command.FinishTemplate{ID: "tmpl", FileSHA256: "f1", Introspection: &farm.FileRef{SHA256: "i1"}, Compositions: []string{"main"}, At: Epoch},
	}
	for _, id := range []string{"a1", "a2"} {
		commands = append(commands, command.EnrolAgent{Agent: farm.Agent{ID: id, Name: "mac " + id, SecretHash: "hash of " + id, EnrolledAt: Epoch}})
	}
	return commands
}

// Populate gives a farm for Draw the two teams and two of the machines.
func Populate() []command.Command {
	commands := []command.Command{command.PutTeam{Team: farm.Team{ID: "team0"}}, command.PutTeam{Team: farm.Team{ID: "team1"}}}
	for _, id := range []string{"agent0", "agent2"} {
		commands = append(commands, command.EnrolAgent{Agent: farm.Agent{ID: id, SecretHash: "s" + id}})
	}
	return commands
}
