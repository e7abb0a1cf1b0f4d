package raftstore

import "overcrank/farm"

// applyFor does what a command asks on behalf of a request, unless that request was carried out before; Repeated is what is
// kept of it then. key is nil for a command of no such request.
func (t *tables) applyFor(key *RequestKey, cmd Command) Result {
	if key == nil {
		return t.apply(cmd)
	}
	if was, kept := get[Request](t, bucketRequests, requestID(key.Team, key.Key)); kept && !was.over(key.At) {
		if was.Hash != key.Hash {
			return refuse(otherRequest(key.Key))
		}
		return Result{Repeated: &was}
	}
	result := t.apply(cmd)
	if result.Refused == nil {
		t.saveRequest(Request{RequestKey: *key, Made: madeBy(cmd, result)})
	}
	return result
}

// madeBy are the ids of what a command made or changed, for those commands whose answer can be made again from them.
func madeBy(cmd Command, result Result) []string {
	var made []string
	switch c := cmd.(type) {
	case SubmitJobs:
		if c.Batch != nil {
			return []string{c.Batch.ID}
		}
		for _, job := range result.Jobs {
			if job.Parent == "" {
				made = append(made, job.ID)
			}
		}
	case PutFile:
		made = []string{c.File.SHA256}
	case PutTeam:
		made = []string{c.Team.ID}
	case CreateTemplate:
		made = []string{c.Template.ID}
	case PutFont:
		made = []string{c.Font.ID}
	case CancelBatch:
		made = append([]string{c.ID}, jobIDs(result.Jobs)...)
	case CancelJobs, ReleaseJobs:
		made = jobIDs(result.Jobs)
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

func (t *tables) saveRequest(request Request) {
	id := requestID(request.Team, request.Key)
	if was, kept := get[Request](t, bucketRequests, id); kept {
		t.remove(bucketRequestsByTime, timeKey(was.At)+id)
	}
	put(t, bucketRequests, id, request)
	t.set(bucketRequestsByTime, timeKey(request.At)+id, nil)
}

// keepAnswer keeps the first answer: that is the one which a caller may have seen.
func (t *tables) keepAnswer(c KeepAnswer) Result {
	if !t.has(bucketTeams, c.Team) {
		return refusef(farm.CodeNotFound, "team %q does not exist", c.Team)
	}
	request, kept := get[Request](t, bucketRequests, requestID(c.Team, c.Key))
	switch {
	case !kept || request.over(c.At):
		request = Request{RequestKey: c.RequestKey}
	case request.Hash != c.Hash:
		return refuse(otherRequest(c.Key))
	case request.Answer != nil:
		return Result{}
	}
	request.Answer = c.Answer
	t.saveRequest(request)
	return Result{}
}

func (t *tables) forgetRequests(c ForgetRequests) Result {
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
	return Result{}
}
