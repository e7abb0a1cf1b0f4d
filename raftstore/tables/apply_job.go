package tables

import (
	"slices"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/record"
)

// maxTag is the length of the longest tag in bytes.
const maxTag = 1000

// submitJobs decides the first states itself: a job waits for its children, a task for those and for the template.
func (t *tables) submitJobs(c command.SubmitJobs) command.Result {
	c, contents, err := t.gather(c)
	if err != nil {
		return refuse(err)
	}
	jobs, tasks, err := t.checkSubmission(c, contents)
	if err != nil {
		return refuse(err)
	}
	begins := map[string]bool{}
	for i := range tasks {
		t.saveTask(tasks[i], "")
		begins[tasks[i].Job] = begins[tasks[i].Job] || tasks[i].Status == farm.TaskReady
	}
	t.addJobs(jobs, contents)
	t.countUses(jobs)
	for i := range jobs {
		if job := &jobs[i]; job.Template.ID != "" && !begins[job.ID] {
			t.set(bucketBlockedByTemplate, job.Template.ID+sep+job.ID, nil)
		}
	}
	if c.Batch != nil {
		t.saveBatch(*c.Batch, c.Parts)
	}
	return command.Result{Jobs: jobs, Tasks: tasks}
}

// checkSubmission gives the heads of the jobs, and the tasks, as they will be stored, or what is wrong with them. They are those of
// the command, which was decoded for the rules alone; maps without a size take no memory of their own while they are small.
func (t *tables) checkSubmission(c command.SubmitJobs, contents []record.Content) ([]farm.Job, []farm.Task, *farm.Error) {
	if len(c.Jobs) == 0 {
		return nil, nil, farm.Errorf(farm.CodeInvalid, "no job was submitted")
	}
	if err := t.checkProjects(c.Jobs); err != nil {
		return nil, nil, err
	}
	jobs, tasks := c.Jobs, c.Tasks
	place := map[string]int{}
	templates := map[string]farm.Template{"": {Status: farm.TemplateUploaded}} // each is read once; "" is for jobs without one
	for i := range jobs {
		job := &jobs[i]
		job.Fonts, job.Assets, job.Upload, job.Webhook = nil, nil, nil, nil // which are in the contents
		if err := t.checkJob(job, contents[i].Files); err != nil {
			return nil, nil, err
		}
		if err := t.checkTemplate(job, templates); err != nil {
			return nil, nil, err
		}
		if _, twice := place[job.ID]; twice {
			return nil, nil, farm.Errorf(farm.CodeInvalid, "job %s was submitted twice at once", job.ID)
		}
		if job.Batch != "" && c.Batch == nil {
			return nil, nil, farm.Errorf(farm.CodeInvalid, "job %s names batch %s, which was not submitted with it", job.ID, job.Batch)
		}
		place[job.ID] = i
		job.Status = farm.JobQueued
		if len(job.Children) > 0 {
			job.Status = farm.JobPending
		}
		job.Output, job.Progress = nil, 0
	}
	if err := checkFamilies(jobs, place); err != nil {
		return nil, nil, err
	}
	if c.Batch != nil {
		if err := t.checkBatch(*c.Batch, jobs); err != nil {
			return nil, nil, err
		}
	}
	lowest := map[string]int{} // stage of each job's tasks
	for i := range tasks {
		if stage, ok := lowest[tasks[i].Job]; !ok || tasks[i].Stage < stage {
			lowest[tasks[i].Job] = tasks[i].Stage
		}
	}
	seen := map[string]bool{}
	for i := range tasks {
		task := &tasks[i]
		at, ok := place[task.Job]
		switch {
		case !ok || !strings.HasPrefix(task.ID, task.Job+".") || checkID("task", task.ID) != nil || task.Team != jobs[at].Team:
			return nil, nil, farm.Errorf(farm.CodeInvalid, "task %q does not belong to a job of the same submission", task.ID)
		case seen[task.ID]:
			return nil, nil, farm.Errorf(farm.CodeInvalid, "task %s was submitted twice", task.ID)
		}
		seen[task.ID] = true
		task.Attempt, task.Failures, task.Agent, task.Parts, task.Redo = 0, 0, "", nil, 0
		task.Status = farm.TaskReady
		if jobs[at].Status == farm.JobPending || jobs[at].Project == nil && templates[jobs[at].Template.ID].Status != farm.TemplateUploaded ||
			task.Stage != lowest[task.Job] || !mayBegin(&jobs[at], task) {
			task.Status = farm.TaskBlocked
		}
	}
	for i := range jobs {
		if _, ok := lowest[jobs[i].ID]; !ok {
			return nil, nil, farm.Errorf(farm.CodeInvalid, "job %s has no task", jobs[i].ID)
		}
	}
	return jobs, tasks, nil
}

// checkJob refuses a job that cannot be stored or could never be rendered. files are the kept files that it names.
func (t *tables) checkJob(job *farm.Job, files []string) *farm.Error {
	if err := checkID("job", job.ID); err != nil {
		return err
	}
	if err := checkID("job's output", job.OutputName); err != nil {
		return err
	}
	switch {
	case !t.has(bucketTeams, job.Team):
		return farm.Errorf(farm.CodeNotFound, "team %q does not exist", job.Team)
	case t.has(bucketJobs, job.ID):
		return farm.Errorf(farm.CodeConflict, "job %s exists already", job.ID)
	case jobOfOutput(job.OutputName) != job.ID:
		return farm.Errorf(farm.CodeInvalid, "the output name %q of job %s is not the job's id, a hyphen and something without one", job.OutputName, job.ID)
	}
	if err := CheckTags(job.ID, job.Tags); err != nil {
		return err
	}
	return t.checkRefs(job.Team, files)
}

// CheckTags refuses tags that a job cannot have. ChangeJob's rule does not ask it, and never did: whoever proposes that command does.
func CheckTags(job string, tags []string) *farm.Error {
	if slices.ContainsFunc(tags, func(tag string) bool { return len(tag) > maxTag || strings.Contains(tag, sep) }) {
		return farm.Errorf(farm.CodeInvalid, "job %s has a tag that cannot be stored: it is too long or holds a NUL character", job)
	}
	return nil
}

// checkTemplate refuses a job whose template is not the team's, or cannot be rendered. templates are those read so far.
func (t *tables) checkTemplate(job *farm.Job, templates map[string]farm.Template) *farm.Error {
	template, read := templates[job.Template.ID]
	if !read {
		var err *farm.Error
		if template, err = t.templateOf(job.Team, job.Template.ID); err != nil {
			return err
		}
		templates[template.ID] = template
	}
	switch {
	case job.Template.ID != "" && template.Team != job.Team:
		return noTemplate(job.Template.ID)
	case template.Status == farm.TemplateError && job.Template.Version == 0:
		return farm.Errorf(farm.CodeInvalid, "template %s cannot be rendered: %s", template.ID, template.Error)
	case !template.RetiredAt.IsZero():
		return retired(template)
	}
	return t.holdVersion(job, template)
}

// holdVersion has a job hold the file of the version that it asks for, or of the present one if that has been read.
func (t *tables) holdVersion(job *farm.Job, template farm.Template) *farm.Error {
	job.Project = nil
	if job.Template.ID == "" {
		return nil
	}
	version, kept := template.AtVersion(job.Template.Version)
	switch {
	case !kept:
		return noVersion(template, job.Template.Version)
	case t.since(command.VersionsLevel) && version.Status == farm.TemplateUploaded && version.File != nil && !job.Join:
		file := *version.File
		job.Project = &file
	}
	return nil
}

// checkFamilies makes sure that parents and children of one submission name each other.
func checkFamilies(jobs []farm.Job, place map[string]int) *farm.Error {
	for i := range jobs {
		job := &jobs[i]
		for _, child := range job.Children {
			if at, ok := place[child]; !ok || child == job.ID || jobs[at].Parent != job.ID {
				return farm.Errorf(farm.CodeInvalid, "job %s names %q as its child, which is no such job of the same submission", job.ID, child)
			}
		}
		if job.Parent == "" {
			continue
		}
		if at, ok := place[job.Parent]; !ok || !slices.Contains(jobs[at].Children, job.ID) {
			return farm.Errorf(farm.CodeInvalid, "job %s names %q as its parent, which is no such job of the same submission", job.ID, job.Parent)
		}
	}
	return nil
}

// templateUsable says whether the file that the job renders has been read; a job without a registered template needs none.
func (t *tables) templateUsable(job farm.Job) bool {
	if job.Template.ID == "" || job.Project != nil {
		return true
	}
	template, ok := t.template(job.Template.ID)
	return ok && template.Status == farm.TemplateUploaded
}

// failing is why and when a job fails.
type failing struct {
	message string
	cause   farm.Cause // the zero Cause for a failure that somebody wanted, so that it needs nobody
	task    string     // that took the job with it and has ended, if one did
	agent   string     // the machine that had it last, if one had
	at      time.Time
}

// failJob ends a job in error, and with it its parent and those nested in it that have not begun.
func (t *tables) failJob(job farm.Job, why failing, result *command.Result) {
	t.cancelTasks(job, why.task, why.at, result)
	job.Error, job.ErrorAt, job.UpdatedAt = why.message, why.at, why.at
	t.moveJob(&job, farm.JobFailed)
	result.AddJob(job)
	t.cancelWaiting(job.Children, why.at, result)
	if parent, ok := t.job(job.Parent); ok && !parent.Status.Ended() {
		why.message = "Nested job " + job.ID + " failed: " + why.message
		t.failJob(parent, why, result)
		return
	}
	t.openFailure(job, why)
}

// cancelWaiting cancels those of some jobs that have not begun, and likewise what is nested in them. What is nested in a job
// that has begun has finished.
func (t *tables) cancelWaiting(ids []string, at time.Time, result *command.Result) {
	for _, id := range ids {
		if job, ok := t.job(id); ok && job.Status.Waiting() {
			t.cancelJob(job, at, result)
			t.cancelWaiting(job.Children, at, result)
		}
	}
}

// cancelJob ends one job as cancelled.
func (t *tables) cancelJob(job farm.Job, at time.Time, result *command.Result) {
	t.cancelTasks(job, "", at, result)
	job.UpdatedAt = at
	t.moveJob(&job, farm.JobCancelled)
	result.AddJob(job)
}

// cancelTasks cancels the tasks of a job that have not ended; ended is one that is known to have, "" for none. They keep their agent, so that
// it can be told.
func (t *tables) cancelTasks(job farm.Job, ended string, at time.Time, result *command.Result) {
	for _, task := range t.otherTasksOf(job.ID, ended) {
		if !task.Status.Ended() {
			if task.Status == farm.TaskLeased {
				t.attemptEnded(task, job, ending{outcome: farm.OutcomeCancelled, at: at}, result)
			}
			t.moveTask(&task, farm.TaskCancelled)
			result.AddTask(task)
		}
	}
}

// cancelJobs answers with the jobs asked for, in their order, then those that go with them.
func (t *tables) cancelJobs(c command.CancelJobs) command.Result {
	if len(c.IDs) == 0 {
		return refusef(farm.CodeInvalid, "no job was named")
	}
	seen := make(map[string]bool, len(c.IDs))
	var doomed []farm.Job
	for _, id := range c.IDs {
		job, ok := t.job(id)
		switch {
		case !ok || job.Team != c.Team:
			return refuse(noJob(id))
		case seen[id]:
			return refusef(farm.CodeInvalid, "job %s is named twice", id)
		case job.Status == farm.JobRendering && !c.Force:
			return refusef(farm.CodeConflict, "job %s is already rendering and can only be stopped by force", id)
		case !cancellable(job.Status, c.Force):
			return refusef(farm.CodeConflict, "job %s has ended (%s) and cannot be cancelled", id, job.Status)
		}
		seen[id] = true
		doomed = append(doomed, job)
	}
	return t.cancelFamilies(doomed, c.Force, c.At)
}

func cancellable(status farm.JobStatus, force bool) bool {
	return status.Waiting() || force && status == farm.JobRendering
}

// cancelFamilies cancels jobs and whatever can be cancelled of their families.
func (t *tables) cancelFamilies(doomed []farm.Job, force bool, at time.Time) command.Result {
	seen := make(map[string]bool, len(doomed))
	for _, job := range doomed {
		seen[job.ID] = true
	}
	for i := 0; i < len(doomed); i++ {
		for _, id := range relatives(doomed[i]) {
			if job, ok := t.job(id); ok && !seen[id] && cancellable(job.Status, force) {
				seen[id] = true
				doomed = append(doomed, job)
			}
		}
	}
	var result command.Result
	for _, job := range doomed {
		t.cancelJob(job, at, &result)
	}
	return result
}

// relatives are the jobs next to a job in its family; siblings are reached through the parent.
func relatives(job farm.Job) []string {
	if job.Parent == "" {
		return job.Children
	}
	return append([]string{job.Parent}, job.Children...)
}

func noJob(id string) *farm.Error {
	return farm.Errorf(farm.CodeNotFound, "job %q does not exist", id)
}
