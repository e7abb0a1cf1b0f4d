package submission

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
	"overcrank/coordinator/ranges"
	"overcrank/coordinator/templates"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/farm/codec"
	"overcrank/farm/names"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// plan is what one request submits: jobs, those nested in them, and the tasks of all. The policy, projects, templates, their summaries and
// stored files are looked up once for a request, however many jobs name them.
type plan struct {
	s   *Submitter
	who farm.Principal
	now time.Time

	sharing   *farm.Policy     // once it has been asked for
	projects  []settledProject // mostly one
	templates []*farm.Template // mostly one
	summaries []readSummary    // likewise
	prolonged map[string]bool  // stored files, by hash

	jobs  []farm.Job // parents stand before their children
	tasks []farm.Task
}

// readSummary is a summary with the hash of the introspection that it was read from.
type readSummary struct {
	introspection string
	summary       *aep.Summary
}

func (s *Submitter) newPlan(who farm.Principal) *plan {
	return &plan{s: s, who: who, now: s.state.Now()}
}

// add adds a job with its family to the plan. job becomes the job as it is submitted, with each nested job as Nested in its asset. After
// an error nothing of the family is in the plan, and job is of no use.
func (p *plan) add(ctx context.Context, job *farm.Job) error {
	if job.Level == farm.LevelRush {
		policy, err := p.policy()
		if err == nil {
			err = policy.MayRush(p.who)
		}
		if err != nil {
			return err
		}
	}
	jobs, tasks := len(p.jobs), len(p.tasks)
	if err := p.family(ctx, job, ""); err != nil {
		p.jobs, p.tasks = p.jobs[:jobs], p.tasks[:tasks]
		return err
	}
	return nil
}

// family plans a job, which becomes what is submitted of it, and those nested in it. parent is the id of the one that it is nested in.
func (p *plan) family(ctx context.Context, job *farm.Job, parent string) error {
	id, err := p.s.state.NewID()
	if err != nil {
		return err
	}
	job.ID, job.Team, job.SubmittedBy, job.Parent = id, p.who.Team, p.who.Name, parent
	job.CreatedAt, job.UpdatedAt, job.Status = p.now, p.now, farm.JobQueued
	job.OutputName = id + "-" + strings.ToLower(rand.Text()) + "." + outputExt(job.Settings)
	job.Assets = slices.Clone(job.Assets)
	if job.Webhook != nil {
		hook := *job.Webhook
		hook.Farm = p.s.farm.PublicAddress()
		job.Webhook = &hook
	}
	job.PreviewFirst, job.ApprovedAt, job.ApprovedBy = job.PreviewFirst || job.Approve, time.Time{}, ""
	if job.PreviewFirst && !ranges.MayPreview(*job) {
		return farm.Invalid("the job has no frames to look at first", farm.Field("previewFirst", "only films and sequences of pictures can be looked at before they are rendered"))
	}
	if err := p.mayRunScripts(job); err != nil {
		return err
	}
	if err := p.settle(ctx, job); err != nil {
		return err
	}

	place := len(p.jobs)
	p.jobs = append(p.jobs, farm.Job{}) // before those nested in it
	for i := range job.Assets {
		asset := &job.Assets[i]
		if asset.Nested == nil {
			continue
		}
		child := inherit(*asset.Nested, *job)
		if err := p.family(ctx, &child, job.ID); err != nil {
			return within(fmt.Sprintf("assets[%d]", i), err)
		}
		asset.Nested, asset.Child = &child, child.ID
		job.Children, job.Status = append(job.Children, child.ID), farm.JobPending
	}
	p.jobs[place] = *job
	p.tasks = appendTasks(p.tasks, job)
	return nil
}

// mayRunScripts refuses a job with scripts of a caller who may not have them, naming the first.
func (p *plan) mayRunScripts(job *farm.Job) error {
	at := slices.IndexFunc(job.Assets, func(a farm.Asset) bool { return a.Type == "script" })
	if at < 0 {
		return nil
	}
	policy, err := p.policy()
	if err != nil {
		return err
	}
	err = policy.MayRunScripts(p.who)
	var refused *farm.Error
	if errors.As(err, &refused) {
		refused.Fields = []farm.FieldError{farm.Field(fmt.Sprintf("assets[%d].type", at), "is script")}
	}
	return err
}

// inherit gives a nested job what its parent says of the whole family's place in the queue, and of the machines for it.
func inherit(child, parent farm.Job) farm.Job {
	child.Priority, child.Level, child.NotBefore = parent.Priority, parent.Level, parent.NotBefore
	child.RequireTags, child.AnyTags, child.NoTags = parent.RequireTags, parent.AnyTags, parent.NoTags
	child.MinMemory, child.OS, child.Limits = parent.MinMemory, parent.OS, parent.Limits
	child.ProjectID = parent.ProjectID
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
		fields[i] = farm.FieldError{Field: place + "." + f.Field, Message: f.Message, Says: f.Says}
	}
	if len(fields) == 0 {
		fields = []farm.FieldError{{Field: place + ".template", Message: e.Message, Says: e.Says}}
	}
	return &farm.Error{Code: e.Code, Message: e.Message, Says: e.Says, Fields: fields, Err: e.Err}
}

// settle checks one job against the farm, and settles what the caller left open. Errors name fields from the job on.
func (p *plan) settle(ctx context.Context, job *farm.Job) error {
	if unknown := p.s.secrets.Check(p.who.Team, job); len(unknown) > 0 {
		return farm.Invalid("the job refers to secrets that do not exist", unknown...)
	}
	if err := p.checkLimits(*job); err != nil {
		return err
	}
	if err := p.settleProject(job); err != nil {
		return err
	}
	if refused := refusedAddresses(p.s.cfg.Addresses, *job); len(refused) > 0 {
		return farm.Invalid("the job names addresses that this farm does not ask", refused...)
	}
	refused, err := p.s.refusedFiles(*job)
	if err != nil {
		return err
	}
	if len(refused) > 0 {
		return farm.Invalid("the job names files that no machine of this farm may read", refused...)
	}
	if job.Upload != nil {
		job.Address = job.Upload.Address(job.RemoteName())
	}
	if err := p.settleTemplate(ctx, job); err != nil {
		return err
	}
	job.Private = job.Unkept()
	if err := p.s.keepData(ctx, p.who, job); err != nil {
		return err
	}
	return p.keepAlive(ctx, *job)
}

// checkLimits refuses limits that the farm does not have: their job would wait for ever.
func (p *plan) checkLimits(job farm.Job) error {
	if len(job.Limits) == 0 {
		return nil
	}
	policy, err := p.policy()
	if err != nil {
		return err
	}
	var unknown []farm.FieldError
	for i, name := range job.Limits {
		if _, there := policy.Limits[name]; !there {
			unknown = append(unknown, farm.Field(fmt.Sprintf("limits[%d]", i), "%q is not a limit of this farm; %s", name, limitsThere(policy)))
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
			refused = append(refused, farm.Field(field, "%s", farm.AsIs(why)))
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
		refused = append(refused, farm.Field("template.src", "%s", farm.AsIs(why)))
	}
	for i, a := range job.Assets {
		if why := refusal(a.Src); why != "" {
			refused = append(refused, farm.Field(fmt.Sprintf("assets[%d].src", i), "%s", farm.AsIs(why)))
		}
	}
	return refused
}

// limitsThere names the limits of the farm.
func limitsThere(policy farm.Policy) farm.Text {
	if len(policy.Limits) == 0 {
		return farm.Say("it has none, until an operator makes one")
	}
	return farm.Say("it has %s", strings.Join(slices.Sorted(maps.Keys(policy.Limits)), ", "))
}

// settleTemplate checks the project that a job names, and settles its composition and its number of frames as far as they
// are known.
func (p *plan) settleTemplate(ctx context.Context, job *farm.Job) error {
	if job.Join {
		return nil
	}
	if job.Template.ID != "" {
		t, err := p.template(ctx, job.Template.ID)
		if err == nil {
			job.Template.Src = ""
			if t, err = versionFor(job, t); err != nil {
				return err
			}
			if err := p.s.fonts.Match(job, t); err != nil {
				return err
			}
			return p.settleComposition(ctx, job, t)
		}
		if farm.CodeOf(err) != farm.CodeNotFound || job.Template.Src == "" {
			return err
		}
		job.Template.ID, job.Template.Version = "", 0
	}
	if job.Template.Src == "" {
		return farm.Invalid("the job names no project",
			farm.Field("template", "needs an id or a src"))
	}
	if job.Settings.Frames != nil {
		job.FramesTotal, job.FirstFrame = job.Settings.Frames.Count(), p.firstFrame(job.Settings.Frames.Start)
	}
	return p.s.fonts.Match(job, nil)
}

// versionFor is a template as it was in the version that a job asks for; most ask for none.
func versionFor(job *farm.Job, t *farm.Template) (*farm.Template, error) {
	if job.Template.Version == 0 {
		return t, nil
	}
	was, kept := t.AtVersion(job.Template.Version)
	if !kept {
		return nil, farm.Invalid("the job's template cannot be used", t.WrongVersion("template.version", job.Template.Version))
	}
	return &was, nil
}

// policy is how the farm shares its machines, read once for the request.
func (p *plan) policy() (farm.Policy, error) {
	if p.sharing == nil {
		policy, err := p.s.farm.SharedBy()
		if err != nil {
			return farm.Policy{}, err
		}
		p.sharing = &policy
	}
	return *p.sharing, nil
}

func (p *plan) template(ctx context.Context, id string) (*farm.Template, error) {
	for _, t := range p.templates {
		if t.ID == id {
			return t, nil
		}
	}
	t, err := p.s.templates.Get(ctx, p.who, id)
	if err != nil {
		return nil, err
	}
	p.templates = append(p.templates, &t)
	return &t, nil
}

// summary is what was read of a template's file.
func (p *plan) summary(ctx context.Context, introspection farm.FileRef) (*aep.Summary, error) {
	for _, read := range p.summaries {
		if read.introspection == introspection.SHA256 {
			return read.summary, nil
		}
	}
	sum, err := p.s.templates.Summary(ctx, introspection)
	if err == nil {
		p.summaries = append(p.summaries, readSummary{introspection.SHA256, sum})
	}
	return sum, err
}

func (p *plan) settleComposition(ctx context.Context, job *farm.Job, t *farm.Template) (err error) {
	if t.Inactive(p.now, templates.AddressLife) {
		return farm.Invalid("the job's template cannot be used", farm.Field("template.id", "template %q is inactive: no file came within %d days; PUT /api/v2/templates/%s/upload gives a fresh upload address",
			t.DisplayName, int(farm.TemplateLife/(24*time.Hour)), t.ID))
	}
	if !t.RetiredAt.IsZero() {
		return farm.Invalid("the job's template cannot be used", farm.Field("template.id", "template %q is retired and takes no new jobs; bring it back first", t.DisplayName))
	}
	switch t.Status {
	case farm.TemplateUploaded:
	case farm.TemplateAwaitingUpload, farm.TemplateDownloading, farm.TemplateProcessing:
		return nil
	default:
		return farm.Invalid("the job's template cannot be used", inState(*t))
	}
	if job.Template.Composition == "" {
		if job.Template.Composition, err = templates.OnlyComposition(*t, func(ref farm.FileRef) (*aep.Summary, error) { return p.summary(ctx, ref) }); err != nil {
			return err
		}
	} else if len(t.Compositions) < templates.MaxListed && !slices.Contains(t.Compositions, job.Template.Composition) {
		return farm.Errorf(farm.CodeInvalid, "Composition '%s' not found", job.Template.Composition).
			With(farm.Field("template.composition", "template \"%s\" has %s", t.DisplayName, names.Quoted(t.Compositions)))
	}
	if err := p.checkFootage(ctx, job, t); err != nil {
		return err
	}
	return p.countFrames(ctx, job, t)
}

// inState says that a template is not to be rendered from, and why.
func inState(t farm.Template) farm.FieldError {
	status := farm.Say(string(t.Status))
	if strings.TrimSpace(t.Error) == "" {
		return farm.Field("template.id", "template %q is in state %s.", t.DisplayName, status)
	}
	return farm.Field("template.id", "template %q is in state %s. %s", t.DisplayName, status, farm.AsIs(strings.TrimSpace(t.Error)))
}

// countFrames notes how many frames a job renders, and refuses a range that begins beyond the composition's end. One that
// only ends there is common among clients that count the end as excluded: what there is of it is rendered.
func (p *plan) countFrames(ctx context.Context, job *farm.Job, t *farm.Template) error {
	first, total := 0, 0
	if t.Introspection != nil && job.Template.Composition != "" {
		sum, err := p.summary(ctx, *t.Introspection)
		if err != nil {
			return err
		}
		for _, comp := range sum.Compositions {
			if comp.Name == job.Template.Composition {
				if total = ranges.Length(comp); job.Settings.Frames == nil && comp.RenderFrames > 0 {
					first, total = comp.RenderStart, comp.RenderFrames
				}
				break
			}
		}
	}
	if f := job.Settings.Frames; f != nil {
		if total > 0 && f.Start >= total {
			return farm.Invalid("the job asks for frames that its composition does not have", farm.Field("settings.frames", "composition '%s' has the frames 0 to %d", job.Template.Composition, total-1))
		}
		last := f.End
		if total > 0 && last >= total {
			last = total - 1
			job.Warnings = append(slices.Clip(job.Warnings), fmt.Sprintf(
				"The frames %d to %d were asked for; composition '%s' ends with frame %d, and so does the result", f.Start, f.End, job.Template.Composition, last))
		}
		first, total = f.Start, last-f.Start+1
	}
	job.FramesTotal, job.FirstFrame = total, p.firstFrame(first)
	return nil
}

// firstFrame is what a job says of its first frame: nothing while a program runs that would lose it.
func (p *plan) firstFrame(first int) int {
	if first == 0 {
		return 0 // as most jobs begin, which need not ask
	}
	level := 0
	err := p.s.state.View(func(tx *raftstore.Tx) (err error) {
		level, _, err = tx.Level()
		return err
	})
	if err != nil || level < command.RenderAgainLevel {
		return 0
	}
	return first
}

// keepAlive checks that the stored files which a job names are there, and moves their expiry.
func (p *plan) keepAlive(ctx context.Context, job farm.Job) error {
	stored, err := p.s.storedFiles(p.who, job)
	if err != nil {
		return err
	}
	for _, f := range stored {
		if p.prolonged[f.SHA256] {
			continue
		}
		if err := p.s.prolong(ctx, f); err != nil {
			return err
		}
		if p.prolonged == nil {
			p.prolonged = map[string]bool{}
		}
		p.prolonged[f.SHA256] = true
	}
	return nil
}

// outputExt is the extension of a job's result, without the dot.
func outputExt(s farm.Settings) string {
	name := codec.DefaultFilm
	switch {
	case s.Type == "aep", s.Type == "image" && s.Frames != nil && !s.Frames.Single:
		return "zip"
	case s.Type == "image":
		name = codec.DefaultStill
	}
	c, known := codec.Find(s.Codec)
	if !known {
		c, _ = codec.Find(name)
	}
	return c.Ext
}
