package tables

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/commandtest"
)

// look checks what must hold at any time, and what a command did against the look before it.
func look(t *rapid.T, m *rig, before commandtest.Seen, cmd command.Command) commandtest.Seen {
	now := commandtest.Seen{Jobs: map[string]farm.Job{}, Tasks: map[string]farm.Task{}}
	m.tables(func(tb *tables) error {
		for _, head := range all[farm.Job](tb, bucketJobs) {
			now.Jobs[head.ID], _ = tb.job(head.ID)
		}
		for _, task := range all[farm.Task](tb, bucketTasks) {
			now.Tasks[task.ID] = task
		}
		now.Owed, _ = (&Tx{tb}).DeliveriesOwed()
		checkDeliveries(t, tb, now)
		checkIndexes(t, tb, now)
		checkFailures(t, tb, now)
		return tb.err
	})
	for id, was := range before.Jobs {
		is, ok := now.Jobs[id]
		if !ok && !purged(was, before, cmd) || ok && was.Status.Ended() && !reflect.DeepEqual(is, was) && !retained(was, is, cmd) {
			t.Fatalf("job %s ended as %+v and is now %+v after %+v", id, was, is, cmd)
		}
	}
	for id, was := range before.Tasks {
		is, ok := now.Tasks[id]
		_, redacted := cmd.(command.RedactJobs)
		switch {
		case !ok && purged(before.Jobs[was.Job], before, cmd):
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
	for _, job := range now.Jobs {
		checkJobWithTasks(t, job, now)
	}
	checkAttempts(t, m, now)
	return now
}

// checkAttempts makes sure that each attempt of each task that is not under way has a record, and that no record is left over.
func checkAttempts(t *rapid.T, m *rig, now commandtest.Seen) {
	m.tables(func(tb *tables) error {
		records := 0
		for id, task := range now.Tasks {
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
func purged(job farm.Job, before commandtest.Seen, cmd command.Command) bool {
	purge, ok := cmd.(command.PurgeJobs)
	if !ok || !job.Status.Ended() {
		return false
	}
	for ; job.ID != ""; job = before.Jobs[job.Parent] {
		if slices.Contains(purge.IDs, job.ID) {
			return true
		}
	}
	return false
}

// retained says whether a command may have made of an ended job what it is: what it was, less what is not kept for ever.
func retained(was, is farm.Job, cmd command.Command) bool {
	switch c := cmd.(type) {
	case command.RedactJobs:
		if c.Erase {
			was.Erase()
			was.ErasedAt = c.At
		} else {
			was.Redact(c.At)
		}
		was.Error, was.Warnings = is.Error, is.Warnings
	case command.ExpireOutputs:
		output := *was.Output
		output.GoneAt = c.At
		was.Output = &output
	}
	return reflect.DeepEqual(was, is)
}

func checkJobWithTasks(t *rapid.T, job farm.Job, now commandtest.Seen) {
	states := map[farm.TaskStatus]int{}
	for _, task := range now.Tasks {
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

// checkFailures makes sure that only jobs that failed, and are not nested in one that is there, need somebody.
func checkFailures(t *rapid.T, tb *tables, now commandtest.Seen) {
	for _, failure := range all[farm.OpenFailure](tb, bucketFailures) {
		if job, ok := now.Jobs[failure.Job]; !ok || job.Status != farm.JobFailed || job.Team != failure.Team {
			t.Fatalf("job %s needs somebody and is %q", failure.Job, job.Status)
		}
	}
}

// checkDeliveries makes sure that a webhook is owed for each job that finished or failed, and for no other.
func checkDeliveries(t *rapid.T, tb *tables, now commandtest.Seen) {
	kept := map[string]farm.Delivery{}
	for _, delivery := range all[farm.Delivery](tb, bucketDeliveries) {
		kept[delivery.ID] = delivery
		if delivery.Tries > farm.DeliveryRetries+1 {
			t.Fatalf("the webhook of %s was tried %d times", delivery.ID, delivery.Tries)
		}
	}
	for _, job := range now.Jobs {
		_, ok := kept[job.ID]
		if want := job.Webhook != nil && (job.Status == farm.JobFinished || job.Status == farm.JobFailed); ok != want {
			t.Fatalf("a webhook is owed for job %s, which is %s: %v", job.ID, job.Status, ok)
		}
	}
}

// checkIndexes makes all indexes and counters again from the records and compares them with those that are kept.
func checkIndexes(t *rapid.T, tb *tables, now commandtest.Seen) {
	want := map[string]map[string]string{}
	set := func(bucket []byte, key, value string) {
		if want[string(bucket)] == nil {
			want[string(bucket)] = map[string]string{}
		}
		want[string(bucket)][key] = value
	}
	counts := map[string]int{}
	for _, job := range now.Jobs {
		prefix, place := job.Team+"\x00"+string(job.Status)+"\x00", timeKey(job.CreatedAt)+job.ID
		set(bucketJobsByTime, prefix+place, "")
		set(bucketJobsByPriority, prefix+priorityKey(job.Priority)+place, "")
		for _, tag := range job.Tags {
			tagged := job.Team + "\x00" + tag + "\x00" + string(job.Status) + "\x00"
			set(bucketTaggedJobsByTime, tagged+place, "")
			set(bucketTaggedJobsByPriority, tagged+priorityKey(job.Priority)+place, "")
		}
		if job.ProjectID != "" {
			ofProject := job.Team + "\x00" + job.ProjectID + "\x00" + string(job.Status) + "\x00"
			set(bucketProjectJobsByTime, ofProject+place, "")
			set(bucketProjectJobsByPriority, ofProject+priorityKey(job.Priority)+place, "")
		}
		counts[tb.countOfJobs(job.Team, job.Status)]++
		if job.ProjectID != "" && job.Parent == "" {
			counts[countOfProjectJobs(job.Team, job.ProjectID, job.Status)]++
		}
		if job.Batch != "" && job.NextTake == "" {
			counts[tb.countOfBatch(job.Batch, job.Status)]++
		}
		if job.Status.Ended() {
			if job.Private && job.ErasedAt.IsZero() {
				set(bucketDuties, dutyKey(DutyErase, job), "")
			}
			if job.RedactedAt.IsZero() {
				set(bucketDuties, dutyKey(DutyRedact, job), "")
			}
			if _, nested := now.Jobs[job.Parent]; !nested {
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
			counts[tb.countOfActive(job.Template.ID)]++
		}
	}
	waits := map[string]bool{} // jobs of which nothing may begin
	for _, task := range now.Tasks {
		if _, known := waits[task.Job]; !known {
			waits[task.Job] = true
		}
		waits[task.Job] = waits[task.Job] && task.Status == farm.TaskBlocked
	}
	for id, all := range waits {
		if template := now.Jobs[id].Template.ID; template != "" && all {
			set(bucketBlockedByTemplate, template+"\x00"+id, "")
		}
	}
	for _, task := range now.Tasks {
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
		for _, version := range template.Versions {
			counts[countOfTemplateRefs(version.Introspection.SHA256)]++
			if version.Kept {
				counts[countOfTemplateRefs(version.File.SHA256)]++
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
	for _, request := range all[command.Request](tb, bucketRequests) {
		set(bucketRequestsByTime, timeKey(request.At)+request.Team+"\x00"+request.Key, "")
	}
	expectLibrary(tb, set, counts)
	expectFailures(tb, set, counts)
	expectProjects(t, tb, set)
	expectMachineJobs(t, tb, now, set)
	cursor := tb.cursor(bucketAudit)
	for key, _ := cursor.First(); key != nil; key, _ = cursor.Next() {
		counts[countOfAudit]++
		record, _ := get[farm.AuditRecord](tb, bucketAudit, string(key))
		listAudit(&record, string(key), func(bucket []byte, key string) { set(bucket, key, "") })
	}
	for key, n := range counts {
		set(bucketCounts, key, fmt.Sprintf("%08x", n))
	}
	for _, bucket := range [][]byte{bucketJobsByTime, bucketJobsByPriority, bucketTaggedJobsByTime, bucketTaggedJobsByPriority, bucketProjectJobsByTime, bucketProjectJobsByPriority, bucketProjectsByName, bucketHolding, bucketMachineJobs, bucketBlockedByTemplate, bucketTasksByStatus,
		bucketTemplatesByTeam, bucketUnread, bucketFilesByExpiry, bucketAgentsByHash, bucketAgentsByKey, bucketJoinTokensByHash, bucketCounts, bucketDeliveriesDue, bucketDuties,
		bucketFontsByTeam, bucketFontsByFile, bucketFontsByName, bucketSecretsByTeam, bucketSecretsByName, bucketBatchesByTeam, bucketRequestsByTime, bucketFailuresByCause, bucketAuditByTeam, bucketAuditByToken, bucketAuditByThing} {
		have := map[string]string{}
		cursor := tb.cursor(bucket)
		for k, v := cursor.First(); k != nil; k, v = cursor.Next() {
			if strings.HasPrefix(string(k), usageOfAll) || strings.HasPrefix(string(k), projectTimeOfAll) {
				continue // tells of tasks and jobs that are long gone
			}
			if strings.HasPrefix(string(k), usesOfAll) {
				checkUse(t, tb, string(k))
				continue
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

// checkUse holds a counter of what jobs used to what is true of it however long those jobs have been gone.
func checkUse(t *rapid.T, tb *tables, key string) {
	parts := strings.SplitN(strings.TrimPrefix(key, usesOfAll), sep, 4)
	if len(parts) != 4 {
		t.Fatalf("the counter of uses %q has %d parts", key, len(parts))
	}
	if _, by, ok := readUse(parts[3]); !ok || by == "" {
		t.Fatalf("the counter of uses %q does not say when, or by whom", key)
	}
	if tb.count(key) < 1 {
		t.Fatalf("the counter of uses %q is %d", key, tb.count(key))
	}
}

// expectFailures notes what the open failures and the daily sums say of indexes and counters.
func expectFailures(tb *tables, set func(bucket []byte, key, value string), counts map[string]int) {
	causes := map[string]bool{}
	for _, failure := range all[farm.OpenFailure](tb, bucketFailures) {
		set(bucketFailuresByCause, causeKey(failure), "")
		counts[tb.countOfFailures(failure.Team, failure.Cause)]++
		if name := failure.Team + "\x00" + failure.Cause.Key(); !causes[name] {
			causes[name] = true
			counts[tb.countOfCauses(failure.Team)]++
		}
	}
	for _, key := range tb.keysUnder(bucketSums, "") {
		if sum, ok := readSumKey(key); ok && sum.Subject != farm.OtherSubjects {
			counts[tb.sumsOf(sum.Team, dayOf(sum.Day)).countOfSubjects(sum.Kind)]++
		}
	}
}

// populated is a state with two teams and two machines, under the first rules or the newest. It and its folder are gone when t ends.
func populated(t *rapid.T) *rig {
	folder, err := os.MkdirTemp("", "tables-property-*")
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	m := newRig(t, folder, "single")
	t.Cleanup(m.end)
	if rapid.Bool().Draw(t, "newest rules") {
		m.must(command.SetLevel{Level: command.NewestLevel, Version: "v"})
	}
	for _, cmd := range commandtest.Populate() {
		m.must(cmd)
	}
	return m
}

// TestRandomCommands feeds random commands and checks after each what must always hold; then that the same log gives the
// same state applied at once, applied twice, and on from a copy of the file.
func TestRandomCommands(t *testing.T) {
	reached := map[farm.JobStatus]int{}
	rapid.Check(t, func(t *rapid.T) {
		m := populated(t)
		before := look(t, m, commandtest.Seen{}, nil)
		for step := range rapid.IntRange(10, 80).Draw(t, "steps") {
			content := m.content()
			cmd := commandtest.Draw(t, step)
			if step == 0 {
				cmd = commandtest.DrawSubmission(t, step)
			} else if move := commandtest.DrawMove(t, step, before); move != nil && rapid.IntRange(0, 2).Draw(t, "fitting") > 0 {
				cmd = move
			}
			var result command.Result
			if rapid.IntRange(0, 5).Draw(t, "keyed") == 0 {
				result = m.doFor(commandtest.DrawKey(t, step), cmd)
			} else {
				result = m.do(cmd)
			}
			if (result.Refused != nil || result.Repeated != nil) && m.content() != content {
				t.Fatalf("a refused command changed the state: %v", result.Refused)
			}
			before = look(t, m, before, cmd)
			for _, job := range before.Jobs {
				reached[job.Status]++
			}
			for _, job := range result.Jobs {
				if job.Status != before.Jobs[job.ID].Status {
					t.Fatalf("the result says %+v, the state %+v", job, before.Jobs[job.ID])
				}
			}
		}
		checkReplays(t, m)
	})
	t.Logf("states met: %v", reached)
	for _, status := range farm.JobStatuses() {
		if reached[status] == 0 && commandtest.AllCases() {
			t.Errorf("no random history had a job in %q: the test no longer covers it", status)
		}
	}
}

func checkReplays(t *rapid.T, m *rig) {
	folder := filepath.Dir(m.db.Path())
	batch := newRig(t, folder, "batch")
	defer batch.end()
	batch.apply(m.log)
	batch.apply(m.log[len(m.log)/2:])
	if batch.content() != m.content() || batch.fingerprint() != m.fingerprint() {
		t.Fatalf("the log applied in one batch, and its end again, gives another state")
	}
	half := newRig(t, folder, "half")
	defer half.end()
	half.apply(m.log[:len(m.log)/2])
	copied := half.reopened(filepath.Join(folder, "copied"))
	defer copied.end()
	copied.apply(m.log)
	if copied.content() != m.content() || copied.fingerprint() != m.fingerprint() {
		t.Fatalf("a copy of the file half-way and the rest of the log give another state")
	}
}
