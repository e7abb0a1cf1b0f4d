package farm

import (
	"encoding/json"
	"path"
	"strings"
	"time"
)

// JobStatus is the state of a job. The values are those of the public interface.
type JobStatus string

// The states of a job. Finished, Failed and Cancelled are final: a job that has ended never changes its state again.
const (
	JobQueued    JobStatus = "queued"
	JobPending   JobStatus = "pending" // waits for its children
	JobRendering JobStatus = "render:dorender"
	JobFinished  JobStatus = "finished"
	JobFailed    JobStatus = "error"
	JobCancelled JobStatus = "manually_cancelled"
)

// Level ranks jobs before their priority does.
type Level string

// The levels, from the most to the least urgent.
const (
	LevelRush      Level = "rush"
	LevelNormal    Level = "normal"
	LevelOvernight Level = "overnight"
)

// Job is what a caller submits: one composition of one project with assets put into it, rendered to one result.
type Job struct {
	ID          string    `json:"id"`
	Team        string    `json:"team"`
	SubmittedBy string    `json:"by,omitempty"` // name of the token that submitted it
	Name        string    `json:"name,omitempty"`
	Tags        []string  `json:"tags,omitempty"`
	Priority    int       `json:"priority,omitempty"` // -1000..1000, larger first
	Level       Level     `json:"level,omitempty"`    // "" means normal
	NotBefore   time.Time `json:"notBefore,omitzero"`
	RequireTags []string  `json:"requireTags,omitempty"`
	AnyTags     []string  `json:"anyTags,omitempty"`     // a machine must have one of them
	NoTags      []string  `json:"noTags,omitempty"`      // a machine must have none of them
	MinMemory   int64     `json:"minMemory,omitempty"`   // bytes that a machine must have
	OS          string    `json:"os,omitempty"`          // that a machine must have, as Go names it
	Limits      []string  `json:"limits,omitempty"`      // of the farm's Policy, each of which every task of the job takes one of
	MaxMachines int       `json:"maxMachines,omitempty"` // that render it at once; 0 for as many as the farm allows
	MaxAttempts int       `json:"maxAttempts,omitempty"` // of each task; 0 for the farm's
	// PreviewFirst renders the first, the middle and the last frame before the rest. Approve makes the rest wait until
	// somebody has approved them.
	PreviewFirst bool `json:"previewFirst,omitempty"`
	Approve      bool `json:"approve,omitempty"`
	// ApprovedAt is when somebody approved them; ApprovedBy names who.
	ApprovedAt time.Time `json:"approvedAt,omitzero"`
	ApprovedBy string    `json:"approvedBy,omitempty"`
	Hold       bool      `json:"hold,omitempty"`
	Sequential bool      `json:"sequential,omitempty"`
	// Strict makes a submission refuse a job that is known to fail; otherwise it is taken with a warning.
	Strict   bool        `json:"-"`
	Template JobTemplate `json:"template"`
	Preview  bool        `json:"preview,omitempty"`
	Fonts    []string    `json:"fonts,omitempty"` // extra fonts by file name
	Assets   []Asset     `json:"assets,omitempty"`
	Settings Settings    `json:"settings,omitzero"`
	Upload   *Upload     `json:"upload,omitempty"`
	Webhook  *Webhook    `json:"webhook,omitempty"`

	Status    JobStatus `json:"status"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	StartedAt time.Time `json:"startedAt,omitzero"`
	// RenderingAt is since when the job has been rendering this time. Rendered is for how long it did before, in
	// nanoseconds. The waits for approval, and for another machine, do not count. Jobs from before release v0.2.0 have
	// neither.
	RenderingAt  time.Time `json:"renderingAt,omitzero"`
	Rendered     int64     `json:"rendered,omitempty"`
	FinishedAt   time.Time `json:"finishedAt,omitzero"`
	ErrorAt      time.Time `json:"errorAt,omitzero"`
	Error        string    `json:"error,omitempty"`
	Warnings     []string  `json:"warnings,omitempty"`
	MissingFonts []string  `json:"missingFonts,omitempty"`
	Batch        string    `json:"batch,omitempty"` // only of a batch's own jobs, not of their children
	Parent       string    `json:"parent,omitempty"`
	Children     []string  `json:"children,omitempty"`
	// TakeOf is the job that was submitted first of those that this one repeats, "" for one that repeats none.
	TakeOf string `json:"takeOf,omitempty"`
	// NextTake is the job that took the place of this one in its batch, "" for one whose place nobody took. The batch counts its latest takes only.
	NextTake string `json:"nextTake,omitempty"`
	// ProjectID is the team's project that the job is for, "" for none. It is not Project, which is a file.
	ProjectID string `json:"projectId,omitempty"`
	// Join says that the job joins its assets, which are clips in order, instead of rendering a composition.
	Join bool `json:"join,omitempty"`
	// UsesFonts are the ids of the library's fonts that match the job's.
	UsesFonts []string `json:"usesFonts,omitempty"`
	// UsesSecrets are the names, sorted, of the secrets whose values the job's machines get. Jobs from before
	// Secret.MachineTags have none.
	UsesSecrets []string `json:"usesSecrets,omitempty"`
	// Private says that the farm keeps nothing of the job's project: its address and the assets are not in the state.
	Private bool `json:"private,omitempty"`
	// ErasedAt is when the last data of a private job was deleted; zero before its end.
	ErasedAt time.Time `json:"erasedAt,omitzero"`
	// RedactedAt is when addresses, paths and values were removed from the job and its log; zero until then.
	RedactedAt time.Time `json:"redactedAt,omitzero"`

	// OutputName is the last part of the public output address, "<job id>-<random>.<ext>", fixed at creation.
	OutputName string     `json:"outputName"`
	Output     *OutputRef `json:"output,omitempty"` // nil until finished
	// Address is the public address of the result when the job's upload names one; "" for the farm's own.
	Address string `json:"address,omitempty"`
	// Project is the template's file that the job renders, even if the template changes; nil for a template that was not read yet, until the job
	// is split.
	Project *FileRef `json:"project,omitempty"`
	// FirstFrame is the first frame that the job renders, counted from its composition's first as 0: where the composition's work area begins,
	// or the range that the job names. 0 also while FramesTotal is.
	FirstFrame int `json:"firstFrame,omitempty"`
	// FramesTotal is how many frames the job renders, 0 while that is unknown.
	FramesTotal int `json:"framesTotal,omitempty"`
	// Failures is how many attempts of its tasks have failed; those that found no licence do not count.
	Failures int `json:"failures,omitempty"`

	// Progress is 0..100. While the job renders, the leader keeps it in memory and readers get it from there.
	Progress float64 `json:"progress,omitempty"`
}

// AwaitsApproval tells, given the job's tasks, whether the frames to be looked at are made, and nothing of the rest is in work, since nobody has
// approved them.
func (j Job) AwaitsApproval(tasks []Task) bool {
	if !j.Approve || !j.ApprovedAt.IsZero() {
		return false
	}
	for _, t := range tasks {
		if t.Status == TaskLeased || t.Kind == TaskSample && t.Status != TaskDone {
			return false
		}
	}
	return true
}

// RenderTime is how long a job that has ended was rendering, 0 for one that never was.
func (j Job) RenderTime() time.Duration {
	end := j.FinishedAt
	if end.IsZero() {
		end = j.ErrorAt
	}
	switch {
	case j.Rendered > 0:
		return time.Duration(j.Rendered)
	case end.IsZero() || j.StartedAt.IsZero():
		return 0
	}
	return max(0, end.Sub(j.StartedAt))
}

// Sequence says whether the result is the pictures of a sequence, in one archive.
func (j Job) Sequence() bool {
	return j.Settings.Type == "image" && path.Ext(j.OutputName) == ".zip"
}

// FrameRange is the number of the first frame that the job renders, counted from its composition's first as 0, and how many they are, 0 while that
// is unknown.
func (j Job) FrameRange() (first, total int) {
	first, total = j.FirstFrame, j.FramesTotal
	if r := j.Settings.Frames; r != nil {
		first = r.Start
		if n := r.Count(); n > 0 && (total == 0 || n < total) {
			total = n
		}
	}
	return first, total
}

// JobTemplate says which project and which composition of it a job renders.
type JobTemplate struct {
	ID          string `json:"id,omitempty"`  // of a registered template
	Src         string `json:"src,omitempty"` // address of a project that is neither kept nor introspected
	Composition string `json:"composition,omitempty"`
	// Version is the version of the template that the job asks for, 0 for that which the template has when the job is submitted.
	Version int `json:"version,omitempty"`
}

// Asset is one change to the project, applied in the caller's order. Which fields count depends on Type;
// package api has the table of types.
type Asset struct {
	Type        string           `json:"type"`
	LayerName   string           `json:"layerName,omitempty"`
	LayerIndex  int              `json:"layerIndex,omitempty"` // 1-based
	Composition string           `json:"composition,omitempty"`
	Src         string           `json:"src,omitempty"`
	Name        string           `json:"name,omitempty"`
	Value       json.RawMessage  `json:"value,omitempty"`
	Property    string           `json:"property,omitempty"`
	Expression  string           `json:"expression,omitempty"`
	Conform     *bool            `json:"conform,omitempty"`
	Params      json.RawMessage  `json:"params,omitempty"`     // arguments of a function
	Parameters  []AssetParameter `json:"parameters,omitempty"` // of a script
	// Nested is the job whose result is the asset's content. It is set during submission only: the nested job is stored
	// as a job of its own, and jobs that are read have nil here.
	Nested *Job   `json:"-"`
	Child  string `json:"child,omitempty"` // id of the stored nested job
}

// MediaValue is the address that an essential asset gives as its value, "" when it gives none: a media field of the
// Essential Graphics panel takes a kept file or a data: address.
func (a Asset) MediaValue() string {
	if a.Type != "essential" {
		return ""
	}
	var address string
	if json.Unmarshal(a.Value, &address) != nil {
		return ""
	}
	if strings.HasPrefix(address, KeptScheme) || strings.HasPrefix(address, "data:") {
		return address
	}
	return ""
}

// ResultScheme begins the address of another job's result in a lease; the job's id follows.
const ResultScheme = "job://"

// KeptScheme begins the address of a file that the farm keeps; its SHA-256 in lower-case hex follows.
const KeptScheme = "farm://"

// KeptFiles are the SHA-256 hashes, in hex, of the kept files that a job names; one named twice is listed twice.
func (j Job) KeptFiles() []string {
	var kept []string
	add := func(address string) {
		if sha256, ok := strings.CutPrefix(address, KeptScheme); ok {
			kept = append(kept, sha256)
		}
	}
	add(j.Template.Src)
	for _, a := range j.Assets {
		add(a.Src)
		add(a.MediaValue())
	}
	return kept
}

// AssetParameter is one named value handed to a script asset.
type AssetParameter struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// Settings say what kind of result a job produces.
type Settings struct {
	Type    string  `json:"type,omitempty"`    // video (also when empty), image, aep
	Frames  *Frames `json:"frames,omitempty"`  // nil: the whole composition
	Quality string  `json:"quality,omitempty"` // full (also when empty) or draft
	Codec   string  `json:"codec,omitempty"`
	Engine  string  `json:"engine,omitempty"` // ae2025, ae2026
	Preset  string  `json:"preset,omitempty"` // of a join job: mp4 (also when empty)
	// MissingFootage says what happens where footage is missing: "" fails the render, FootageBars draws colour bars in its place.
	MissingFootage string `json:"missingFootage,omitempty"`
	// DrawAll has each frame drawn, also those that an equal frame of another job could stand for.
	DrawAll bool `json:"drawAll,omitempty"`
}

// FootageBars is a value of Settings.MissingFootage: colour bars are drawn, as After Effects does, and sound that is missing is left out.
const FootageBars = "bars"

// Frames is a range of frames, 0-based, both ends included. Single marks a request for one still.
type Frames struct {
	Start  int  `json:"start"`
	End    int  `json:"end"`
	Single bool `json:"single,omitempty"`
}

// Count is how many frames the range holds.
func (f Frames) Count() int { return f.End - f.Start + 1 }

// Upload says where a result goes instead of the farm's own storage.
type Upload struct {
	Provider  string            `json:"provider"`
	Prefix    string            `json:"prefix,omitempty"`
	OutputURL string            `json:"outputUrl,omitempty"`
	Params    map[string]string `json:"params,omitempty"`
}

// Webhook says whom to tell when the job has ended.
type Webhook struct {
	URL     string            `json:"url"`
	Method  string            `json:"method,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Data    json.RawMessage   `json:"data,omitempty"`
	Custom  bool              `json:"custom,omitempty"`
	// Farm is the base address in the webhook's address of the result: that of the coordinator that took the job, so
	// that every try sends the same, whichever coordinator makes it. "" in older jobs: the address of the coordinator
	// that sends.
	Farm string `json:"farm,omitempty"`
}

// FileRef names stored bytes by their content.
type FileRef struct {
	SHA256 string `json:"sha256"` // lower-case hex
	Size   int64  `json:"size"`   // bytes
	Name   string `json:"name,omitempty"`
}

// IsSHA256 tells whether text is a SHA-256 as FileRef has it: 64 hexadecimal digits in lower case.
func IsSHA256(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}

// OutputRef is a finished result: stored under the attempt that made it, then made the job's result once.
type OutputRef struct {
	FileRef
	Key         string  `json:"key"` // where the file store holds it
	ContentType string  `json:"contentType,omitempty"`
	Width       int     `json:"width,omitempty"`    // pixels
	Height      int     `json:"height,omitempty"`   // pixels
	Frames      int     `json:"frames,omitempty"`   // 0 for a still or a zip
	Duration    float64 `json:"duration,omitempty"` // seconds
	FrameRate   float64 `json:"frameRate,omitempty"`
	Audio       bool    `json:"audio,omitempty"`
	// Remote is where the result is when the job's upload sent it elsewhere; the farm keeps no copy then.
	Remote *RemoteObject `json:"remote,omitempty"`
	// GoneAt is when the farm deleted its copy under the retention policy; zero while it exists.
	GoneAt time.Time `json:"goneAt,omitzero"`
}

// RemoteObject is an object in storage that is not the farm's.
type RemoteObject struct {
	Endpoint string `json:"endpoint"` // host, with a port if need be, without a scheme
	Region   string `json:"region,omitempty"`
	Bucket   string `json:"bucket"`
	Key      string `json:"key"`
	Insecure bool   `json:"insecure,omitempty"` // plain HTTP
	// InHost says that the bucket has to be part of the host name, as the storage demanded when it took the object,
	// although similar storage has it in the path.
	InHost bool `json:"inHost,omitempty"`
}

// JobQuery selects jobs of one team. Zero values do not filter.
type JobQuery struct {
	States        []JobStatus
	ExcludeStates []JobStatus
	From, To      time.Time // on CreatedAt
	Tags          []string  // any of them
	Project       string    // id of the project that they are for
	Sort          string    // oldest_first (also when empty), newest_first, priority, random
	Offset        int
	Limit         int    // 0 means 100
	Cursor        string // from an earlier answer
	Behind        string // id of a job behind which the list goes on in its order, instead of a cursor
	Minimal       bool   // without fonts, assets, upload and webhook, which costs less
	Seed          uint64 // of the order when Sort is random: the same seed gives the same order while nothing changes
}

// RemoteName is the name of the job's result in storage outside the farm.
func (j *Job) RemoteName() string { return j.ID + path.Ext(j.OutputName) }
