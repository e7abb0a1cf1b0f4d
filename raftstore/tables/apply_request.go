package tables

import (
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// applyFor does what a command asks on behalf of a request, unless that request was carried out before; Repeated is what is
// kept of it then. key is nil for a command of no such request.
func (t *tables) applyFor(key *command.RequestKey, cmd command.Command) command.Result {
	if key == nil {
		return t.apply(cmd)
	}
	if was, kept := get[command.Request](t, bucketRequests, requestID(key.Team, key.Key)); kept && !was.Over(key.At) {
		if was.Hash != key.Hash {
			return refuse(otherRequest(key.Key))
		}
		return command.Result{Repeated: &was}
	}
	result := t.apply(cmd)
	if result.Refused == nil {
		t.saveRequest(command.Request{RequestKey: *key, Made: madeBy(cmd, result)})
	}
	return result
}

// madeBy are the ids of what a command made or changed, for those commands whose answer can be made again from them.
func madeBy(cmd command.Command, result command.Result) []string {
	var made []string
	switch c := cmd.(type) {
	case command.SubmitJobs:
		if c.Batch != nil {
			return batchMade(*c.Batch)
		}
		for _, job := range result.Jobs {
			if job.Parent == "" {
				made = append(made, job.ID)
			}
		}
	case command.PutFile:
		made = []string{c.File.SHA256}
	case command.PutTeam:
		made = []string{c.Team.ID}
	case command.CreateTemplate:
		made = []string{c.Template.ID}
	case command.PutFont:
		made = []string{c.Font.ID}
	case command.CancelBatch:
		made = append([]string{c.ID}, jobIDs(result.Jobs)...)
	case command.CancelJobs, command.ReleaseJobs, command.HoldJobs:
		made = jobIDs(result.Jobs)
	}
	return made
}

// batchMade is the id of a batch; behind that of one that got new takes of rows, those of the takes.
func batchMade(batch farm.Batch) []string {
	made := []string{batch.Home()}
	if batch.Into != "" {
		for _, entry := range batch.Jobs {
			made = append(made, entry.ID)
		}
	}
	return made
}

func jobIDs(jobs []farm.Job) []string {
	ids := make([]string, len(jobs))
	for i, job := range jobs {
		ids[i] = job.ID
	}
	return ids
}

func (t *tables) saveRequest(request command.Request) {
	id := requestID(request.Team, request.Key)
	if was, kept := get[command.Request](t, bucketRequests, id); kept {
		t.remove(bucketRequestsByTime, timeKey(was.At)+id)
	}
	put(t, bucketRequests, id, request)
	t.set(bucketRequestsByTime, timeKey(request.At)+id, nil)
}

// keepAnswer keeps the first answer: that is the one which a caller may have seen.
func (t *tables) keepAnswer(c command.KeepAnswer) command.Result {
	if !t.has(bucketTeams, c.Team) {
		return refusef(farm.CodeNotFound, "team %q does not exist", c.Team)
	}
	request, kept := get[command.Request](t, bucketRequests, requestID(c.Team, c.Key))
	switch {
	case !kept || request.Over(c.At):
		request = command.Request{RequestKey: c.RequestKey}
	case request.Hash != c.Hash:
		return refuse(otherRequest(c.Key))
	case request.Answer != nil:
		return command.Result{}
	}
	request.Answer = c.Answer
	t.saveRequest(request)
	return command.Result{}
}

func (t *tables) forgetRequests(c command.ForgetRequests) command.Result {
	before := timeKey(c.Before)
	var old []string
	cursor := t.cursor(bucketRequestsByTime)
	for key, _ := cursor.First(); len(key) > 8 && string(key[:8]) < before && len(old) < c.Limit; key, _ = cursor.Next() {
		old = append(old, string(key))
	}
	for _, key := range old {
		t.remove(bucketRequestsByTime, key)
		t.remove(bucketRequests, key[8:])
	}
	return command.Result{}
}
