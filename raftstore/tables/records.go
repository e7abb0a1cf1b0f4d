package tables

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/record"
)

// This file keeps the indexes and counters of jobs, tasks, templates and files true to the records.

// job reads a whole job.
func (t *tables) job(id string) (farm.Job, bool) {
	job, ok := t.head(id)
	if !ok {
		return job, false
	}
	if err := record.DecodeContent(t.value(bucketContents, id), &job); err != nil {
		t.fail(fmt.Errorf("state is damaged: %s %q: %w", bucketContents, id, err))
		return job, false
	}
	return job, true
}

// head reads a job without its content.
func (t *tables) head(id string) (farm.Job, bool) {
	if id == "" { // the parent of most jobs, which need not be looked for
		return farm.Job{}, false
	}
	return get[farm.Job](t, bucketJobs, id)
}

// addJobs writes new jobs.
func (t *tables) addJobs(heads []farm.Job, contents []record.Content) {
	records, failed := make([][]byte, len(heads)), make([]error, len(heads))
	record.Spread(len(heads), record.FewJobs, func(i int) { records[i], failed[i] = record.EncodeHead(&heads[i]) })
	if err := errors.Join(failed...); err != nil {
		t.breaks(fmt.Errorf("write %s: %w", bucketJobs, err))
		return
	}
	for i := range heads {
		t.set(bucketJobs, heads[i].ID, records[i])
		t.addJob(&heads[i], contents[i])
	}
}

// addJob writes what belongs to a new job, whose head is written.
func (t *tables) addJob(head *farm.Job, content record.Content) {
	t.jobMoved(head, "")
	if head.Project != nil {
		t.add(countOfJobRefs(head.Project.SHA256), 1)
	}
	if head.TakeOf != "" {
		t.set(bucketTakes, head.TakeOf+sep+head.ID, nil)
	}
	if len(content.Data) > 0 {
		t.set(bucketContents, head.ID, content.Data)
	}
	t.holdForJob(head, content.Files, 1)
}

// saveJob writes the head of a job whose stored status is was, "" for a new one.
func (t *tables) saveJob(job farm.Job, was farm.JobStatus) {
	record, err := record.EncodeHead(&job)
	if err != nil {
		t.breaks(fmt.Errorf("write %s %q: %w", bucketJobs, job.ID, err))
		return
	}
	t.set(bucketJobs, job.ID, record)
	if job.Status != was {
		t.jobMoved(&job, was)
	}
}

// jobMoved moves a job from the lists of one state to those of another.
func (t *tables) jobMoved(job *farm.Job, was farm.JobStatus) {
	if was != "" {
		t.listJob(job, was, t.remove)
		t.add(t.countOfJobs(job.Team, was), -1)
		t.countInBatch(job, was, -1)
		t.countInProject(job, was, -1)
	}
	t.listJob(job, job.Status, func(bucket []byte, key string) { t.set(bucket, key, nil) })
	t.add(t.countOfJobs(job.Team, job.Status), 1)
	t.countInBatch(job, job.Status, 1)
	t.countInProject(job, job.Status, 1)
	if was != "" && job.Status.Ended() {
		t.holdForJob(job, job.KeptFiles(), -1)
		if job.Project != nil {
			t.add(countOfJobRefs(job.Project.SHA256), -1)
		}
		t.remove(bucketBlockedByTemplate, job.Template.ID+sep+job.ID)
		t.jobEnded(*job)
	}
}

// countInBatch moves the counter of a batch's jobs in one state. A job whose place another took is not counted.
func (t *tables) countInBatch(job *farm.Job, status farm.JobStatus, delta int) {
	if job.Batch != "" && job.NextTake == "" {
		t.add(t.countOfBatch(job.Batch, status), delta)
	}
}

// saveContent writes the content of a job, when it has been made or changed.
func (t *tables) saveContent(job farm.Job) {
	data, err := record.EncodeContent(&job)
	switch {
	case err != nil:
		t.breaks(fmt.Errorf("write %s %q: %w", bucketContents, job.ID, err))
	case data == nil:
		t.remove(bucketContents, job.ID)
	default:
		text, err := record.ContentText(data)
		if err != nil {
			t.fail(fmt.Errorf("write %s %q: %w", bucketContents, job.ID, err))
		}
		t.setFor(bucketContents, job.ID, data, text)
	}
}

// listJob does something with each entry that a job in a state has in the lists of jobs.
func (t *tables) listJob(job *farm.Job, status farm.JobStatus, do func(bucket []byte, key string)) {
	byTime, byPriority, prefix := placesOf(job, status)
	place, urgency := byTime[prefix:], byPriority[prefix:]
	do(bucketJobsByTime, byTime)
	do(bucketJobsByPriority, byPriority)
	for _, tag := range job.Tags {
		prefix := tagPrefix(job.Team, tag, status)
		do(bucketTaggedJobsByTime, prefix+place)
		do(bucketTaggedJobsByPriority, prefix+urgency)
	}
	if job.ProjectID != "" {
		prefix := tagPrefix(job.Team, job.ProjectID, status)
		do(bucketProjectJobsByTime, prefix+place)
		do(bucketProjectJobsByPriority, prefix+urgency)
	}
}

// placesOf are the keys of a job in a state in the lists by time and by priority, both made at once, and how long the prefix of each is.
func placesOf(job *farm.Job, status farm.JobStatus) (byTime, byPriority string, prefix int) {
	var room [512]byte
	keys := append(append(append(append(room[:0], job.Team...), sep...), status...), sep...)
	prefix = len(keys)
	keys = append(appendTimeKey(keys, job.CreatedAt), job.ID...)
	size := len(keys)
	keys = appendPriorityKey(append(keys, keys[:prefix]...), job.Priority)
	both := string(append(keys, keys[prefix:size]...))
	return both[:size], both[size:], prefix
}

// holdForJob counts what an unended job keeps from being deleted: its template, its fonts and the kept files that it
// names.
func (t *tables) holdForJob(job *farm.Job, files []string, delta int) {
	for _, sha256 := range files {
		t.add(countOfJobRefs(sha256), delta)
	}
	t.holdFonts(job, delta)
	if job.Template.ID != "" {
		t.add(t.countOfActive(job.Template.ID), delta)
	}
}

// tagPrefix begins the keys of one team's jobs in one state that have a tag, or are for a project.
func tagPrefix(team, tag string, status farm.JobStatus) string {
	return team + sep + tag + sep + string(status) + sep
}

// statusPrefix begins the keys of one team's jobs in one state.
func statusPrefix(team string, status farm.JobStatus) string {
	return team + sep + string(status) + sep
}

// moveJob gives the job its next state and saves it. Whoever calls it has made sure that the move is legal, and set UpdatedAt.
func (t *tables) moveJob(job *farm.Job, next farm.JobStatus) {
	was := job.Status
	if !was.CanBecome(next) {
		t.breaks(fmt.Errorf("job %s cannot become %q from %q", job.ID, next, was))
		return
	}
	if t.since(command.CheckedLevel) {
		switch {
		case next == farm.JobRendering:
			job.RenderingAt = job.UpdatedAt
		case was == farm.JobRendering && !job.RenderingAt.IsZero():
			job.Rendered += max(0, int64(job.UpdatedAt.Sub(job.RenderingAt)))
			job.RenderingAt = time.Time{}
		}
	}
	job.Status = next
	t.saveJob(*job, was)
}

func (t *tables) task(id string) (farm.Task, bool) { return get[farm.Task](t, bucketTasks, id) }

// tasksOf gives the tasks of a job in the order of their numbers.
func (t *tables) tasksOf(job string) []farm.Task { return t.otherTasksOf(job, "") }

// otherTasksOf reads the tasks of a job but one.
func (t *tables) otherTasksOf(job, but string) []farm.Task {
	var tasks []farm.Task
	for _, number := range t.keysUnder(bucketTasks, job+".") {
		if id := job + "." + number; id == but {
			continue
		} else if task, ok := t.task(id); ok && task.Job == job {
			tasks = append(tasks, task)
		}
	}
	slices.SortFunc(tasks, func(a, b farm.Task) int {
		if len(a.ID) != len(b.ID) {
			return len(a.ID) - len(b.ID)
		}
		return strings.Compare(a.ID, b.ID)
	})
	return tasks
}

// saveTask writes a task whose stored status is was, "" for a new one.
func (t *tables) saveTask(task farm.Task, was farm.TaskStatus) {
	record, err := record.EncodeTask(&task)
	if err != nil {
		t.breaks(fmt.Errorf("write %s %q: %w", bucketTasks, task.ID, err))
		return
	}
	t.set(bucketTasks, task.ID, record)
	if task.Status == was {
		return
	}
	if was != "" {
		t.remove(bucketTasksByStatus, string(was)+sep+task.ID)
	}
	if !task.Status.Ended() {
		t.set(bucketTasksByStatus, string(task.Status)+sep+task.ID, nil)
	}
}

// moveTask gives the task its next state and saves it. Whoever calls it has made sure that the move is legal.
func (t *tables) moveTask(task *farm.Task, next farm.TaskStatus) {
	was := task.Status
	if !was.CanBecome(next) {
		t.breaks(fmt.Errorf("task %s cannot become %q from %q", task.ID, next, was))
		return
	}
	task.Status = next
	t.saveTask(*task, was)
}

// template reads a template with the number of its active jobs, which is a counter of its own: a submission does not
// rewrite the template.
func (t *tables) template(id string) (farm.Template, bool) {
	template, ok := often[farm.Template](t, bucketTemplates, id)
	if ok {
		template.ActiveJobs = t.count(t.countOfActive(id))
	}
	return template, ok
}

// saveTemplate writes a template; was is what is stored, nil for a new one.
func (t *tables) saveTemplate(template farm.Template, was *farm.Template) {
	template.ActiveJobs = 0
	put(t, bucketTemplates, template.ID, template)
	t.note(farm.EventTemplate, template.Team, template.ID)
	if was == nil {
		t.set(bucketTemplatesByTeam, template.Team+sep+template.ID, nil)
	} else {
		for _, sha256 := range refsOfTemplate(*was) {
			t.add(countOfTemplateRefs(sha256), -1)
		}
	}
	for _, sha256 := range refsOfTemplate(template) {
		t.add(countOfTemplateRefs(sha256), 1)
	}
	if was != nil {
		t.dropTimingsOf(*was)
	}
	if template.Status.Unread() {
		t.set(bucketUnread, template.ID, nil)
	} else {
		t.remove(bucketUnread, template.ID)
	}
}

// dropTemplate forgets a template.
func (t *tables) dropTemplate(template farm.Template) {
	t.note(farm.EventTemplate, template.Team, template.ID)
	for _, sha256 := range refsOfTemplate(template) {
		t.add(countOfTemplateRefs(sha256), -1)
	}
	t.dropTimingsOf(template)
	t.forgetUses(template.Team, farm.UseTemplate, template.ID)
	t.remove(bucketTemplates, template.ID)
	t.remove(bucketTemplatesByTeam, template.Team+sep+template.ID)
	t.remove(bucketUnread, template.ID)
}

func fileKey(team, sha256 string) string { return team + sep + sha256 }

// saveFile writes a stored file, new or with another expiry.
func (t *tables) saveFile(file farm.StoredFile) {
	key := fileKey(file.Team, file.SHA256)
	if was, ok := get[farm.StoredFile](t, bucketFiles, key); ok {
		t.remove(bucketFilesByExpiry, timeKey(was.ExpiresAt)+key)
	} else {
		t.add(countOfStoredCopies(file.SHA256), 1)
	}
	put(t, bucketFiles, key, file)
	t.set(bucketFilesByExpiry, timeKey(file.ExpiresAt)+key, nil)
}

// dropFile forgets a stored file.
func (t *tables) dropFile(file farm.StoredFile) {
	key := fileKey(file.Team, file.SHA256)
	t.remove(bucketFiles, key)
	t.remove(bucketFilesByExpiry, timeKey(file.ExpiresAt)+key)
	t.add(countOfStoredCopies(file.SHA256), -1)
}
