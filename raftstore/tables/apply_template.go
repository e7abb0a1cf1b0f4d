package tables

import (
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func noTemplate(id string) *farm.Error {
	return farm.Errorf(farm.CodeNotFound, "template %q does not exist", id)
}

// templateOf reads a template that the team owns.
func (t *tables) templateOf(team, id string) (farm.Template, *farm.Error) {
	template, ok := t.template(id)
	if !ok || template.Team != team {
		return farm.Template{}, noTemplate(id)
	}
	return template, nil
}

func (t *tables) createTemplate(c command.CreateTemplate) command.Result {
	template := c.Template
	template.UploadBy = t.asker
	if err := checkID("template", template.ID); err != nil {
		return refuse(err)
	}
	switch {
	case !t.has(bucketTeams, template.Team):
		return refusef(farm.CodeNotFound, "team %q does not exist", template.Team)
	case t.has(bucketTemplates, template.ID):
		return refusef(farm.CodeConflict, "template %s exists already", template.ID)
	case template.Status != farm.TemplateAwaitingUpload && template.Status != farm.TemplateDownloading:
		return refusef(farm.CodeInvalid, "a new template waits for its upload or is downloaded; it cannot begin as %q", template.Status)
	}
	t.saveTemplate(template, nil)
	return command.Result{}
}

func (t *tables) renameTemplate(c command.RenameTemplate) command.Result {
	was, err := t.templateOf(c.Team, c.ID)
	if err != nil {
		return refuse(err)
	}
	template := was
	template.DisplayName, template.UpdatedAt = c.DisplayName, c.At
	t.saveTemplate(template, &was)
	return command.Result{}
}

func (t *tables) markTemplate(c command.MarkTemplate) command.Result {
	was, err := t.templateOf(c.Team, c.ID)
	if err != nil {
		return refuse(err)
	}
	template := was
	template.Sequential, template.UpdatedAt = c.Sequential, c.At
	t.saveTemplate(template, &was)
	return command.Result{}
}

func retired(template farm.Template) *farm.Error {
	return farm.Errorf(farm.CodeConflict, "the template “%s” is retired and takes no new jobs; bring it back on its page first", template.DisplayName)
}

func (t *tables) retireTemplate(c command.RetireTemplate) command.Result {
	was, err := t.templateOf(c.Team, c.ID)
	if err != nil {
		return refuse(err)
	}
	if c.Retired != was.RetiredAt.IsZero() {
		return command.Result{} // it is so already
	}
	template := was
	template.RetiredAt, template.RetiredBy, template.UpdatedAt = time.Time{}, "", c.At
	if c.Retired {
		template.RetiredAt, template.RetiredBy, template.Versions = c.At, c.By, was.WithoutFiles()
	}
	t.saveTemplate(template, &was)
	return command.Result{}
}

// renewUpload brings a template whose file could not be read back to waiting; one that is in use stays so until the new
// file has come.
func (t *tables) renewUpload(c command.RenewUpload) command.Result {
	was, err := t.templateOf(c.Team, c.ID)
	if err != nil {
		return refuse(err)
	}
	if c.Nonce == "" {
		return refusef(farm.CodeInvalid, "the upload address of template %s has no nonce", c.ID)
	}
	template := was
	template.UploadNonce, template.UploadUntil, template.UploadBy, template.UpdatedAt = c.Nonce, c.Until, t.asker, c.At
	if was.Status.CanBecome(farm.TemplateAwaitingUpload) {
		template.Status, template.Error = farm.TemplateAwaitingUpload, ""
	}
	t.saveTemplate(template, &was)
	return command.Result{}
}

// receiveTemplate lets the same file come twice under one address, as it does when an answer is lost.
func (t *tables) receiveTemplate(c command.ReceiveTemplate) command.Result {
	was, ok := t.template(c.ID)
	switch {
	case !ok:
		return refuse(noTemplate(c.ID))
	case checkID("file's content", c.File.SHA256) != nil:
		return refusef(farm.CodeInvalid, "the file of template %s has no content hash", c.ID)
	case c.Nonce == "" && was.Status != farm.TemplateDownloading:
		return refusef(farm.CodeConflict, "template %s is not being downloaded", c.ID)
	case c.Nonce != "" && c.Nonce != was.UploadNonce:
		return refusef(farm.CodeGone, "this upload address of template %s is no longer in force; ask for a fresh one", c.ID)
	case c.Nonce != "" && was.Took(c.File.SHA256) && was.Status != farm.TemplateError && was.Status != farm.TemplateAwaitingUpload:
		return command.Result{}
	case c.Nonce != "" && was.UploadUsed() && t.since(command.CheckedLevel): // by one that was sent at the same time and came first
		return refusef(farm.CodeGone, "the upload address of template %s has taken another file; ask for a fresh one", c.ID)
	case !was.Status.CanBecome(farm.TemplateProcessing):
		return refusef(farm.CodeConflict, "template %s is %s and takes no file", c.ID, was.Status)
	}
	t.giveFile(was, c.File, was.UploadBy, c.At)
	return command.Result{}
}

// giveFile puts a file in the place of the one that a template has, which becomes an earlier version if it was read.
func (t *tables) giveFile(was farm.Template, file farm.FileRef, by string, at time.Time) {
	template := was
	if was.File != nil && was.Status == farm.TemplateUploaded && was.Introspection != nil && was.File.SHA256 != file.SHA256 && t.since(command.PresetsLevel) {
		template.Versions = was.Superseded(at)
	}
	if t.since(command.VersionsLevel) {
		template.FileAt, template.FileBy = at, by
	}
	template.CameAs = ""
	template.File, template.Status, template.Error, template.UpdatedAt = &file, farm.TemplateProcessing, "", at
	t.saveTemplate(template, &was)
}

// takeVersion ends the upload address, whose file would take the place of the version at once.
func (t *tables) takeVersion(c command.TakeVersion) command.Result {
	was, err := t.templateOf(c.Team, c.ID)
	if err != nil {
		return refuse(err)
	}
	version, kept := was.AtVersion(c.Version)
	switch {
	case !kept || version.File == nil || c.Version < 1:
		return refuse(noVersion(was, c.Version))
	case version.File.SHA256 == was.File.SHA256:
		return command.Result{} // it is so already
	}
	was.UploadNonce, was.UploadUntil = "", time.Time{}
	t.giveFile(was, *version.File, t.asker, c.At)
	return command.Result{}
}

// noVersion refuses a version that jobs cannot render, and names those that they can.
func noVersion(template farm.Template, version int) *farm.Error {
	return farm.Errorf(farm.CodeInvalid, "template %s cannot be rendered in version %d", template.ID, version).
		With(template.WrongVersion("template.version", version))
}

// finishTemplate also ends a download that failed: the template has no file then, and FileSHA256 is "".
func (t *tables) finishTemplate(c command.FinishTemplate) command.Result {
	was, ok := t.template(c.ID)
	if !ok {
		return refuse(noTemplate(c.ID))
	}
	next := farm.TemplateUploaded
	if c.Error != "" {
		next = farm.TemplateError
	}
	current := ""
	if was.File != nil {
		current = was.File.SHA256
	}
	switch {
	case c.FileSHA256 != current:
		return refusef(farm.CodeConflict, "template %s has another file by now", c.ID)
	case was.Status == next:
		return command.Result{}
	case !was.Status.CanBecome(next):
		return refusef(farm.CodeConflict, "template %s is %s and was not being read", c.ID, was.Status)
	}
	template := was
	template.Status, template.Error, template.UpdatedAt = next, c.Error, c.At
	template.Introspection, template.Compositions, template.Layers, template.Fonts = c.Introspection, c.Compositions, c.Layers, c.Fonts
	template.Effects, template.SavedWith, template.MissingFootage = c.Effects, c.SavedWith, c.MissingFootage
	if c.Completed != nil && next == farm.TemplateUploaded {
		completed := *c.Completed
		template.File, template.CameAs = &completed, current
	}
	t.saveTemplate(template, &was)

	var result command.Result
	waiting := t.keysUnder(bucketBlockedByTemplate, template.ID+sep)
	t.each(len(waiting), func(i int) *farm.Error {
		job, ok := t.job(waiting[i])
		if !ok || !job.Status.Waiting() || job.Project != nil { // which was read before
			return nil
		}
		if c.MatchFonts && next == farm.TemplateUploaded {
			job = t.rematchFonts(job, template)
		}
		if next == farm.TemplateUploaded && template.File != nil && t.since(command.VersionsLevel) {
			file := *template.File
			job.Project = &file
			t.add(countOfJobRefs(file.SHA256), 1)
			t.saveJob(job, job.Status)
		}
		if next == farm.TemplateUploaded {
			t.readyTasks(job, &result)
		} else {
			t.failBlocked(job, "Template '"+template.DisplayName+"' could not be read: "+c.Error, c.At, &result)
		}
		return nil
	})
	return result
}

// readyTasks lets the tasks of a job begin that waited for its template, unless the job waits for its children.
func (t *tables) readyTasks(job farm.Job, result *command.Result) {
	if job.Status == farm.JobPending {
		return
	}
	t.remove(bucketBlockedByTemplate, job.Template.ID+sep+job.ID)
	t.readyStage(job, result)
}

// failBlocked fails the blocked tasks of a job and the job with them; a job without blocked tasks goes on.
func (t *tables) failBlocked(job farm.Job, message string, at time.Time, result *command.Result) {
	failed := false
	for _, task := range t.tasksOf(job.ID) {
		if task.Status == farm.TaskBlocked {
			task.Error = message
			t.moveTask(&task, farm.TaskFailed)
			result.AddTask(task)
			failed = true
		}
	}
	if failed {
		t.failJob(job, failing{message: message, cause: farm.Cause{Kind: farm.CauseTemplate, Subject: job.Template.ID}, at: at}, result)
	}
}

func (t *tables) deleteTemplate(c command.DeleteTemplate) command.Result {
	template, err := t.templateOf(c.Team, c.ID)
	if err != nil {
		return refuse(err)
	}
	if template.ActiveJobs > 0 {
		return refusef(farm.CodeConflict, "template %q is needed by jobs that have not ended (%d); cancel them or wait for them", template.DisplayName, template.ActiveJobs)
	}
	t.dropTemplate(template)
	return command.Result{}
}
