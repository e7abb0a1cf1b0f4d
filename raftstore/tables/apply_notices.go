package tables

import (
	"slices"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// noticeSettingsLimit bounds what is kept of the address of a chat, in bytes.
const noticeSettingsLimit = 4 << 10

// noticePause follows each message: what happens until then goes out in one.
const noticePause = 30 * time.Second

func (t *tables) putNoticeSettings(c command.PutNoticeSettings) command.Result {
	s := c.Settings
	token, ok := get[farm.Token](t, bucketTokens, s.Token)
	switch {
	case !ok:
		return refuse(noToken(s.Token))
	case s.Chat != nil && len(s.Chat.Sealed)+len(s.Chat.Host) > noticeSettingsLimit:
		return refusef(farm.CodeInvalid, "the address of the chat has more than %d bytes", noticeSettingsLimit)
	}
	s.Team = token.Team
	put(t, bucketNoticeSettings, noticeSettingsKey(token), s)
	for _, way := range farm.NoticeWays() {
		queue, ok := t.noticeQueue(s.Token, way)
		switch {
		case !ok:
		case !s.Uses(way):
			t.remove(bucketNotices, noticeKey(s.Token, way))
		case len(queue.Waiting) > 0 && queue.Tries > 0:
			queue.Next, queue.Tries = c.At, 0
			t.saveNotices(queue)
		}
	}
	return command.Result{}
}

// recordNotice passes over a report of a message that has gone on since, as it comes when an answer was lost.
func (t *tables) recordNotice(c command.RecordNotice) command.Result {
	queue, ok := t.noticeQueue(c.Token, c.Way)
	switch {
	case !ok || c.Number != queue.Number || c.Try <= queue.Tries:
		return command.Result{}
	case c.Count < 0 || c.Count > len(queue.Waiting) || c.More < 0 || c.More > queue.More:
		return refusef(farm.CodeInvalid, "%d notices and %d more were sent, of %d and %d", c.Count, c.More, len(queue.Waiting), queue.More)
	}
	queue.Tries, queue.Error, queue.Next = c.Try, c.Error, c.Next
	if c.Error == "" || c.GiveUp {
		queue.Waiting, queue.More = slices.Clone(queue.Waiting[c.Count:]), queue.More-c.More
		queue.Number, queue.Tries, queue.EndedAt = queue.Number+1, 0, c.At
	}
	t.saveNotices(queue)
	return command.Result{}
}

func (t *tables) watchJob(c command.WatchJob) command.Result {
	job, ok := t.head(c.Job)
	token, known := get[farm.Token](t, bucketTokens, c.Token)
	key := watcherKey(c.Job, c.Token)
	switch {
	case !ok || job.Team != c.Team:
		return refuse(noJob(c.Job))
	case !known || token.Team != c.Team:
		return refuse(noToken(c.Token))
	case t.has(bucketJobWatchers, key) != c.Stop:
		return command.Result{}
	case c.Stop:
		t.remove(bucketJobWatchers, key)
		return command.Result{}
	case job.Status.Ended():
		return refusef(farm.CodeConflict, "job %s has ended already (%s)", job.ID, job.Status)
	case len(t.keysUnder(bucketJobWatchers, c.Job+sep)) >= farm.MostWatchers:
		return refusef(farm.CodeConflict, "%d people watch job %s, which is as many as may", farm.MostWatchers, job.ID)
	}
	t.set(bucketJobWatchers, key, nil)
	return command.Result{}
}

// tellOfEnd notes whom to tell that a job has ended.
func (t *tables) tellOfEnd(job farm.Job) {
	t.tellOwnersOfEnd(job)
	for _, id := range t.keysUnder(bucketJobWatchers, job.ID+sep) {
		t.remove(bucketJobWatchers, watcherKey(job.ID, id))
		token, ok := often[farm.Token](t, bucketTokens, id)
		if !ok {
			continue
		}
		settings, _ := get[farm.NoticeSettings](t, bucketNoticeSettings, noticeSettingsKey(token))
		t.tellBy(token, settings, farm.Notice{About: farm.HappenedEnded, Job: job.ID, At: endOf(job)})
	}
}

// tellOwnersOfEnd notes to tell those whose job has ended. A job that was cancelled is told of only as one of its batch.
func (t *tables) tellOwnersOfEnd(job farm.Job) {
	if job.Parent != "" || !t.tells(job.Team) {
		return
	}
	end := endOf(job)
	switch {
	case job.Status == farm.JobFailed && (job.Batch == "" || t.count(t.countOfBatch(job.Batch, farm.JobFailed)) == 1):
		t.tell(job.Team, []string{job.SubmittedBy}, farm.Notice{About: farm.HappenedFailed, Job: job.ID, At: end})
	case job.Status == farm.JobFinished && job.Batch == "":
		t.tell(job.Team, []string{job.SubmittedBy}, farm.Notice{About: farm.HappenedFinished, Job: job.ID, At: end})
	}
	if job.Batch != "" && t.batchEnded(job.Batch) {
		t.tell(job.Team, t.ownersOfBatch(job), farm.Notice{About: farm.HappenedBatch, Batch: job.Batch, At: end})
	}
}

// tellOfWait notes whom to tell that a job waits for approval.
func (t *tables) tellOfWait(job farm.Job) {
	if job.Approve && job.ApprovedAt.IsZero() && job.Parent == "" && t.tells(job.Team) {
		t.tell(job.Team, []string{job.SubmittedBy}, farm.Notice{About: farm.HappenedApproval, Job: job.ID, At: job.UpdatedAt})
	}
}

// batchEnded says whether no job of a batch is still to do.
func (t *tables) batchEnded(batch string) bool {
	return !slices.ContainsFunc(farm.JobStatuses(), func(status farm.JobStatus) bool {
		return !status.Ended() && t.count(t.countOfBatch(batch, status)) > 0
	})
}

// ownersOfBatch are those whom the end of a batch concerns when its last job ends: who submitted that, and who submitted the batch.
func (t *tables) ownersOfBatch(last farm.Job) []string {
	names := []string{last.SubmittedBy}
	if !t.since(command.BatchOwnersLevel) {
		return names
	}
	batch, _ := t.headOfBatch(last.Batch)
	var first farm.Job
	if len(batch.Jobs) > 0 {
		first, _ = t.head(batch.Jobs[0].ID)
	}
	return append(names, batch.Owner(first))
}

// tells says whether anybody of a team wants to be told of anything.
func (t *tables) tells(team string) bool { return t.anyUnder(bucketNoticeSettings, team+sep) }

// tell puts a notice into the queues of those of a team whom it concerns: whose work it is about, by their names, and for approval also those who look
// after the team's jobs.
func (t *tables) tell(team string, owners []string, notice farm.Notice) {
	for _, id := range t.keysUnder(bucketNoticeSettings, team+sep) {
		token, ok := often[farm.Token](t, bucketTokens, id)
		if !ok {
			continue
		}
		settings, ok := get[farm.NoticeSettings](t, bucketNoticeSettings, noticeSettingsKey(token))
		concerns := slices.Contains(owners, token.Name) || notice.About == farm.HappenedApproval && token.Role.Allows(farm.RoleProducer)
		if !ok || !concerns || !settings.Wants(notice.About) {
			continue
		}
		t.tellBy(token, settings, notice)
	}
}

// tellBy puts a notice into somebody's queues, and has it shown in their browsers.
func (t *tables) tellBy(token farm.Token, settings farm.NoticeSettings, notice farm.Notice) {
	t.note(farm.EventNotice, token.Team, farm.NoticeID(token.ID, notice))
	for _, way := range farm.NoticeWays() {
		if settings.Uses(way) {
			t.addNotice(token, way, notice)
		}
	}
}

// addNotice puts a notice behind the others that wait. The first one is due when the pause behind the last message is over. Who watches an own
// job is told once, and whoever has comments to read, too.
func (t *tables) addNotice(token farm.Token, way farm.NoticeWay, notice farm.Notice) {
	queue, _ := t.noticeQueue(token.ID, way)
	if n := len(queue.Waiting); n > 0 && notice.About == farm.HappenedEnded && queue.Waiting[n-1].Job == notice.Job {
		return
	}
	said := func(n farm.Notice) bool { return n.About == farm.HappenedReview && n.Job == notice.Job }
	if notice.About == farm.HappenedReview && slices.ContainsFunc(queue.Waiting, said) {
		return
	}
	queue.Token, queue.Team, queue.Way = token.ID, token.Team, way
	if len(queue.Waiting) == 0 {
		queue.Next = notice.At
		if over := queue.EndedAt.Add(noticePause); over.After(queue.Next) && !queue.EndedAt.IsZero() {
			queue.Next = over
		}
	}
	if len(queue.Waiting) < farm.MostNotices {
		queue.Waiting = append(queue.Waiting, notice)
	} else {
		queue.More++
	}
	t.saveNotices(queue)
}

func (t *tables) noticeQueue(token string, way farm.NoticeWay) (farm.NoticeQueue, bool) {
	return get[farm.NoticeQueue](t, bucketNotices, noticeKey(token, way))
}

// saveNotices writes a queue, and has whoever sends look at it.
func (t *tables) saveNotices(queue farm.NoticeQueue) {
	put(t, bucketNotices, noticeKey(queue.Token, queue.Way), queue)
	if name := (command.NoticeQueue{Token: queue.Token, Way: queue.Way}); len(queue.Waiting) > 0 && !slices.Contains(t.noticed, name) {
		t.noticed = append(t.noticed, name)
	}
}

// dropNotices forgets what the holder of a token wants to be told of, and what waits.
func (t *tables) dropNotices(token farm.Token) {
	if !t.has(bucketNoticeSettings, noticeSettingsKey(token)) {
		return
	}
	t.remove(bucketNoticeSettings, noticeSettingsKey(token))
	for _, way := range farm.NoticeWays() {
		if key := noticeKey(token.ID, way); t.has(bucketNotices, key) {
			t.remove(bucketNotices, key)
		}
	}
}

// noticesMade gives the queues that the command that has ended put something into.
func (t *tables) noticesMade() []command.NoticeQueue {
	made := t.noticed
	t.noticed = nil
	return made
}

func watcherKey(job, token string) string               { return job + sep + token }
func noticeSettingsKey(token farm.Token) string         { return token.Team + sep + token.ID }
func noticeKey(token string, way farm.NoticeWay) string { return token + sep + string(way) }

// Watches reads whether the holder of a token is told when a job has ended.
func (tx *Tx) Watches(job, token string) (bool, error) {
	return tx.t.has(bucketJobWatchers, watcherKey(job, token)), tx.t.err
}

// NoticeSettings reads what the holder of a token wants to be told of; nothing for somebody who never said so.
func (tx *Tx) NoticeSettings(token farm.Token) (farm.NoticeSettings, error) {
	s, ok := get[farm.NoticeSettings](tx.t, bucketNoticeSettings, noticeSettingsKey(token))
	if !ok {
		s = farm.NoticeSettings{Token: token.ID, Team: token.Team}
	}
	return s, tx.t.err
}

// Notices reads what the holder of a token is still to be told by one way.
func (tx *Tx) Notices(token string, way farm.NoticeWay) (farm.NoticeQueue, error) {
	queue, ok := tx.t.noticeQueue(token, way)
	return found(tx, queue, ok, "notices of", token)
}

// NoticesOwed reads all queues that have something to send.
func (tx *Tx) NoticesOwed() ([]farm.NoticeQueue, error) {
	var owed []farm.NoticeQueue
	for _, queue := range all[farm.NoticeQueue](tx.t, bucketNotices) {
		if len(queue.Waiting) > 0 {
			owed = append(owed, queue)
		}
	}
	return owed, tx.t.err
}
