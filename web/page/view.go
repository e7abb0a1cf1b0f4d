// Package page is what the dashboard's pages look like: templ components and the plain values they show. It knows the
// farm's vocabulary and nothing of how the values are got.
package page

import (
	"context"
	"math"
	"path"
	"strconv"
	"time"

	"overcrank/aep"
	"overcrank/coordinator/templates"
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/web/language"
)

// Shell is what every page shows around its own content.
type Shell struct {
	Title   string
	Active  string // name of the rail's entry: home, jobs, queue, batches, templates, machines, settings
	Setting string // name of the page of the settings: tokens, people, sharing, fonts, secrets, webhooks, coordinators
	Live    string // topic of the page's live parts, "" for none
	Theme   string // auto, light or dark
	Reader  farm.Principal
	Version string
	Pulse   Pulse
	Pause   Pause
	// Personal is what the reader has chosen for themselves.
	Personal farm.Personal
}

// Pause is whether the farm begins nothing new, and since when and by whose wish.
type Pause struct {
	On bool
	At time.Time
	By string
}

// Can tells whether the reader may do something: what they may not is not offered.
func (s Shell) Can(a farm.Action) bool { return s.Reader.Can(a) }

// Pulse is how the farm is, in three numbers.
type Pulse struct {
	Rendering, Waiting, Machines int
	// Leaderless says that nobody knows of the machines: no coordinator leads.
	Leaderless bool
}

// Job is a job with what the page needs beside it.
type Job struct {
	farm.Job
	Template string    // display name, "" when it is not kept
	Why      farm.Text // why it waits; zero when it does not
	// ProjectName is the name of its project, "" for a job of none.
	ProjectName string
	Thumbs      []int  // frames that have a picture
	Output      string // path of the result on this farm
	Link        string // its public address
	Phase       string
	Frame       int
	Working     []farm.RunningTask // what machines do for it now
	Finish      *farm.Span         // when it is likely to be done, in seconds from now; nil when nobody can tell
	Family      []Job              // its nested jobs, with what they need here
	Takes       []ReviewTake       // of it, where its player shows them; on its own page only
	Proxy       bool               // a small film is there of a result that browsers do not play; on its own page only
	Delivery    *farm.Delivery     // of its webhook, nil while none is owed
	// What those are called that it belongs to, "" for what is gone; on its own page only, but for the batch, which lists name too.
	BatchTitle, ParentTitle string
}

// Title is what people call the job.
func (j Job) Title(ctx context.Context) string {
	switch {
	case j.Name != "":
		return j.Name
	case j.Join:
		return say(ctx, "Joined clips")
	case j.Template != "":
		return j.Template + " · " + j.Job.Template.Composition
	case j.Job.Template.Composition != "":
		return j.Job.Template.Composition
	}
	return say(ctx, "Job of %s", told(ctx, wording.Moment(j.CreatedAt)))
}

// State is the word, the class and the shape of a state. The word is an English text that begins with a small letter: Said says it.
type State struct{ Word, Class string }

// Said is the state as a mark has it.
func (s State) Said(ctx context.Context) string { return wording.Title(say(ctx, s.Word)) }

// StateOf is how a job's state is shown.
func StateOf(j farm.Job) State {
	state := State{Word: wording.Job(j.Status), Class: "waiting"}
	switch j.Status {
	case farm.JobRendering:
		state.Class = "rendering"
	case farm.JobFinished:
		state.Class = "finished"
	case farm.JobFailed:
		state.Class = "error"
	case farm.JobCancelled:
		state.Class = "cancelled"
	default:
		if j.Hold {
			return State{language.Text("held"), "held"}
		}
	}
	return state
}

// Sentence says how the job stands.
func (j Job) Sentence(ctx context.Context) string {
	switch j.Status {
	case farm.JobRendering:
		if j.Hold {
			return say(ctx, "%.0f %% done, on hold", j.Progress)
		}
		s := say(ctx, "%.0f %% done", j.Progress)
		if n := j.machines(); n > 1 {
			return s + ", " + many(ctx, n, "on %d machine", "on %d machines")
		}
		if len(j.Working) > 1 {
			return s // several tasks: no one frame says how far it is
		}
		if j.FramesTotal > 0 && j.Frame > j.FirstFrame() {
			s = say(ctx, "Frame %d of %d", j.Frame-j.FirstFrame()+1, j.FramesTotal)
		}
		if j.Phase != "" && j.Phase != "rendering" {
			s += ", " + say(ctx, wording.Phase(j.Phase))
		}
		return s
	case farm.JobFinished:
		if took := j.RenderTime(); took > 0 {
			return say(ctx, "Rendered in %s", inWords(ctx).Duration(took))
		}
		return say(ctx, "Ready")
	case farm.JobFailed:
		return heard(ctx, j.Error)
	case farm.JobCancelled:
		return say(ctx, "Cancelled before it finished")
	}
	if !j.Why.IsZero() {
		return told(ctx, j.Why)
	}
	return say(ctx, "Waiting for a machine")
}

// machines is how many machines work for the job. One may hold several of its tasks.
func (j Job) machines() int {
	known, unknown := map[string]bool{}, 0
	for _, task := range j.Working {
		if task.Agent == "" {
			unknown++
		} else {
			known[task.Agent] = true
		}
	}
	return len(known) + unknown
}

// Kept tells whether this farm has the result. One that was uploaded elsewhere is led to, but not shown: a page loads nothing
// from other machines.
func (j Job) Kept() bool {
	out := j.Job.Output
	return j.Status == farm.JobFinished && out != nil && out.Remote == nil && out.GoneAt.IsZero()
}

// Reachable tells whether the result can be downloaded, from here or from elsewhere.
func (j Job) Reachable() bool {
	out := j.Job.Output
	return j.Status == farm.JobFinished && out != nil && out.GoneAt.IsZero()
}

// Watchable tells whether the result is a film that is shown, Viewable whether it is a picture.
func (j Job) Watchable() bool { return j.Kept() && (path.Ext(j.OutputName) == ".mp4" || j.Proxy) }

// Film is the address of the film that is shown: of the result, or of its proxy.
func (j Job) Film() string {
	if j.Proxy {
		return jobPath(j.Job) + "/proxy"
	}
	return j.Output
}

// Viewable tells whether the result is a picture that browsers show.
func (j Job) Viewable() bool {
	e := path.Ext(j.OutputName)
	return j.Kept() && (e == ".png" || e == ".jpg")
}

// blank tells whether there is nothing to see of the job, and never will be.
func (j Job) blank() bool { return j.Status.Ended() && len(j.Thumbs) == 0 && !j.Reachable() }

// Percent is the job's progress as a number for an attribute, 0–100.
func (j Job) Percent() string {
	p := j.Progress
	if j.Status == farm.JobFinished {
		p = 100
	}
	return strconv.FormatFloat(math.Round(p*10)/10, 'f', -1, 64)
}

// Rate is a frame rate without needless zeros.
func Rate(fps float64) string { return strconv.FormatFloat(math.Round(fps*1000)/1000, 'f', -1, 64) }

// Template is a template with what reading its file told; Summary is nil until then.
type Template struct {
	farm.Template
	Summary *aep.Summary
	Waits   string // why its file has not been read yet, when somebody has to act
	// Preflight is what the embedded engine would draw otherwise; nil until it was looked at.
	Preflight *aep.Preflight
	// StandIns can stand in for the fonts that neither the library nor any machine has.
	StandIns StandIns
	// Reels are frames of its compositions, by their numbers; nil while they are drawn.
	Reels map[uint32]templates.Reel
}

// usable says whether new jobs may render the template.
func (t Template) usable() bool { return t.Status == farm.TemplateUploaded && t.RetiredAt.IsZero() }

// split gives the templates that are in use and those that are retired.
func split(all []Template) (used, retired []Template) {
	for _, t := range all {
		if t.RetiredAt.IsZero() {
			used = append(used, t)
		} else {
			retired = append(retired, t)
		}
	}
	return used, retired
}

// Lacks lists the files that the template's compositions cannot be rendered without and that did not come with it, each with the first
// layer that needs it.
func (t Template) Lacks() (all []aep.Lack) {
	if t.Summary == nil {
		return nil
	}
	named := map[string]bool{}
	for _, c := range t.Summary.Compositions {
		if !c.Root {
			continue
		}
		for _, l := range t.Summary.Lacks(c.Name) {
			if !named[l.File] {
				named[l.File] = true
				all = append(all, l)
			}
		}
	}
	return all
}

// Completable says whether files that the template lacks can be put to its project or into its archive.
func (t Template) Completable() bool {
	return t.Type != aep.TypeMogrt && t.File != nil && t.Status == farm.TemplateUploaded && len(t.Lacks()) > 0
}

// state is TemplateState with what is known of its file.
func (t Template) state() State {
	if t.Waits != "" {
		return State{wording.TemplateHeldUp, "error"}
	}
	known := t.Template
	if t.Summary != nil {
		known.MissingFootage = t.Summary.MissingFiles()
	}
	return TemplateState(known)
}

// TemplateState is how a template's state is shown.
func TemplateState(t farm.Template) State {
	state := State{Word: wording.Template(t.Status), Class: "rendering"}
	switch t.Status {
	case farm.TemplateUploaded:
		if len(t.MissingFootage) > 0 {
			return State{wording.TemplateLacksFootage, "held"}
		}
		state.Class = "finished"
	case farm.TemplateError:
		state.Class = "error"
	case farm.TemplateAwaitingUpload:
		state.Class = "waiting"
	}
	return state
}

// NewJob is the form that orders a render.
type NewJob struct {
	Template    Template
	Version     int // of the template that the job asks for, 0 for the present one
	Gone        int // version that an earlier job asked for and whose file is no longer kept, 0 for none
	Composition aep.CompositionSummary
	Choices     []aep.CompositionSummary
	Fields      []Field
	Name        string
	Output      Output
	Presets     []farm.Preset
	Secrets     []string // names that the reader may see
	// MayKeepPresets says that the reader may save and delete presets.
	MayKeepPresets bool
	Projects       []Choice // that take new jobs
	Project        string   // id of the chosen one
	Again          string   // id of the job that is submitted again, "" for none
	Earlier        string   // what that job rendered
	Left           []string // changes of the earlier job that the form has no fields for: they stay as they were
	Error          string

	// when and how it is rendered, as the form holds it
	Place
	Tags                              string
	PreviewFirst, Approve, Sequential bool
}

// accepts are the endings of the files that the template takes.
func (t Template) accepts() string {
	switch {
	case t.FileType() != t.Type:
		return ".aep,.aet,.aepx,.zip"
	case t.Type == aep.TypeProject:
		return ".aep,.aet,.aepx"
	}
	return "." + t.Type
}
