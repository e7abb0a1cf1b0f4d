package coordinator

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"overcrank/aep"
	"overcrank/coordinator/templates"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/farm/names"
)

// submission is what one request submits: jobs, those nested in them, and the tasks of all. Templates, their summaries and
// stored files are looked up once for a request, however many jobs name them.
type submission struct {
	c   *Coordinator
	p   farm.Principal
	now time.Time

	templates map[string]farm.Template
	summaries map[string]*aep.Summary // by the introspection's hash
	prolonged map[string]bool         // stored files, by hash

	jobs  []farm.Job // parents stand before their children
	tasks []farm.Task
}

func (c *Coordinator) newSubmission(p farm.Principal) *submission {
	return &submission{
		c: c, p: p, now: c.cfg.Now(),
		templates: map[string]farm.Template{}, summaries: map[string]*aep.Summary{}, prolonged: map[string]bool{},
	}
}

// plan adds a job with its family to the submission, and gives the job as it is submitted, with each nested job as Nested in
// its asset. After an error nothing of the family is in the submission.
func (s *submission) plan(ctx context.Context, job farm.Job) (farm.Job, error) {
	if err := s.c.mayChoose(s.p, job.Level); err != nil {
		return farm.Job{}, err
	}
	jobs, tasks := len(s.jobs), len(s.tasks)
	if err := s.family(ctx, &job, ""); err != nil {
		s.jobs, s.tasks = s.jobs[:jobs], s.tasks[:tasks]
		return farm.Job{}, err
	}
	return job, nil
}

// family plans a job, which becomes what is submitted of it, and those nested in it. parent is the id of the one that it is nested in.
func (s *submission) family(ctx context.Context, job *farm.Job, parent string) error {
	id, err := s.c.state.NewID()
	if err != nil {
		return err
	}
	job.ID, job.Team, job.SubmittedBy, job.Parent = id, s.p.Team, s.p.Name, parent
	job.CreatedAt, job.UpdatedAt, job.Status = s.now, s.now, farm.JobQueued
	job.OutputName = id + "-" + strings.ToLower(rand.Text()) + "." + outputExt(job.Settings)
	job.Assets = slices.Clone(job.Assets)
	if job.Webhook != nil {
		hook := *job.Webhook
		hook.Farm = s.c.PublicAddress()
		job.Webhook = &hook
	}
	job.PreviewFirst, job.ApprovedAt, job.ApprovedBy = job.PreviewFirst || job.Approve, time.Time{}, ""
	if job.PreviewFirst && !mayPreview(*job) {
		return farm.Invalid("the job has no frames to look at first", farm.FieldError{
			Field: "previewFirst", Message: "only films and sequences of pictures can be looked at before they are rendered",
		})
	}
	if err := s.mayRunScripts(job); err != nil {
		return err
	}
	if err := s.settle(ctx, job); err != nil {
		return err
	}

	place := len(s.jobs)
	s.jobs = append(s.jobs, farm.Job{}) // before those nested in it
	for i := range job.Assets {
		asset := &job.Assets[i]
		if asset.Nested == nil {
			continue
		}
		child := inherit(*asset.Nested, *job)
		if err := s.family(ctx, &child, job.ID); err != nil {
			return within(fmt.Sprintf("assets[%d]", i), err)
		}
		asset.Nested, asset.Child = &child, child.ID
		job.Children, job.Status = append(job.Children, child.ID), farm.JobPending
	}
	s.jobs[place] = *job
	s.tasks = appendTasks(s.tasks, job)
	return nil
}

// mayRunScripts refuses a job with scripts of a caller who may not have them, naming the first.
func (s *submission) mayRunScripts(job *farm.Job) error {
	at := slices.IndexFunc(job.Assets, func(a farm.Asset) bool { return a.Type == "script" })
	if at < 0 {
		return nil
	}
	policy, err := s.c.policy()
	if err != nil {
		return err
	}
	err = policy.MayRunScripts(s.p)
	var refused *farm.Error
	if errors.As(err, &refused) {
		refused.Fields = []farm.FieldError{{Field: fmt.Sprintf("assets[%d].type", at), Message: "is script"}}
	}
	return err
}

// inherit gives a nested job what its parent says of the whole family's place in the queue, and of the machines for it.
func inherit(child, parent farm.Job) farm.Job {
	child.Priority, child.Level, child.NotBefore = parent.Priority, parent.Level, parent.NotBefore
	child.RequireTags, child.AnyTags, child.NoTags = parent.RequireTags, parent.AnyTags, parent.NoTags
	child.MinMemory, child.OS, child.Limits = parent.MinMemory, parent.OS, parent.Limits
	child.MaxMachines, child.MaxAttempts, child.Hold, child.Strict = parent.MaxMachines, parent.MaxAttempts, parent.Hold, parent.Strict
	return child
}

// appendTasks appends the tasks that a job begins with: one that does it all, behind one for the pictures if they are to come first.
func appendTasks(tasks []farm.Task, job *farm.Job) []farm.Task {
	whole := farm.Task{ID: job.ID + ".1", Job: job.ID, Team: job.Team, Kind: farm.TaskRender, Status: farm.TaskReady}
	if job.Join {
		whole.Kind = farm.TaskJoin
	}
	if !job.PreviewFirst {
		return append(tasks, whole)
	}
	sample := whole
	sample.Kind, sample.Part = farm.TaskSample, true
	whole.ID, whole.Stage = job.ID+".2", 1
	return append(tasks, sample, whole)
}

// within puts the place of a nested job before the fields that an error names; an error that names none is about the
// job's template.
func within(place string, err error) error {
	var e *farm.Error
	named := errors.As(err, &e) && (e.Code == farm.CodeInvalid || e.Code == farm.CodeNotFound || e.Code == farm.CodeForbidden && len(e.Fields) > 0)
	if !named {
		return err
	}
	fields := make([]farm.FieldError, len(e.Fields))
	for i, f := range e.Fields {
		fields[i] = farm.FieldError{Field: place + "." + f.Field, Message: f.Message}
	}
	if len(fields) == 0 {
		fields = []farm.FieldError{{Field: place + ".template", Message: e.Message}}
	}
	return &farm.Error{Code: e.Code, Message: e.Message, Fields: fields, Err: e.Err}
}

// settle checks one job against the farm, and settles what the caller left open. Errors name fields from the job on.
func (s *submission) settle(ctx context.Context, job *farm.Job) error {
	if unknown := s.c.secrets.Check(s.p.Team, job); len(unknown) > 0 {
		return farm.Invalid("the job refers to secrets that do not exist", unknown...)
	}
	if err := s.checkLimits(*job); err != nil {
		return err
	}
	if refused := refusedAddresses(s.c.cfg.Addresses, *job); len(refused) > 0 {
		return farm.Invalid("the job names addresses that this farm does not ask", refused...)
	}
	refused, err := s.c.refusedFiles(*job)
	if err != nil {
		return err
	}
	if len(refused) > 0 {
		return farm.Invalid("the job names files that no machine of this farm may read", refused...)
	}
	if job.Upload != nil {
		job.Address = job.Upload.Address(remoteName(*job))
	}
	if err := s.settleTemplate(ctx, job); err != nil {
		return err
	}
	job.Private = job.Unkept()
	if err := s.c.keepData(ctx, s.p, job); err != nil {
		return err
	}
	return s.keepAlive(ctx, *job)
}

// checkLimits refuses limits that the farm does not have: their job would wait for ever.
func (s *submission) checkLimits(job farm.Job) error {
	if len(job.Limits) == 0 {
		return nil
	}
	policy, err := s.c.policy()
	if err != nil {
		return err
	}
	var unknown []farm.FieldError
	for i, name := range job.Limits {
		if _, there := policy.Limits[name]; !there {
			unknown = append(unknown, farm.FieldError{Field: fmt.Sprintf("limits[%d]", i), Message: fmt.Sprintf("%q is no limit of this farm; %s", name, limitsThere(policy))})
		}
	}
	if len(unknown) > 0 {
		return farm.Invalid("the job names limits that the farm does not have", unknown...)
	}
	return nil
}

// refusedAddresses are the fields of a job whose address can be seen to be one that the farm will not ask.
func refusedAddresses(policy address.Policy, job farm.Job) (refused []farm.FieldError) {
	refused = refusedSources(job, policy.Refusal)
	check := func(field, address string) {
		if why := policy.Refusal(address); why != "" {
			refused = append(refused, farm.FieldError{Field: field, Message: why})
		}
	}
	if job.Upload != nil {
		check("upload.params.endpoint", job.Upload.Params["endpoint"])
	}
	if job.Webhook != nil {
		check("webhook.url", job.Webhook.URL)
	}
	return refused
}

// refusedSources are the fields of a job that say where its project and its assets come from, as far as there is something against it.
func refusedSources(job farm.Job, refusal func(src string) (why string)) (refused []farm.FieldError) {
	if why := refusal(job.Template.Src); why != "" {
		refused = append(refused, farm.FieldError{Field: "template.src", Message: why})
	}
	for i, a := range job.Assets {
		if why := refusal(a.Src); why != "" {
			refused = append(refused, farm.FieldError{Field: fmt.Sprintf("assets[%d].src", i), Message: why})
		}
	}
	return refused
}

// limitsThere names the limits of the farm.
func limitsThere(policy farm.Policy) string {
	if len(policy.Limits) == 0 {
		return "it has none, until an operator makes one"
	}
	return "it has " + strings.Join(slices.Sorted(maps.Keys(policy.Limits)), ", ")
}

// settleTemplate checks the project that a job names, and settles its composition and its number of frames as far as they
// are known.
func (s *submission) settleTemplate(ctx context.Context, job *farm.Job) error {
	if job.Join {
		return nil
	}
	if job.Template.ID != "" {
		t, err := s.template(ctx, job.Template.ID)
		if err == nil {
			job.Template.Src = ""
			if err := s.c.fonts.Match(job, &t); err != nil {
				return err
			}
			return s.settleComposition(ctx, job, t)
		}
		if farm.CodeOf(err) != farm.CodeNotFound || job.Template.Src == "" {
			return err
		}
		job.Template.ID = ""
	}
	if job.Template.Src == "" {
		return farm.Invalid("the job names no project",
			farm.FieldError{Field: "template", Message: "needs an id or a src"})
	}
	if job.Settings.Frames != nil {
		job.FramesTotal = job.Settings.Frames.Count()
	}
	return s.c.fonts.Match(job, nil)
}

func (s *submission) template(ctx context.Context, id string) (farm.Template, error) {
	if t, ok := s.templates[id]; ok {
		return t, nil
	}
	t, err := s.c.templates.Get(ctx, s.p, id)
	if err == nil {
		s.templates[id] = t
	}
	return t, err
}

func (s *submission) summaryFor(ctx context.Context) func(farm.FileRef) (*aep.Summary, error) {
	return func(ref farm.FileRef) (*aep.Summary, error) {
		if sum, ok := s.summaries[ref.SHA256]; ok {
			return sum, nil
		}
		sum, err := s.c.templates.Summary(ctx, ref)
		if err == nil {
			s.summaries[ref.SHA256] = sum
		}
		return sum, err
	}
}

func (s *submission) settleComposition(ctx context.Context, job *farm.Job, t farm.Template) (err error) {
	if t.Inactive(s.now, templates.AddressLife) {
		return farm.Invalid("the job's template cannot be used", farm.FieldError{
			Field: "template.id", Message: fmt.Sprintf("template %q is inactive: no file came within %d days; PUT /api/v2/templates/%s/upload gives a fresh upload address",
				t.DisplayName, farm.TemplateLife/(24*time.Hour), t.ID),
		})
	}
	switch t.Status {
	case farm.TemplateUploaded:
	case farm.TemplateAwaitingUpload, farm.TemplateDownloading, farm.TemplateProcessing:
		return nil
	default:
		return farm.Invalid("the job's template cannot be used", farm.FieldError{
			Field: "template.id", Message: strings.TrimSpace(fmt.Sprintf("template %q is in state %s. %s", t.DisplayName, t.Status, t.Error)),
		})
	}
	if job.Template.Composition == "" {
		if job.Template.Composition, err = templates.OnlyComposition(t, s.summaryFor(ctx)); err != nil {
			return err
		}
	} else if len(t.Compositions) < templates.MaxListed && !slices.Contains(t.Compositions, job.Template.Composition) {
		return farm.Invalid(fmt.Sprintf("Composition '%s' not found", job.Template.Composition), farm.FieldError{
			Field: "template.composition", Message: "template \"" + t.DisplayName + "\" has " + names.Quoted(t.Compositions),
		})
	}
	if err := s.checkFootage(ctx, job, t); err != nil {
		return err
	}
	return s.countFrames(ctx, job, t)
}

// countFrames notes how many frames a job renders, and refuses a range that begins beyond the composition's end. One that
// only ends there is common among clients that count the end as excluded: what there is of it is rendered.
func (s *submission) countFrames(ctx context.Context, job *farm.Job, t farm.Template) error {
	total := 0
	if t.Introspection != nil && job.Template.Composition != "" {
		sum, err := s.summaryFor(ctx)(*t.Introspection)
		if err != nil {
			return err
		}
		for _, comp := range sum.Compositions {
			if comp.Name == job.Template.Composition {
				if total = lengthOf(comp); job.Settings.Frames == nil && comp.RenderFrames > 0 {
					total = comp.RenderFrames
				}
				break
			}
		}
	}
	if f := job.Settings.Frames; f != nil {
		if total > 0 && f.Start >= total {
			return farm.Invalid("the job asks for frames that its composition does not have", farm.FieldError{
				Field:   "settings.frames",
				Message: fmt.Sprintf("composition '%s' has the frames 0 to %d", job.Template.Composition, total-1),
			})
		}
		last := f.End
		if total > 0 && last >= total {
			last = total - 1
			job.Warnings = append(slices.Clip(job.Warnings), fmt.Sprintf(
				"The frames %d to %d were asked for; composition '%s' ends with frame %d, and so does the result", f.Start, f.End, job.Template.Composition, last))
		}
		total = last - f.Start + 1
	}
	job.FramesTotal = total
	return nil
}

// keepAlive checks that the stored files which a job names are there, and moves their expiry.
func (s *submission) keepAlive(ctx context.Context, job farm.Job) error {
	stored, err := s.c.storedFiles(s.p, job)
	if err != nil {
		return err
	}
	for _, f := range stored {
		if s.prolonged[f.SHA256] {
			continue
		}
		if err := s.c.prolong(ctx, f); err != nil {
			return err
		}
		s.prolonged[f.SHA256] = true
	}
	return nil
}
