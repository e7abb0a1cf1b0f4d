package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/public"
	"overcrank/api/request"
	"overcrank/farm"
	"overcrank/web/language"
	"overcrank/web/page"
)

// handOverLimit is the largest file that a form's picture field takes.
const handOverLimit = 4 << 30

// newJobPage shows the form of a composition, or first the templates to choose from. With ?again= the form starts from
// what an earlier job was given.
func (s *server) newJobPage(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	id, composition := c.Query("template"), c.Query("composition")
	version := versionOf(c.Query("version"))
	again := c.Query("again")
	var earlier farm.Job
	if again != "" {
		var err error
		if earlier, err = s.farm.submitter.JobAgain(ctx, p, again); err != nil {
			return err
		}
		id, composition = earlier.Template.ID, earlier.Template.Composition
		if version, err = s.keptVersion(ctx, p, earlier.Template); err != nil {
			return err
		}
	}
	if id == "" {
		return s.chooseTemplate(ctx, c, p, false)
	}
	form, err := s.form(ctx, p, farm.JobTemplate{ID: id, Composition: composition, Version: version})
	if err == nil && again == "" {
		err = s.addPresets(ctx, p, &form)
	}
	if err != nil {
		return err
	}
	if again != "" {
		startFrom(ctx, &form, again, earlier)
		form.Levels = s.levelsFor(ctx, p, earlier.Level)
	}
	return s.render(c, page.NewJobPage(s.shell(c, p, say(c, "New job"), "jobs"), form))
}

// versionOf is the version of a template that a form or an address names: 0, the present one, for what is not a number.
func versionOf(text string) int {
	version, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return version
}

// keptVersion is the version of a template for a job like an earlier one: the same that this asked for, or the present one, 0, where the file of that
// is no longer kept.
func (s *server) keptVersion(ctx context.Context, p farm.Principal, of farm.JobTemplate) (version int, err error) {
	if of.Version == 0 {
		return 0, nil
	}
	t, err := s.farm.templates.Get(ctx, p, of.ID)
	if err != nil {
		return 0, err
	}
	if _, kept := t.AtVersion(of.Version); !kept {
		return 0, nil
	}
	return of.Version, nil
}

func (s *server) chooseTemplate(ctx context.Context, c *fiber.Ctx, p farm.Principal, many bool) error {
	all, err := s.farm.templates.List(ctx, p)
	if err != nil {
		return err
	}
	var usable []farm.Template
	for _, t := range newestFirst(all) {
		if t.Status == farm.TemplateUploaded && t.RetiredAt.IsZero() {
			usable = append(usable, t)
		}
	}
	title := say(c, "New job")
	if many {
		title = say(c, "Many jobs")
	}
	return s.render(c, page.ChooseTemplate(s.shell(c, p, title, "jobs"), usable, many))
}

// form is the form of a composition of a version of a template; of its first root composition when none is named.
func (s *server) form(ctx context.Context, p farm.Principal, of farm.JobTemplate) (page.NewJob, error) {
	composition := of.Composition
	t, err := s.readVersion(ctx, p, of.ID, of.Version)
	if err != nil {
		return page.NewJob{}, err
	}
	if t.Summary == nil {
		return page.NewJob{}, farm.Errorf(farm.CodeConflict, "the template “%s” has not been read yet; try again in a moment", t.DisplayName)
	}
	if !t.RetiredAt.IsZero() {
		return page.NewJob{}, farm.Errorf(farm.CodeConflict, "the template “%s” is retired and takes no new jobs; bring it back on its page first", t.DisplayName)
	}
	form := page.NewJob{Template: t, Version: of.Version, Place: page.Place{Levels: s.levelsFor(ctx, p, farm.LevelNormal)}}
	found := false
	for _, comp := range t.Summary.Compositions {
		if comp.Root || comp.Name == composition {
			form.Choices = append(form.Choices, comp)
		}
		if !found && (comp.Name == composition || composition == "" && comp.Root) {
			form.Composition, found = comp, true
		}
	}
	if !found {
		return form, farm.Errorf(farm.CodeNotFound, "Composition '%s' not found in the template “%s”", composition, t.DisplayName)
	}
	form.Fields = fields(t.Summary, form.Composition)
	return form, nil
}

// keepOutput puts into an earlier job what a form, whose fields are o, says anew of the result and of where it goes.
func keepOutput(job *farm.Job, form farm.Job, o page.Output) {
	given := form.Settings
	if given.Codec != "" {
		job.Settings.Codec, job.Settings.Type = given.Codec, given.Type
	}
	if given.Frames != nil {
		job.Settings.Frames = given.Frames
	}
	if given.Quality != "" {
		job.Settings.Quality = given.Quality
	}
	if o.Missing != "" {
		job.Settings.MissingFootage = given.MissingFootage
	}
	if _, chosen := reuseOf(o); chosen {
		job.Settings.DrawAll = given.DrawAll
	}
	if form.Upload != nil {
		job.Upload = form.Upload
	}
	if form.Webhook != nil {
		job.Webhook = form.Webhook
	}
}

// newJob submits what the form holds: only what differs from the project becomes an asset.
func (s *server) newJob(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	form, earlier, err := s.sentForm(ctx, c, p)
	if err != nil {
		return err
	}
	o, wrong := readOrder(c)
	job, err := readForm(c, &form, earlier, o)
	sent := job.Assets
	if len(wrong) > 0 {
		err = farm.Invalid("the job cannot be submitted", append(wrong, fieldsOf(err)...)...)
	}
	if err == nil {
		job, err = s.farm.submitter.Submit(ctx, p, job)
	}
	if code := farm.CodeOf(err); code == farm.CodeInvalid || code == farm.CodeConflict {
		output, project := form.Output, form.Project
		if err := s.addPresets(ctx, p, &form); err != nil {
			return err
		}
		form.Output, form.Project = output, project
		blame(reading(c), &form, sent, err)
		c.Status(answer.StatusOf(err))
		return s.render(c, page.NewJobPage(s.shell(c, p, say(c, "New job"), "jobs"), form))
	}
	if err != nil {
		return err
	}
	if form.Output.Notify {
		// The job is submitted: when nobody can be told of it, or it has ended already, its page is still what comes next.
		if err := s.farm.notices.Watch(ctx, p, job.ID, true); err != nil && farm.CodeOf(err) != farm.CodeConflict {
			s.logger.Warn("a new job is not watched", "job", job.ID, "error", err)
		}
	}
	return c.Redirect("/jobs/"+job.ID, fiber.StatusSeeOther)
}

// sentForm is the form that was sent, before what was typed, and the job that is submitted again, if one is.
func (s *server) sentForm(ctx context.Context, c *fiber.Ctx, p farm.Principal) (form page.NewJob, earlier farm.Job, err error) {
	form, err = s.form(ctx, p, farm.JobTemplate{
		ID: c.FormValue("template"), Composition: c.FormValue("composition"), Version: versionOf(c.FormValue("version")),
	})
	if err != nil {
		return form, earlier, err
	}
	if again := c.FormValue("again"); again != "" {
		if earlier, err = s.farm.submitter.JobAgain(ctx, p, again); err != nil {
			return form, earlier, err
		}
		beginAgain(ctx, &form, again, earlier)
	}
	return form, earlier, nil
}

// blame puts what an error has against a job, whose changes to the template are sent, where its form shows it: above, and at the fields.
func blame(ctx context.Context, form *page.NewJob, sent []farm.Asset, err error) {
	form.Error, form.Wrong = formWords(ctx, form.Fields, sent, err), wrongOf(ctx, err)
	for _, f := range fieldsOf(err) {
		if asset, ok := assetNamed(f.Field, sent); ok {
			if n := slices.IndexFunc(form.Fields, func(f page.Field) bool { return fills(f, asset) }); n >= 0 {
				form.Fields[n].Wrong = language.Told(ctx, f.Text())
			}
		}
	}
}

// formWords are an error in the words of a form with fields, where what the interface calls assets, here sent, has names of its own.
func formWords(ctx context.Context, fields []page.Field, sent []farm.Asset, err error) string {
	var refused *farm.Error
	if !errors.As(err, &refused) || len(refused.Fields) == 0 {
		return language.ToldError(ctx, err)
	}
	words, next := language.ToldError(ctx, &farm.Error{Message: refused.Message, Says: refused.Says}), ": "
	for _, f := range refused.Fields {
		said := language.Told(ctx, f.Text())
		if asset, ok := assetNamed(f.Field, sent); ok {
			said = language.Say(ctx, "“%s” %v", titleOf(fields, asset), said)
		} else if f.Field != "assets" { // which says of itself what it is about
			said, next = language.FieldName(ctx, f.Field)+": "+said, strings.Replace(next, ": ", ". ", 1)
		}
		words, next = words+next+said, "; "
	}
	return words
}

// titleOf is what a form with fields calls the one that an asset comes from.
func titleOf(fields []page.Field, asset farm.Asset) string {
	if n := slices.IndexFunc(fields, func(f page.Field) bool { return fills(f, asset) }); n >= 0 {
		return fields[n].Title()
	}
	return asset.LayerName
}

// assetNamed is the asset that a field belongs to, as the interface calls the field.
func assetNamed(field string, sent []farm.Asset) (asset farm.Asset, ok bool) {
	n, ok := farm.AssetOf(field)
	if !ok || n >= len(sent) {
		return asset, false
	}
	return sent[n], true
}

// readForm reads a job from its form the way that the interface reads one, so that the same is refused with the same words. What was
// typed goes back into the form. A job that is refused has its assets. Of a job that is submitted again, all that the form has no field for stays.
func readForm(c *fiber.Ctx, form *page.NewJob, earlier farm.Job, o order) (farm.Job, error) {
	body, assets, err := formBody(c, form, o)
	if err != nil {
		return farm.Job{}, err
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return farm.Job{}, err
	}
	job, err := readJob(raw)
	if err != nil {
		return farm.Job{Assets: assets}, err
	}
	job.Strict = true
	if form.Again != "" {
		job = again(earlier, job, *form)
	}
	return job, nil
}

// readJob reads a job as the interface does. What is wrong with it is said of its fields only: who fills in a form has sent no request.
func readJob(raw []byte) (farm.Job, error) {
	job, err := public.ReadJob(raw)
	if wrong := fieldsOf(err); len(wrong) > 0 {
		err = farm.Invalid("the job cannot be submitted", wrong...)
	}
	return job, err
}

// formBody is what a form holds as the interface takes it, and the assets in it.
func formBody(c *fiber.Ctx, form *page.NewJob, o order) (body map[string]any, assets []farm.Asset, err error) {
	preview := c.FormValue("preview") != ""
	form.Name, form.Output = strings.TrimSpace(c.FormValue("name")), sentOutput(c)
	sent := sentPlace(c, o)
	sent.Levels = form.Levels
	form.Place, form.Tags = sent, c.FormValue("requireTags")
	form.Approve, form.Sequential = c.FormValue("approve") != "", c.FormValue("sequential") != ""
	form.Project = c.FormValue("project")
	form.PreviewFirst = form.Approve || c.FormValue("previewFirst") != ""
	of := map[string]any{"id": form.Template.ID, "composition": form.Composition.Name}
	if form.Version > 0 {
		of["version"] = form.Version
	}
	body = map[string]any{"template": of}
	set := func(key string, value any, given bool) {
		if given {
			body[key] = value
		}
	}
	set("name", form.Name, form.Name != "")
	set("project", form.Project, form.Project != "")
	set("level", string(o.level), o.level != "" && o.level != farm.LevelNormal)
	set("priority", o.priority, o.priority != 0)
	set("requireTags", words(form.Tags), form.Tags != "")
	set("sequential", true, form.Sequential)
	set("preview", true, preview)
	set("previewFirst", true, form.PreviewFirst && !preview) // a draft is what one looks at first
	set("approve", true, form.Approve && !preview)
	set("notBefore", o.notBefore.Format(time.RFC3339), !o.notBefore.IsZero())
	if !preview {
		if err := addOutput(body, form.Output, form.Frames()); err != nil {
			return nil, nil, err
		}
	}
	if assets, err = readFields(c, form.Fields); err != nil {
		return nil, nil, err
	}
	if len(assets) > 0 {
		body["assets"] = bodiesOf(assets)
	}
	return body, assets, nil
}

// readFields reads the fields of a form: only what differs from the template becomes an asset. What was typed goes back into them, with what
// is wrong about it.
func readFields(c *fiber.Ctx, all []page.Field) (assets []farm.Asset, err error) {
	var wrong []farm.FieldError
	for i, f := range all {
		value := sentValue(c, f)
		asset, changed, bad := assetOf(f, value)
		if bad != nil {
			all[i].Wrong = sayError(c, bad)
			wrong = append(wrong, farm.Field("assets", "“%s” %v", f.Title(), bad))
		}
		if changed {
			assets = append(assets, asset)
		}
		if !f.TakesFile() {
			all[i].Value = value
		} else if value != "" {
			all[i].Src, all[i].Note = value, language.Text("The file that you chose")
		}
	}
	if len(wrong) > 0 {
		return nil, farm.Invalid("the job cannot be submitted", wrong...)
	}
	return assets, nil
}

// bodiesOf are assets as the interface takes them.
func bodiesOf(assets []farm.Asset) (bodies []map[string]any) {
	for _, a := range assets {
		body := map[string]any{"type": a.Type, "layerName": a.LayerName}
		if a.Src != "" {
			body["src"] = a.Src
		}
		if a.Composition != "" {
			body["composition"] = a.Composition
		}
		if a.Property != "" {
			body["property"] = a.Property
		}
		if a.Value != nil {
			body["value"] = a.Value
		}
		bodies = append(bodies, body)
	}
	return bodies
}

// startFrom fills a form with what an earlier job was given.
func startFrom(ctx context.Context, form *page.NewJob, id string, earlier farm.Job) {
	beginAgain(ctx, form, id, earlier)
	form.Name, form.Project = earlier.Name, earlier.ProjectID
	for _, a := range fillIn(form.Fields, earlier.Assets) {
		form.Left = append(form.Left, page.AssetTarget(ctx, a))
	}
	form.Level, form.Tags = earlier.Level, strings.Join(earlier.RequireTags, ", ")
	if earlier.Priority != 0 {
		form.Priority = strconv.Itoa(earlier.Priority)
	}
	form.PreviewFirst, form.Approve, form.Sequential = earlier.PreviewFirst, earlier.Approve, earlier.Sequential
}

// beginAgain has a form say which job it submits again, and that the version which that asked for is gone.
func beginAgain(ctx context.Context, form *page.NewJob, id string, earlier farm.Job) {
	form.Again, form.Earlier = id, resultWords(ctx, earlier)
	if form.Version == 0 {
		form.Gone = earlier.Template.Version
	}
}

// resultWords name what an earlier job rendered, for the choice to keep it.
func resultWords(ctx context.Context, earlier farm.Job) string {
	kind := cmp.Or(earlier.Settings.Codec, earlier.Settings.Type, "h264")
	if f := earlier.Settings.Frames; f != nil {
		kind += ", " + language.Say(ctx, "frames %d to %d", f.Start, f.End)
	}
	return kind
}

// again is an earlier job with what a form changes about it: all that the form has no field for stays.
func again(earlier, form farm.Job, fields page.NewJob) farm.Job {
	job := earlier
	job.Strict = form.Strict
	job.Name, job.Template, job.Preview, job.ProjectID = form.Name, form.Template, form.Preview, form.ProjectID
	job.Level, job.Priority, job.NotBefore, job.RequireTags = cmp.Or(form.Level, farm.LevelNormal), form.Priority, form.NotBefore, form.RequireTags
	job.PreviewFirst, job.Approve, job.Sequential = form.PreviewFirst, form.Approve, form.Sequential
	keepOutput(&job, form, fields.Output)
	job.Assets = slices.DeleteFunc(slices.Clone(job.Assets), func(a farm.Asset) bool {
		held := len(fillIn(slices.Clone(fields.Fields), []farm.Asset{a})) == 0 // by a field
		return held || slices.ContainsFunc(form.Assets, func(b farm.Asset) bool {
			return a.LayerName == b.LayerName && a.Type == b.Type && a.Property == b.Property
		})
	})
	job.Assets = append(job.Assets, form.Assets...)
	return job
}

// handOver keeps a file for a picture field and answers with the address that the form then holds.
func (s *server) handOver(c *fiber.Ctx, p farm.Principal) error {
	body, size, err := request.Body(c, handOverLimit)
	if err != nil {
		return err
	}
	f, err := s.farm.stored.Put(s.asking(c), p, c.Query("name"), body, size)
	if err != nil {
		return err
	}
	return c.Status(fiber.StatusCreated).JSON(fiber.Map{"src": f.Src()})
}
