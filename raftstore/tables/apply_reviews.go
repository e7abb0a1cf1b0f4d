package tables

import (
	"slices"
	"strings"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func noReviewLink(id string) *farm.Error {
	return farm.Errorf(farm.CodeNotFound, "there is no review link %q of this job", id)
}

// maxReviewLink bounds what a link says of itself, in bytes.
const maxReviewLink = 1000

func (t *tables) putReviewLink(c command.PutReviewLink) command.Result {
	link := c.Link
	if err := checkID("review link", link.ID); err != nil {
		return refuse(err)
	}
	job, ok := t.head(link.Job)
	key := reviewKey(link.Job, link.ID)
	switch {
	case !ok || job.Team != link.Team:
		return refuse(noJob(link.Job))
	case link.Hash == "" || len(link.Hash)+len(link.For)+len(link.Password) > maxReviewLink:
		return refusef(farm.CodeInvalid, "review link %s cannot be kept: it has no code, or too long words", link.ID)
	case t.has(bucketReviewLinks, key) || t.has(bucketReviewsByHash, link.Hash):
		return refusef(farm.CodeConflict, "review link %s exists already", link.ID)
	}
	if err := t.makeRoomForLink(link); err != nil {
		return refuse(err)
	}
	put(t, bucketReviewLinks, key, link)
	t.set(bucketReviewsByHash, link.Hash, []byte(key))
	t.set(bucketReviewsByTeam, link.Team+sep+link.ID, []byte(link.Job))
	t.note(farm.EventJob, link.Team, link.Job)
	return command.Result{}
}

// makeRoomForLink forgets the oldest links that can no longer be used, when a job has many of them.
func (t *tables) makeRoomForLink(link farm.ReviewLink) *farm.Error {
	var over []farm.ReviewLink
	open := 0
	for _, other := range t.reviewLinksOf(link.Job) {
		if other.Open(link.At) {
			open++
		} else {
			over = append(over, other)
		}
	}
	if open >= farm.MostReviewLinks {
		return farm.Errorf(farm.CodeConflict, "job %s has %d review links that can be used, which is as many as may; revoke one", link.Job, open)
	}
	for len(over) >= farm.MostReviewLinks {
		t.dropReviewLink(over[0])
		over = over[1:]
	}
	return nil
}

func (t *tables) revokeReviewLink(c command.RevokeReviewLink) command.Result {
	link, ok := get[farm.ReviewLink](t, bucketReviewLinks, reviewKey(c.Job, c.ID))
	switch {
	case !ok || link.Team != c.Team:
		return refuse(noReviewLink(c.ID))
	case !link.RevokedAt.IsZero():
		return command.Result{}
	}
	link.RevokedAt = c.At
	put(t, bucketReviewLinks, reviewKey(link.Job, link.ID), link)
	t.remove(bucketReviewsByHash, link.Hash)
	t.note(farm.EventJob, link.Team, link.Job)
	return command.Result{}
}

// addRemark keeps what somebody said. What they decide about a job that waits for it decides the job, in the same command.
func (t *tables) addRemark(c command.AddRemark) command.Result {
	remark := c.Remark
	if err := checkID("remark", remark.ID); err != nil {
		return refuse(err)
	}
	if err := remark.Check(); err != nil {
		return refuse(err)
	}
	job, ok := t.head(remark.Job)
	if !ok || job.Team != remark.Team {
		return refuse(noJob(remark.Job))
	}
	if t.has(bucketRemarks, reviewKey(job.ID, remark.ID)) {
		return refusef(farm.CodeConflict, "remark %s exists already", remark.ID)
	}
	if err := t.mayRemark(remark, job); err != nil {
		return refuse(err)
	}
	result := t.decideByRemark(remark, job)
	if result.Refused != nil {
		return result
	}
	put(t, bucketRemarks, reviewKey(job.ID, remark.ID), remark)
	t.note(farm.EventJob, job.Team, job.ID)
	if remark.Link != "" {
		t.tellOfRemark(remark, job)
	}
	return result
}

// mayRemark refuses a remark by a link that cannot be used, and one for which there is no room.
func (t *tables) mayRemark(remark farm.Remark, job farm.Job) *farm.Error {
	if remark.Link != "" {
		link, ok := t.linkOfTake(remark.Link, job)
		switch {
		case !ok:
			return noReviewLink(remark.Link)
		case !link.Open(remark.At):
			return farm.Errorf(farm.CodeGone, "this review link can no longer be used; ask for another")
		}
	}
	n, ofLink := 0, 0
	for _, other := range t.remarksOf(job.ID) {
		n++
		if remark.Link != "" && other.Link == remark.Link {
			ofLink++
		}
	}
	if n >= farm.MostRemarks || ofLink >= farm.MostRemarksOfLink {
		return farm.Errorf(farm.CodeConflict, "there are as many comments here as may be")
	}
	return nil
}

// linkOfTake is a link to a job, or to another take of it if the link shows those.
func (t *tables) linkOfTake(id string, job farm.Job) (link farm.ReviewLink, ok bool) {
	of := t.lookup(bucketReviewsByTeam, job.Team+sep+id)
	if link, ok = get[farm.ReviewLink](t, bucketReviewLinks, reviewKey(of, id)); !ok || of == job.ID {
		return link, ok
	}
	other, known := t.head(of)
	return link, known && link.Takes && firstTake(other) == firstTake(job)
}

// decideByRemark approves or rejects a job that waits for it.
func (t *tables) decideByRemark(remark farm.Remark, job farm.Job) command.Result {
	if remark.Verdict == "" || !job.Approve || !job.ApprovedAt.IsZero() || job.Status.Ended() {
		return command.Result{}
	}
	why := "Rejected by " + remark.Name
	if remark.Text != "" {
		why += ": " + remark.Text
	}
	return t.decideJob(command.DecideJob{
		Team: job.Team, ID: job.ID, Reject: remark.Verdict == farm.VerdictRejected, Reason: why, By: remark.Name, At: remark.At,
	})
}

// deleteRemark leaves what a verdict has decided as it is.
func (t *tables) deleteRemark(c command.DeleteRemark) command.Result {
	remark, ok := get[farm.Remark](t, bucketRemarks, reviewKey(c.Job, c.ID))
	if !ok || remark.Team != c.Team {
		return refusef(farm.CodeNotFound, "there is no comment %q on this job", c.ID)
	}
	t.remove(bucketRemarks, reviewKey(c.Job, c.ID))
	t.note(farm.EventJob, remark.Team, remark.Job)
	return command.Result{}
}

func (t *tables) putTeamLogo(c command.PutTeamLogo) command.Result {
	switch {
	case !t.has(bucketTeams, c.Team):
		return refuse(noTeam(c.Team))
	case len(c.Picture) > farm.MostLogo:
		return refusef(farm.CodeInvalid, "the logo has more than %d bytes", farm.MostLogo)
	case len(c.Picture) > 0:
		t.set(bucketTeamLogos, c.Team, c.Picture)
	case t.has(bucketTeamLogos, c.Team):
		t.remove(bucketTeamLogos, c.Team)
	}
	return command.Result{}
}

// tellOfRemark has those told whom a remark from outside concerns: whose job it is, and who made the link. What waits about the same job is
// told once.
func (t *tables) tellOfRemark(remark farm.Remark, job farm.Job) {
	if !t.tells(job.Team) {
		return
	}
	link, _ := t.linkOfTake(remark.Link, job)
	for _, id := range t.keysUnder(bucketNoticeSettings, job.Team+sep) {
		token, ok := often[farm.Token](t, bucketTokens, id)
		if !ok || token.Name != job.SubmittedBy && token.Name != link.By {
			continue
		}
		settings, ok := get[farm.NoticeSettings](t, bucketNoticeSettings, noticeSettingsKey(token))
		if ok && settings.Wants(farm.HappenedReview) {
			t.tellBy(token, settings, farm.Notice{About: farm.HappenedReview, Job: job.ID, At: remark.At})
		}
	}
}

func (t *tables) reviewLinksOf(job string) []farm.ReviewLink {
	return under[farm.ReviewLink](t, bucketReviewLinks, job+sep)
}

func (t *tables) remarksOf(job string) []farm.Remark {
	return under[farm.Remark](t, bucketRemarks, job+sep)
}

// under reads the records of a bucket whose keys begin with prefix, in the order of their keys.
func under[R any](t *tables, bucket []byte, prefix string) (records []R) {
	for _, rest := range t.keysUnder(bucket, prefix) {
		if record, ok := get[R](t, bucket, prefix+rest); ok {
			records = append(records, record)
		}
	}
	return records
}

func (t *tables) dropReviewLink(link farm.ReviewLink) {
	t.remove(bucketReviewLinks, reviewKey(link.Job, link.ID))
	t.remove(bucketReviewsByTeam, link.Team+sep+link.ID)
	if t.has(bucketReviewsByHash, link.Hash) {
		t.remove(bucketReviewsByHash, link.Hash)
	}
}

// dropReviews forgets who looked at a job, what they said, and which take it was.
func (t *tables) dropReviews(job farm.Job) {
	for _, link := range t.reviewLinksOf(job.ID) {
		t.dropReviewLink(link)
	}
	for _, id := range t.keysUnder(bucketRemarks, job.ID+sep) {
		t.remove(bucketRemarks, reviewKey(job.ID, id))
	}
	if job.TakeOf != "" {
		t.remove(bucketTakes, job.TakeOf+sep+job.ID)
	}
}

// endReviews leaves no link of a team that could be used.
func (t *tables) endReviews(team string) {
	for _, id := range t.keysUnder(bucketReviewsByTeam, team+sep) {
		job := t.lookup(bucketReviewsByTeam, team+sep+id)
		if link, ok := get[farm.ReviewLink](t, bucketReviewLinks, reviewKey(job, id)); ok {
			t.dropReviewLink(link)
		}
	}
	if t.has(bucketTeamLogos, team) {
		t.remove(bucketTeamLogos, team)
	}
}

// firstTake is the job that another is a take of: its own first one when it was never submitted again.
func firstTake(job farm.Job) string {
	if job.TakeOf != "" {
		return job.TakeOf
	}
	return job.ID
}

func reviewKey(job, id string) string { return job + sep + id }

// ReviewLink reads the link with the hash of a code; CodeNotFound for none, and for one that was revoked.
func (tx *Tx) ReviewLink(hash string) (farm.ReviewLink, error) {
	link, ok := get[farm.ReviewLink](tx.t, bucketReviewLinks, tx.t.lookup(bucketReviewsByHash, hash))
	return found(tx, link, ok, "review link", "")
}

// ReviewLinks reads all links to a job, the oldest first.
func (tx *Tx) ReviewLinks(job string) ([]farm.ReviewLink, error) {
	links := tx.t.reviewLinksOf(job)
	return links, tx.t.err
}

// TeamReviewLinks reads the newest links of a team before the one with an id, "" for the newest of all, at most limit.
func (tx *Tx) TeamReviewLinks(team, before string, limit int) ([]farm.ReviewLink, error) {
	var ids []string
	for key := range tx.t.backwards(bucketReviewsByTeam, team+sep, before) {
		if len(ids) == limit {
			break
		}
		ids = append(ids, key)
	}
	var links []farm.ReviewLink
	for _, id := range ids {
		if link, ok := get[farm.ReviewLink](tx.t, bucketReviewLinks, reviewKey(tx.t.lookup(bucketReviewsByTeam, team+sep+id), id)); ok {
			links = append(links, link)
		}
	}
	return links, tx.t.err
}

// backwards gives what follows prefix in the keys of a bucket, from the last one before a key on, without the prefix.
func (t *tables) backwards(bucket []byte, prefix, before string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		end := prefix + before
		if before == "" {
			end = prefix[:len(prefix)-1] + "\x01" // behind all keys with the prefix, which ends with sep
		}
		cursor := t.cursor(bucket)
		key, _ := cursor.Seek([]byte(end))
		if key == nil {
			key, _ = cursor.Last()
		} else {
			key, _ = cursor.Prev()
		}
		for ; key != nil && strings.HasPrefix(string(key), prefix); key, _ = cursor.Prev() {
			if !yield(string(key[len(prefix):])) {
				return
			}
		}
	}
}

// Remarks reads what was said about a job, in the order in which it was.
func (tx *Tx) Remarks(job string) ([]farm.Remark, error) {
	remarks := tx.t.remarksOf(job)
	return remarks, tx.t.err
}

// Takes reads the heads of the takes of a job, itself among them, in the order in which they were submitted; of many, the newest.
func (tx *Tx) Takes(job farm.Job) ([]farm.Job, error) {
	first := firstTake(job)
	var takes []farm.Job
	for id := range tx.t.backwards(bucketTakes, first+sep, "") {
		if len(takes) == farm.MostTakes {
			break
		}
		if take, ok := tx.t.head(id); ok {
			takes = append(takes, take)
		}
	}
	if original, ok := tx.t.head(first); ok && len(takes) < farm.MostTakes {
		takes = append(takes, original)
	}
	if !slices.ContainsFunc(takes, func(take farm.Job) bool { return take.ID == job.ID }) {
		takes = append(takes, job)
	}
	slices.SortFunc(takes, func(a, b farm.Job) int { return strings.Compare(a.ID, b.ID) })
	return takes, tx.t.err
}

// TeamLogo reads the picture of a team, nil for none.
func (tx *Tx) TeamLogo(team string) ([]byte, error) {
	return slices.Clone(tx.t.value(bucketTeamLogos, team)), tx.t.err
}
