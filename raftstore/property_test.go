package raftstore

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overcrank/farm"
)

// draw makes a random command about a small world, so that commands meet each other; many of them are refused.
func draw(t *rapid.T, step int) Command {
	at := after(step)
	id := func(kind string, n int) string { return fmt.Sprintf("%s%d", kind, rapid.IntRange(0, n).Draw(t, kind)) }
	task := func() string { return fmt.Sprintf("%s.%d", id("job", 7), rapid.IntRange(0, 1).Draw(t, "task")) }
	attempt := func() int { return rapid.IntRange(1, 4).Draw(t, "attempt") }
	grants := func() []Grant {
		var grants []Grant
		for range rapid.IntRange(1, 3).Draw(t, "grants") {
			grants = append(grants, Grant{Task: task(), Attempt: attempt(), Agent: id("agent", 2)})
		}
		return grants
	}
	switch rapid.IntRange(0, 27).Draw(t, "command") {
	case 0, 1:
		return drawSubmission(t, step)
	case 2, 3, 4, 5, 6:
		return LeaseTasks{Grants: grants(), At: at}
	case 7, 8:
		return FinishTask{Task: task(), Attempt: attempt(), Output: farm.OutputRef{Key: "k"}, Warnings: []string{"w"}, At: at}
	case 9, 10:
		return FailTask{Task: task(), Attempt: attempt(), Message: "broke", Retry: rapid.Bool().Draw(t, "retry"), Class: drawClass(t), At: at}
	case 11:
		return ExpireLeases{Leases: grants(), Returned: rapid.Bool().Draw(t, "returned"), At: at}
	case 12:
		return CancelJobs{Team: id("team", 1), IDs: []string{id("job", 7)}, Force: rapid.Bool().Draw(t, "force"), At: at}
	case 13:
		return ReceiveTemplate{ID: id("template", 2), Nonce: rapid.SampledFrom([]string{"n", "old", ""}).Draw(t, "nonce"),
			File: farm.FileRef{SHA256: id("content", 3)}, At: at}
	case 14:
		return FinishTemplate{ID: id("template", 2), MissingFootage: rapid.SampledFrom([][]string{nil, {"a.png"}}).Draw(t, "missing footage"), FileSHA256: rapid.SampledFrom([]string{"", "content0", "content1", "content2", "content3"}).Draw(t, "file"),
			Introspection: &farm.FileRef{SHA256: id("summary", 1)}, Fonts: []farm.FontUse{{PostScript: "Go-Regular"}, {PostScript: "Inter"}}, MatchFonts: true, Error: rapid.SampledFrom([]string{"", "", "broken"}).Draw(t, "error"), At: at}
	case 15:
		status := rapid.SampledFrom([]farm.TemplateStatus{farm.TemplateAwaitingUpload, farm.TemplateDownloading}).Draw(t, "status")
		return CreateTemplate{Template: farm.Template{ID: id("template", 2), Team: "team0", Status: status, UploadNonce: "n"}}
	case 16:
		return rapid.SampledFrom([]Command{
			DeleteTemplate{Team: "team0", ID: "template0"}, RenewUpload{Team: "team0", ID: "template1", Nonce: "n", At: at},
			RenameTemplate{Team: "team0", ID: "template0", DisplayName: "x", At: at}, RemoveAgent{ID: "agent1"},
			MarkTemplate{Team: "team0", ID: "template0", Sequential: true, At: at},
			EnrolAgent{Agent: farm.Agent{ID: "agent1", Name: "one", SecretHash: "s1"}}, PutInventory{ID: "agent0", Name: "n"},
			PutToken{Token: farm.Token{ID: id("token", 3), Team: id("team", 1), Role: farm.RoleAdmin, Hash: id("hash", 3)}},
			RevokeToken{ID: id("token", 3), At: at}, RecordUses{Uses: []TokenUse{{Token: id("token", 3), At: at}}},
			ChangeToken{ID: id("token", 3), ExpiresAt: &at, At: at}, RenameTeam{ID: id("team", 1), Name: "n"}, EndTeam{ID: id("team", 1), At: at},
		}).Draw(t, "other")
	case 17:
		if rapid.Bool().Draw(t, "again") {
			return Redeliver{Team: "team0", ID: id("job", 7), At: at}
		}
		return RecordTry{ID: id("job", 7), Round: rapid.IntRange(0, 1).Draw(t, "round"), Try: attempt(),
			Error: rapid.SampledFrom([]string{"", "answered 500"}).Draw(t, "answer"), GiveUp: rapid.Bool().Draw(t, "final"), Next: after(step + 1), At: at}
	case 18, 19:
		ids := []string{id("job", 7), id("job", 7)}
		return rapid.SampledFrom([]Command{PurgeJobs{IDs: ids}, ExpireOutputs{IDs: ids, At: at},
			RedactJobs{Jobs: []Redaction{{ID: ids[0], Error: "broke", Warnings: []string{farm.Redacted}}}, Erase: at.Second()%2 == 0, At: at}}).Draw(t, "retention")
	case 20, 21:
		return drawLibrary(t)
	case 22, 23:
		return drawBatchCommand(t, step)
	case 24, 25:
		return drawEnrolment(t, step)
	case 26:
		return drawSteering(t, step)
	default:
		if rapid.Bool().Draw(t, "expire") {
			return ExpireFiles{At: at}
		}
		return PutFile{File: farm.StoredFile{FileRef: farm.FileRef{SHA256: id("content", 3)}, Team: id("team", 1), ExpiresAt: after(step + rapid.IntRange(-5, 20).Draw(t, "life"))}}
	}
}

func drawClass(t *rapid.T) farm.FailureClass {
	return rapid.SampledFrom([]farm.FailureClass{"", farm.FailureTransient, farm.FailureLicence, farm.FailureDeterministic, farm.FailureWorker}).Draw(t, "class")
}

// drawMove makes a command that fits what the state holds, nil when nothing does: without such commands hardly any job of
// a random history would come to an end.
func drawMove(t *rapid.T, step int, now seen) Command {
	var ready, leased []farm.Task
	for _, id := range slices.Sorted(maps.Keys(now.tasks)) {
		switch task := now.tasks[id]; task.Status {
		case farm.TaskReady:
			ready = append(ready, task)
		case farm.TaskLeased:
			leased = append(leased, task)
		}
	}
	at := after(step)
	if len(now.owed) > 0 && rapid.IntRange(0, 3).Draw(t, "deliver") == 0 {
		owed := rapid.SampledFrom(now.owed).Draw(t, "owed")
		return RecordTry{ID: owed.ID, Round: owed.Round, Try: owed.Tries + 1, Error: rapid.SampledFrom([]string{"", "answered 500"}).Draw(t, "answer"),
			Next: after(step + 4), At: at}
	}
	if len(now.jobs) > 0 && rapid.IntRange(0, 9).Draw(t, "cancel") == 0 {
		job := rapid.SampledFrom(slices.Sorted(maps.Keys(now.jobs))).Draw(t, "doomed")
		return CancelJobs{Team: "team0", IDs: []string{job}, Force: rapid.Bool().Draw(t, "force"), At: at}
	}
	if len(ready) > 0 && (len(leased) == 0 || rapid.Bool().Draw(t, "lease")) {
		task := rapid.SampledFrom(ready).Draw(t, "ready")
		if rapid.IntRange(0, 3).Draw(t, "split") == 0 && task.Kind == farm.TaskRender && !task.Part {
			ranges := []farm.Frames{{End: 4}, {Start: 5, End: 9}}
			return SplitTasks{Splits: []Split{{Task: task.ID, Attempt: task.Attempt, Ranges: ranges, Parting: Parting{Sound: true}}}, At: at}
		}
		return LeaseTasks{Grants: []Grant{{Task: task.ID, Attempt: task.Attempt + 1, Agent: "agent0"}}, At: at}
	}
	if len(leased) == 0 {
		return nil
	}
	task := rapid.SampledFrom(leased).Draw(t, "leased")
	switch rapid.IntRange(0, 4).Draw(t, "end") {
	case 4:
		if task.Kind == farm.TaskAssemble {
			return RedoFrames{Task: task.ID, Attempt: task.Attempt, Bad: []farm.Frames{{Start: 3, End: 3}}, At: at}
		}
		return KeepFrames{Task: task.ID, Attempt: task.Attempt, Frames: farm.Frames{End: 2}, Output: farm.OutputRef{Key: "k"}, Whole: &farm.Frames{End: 9}, At: at}
	case 0:
		return FailTask{Task: task.ID, Attempt: task.Attempt, Message: "broke", Retry: true, Class: drawClass(t), At: at}
	case 1:
		return ExpireLeases{Leases: []Grant{{Task: task.ID, Attempt: task.Attempt, Agent: task.Agent}}, At: at}
	default:
		return FinishTask{Task: task.ID, Attempt: task.Attempt, Output: farm.OutputRef{Key: "k"}, At: at}
	}
}

// drawSubmission makes one job with one or two tasks, or a parent with two children. The first one is a family that can
// only be taken.
func drawSubmission(t *rapid.T, step int) SubmitJobs {
	n := rapid.IntRange(0, 7).Draw(t, "job")
	if step == 0 {
		n %= 3
	}
	jobOf := func(n int) farm.Job {
		job := farm.Job{ID: fmt.Sprintf("job%d", n), Team: "team0", OutputName: fmt.Sprintf("job%d-out.mp4", n), CreatedAt: after(step),
			Priority: rapid.IntRange(-2, 2).Draw(t, "priority")}
		if step == 0 {
			return job
		}
		job.Hold = rapid.Bool().Draw(t, "hold")
		job.Tags = rapid.SampledFrom([][]string{nil, {"red"}, {"red", "blue"}}).Draw(t, "tags")
		if k := rapid.IntRange(0, 9).Draw(t, "template"); k < 4 {
			job.Template.ID = fmt.Sprintf("template%d", k%3)
		} else if k < 6 {
			job.Template.Src, job.Private = "https://x/a.aep", true
		}
		if rapid.Bool().Draw(t, "webhook") {
			job.Webhook = &farm.Webhook{URL: "https://hook"}
		}
		if rapid.IntRange(0, 3).Draw(t, "font") == 0 {
			job.UsesFonts = []string{fmt.Sprintf("font%d", rapid.IntRange(0, 3).Draw(t, "used"))}
		}
		if rapid.IntRange(0, 3).Draw(t, "asset") == 0 {
			job.Assets = []farm.Asset{{Type: "image", Src: fmt.Sprintf("farm://content%d", rapid.IntRange(0, 3).Draw(t, "content"))}}
		}
		return job
	}
	cmd := SubmitJobs{Jobs: []farm.Job{jobOf(n)}}
	if step > 0 && rapid.IntRange(0, 2).Draw(t, "in a batch") == 0 {
		inBatch(t, &cmd)
	}
	if n < 3 {
		for _, k := range []int{n + 3, n + 5} {
			child := jobOf(k)
			child.Parent = cmd.Jobs[0].ID
			cmd.Jobs[0].Children = append(cmd.Jobs[0].Children, child.ID)
			cmd.Jobs = append(cmd.Jobs, child)
		}
	}
	for _, job := range cmd.Jobs {
		for k := range rapid.IntRange(1, 2).Draw(t, "tasks") {
			cmd.Tasks = append(cmd.Tasks, farm.Task{ID: fmt.Sprintf("%s.%d", job.ID, k), Job: job.ID, Team: job.Team, Kind: farm.TaskRender, Stage: k * (n % 2)})
		}
	}
	return cmd
}

// inBatch makes the first job of a submission one of a batch.
func inBatch(t *rapid.T, cmd *SubmitJobs) {
	job := &cmd.Jobs[0]
	job.Batch = fmt.Sprintf("batch%d", rapid.IntRange(0, 3).Draw(t, "batch"))
	cmd.Batch = &farm.Batch{ID: job.Batch, Team: "team0", Jobs: []farm.BatchJob{{ID: job.ID}}, Total: 1}
}

// drawBatchCommand makes a command about batches, held jobs or kept requests.
func drawBatchCommand(t *rapid.T, step int) Command {
	at := after(step)
	batch, job := fmt.Sprintf("batch%d", rapid.IntRange(0, 3).Draw(t, "batch")), fmt.Sprintf("job%d", rapid.IntRange(0, 7).Draw(t, "job"))
	switch rapid.IntRange(0, 6).Draw(t, "about a batch") {
	case 0:
		part := drawSubmission(t, max(step, 1))
		if part.Batch == nil {
			inBatch(t, &part)
		}
		name := part.Batch.ID
		part.Batch = nil
		return SubmitPart{Batch: name, Part: rapid.IntRange(0, 1).Draw(t, "part"), SubmitJobs: part, At: at}
	case 1:
		return SubmitJobs{Batch: &farm.Batch{ID: batch, Team: "team0", Jobs: []farm.BatchJob{{ID: job}}, Total: 1}, Parts: 1}
	case 2:
		return CancelBatch{Team: "team0", ID: batch, Force: rapid.Bool().Draw(t, "force"), At: at}
	case 3:
		return ReleaseJobs{Team: "team0", IDs: []string{job}, At: at}
	case 4:
		return DropParts{Before: after(step - 9)}
	case 5:
		return KeepAnswer{RequestKey: drawKey(t, step), Answer: []byte("answer")}
	default:
		return ForgetRequests{Before: after(step - rapid.IntRange(0, 20).Draw(t, "age")), Limit: 2}
	}
}

func drawKey(t *rapid.T, step int) RequestKey {
	return RequestKey{Team: "team0", Key: rapid.SampledFrom([]string{"k0", "k1", "k2"}).Draw(t, "key"), Hash: rapid.SampledFrom([]string{"h", "h", "g"}).Draw(t, "hash"), At: after(step)}
}

// seen is what an earlier look at the state showed.
type seen struct {
	jobs  map[string]farm.Job
	tasks map[string]farm.Task
	owed  []farm.Delivery // in the order in which they are due
}

// look checks what must hold at any time, and what a command did against the look before it.
func look(t *rapid.T, m *testMachine, before seen, cmd Command) seen {
	now := seen{jobs: map[string]farm.Job{}, tasks: map[string]farm.Task{}}
	_ = m.view(func(tb *tables) error {
		for _, head := range all[farm.Job](tb, bucketJobs) {
			now.jobs[head.ID], _ = tb.job(head.ID)
		}
		for _, task := range all[farm.Task](tb, bucketTasks) {
			now.tasks[task.ID] = task
		}
		now.owed, _ = (&Tx{tb}).DeliveriesOwed()
		checkDeliveries(t, tb, now)
		checkIndexes(t, tb, now)
		return tb.err
	})
	for id, was := range before.jobs {
		is, ok := now.jobs[id]
		if !ok && !purged(was, before, cmd) || ok && was.Status.Ended() && !reflect.DeepEqual(is, was) && !retained(was, is, cmd) {
			t.Fatalf("job %s ended as %+v and is now %+v after %+v", id, was, is, cmd)
		}
	}
	for id, was := range before.tasks {
		is, ok := now.tasks[id]
		_, redacted := cmd.(RedactJobs)
		switch {
		case !ok && purged(before.jobs[was.Job], before, cmd):
		case !ok:
			t.Fatalf("task %s is lost", id)
		case was.Status.Ended() && !reflect.DeepEqual(is, was) && !redacted:
			t.Fatalf("task %s ended as %+v and is now %+v", id, was, is)
		case is.Attempt < was.Attempt, is.Attempt > was.Attempt+1:
			t.Fatalf("task %s went from attempt %d to %d in one step", id, was.Attempt, is.Attempt)
		case was.Status == farm.TaskLeased && is.Status == farm.TaskLeased && is.Attempt != was.Attempt:
			t.Fatalf("task %s has a second lease beside a live one", id)
		case is.Failures > farm.MaxAttempts:
			t.Fatalf("task %s failed %d times", id, is.Failures)
		}
	}
	for _, job := range now.jobs {
		checkJobWithTasks(t, job, now)
	}
	checkAttempts(t, m, now)
	return now
}

// checkAttempts makes sure that each attempt of each task that is not under way has a record, and that no record is left over.
func checkAttempts(t *rapid.T, m *testMachine, now seen) {
	_ = m.view(func(tb *tables) error {
		records := 0
		for id, task := range now.tasks {
			ended := task.Attempt
			if task.Status == farm.TaskLeased {
				ended--
			}
			if have := len(tb.attempts(id)); have != ended {
				t.Fatalf("task %s has had %d attempts, of which %d are recorded: %+v", id, ended, have, task)
			}
			records += ended
		}
		if have := len(tb.keysUnder(bucketAttempts, "")); have != records {
			t.Fatalf("%d attempts are recorded, those of the tasks are %d", have, records)
		}
		return tb.err
	})
}

// purged says whether a command may have made a job vanish: it, or one that it is nested in, was named, and it had ended.
func purged(job farm.Job, before seen, cmd Command) bool {
	purge, ok := cmd.(PurgeJobs)
	if !ok || !job.Status.Ended() {
		return false
	}
	for ; job.ID != ""; job = before.jobs[job.Parent] {
		if slices.Contains(purge.IDs, job.ID) {
			return true
		}
	}
	return false
}

// retained says whether a command may have made of an ended job what it is: what it was, less what is not kept for ever.
func retained(was, is farm.Job, cmd Command) bool {
	switch c := cmd.(type) {
	case RedactJobs:
		if c.Erase {
			was.Erase()
			was.ErasedAt = c.At
		} else {
			was.Redact(c.At)
		}
		was.Error, was.Warnings = is.Error, is.Warnings
	case ExpireOutputs:
		output := *was.Output
		output.GoneAt = c.At
		was.Output = &output
	}
	return reflect.DeepEqual(was, is)
}

func checkJobWithTasks(t *rapid.T, job farm.Job, now seen) {
	states := map[farm.TaskStatus]int{}
	for _, task := range now.tasks {
		if task.Job == job.ID {
			states[task.Status]++
		}
	}
	live := states[farm.TaskBlocked] + states[farm.TaskReady] + states[farm.TaskLeased]
	switch {
	case job.Status.Ended() != (live == 0):
		t.Fatalf("job %s is %s with tasks %v", job.ID, job.Status, states)
	case job.Status.Waiting() && states[farm.TaskLeased] > 0:
		t.Fatalf("job %s is %s while a task of it is leased", job.ID, job.Status)
	case job.Status == farm.JobPending && states[farm.TaskBlocked] != live:
		t.Fatalf("job %s waits for its children with tasks %v", job.ID, states)
	case job.Status == farm.JobFinished && (job.Output == nil || job.FinishedAt.IsZero()):
		t.Fatalf("job %s finished without a result", job.ID)
	case job.Status == farm.JobFailed && (job.Error == "" || job.ErrorAt.IsZero()):
		t.Fatalf("job %s failed without saying why", job.ID)
	}
}

// checkDeliveries makes sure that a webhook is owed for each job that finished or failed, and for no other.
func checkDeliveries(t *rapid.T, tb *tables, now seen) {
	kept := map[string]farm.Delivery{}
	for _, delivery := range all[farm.Delivery](tb, bucketDeliveries) {
		kept[delivery.ID] = delivery
		if delivery.Tries > farm.DeliveryRetries+1 {
			t.Fatalf("the webhook of %s was tried %d times", delivery.ID, delivery.Tries)
		}
	}
	for _, job := range now.jobs {
		_, ok := kept[job.ID]
		if want := job.Webhook != nil && (job.Status == farm.JobFinished || job.Status == farm.JobFailed); ok != want {
			t.Fatalf("a webhook is owed for job %s, which is %s: %v", job.ID, job.Status, ok)
		}
	}
}

// checkIndexes makes all indexes and counters again from the records and compares them with those that are kept.
func checkIndexes(t *rapid.T, tb *tables, now seen) {
	want := map[string]map[string]string{}
	set := func(bucket []byte, key, value string) {
		if want[string(bucket)] == nil {
			want[string(bucket)] = map[string]string{}
		}
		want[string(bucket)][key] = value
	}
	counts := map[string]int{}
	for _, job := range now.jobs {
		prefix, place := job.Team+"\x00"+string(job.Status)+"\x00", timeKey(job.CreatedAt)+job.ID
		set(bucketJobsByTime, prefix+place, "")
		set(bucketJobsByPriority, prefix+priorityKey(job.Priority)+place, "")
		for _, tag := range job.Tags {
			tagged := job.Team + "\x00" + tag + "\x00" + string(job.Status) + "\x00"
			set(bucketTaggedJobsByTime, tagged+place, "")
			set(bucketTaggedJobsByPriority, tagged+priorityKey(job.Priority)+place, "")
		}
		counts[countOfJobs(job.Team, job.Status)]++
		if job.Batch != "" {
			counts[countOfBatch(job.Batch, job.Status)]++
		}
		if job.Status.Ended() {
			if job.Private && job.ErasedAt.IsZero() {
				set(bucketDuties, dutyKey(DutyErase, job), "")
			}
			if job.RedactedAt.IsZero() {
				set(bucketDuties, dutyKey(DutyRedact, job), "")
			}
			if _, nested := now.jobs[job.Parent]; !nested {
				set(bucketDuties, dutyKey(DutyHistory, job), "")
				if tb.has(bucketDuties, dutyKey(DutyOutputs, job)) { // the record of a job without a result does not tell
					set(bucketDuties, dutyKey(DutyOutputs, job), "")
				}
			}
			continue
		}
		for _, id := range job.UsesFonts {
			counts[countOfFontJobs(id)]++
		}
		for _, asset := range job.Assets {
			counts[countOfJobRefs(asset.Src[len("farm://"):])]++
		}
		if job.Project != nil {
			counts[countOfJobRefs(job.Project.SHA256)]++
		}
		if job.Template.ID != "" {
			counts[countOfActive(job.Template.ID)]++
		}
	}
	waits := map[string]bool{} // jobs of which nothing may begin
	for _, task := range now.tasks {
		if _, known := waits[task.Job]; !known {
			waits[task.Job] = true
		}
		waits[task.Job] = waits[task.Job] && task.Status == farm.TaskBlocked
	}
	for id, all := range waits {
		if template := now.jobs[id].Template.ID; template != "" && all {
			set(bucketBlockedByTemplate, template+"\x00"+id, "")
		}
	}
	for _, task := range now.tasks {
		if !task.Status.Ended() {
			set(bucketTasksByStatus, string(task.Status)+"\x00"+task.ID, "")
		}
	}
	for _, template := range all[farm.Template](tb, bucketTemplates) {
		set(bucketTemplatesByTeam, template.Team+"\x00"+template.ID, "")
		if template.Status == farm.TemplateDownloading || template.Status == farm.TemplateProcessing {
			set(bucketUnread, template.ID, "")
		}
		for _, ref := range []*farm.FileRef{template.File, template.Introspection} {
			if ref != nil {
				counts[countOfTemplateRefs(ref.SHA256)]++
			}
		}
	}
	for _, file := range all[farm.StoredFile](tb, bucketFiles) {
		set(bucketFilesByExpiry, timeKey(file.ExpiresAt)+file.Team+"\x00"+file.SHA256, "")
		counts[countOfStoredCopies(file.SHA256)]++
	}
	for _, delivery := range all[farm.Delivery](tb, bucketDeliveries) {
		if delivery.EndedAt.IsZero() {
			set(bucketDeliveriesDue, timeKey(delivery.Next)+delivery.ID, "")
		}
	}
	for _, agent := range all[farm.Agent](tb, bucketAgents) {
		if agent.SecretHash != "" {
			set(bucketAgentsByHash, agent.SecretHash, agent.ID)
		}
		for _, key := range agent.Keys {
			set(bucketAgentsByKey, key.SHA256, agent.ID)
		}
	}
	for _, token := range all[farm.JoinToken](tb, bucketJoinTokens) {
		set(bucketJoinTokensByHash, token.Hash, token.ID)
	}
	for _, batch := range all[farm.Batch](tb, bucketBatches) {
		set(bucketBatchesByTeam, batch.Team+"\x00"+batch.ID, "")
	}
	for _, request := range all[Request](tb, bucketRequests) {
		set(bucketRequestsByTime, timeKey(request.At)+request.Team+"\x00"+request.Key, "")
	}
	expectLibrary(tb, set, counts)
	for key, n := range counts {
		set(bucketCounts, key, fmt.Sprintf("%08x", n))
	}
	for _, bucket := range [][]byte{bucketJobsByTime, bucketJobsByPriority, bucketTaggedJobsByTime, bucketTaggedJobsByPriority, bucketBlockedByTemplate, bucketTasksByStatus,
		bucketTemplatesByTeam, bucketUnread, bucketFilesByExpiry, bucketAgentsByHash, bucketAgentsByKey, bucketJoinTokensByHash, bucketCounts, bucketDeliveriesDue, bucketDuties,
		bucketFontsByTeam, bucketFontsByFile, bucketFontsByName, bucketSecretsByTeam, bucketSecretsByName, bucketBatchesByTeam, bucketRequestsByTime} {
		have := map[string]string{}
		cursor := tb.cursor(bucket)
		for k, v := cursor.First(); k != nil; k, v = cursor.Next() {
			if strings.HasPrefix(string(k), usageOfAll) {
				continue // tells of tasks that are long gone
			}
			have[string(k)] = string(v)
			if bytes.Equal(bucket, bucketCounts) {
				have[string(k)] = fmt.Sprintf("%08x", tb.count(string(k)))
			}
		}
		if !maps.Equal(have, want[string(bucket)]) {
			t.Fatalf("%s holds %q, the records say %q", bucket, slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(want[string(bucket)])))
		}
	}
}

// populated is a state with two teams and two machines, in a folder of its own. Both are gone when t ends.
func populated(t *rapid.T) *testMachine {
	folder, err := os.MkdirTemp("", "raftstore-property-*")
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	m := newTestMachine(t, folder, "single")
	t.Cleanup(m.end)
	m.must(PutTeam{Team: farm.Team{ID: "team0"}})
	m.must(PutTeam{Team: farm.Team{ID: "team1"}})
	for _, id := range []string{"agent0", "agent2"} {
		m.must(EnrolAgent{Agent: farm.Agent{ID: id, SecretHash: "s" + id}})
	}
	return m
}

// TestRandomCommands feeds random commands and checks after each what must always hold; then that the same log gives the
// same state applied at once, applied twice, and through a snapshot.
func TestRandomCommands(t *testing.T) {
	reached := map[farm.JobStatus]int{}
	rapid.Check(t, func(t *rapid.T) {
		m := populated(t)
		before := look(t, m, seen{}, nil)
		for step := range rapid.IntRange(10, 80).Draw(t, "steps") {
			content := m.content()
			cmd := draw(t, step)
			if step == 0 {
				cmd = drawSubmission(t, step)
			} else if move := drawMove(t, step, before); move != nil && rapid.IntRange(0, 2).Draw(t, "fitting") > 0 {
				cmd = move
			}
			var result Result
			if rapid.IntRange(0, 5).Draw(t, "keyed") == 0 {
				result = m.doFor(drawKey(t, step), cmd)
			} else {
				result = m.do(cmd)
			}
			if (result.Refused != nil || result.Repeated != nil) && m.content() != content {
				t.Fatalf("a refused command changed the state: %v", result.Refused)
			}
			before = look(t, m, before, cmd)
			for _, job := range before.jobs {
				reached[job.Status]++
			}
			for _, job := range result.Jobs {
				if job.Status != before.jobs[job.ID].Status {
					t.Fatalf("the result says %+v, the state %+v", job, before.jobs[job.ID])
				}
			}
		}
		checkReplays(t, m)
	})
	t.Logf("states met: %v", reached)
	for _, status := range farm.JobStatuses() {
		if reached[status] == 0 {
			t.Errorf("no random history had a job in %q: the test no longer covers it", status)
		}
	}
}

func checkReplays(t *rapid.T, m *testMachine) {
	folder := filepath.Dir(m.path)
	batch := newTestMachine(t, folder, "batch")
	defer batch.end()
	batch.ApplyBatch(m.logs)
	batch.ApplyBatch(m.logs[len(m.logs)/2:])
	if batch.content() != m.content() || batch.fingerprint() != m.fingerprint() {
		t.Fatalf("the log applied in one batch, and its end again, gives another state")
	}
	restored := newTestMachine(t, folder, "restored")
	defer restored.end()
	half := len(m.logs) / 2
	restored.ApplyBatch(m.logs[:half])
	data := restored.snapshotBytes()
	if err := restored.Restore(io.NopCloser(bytes.NewReader(data))); err != nil {
		t.Fatalf("%v", err)
	}
	restored.ApplyBatch(m.logs)
	if restored.content() != m.content() || restored.fingerprint() != m.fingerprint() {
		t.Fatalf("a snapshot half-way and the rest of the log give another state")
	}
}
