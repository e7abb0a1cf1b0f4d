package record

import (
	"strings"

	"overcrank/farm"
)

// These are the fields that text writes. A record with another one, of a later release, is read by reflection.

var jobFields = fields[farm.Job]{
	"id":           func(r *reader, j *farm.Job) { j.ID = r.string() },
	"team":         func(r *reader, j *farm.Job) { j.Team = r.string() },
	"by":           func(r *reader, j *farm.Job) { j.SubmittedBy = r.string() },
	"name":         func(r *reader, j *farm.Job) { j.Name = r.string() },
	"tags":         func(r *reader, j *farm.Job) { j.Tags = r.strings() },
	"priority":     func(r *reader, j *farm.Job) { j.Priority = r.int() },
	"level":        func(r *reader, j *farm.Job) { j.Level = farm.Level(r.string()) },
	"notBefore":    func(r *reader, j *farm.Job) { j.NotBefore = r.time() },
	"requireTags":  func(r *reader, j *farm.Job) { j.RequireTags = r.strings() },
	"anyTags":      func(r *reader, j *farm.Job) { j.AnyTags = r.strings() },
	"noTags":       func(r *reader, j *farm.Job) { j.NoTags = r.strings() },
	"minMemory":    func(r *reader, j *farm.Job) { j.MinMemory = r.int64() },
	"os":           func(r *reader, j *farm.Job) { j.OS = r.string() },
	"limits":       func(r *reader, j *farm.Job) { j.Limits = r.strings() },
	"maxMachines":  func(r *reader, j *farm.Job) { j.MaxMachines = r.int() },
	"maxAttempts":  func(r *reader, j *farm.Job) { j.MaxAttempts = r.int() },
	"previewFirst": func(r *reader, j *farm.Job) { j.PreviewFirst = r.bool() },
	"approve":      func(r *reader, j *farm.Job) { j.Approve = r.bool() },
	"approvedAt":   func(r *reader, j *farm.Job) { j.ApprovedAt = r.time() },
	"approvedBy":   func(r *reader, j *farm.Job) { j.ApprovedBy = r.string() },
	"hold":         func(r *reader, j *farm.Job) { j.Hold = r.bool() },
	"sequential":   func(r *reader, j *farm.Job) { j.Sequential = r.bool() },
	"template":     func(r *reader, j *farm.Job) { readObject(r, templateFields, &j.Template) },
	"preview":      func(r *reader, j *farm.Job) { j.Preview = r.bool() },
	"settings":     func(r *reader, j *farm.Job) { readObject(r, settingsFields, &j.Settings) },
	"status":       func(r *reader, j *farm.Job) { j.Status = farm.JobStatus(r.string()) },
	"createdAt":    func(r *reader, j *farm.Job) { j.CreatedAt = r.time() },
	"updatedAt":    func(r *reader, j *farm.Job) { j.UpdatedAt = r.time() },
	"startedAt":    func(r *reader, j *farm.Job) { j.StartedAt = r.time() },
	"renderingAt":  func(r *reader, j *farm.Job) { j.RenderingAt = r.time() },
	"rendered":     func(r *reader, j *farm.Job) { j.Rendered = r.int64() },
	"finishedAt":   func(r *reader, j *farm.Job) { j.FinishedAt = r.time() },
	"errorAt":      func(r *reader, j *farm.Job) { j.ErrorAt = r.time() },
	"error":        func(r *reader, j *farm.Job) { j.Error = r.string() },
	"warnings":     func(r *reader, j *farm.Job) { j.Warnings = r.strings() },
	"missingFonts": func(r *reader, j *farm.Job) { j.MissingFonts = r.strings() },
	"batch":        func(r *reader, j *farm.Job) { j.Batch = r.string() },
	"parent":       func(r *reader, j *farm.Job) { j.Parent = r.string() },
	"children":     func(r *reader, j *farm.Job) { j.Children = r.strings() },
	"takeOf":       func(r *reader, j *farm.Job) { j.TakeOf = r.string() },
	"nextTake":     func(r *reader, j *farm.Job) { j.NextTake = r.string() },
	"projectId":    func(r *reader, j *farm.Job) { j.ProjectID = r.string() },
	"join":         func(r *reader, j *farm.Job) { j.Join = r.bool() },
	"usesFonts":    func(r *reader, j *farm.Job) { j.UsesFonts = r.strings() },
	"usesSecrets":  func(r *reader, j *farm.Job) { j.UsesSecrets = r.strings() },
	"private":      func(r *reader, j *farm.Job) { j.Private = r.bool() },
	"erasedAt":     func(r *reader, j *farm.Job) { j.ErasedAt = r.time() },
	"redactedAt":   func(r *reader, j *farm.Job) { j.RedactedAt = r.time() },
	"outputName":   func(r *reader, j *farm.Job) { j.OutputName = r.string() },
	"output":       func(r *reader, j *farm.Job) { r.other(&j.Output) },
	"address":      func(r *reader, j *farm.Job) { j.Address = r.string() },
	"project": func(r *reader, j *farm.Job) {
		j.Project = new(farm.FileRef)
		readObject(r, fileFields, j.Project)
	},
	"firstFrame":  func(r *reader, j *farm.Job) { j.FirstFrame = r.int() },
	"framesTotal": func(r *reader, j *farm.Job) { j.FramesTotal = r.int() },
	"failures":    func(r *reader, j *farm.Job) { j.Failures = r.int() },
	"progress":    func(r *reader, j *farm.Job) { r.other(&j.Progress) },
}

var templateFields = fields[farm.JobTemplate]{
	"id":          func(r *reader, t *farm.JobTemplate) { t.ID = r.string() },
	"src":         func(r *reader, t *farm.JobTemplate) { t.Src = r.string() },
	"composition": func(r *reader, t *farm.JobTemplate) { t.Composition = r.string() },
	"version":     func(r *reader, t *farm.JobTemplate) { t.Version = r.int() },
}

var settingsFields = fields[farm.Settings]{
	"type":           func(r *reader, s *farm.Settings) { s.Type = r.string() },
	"frames":         func(r *reader, s *farm.Settings) { r.other(&s.Frames) },
	"quality":        func(r *reader, s *farm.Settings) { s.Quality = r.string() },
	"codec":          func(r *reader, s *farm.Settings) { s.Codec = r.string() },
	"engine":         func(r *reader, s *farm.Settings) { s.Engine = r.string() },
	"preset":         func(r *reader, s *farm.Settings) { s.Preset = r.string() },
	"missingFootage": func(r *reader, s *farm.Settings) { s.MissingFootage = r.string() },
	"drawAll":        func(r *reader, s *farm.Settings) { s.DrawAll = r.bool() },
}

var taskFields = fields[farm.Task]{
	"id":        func(r *reader, t *farm.Task) { t.ID = r.string() },
	"job":       func(r *reader, t *farm.Task) { t.Job = r.string() },
	"team":      func(r *reader, t *farm.Task) { t.Team = r.string() },
	"kind":      func(r *reader, t *farm.Task) { t.Kind = farm.TaskKind(r.string()) },
	"frames":    func(r *reader, t *farm.Task) { r.other(&t.Frames) },
	"stills":    func(r *reader, t *farm.Task) { r.other(&t.Stills) },
	"stage":     func(r *reader, t *farm.Task) { t.Stage = r.int() },
	"part":      func(r *reader, t *farm.Task) { t.Part = r.bool() },
	"parts":     func(r *reader, t *farm.Task) { r.other(&t.Parts) },
	"engine":    func(r *reader, t *farm.Task) { t.Engine = r.string() },
	"redo":      func(r *reader, t *farm.Task) { t.Redo = r.int() },
	"status":    func(r *reader, t *farm.Task) { t.Status = farm.TaskStatus(r.string()) },
	"attempt":   func(r *reader, t *farm.Task) { t.Attempt = r.int() },
	"failures":  func(r *reader, t *farm.Task) { t.Failures = r.int() },
	"agent":     func(r *reader, t *farm.Task) { t.Agent = r.string() },
	"leasedAt":  func(r *reader, t *farm.Task) { t.LeasedAt = r.time() },
	"notBefore": func(r *reader, t *farm.Task) { t.NotBefore = r.time() },
	"avoid":     func(r *reader, t *farm.Task) { t.Avoid = r.strings() },
	"barred":    func(r *reader, t *farm.Task) { t.Barred = r.strings() },
	"licences":  func(r *reader, t *farm.Task) { t.Licences = r.int() },
	"error":     func(r *reader, t *farm.Task) { t.Error = r.string() },
}

var contentFields = fields[jobContent]{
	"fonts":   func(r *reader, c *jobContent) { c.Fonts = r.strings() },
	"assets":  func(r *reader, c *jobContent) { c.Assets = readList(r, assetFields) },
	"upload":  func(r *reader, c *jobContent) { r.other(&c.Upload) },
	"webhook": func(r *reader, c *jobContent) { r.other(&c.Webhook) },
}

var submissionFields = fields[Submission]{
	"Jobs":  func(r *reader, s *Submission) { readInto(r, jobFields, &s.Jobs) },
	"Tasks": func(r *reader, s *Submission) { readInto(r, taskFields, &s.Tasks) },
	"Batch": func(r *reader, s *Submission) { r.other(&s.Batch) },
	"Parts": func(r *reader, s *Submission) { s.Parts = r.int() },
	"Files": func(r *reader, s *Submission) { r.other(&s.Files) },
}

var batchFields = fields[farm.Batch]{
	"id":        func(r *reader, b *farm.Batch) { b.ID = r.string() },
	"team":      func(r *reader, b *farm.Batch) { b.Team = r.string() },
	"createdAt": func(r *reader, b *farm.Batch) { b.CreatedAt = r.time() },
	"by":        func(r *reader, b *farm.Batch) { b.By = r.string() },
	"jobs":      func(r *reader, b *farm.Batch) { b.Jobs = readBatchJobs(r) },
	"total":     func(r *reader, b *farm.Batch) { b.Total = r.int() },
	"name":      func(r *reader, b *farm.Batch) { b.Name = r.string() },
	"dueAt":     func(r *reader, b *farm.Batch) { b.DueAt = r.time() },
	"into":      func(r *reader, b *farm.Batch) { b.Into = r.string() },
}

// readBatchJobs reads the jobs of a batch, of which there may be thousands: their ids are parts of one string.
func readBatchJobs(r *reader) []farm.BatchJob {
	whole := string(r.text)
	jobs := make([]farm.BatchJob, 0, strings.Count(whole, "{"))
	r.list(func() {
		var job farm.BatchJob
		r.word(`{"index":`)
		job.Index = r.int()
		r.word(`,"id":`)
		at := len(whole) - len(r.text)
		if id, plain := r.quoted(); plain {
			job.ID = whole[at+1 : at+len(id)-1]
		} else {
			r.odd = true
		}
		r.must('}')
		jobs = append(jobs, job)
	})
	return jobs
}

var actorFields = fields[farm.Actor]{
	"token":   func(r *reader, a *farm.Actor) { a.Token = r.string() },
	"address": func(r *reader, a *farm.Actor) { a.Address = r.string() },
	"at":      func(r *reader, a *farm.Actor) { a.At = r.time() },
}

var fileFields = fields[farm.FileRef]{
	"sha256": func(r *reader, f *farm.FileRef) { f.SHA256 = r.string() },
	"size":   func(r *reader, f *farm.FileRef) { f.Size = r.int64() },
	"name":   func(r *reader, f *farm.FileRef) { f.Name = r.string() },
}

var assetFields = fields[farm.Asset]{
	"type":        func(r *reader, a *farm.Asset) { a.Type = r.string() },
	"layerName":   func(r *reader, a *farm.Asset) { a.LayerName = r.string() },
	"layerIndex":  func(r *reader, a *farm.Asset) { a.LayerIndex = r.int() },
	"composition": func(r *reader, a *farm.Asset) { a.Composition = r.string() },
	"src":         func(r *reader, a *farm.Asset) { a.Src = r.string() },
	"name":        func(r *reader, a *farm.Asset) { a.Name = r.string() },
	"value":       func(r *reader, a *farm.Asset) { a.Value = r.raw() },
	"property":    func(r *reader, a *farm.Asset) { a.Property = r.string() },
	"expression":  func(r *reader, a *farm.Asset) { a.Expression = r.string() },
	"conform":     func(r *reader, a *farm.Asset) { r.other(&a.Conform) },
	"params":      func(r *reader, a *farm.Asset) { a.Params = r.raw() },
	"parameters":  func(r *reader, a *farm.Asset) { r.other(&a.Parameters) },
	"child":       func(r *reader, a *farm.Asset) { a.Child = r.string() },
}
