// Package wire holds the messages between an agent and a coordinator. They travel as JSON text frames over the agent's
// one websocket (GET /api/farm/v1/agent/session); files travel over HTTP. All connections use TLS 1.3, with certificates
// of the farm's authority on both sides; an agent gets its own by enrolling.
package wire

import (
	"log/slog"
	"time"

	"overcrank/farm"
	"overcrank/farm/address"
)

// Paths of the agent's own endpoints, below the coordinator's address.
const (
	PathEnrol     = "/api/farm/v1/agent/enrol"        // POST Enrol, answers Enrolled; bearer is the secret of a join token
	PathRenew     = "/api/farm/v1/agent/renew"        // POST Renew, answers Enrolled; bearer is the secret of an earlier release's enrolment, if that is all there is
	PathProve     = "/api/farm/v1/agent/prove"        // POST Prove, answers Proof
	PathLeave     = "/api/farm/v1/agent/leave"        // POST without a body: the farm removes the machine, and answers 204
	PathFrame     = "/api/farm/v1/agent/frame"        // PUT: a JPEG of at most 256 KiB of the first frame that the machine has rendered
	PathSession   = "/api/farm/v1/agent/session"      // GET, websocket
	PathFiles     = "/api/farm/v1/agent/files/"       // GET + sha256: a file that one of the agent's leases names
	PathOutput    = "/api/farm/v1/agent/outputs/"     // PUT + "<task>/<attempt>/<file name>": the result, answers farm.OutputRef
	PathThumbnail = "/api/farm/v1/agent/thumbnails/"  // PUT + "<task>/<attempt>/<frame>": a JPEG of at most 256 KiB
	PathTimes     = "/api/farm/v1/agent/frame-times/" // PUT + "<task>/<attempt>": farm.FrameTimes, as JSON
	PathProxy     = "/api/farm/v1/agent/proxies/"     // PUT + "<task>/<attempt>": an H.264 film of the result, if the lease asks for one
)

// HeaderSHA256 announces the hash of a request's body, in lower-case hex; a body with another hash is rejected.
const HeaderSHA256 = "Overcrank-Sha256"

// Bounds of what an agent sends. A coordinator ends the session of one that exceeds MaxMessage, and shortens texts and
// lists to the others.
const (
	MaxMessage = 4 << 20 // bytes of one message, as JSON
	MaxLines   = 1000    // lines of one Log, warnings of one report
	MaxLine    = 4 << 10 // bytes of one line, and of any other text
	MaxPieces  = 500     // that came ahead of one report, or ranges of frames in one
	MaxHolding = 10_000  // attempts that one machine reports as held
	MaxSending = 16      // uploads that take no slot
)

// Message is one frame in either direction; exactly one field is set.
type Message struct {
	// from the agent
	Hello     *Hello     `json:"hello,omitempty"`
	Heartbeat *Heartbeat `json:"heartbeat,omitempty"`
	Progress  *Progress  `json:"progress,omitempty"`
	Log       *Log       `json:"log,omitempty"`
	Finished  *Finished  `json:"finished,omitempty"`
	Failed    *Failed    `json:"failed,omitempty"`
	// Inventory answers Welcome.WantInventory, and reports changes.
	Inventory *farm.Inventory `json:"inventory,omitempty"`
	Tried     *Tried          `json:"tried,omitempty"`
	// Updating says what the machine runs and where it is with a release: first of all in a session, and when it changes. A coordinator too old to
	// know it passes it over.
	Updating *Updating `json:"updating,omitempty"`

	// from the coordinator
	Welcome *Welcome `json:"welcome,omitempty"`
	// OtherVersion comes instead of Welcome to an agent of another version of this protocol.
	OtherVersion *OtherVersion `json:"otherVersion,omitempty"`

	Redirect *Redirect `json:"redirect,omitempty"`
	Lease    *Lease    `json:"lease,omitempty"`
	Cancel   *Cancel   `json:"cancel,omitempty"`
	Settled  *Settled  `json:"settled,omitempty"`
	Gossip   *Gossip   `json:"gossip,omitempty"`
	Trial    *Trial    `json:"trial,omitempty"`
	Standing *Standing `json:"standing,omitempty"`
	// Update comes when the machine is to run a release, and when it is not to any more; an agent too old to know it passes it over.
	Update *Update `json:"update,omitempty"`
	// FFmpeg says which ffmpeg the farm hands out to machines like this one: after the first Updating of a session, and when it changes; an agent
	// too old to know it passes it over.
	FFmpeg *FFmpeg `json:"ffmpeg,omitempty"`
	// Coordinators reports a change; an agent too old to know it learns of it in its next session.
	Coordinators *Coordinators `json:"coordinators,omitempty"`
}

// Coordinators says who the farm's coordinators are now.
type Coordinators struct {
	Addresses []string `json:"addresses"` // as in Welcome.Coordinators
}

// Standing says whether the farm gives the machine work, to be shown to people at the machine. The zero value, with
// which each session begins, says that it does.
type Standing struct {
	State  farm.MachineState `json:"state,omitempty"`  // MachinePaused, MachineDrained or MachineSetAside
	Reason string            `json:"reason,omitempty"` // in words; may be empty
	Until  time.Time         `json:"until,omitzero"`   // when that may change; zero when nobody knows
	// Hours are when the farm gives the machine work, by the machine's clock, as farm.JoinHours writes them; "" for always. The machine
	// keeps them like its own.
	Hours string `json:"hours,omitempty"`
}

// Update says which release of its program the machine is to run. The machine checks by itself whether to: the farm may only choose among
// releases that were signed.
type Update struct {
	// Release is the version, "" for none: a release that is being downloaded is left alone.
	Release string `json:"release,omitempty"`
	// Documents are the signed ones of the release. Its files are fetched by the hashes that they name, from PathFiles.
	Documents      []farm.ReleaseDocument `json:"documents,omitempty"`
	BytesPerSecond int64                  `json:"bytesPerSecond,omitempty"` // of the download; 0 for no limit
}

// FFmpeg is the build of ffmpeg that the farm hands out to a machine. Its file is fetched by its hash, from PathFiles.
type FFmpeg struct {
	SHA256         string `json:"sha256,omitempty"` // in hex; "" when the farm hands none out
	Size           int64  `json:"size,omitempty"`   // bytes
	Version        string `json:"version,omitempty"`
	BytesPerSecond int64  `json:"bytesPerSecond,omitempty"` // of the download; 0 for no limit
}

// Updating says what the machine runs, and where it is with a release.
type Updating struct {
	Version string           `json:"version"` // that it runs
	Mode    farm.UpdateMode  `json:"mode"`
	Release string           `json:"release,omitempty"` // version that State is about
	State   farm.UpdateState `json:"state,omitempty"`
	Reason  string           `json:"reason,omitempty"` // as in farm.MachineUpdate
	// Failures counts the attempts to take Release that failed, since the agent started.
	Failures int `json:"failures,omitempty"`
	// Rendered tells whether the machine has rendered a frame with the version that it runs.
	Rendered bool `json:"rendered,omitempty"`
}

// Trial asks the agent to fetch a file from the farm's storage and to report what came, so that storage that does not
// work is noticed before a job needs it.
type Trial struct {
	SHA256 string `json:"sha256"`
}

// Tried answers Trial.
type Tried struct {
	Asked  string `json:"asked"`           // the hash in Trial
	SHA256 string `json:"sha256"`          // of the file that came
	Error  string `json:"error,omitempty"` // why nothing came
}

// Attempt identifies one lease of one task. It is part of every message about a task.
type Attempt struct {
	Task    string `json:"task"`
	Attempt int    `json:"attempt"`
}

// Hello opens a session.
type Hello struct {
	Version   int       `json:"version"`
	Name      string    `json:"name"`
	Inventory string    `json:"inventory"`         // hash of what the machine has, see farm.Inventory
	Holding   []Attempt `json:"holding,omitempty"` // leases it is still working on, or whose report it has yet to send
	// UpSeconds is how long the agent's process has been running: a younger lease that is not in Holding never reached
	// it. 0 from an agent that does not report it.
	UpSeconds float64 `json:"upSeconds,omitempty"`
}

// Welcome answers Hello.
type Welcome struct {
	HeartbeatSeconds float64   `json:"heartbeatSeconds"`
	LeaseSeconds     float64   `json:"leaseSeconds"`   // the leader ends a lease after this long without a heartbeat
	Drop             []Attempt `json:"drop,omitempty"` // of Holding: leases that are no longer its own; stop and forget them
	// WantInventory asks for the inventory: the farm knows none with the hash in Hello. Until it comes the machine gets
	// no work.
	WantInventory bool `json:"wantInventory,omitempty"`
	// Addresses says which machines downloads and uploads may connect to.
	Addresses address.Policy `json:"addresses,omitzero"`
	// Coordinators are the base addresses of all coordinators of the farm; nil from one that does not report them.
	Coordinators []string `json:"coordinators,omitempty"`
	// Gossip is how to take part in gossip from now on; nil changes nothing.
	Gossip *Gossip `json:"gossip,omitempty"`
}

// Redirect says that another coordinator leads; the websocket is closed after it.
type Redirect struct {
	Leader string `json:"leader"` // base address, "" when not known
}

// Heartbeat keeps every lease of the session alive.
type Heartbeat struct {
	Holding []Attempt `json:"holding,omitempty"`
	farm.Availability
	// Cached are the first 16 hex digits of the hashes of template files that the machine has, the most recently used
	// first; nil when they have not changed since the last heartbeat.
	Cached []string `json:"cached,omitempty"`
	// Sending are those of Holding that are rendered and are waiting for storage outside the farm; they occupy none of
	// the machine's slots. A coordinator that does not know this field counts them as occupying one.
	Sending []Attempt `json:"sending,omitempty"`
	// Load is how busy the machine is; nil when it has not been measured since the last heartbeat.
	Load *farm.Load `json:"load,omitempty"`
	// Rules are when the machine may work; nil when they have not changed since the last heartbeat.
	Rules *farm.WorkRules `json:"rules,omitempty"`
}

// Progress reports how far an attempt is. It never goes back within an attempt.
type Progress struct {
	Attempt
	Percent     float64 `json:"percent"` // 0..100
	Frame       int     `json:"frame"`   // last frame done, 0-based in the composition
	Phase       string  `json:"phase"`
	FramesTotal int     `json:"framesTotal,omitempty"`
}

// Log carries lines of the attempt's log, in order.
type Log struct {
	Attempt
	Lines []string `json:"lines"`
}

// Piece is a range of a task's frames in a file of their own.
type Piece struct {
	Frames farm.Frames    `json:"frames"`
	Output farm.OutputRef `json:"output"`
}

// Finished reports a validated and uploaded result. It is repeated until Settled comes.
type Finished struct {
	Attempt
	Output farm.OutputRef `json:"output"`
	// Before are the first frames of a part, sent ahead of Output as consecutive pieces.
	Before   []Piece       `json:"before,omitempty"`
	Warnings []string      `json:"warnings,omitempty"`
	Measured farm.Measured `json:"measured,omitzero"`
}

// Failed reports an attempt without a result. It is repeated until Settled comes.
type Failed struct {
	Attempt
	Message string `json:"message"` // for whoever submitted the job
	// Retry tells whether another attempt on another machine might succeed: it might after a killed engine, but not
	// after a missing layer.
	Retry     bool     `json:"retry"`
	Cancelled bool     `json:"cancelled,omitempty"` // it was stopped by Cancel, or given back
	Warnings  []string `json:"warnings,omitempty"`
	// Class says what kind of failure it was; "" is FailureDeterministic without Retry and FailureTransient with it.
	Class farm.FailureClass `json:"class,omitempty"`
	// Cause is why; an agent of an older release does not say.
	Cause farm.Cause `json:"cause,omitzero"`
	// Before are the pieces sent ahead of Output, one after the other. Done are the frames after them that were
	// finished, validated and uploaded as Output before the attempt ended; nil for none.
	Before   []Piece         `json:"before,omitempty"`
	Done     *farm.Frames    `json:"done,omitempty"`
	Output   *farm.OutputRef `json:"output,omitempty"`
	Measured farm.Measured   `json:"measured,omitzero"`
	// Bad are the frames that an assemble task found missing or damaged: only these are rendered again.
	Bad []farm.Frames `json:"bad,omitempty"`
}

// Settled answers Finished and Failed: the farm has the report, or no longer needs it, and the agent forgets the
// attempt.
type Settled struct {
	Attempt
}

// Cancel stops an attempt: the agent kills its processes, discards its output and answers Failed with Cancelled set.
type Cancel struct {
	Attempt
	Reason string `json:"reason"`
	// GiveBack says that another machine continues the task: frames that are done come with the answer.
	GiveBack bool `json:"giveBack,omitempty"`
}

// Lease gives a task to the agent, with everything that is needed to run it.
type Lease struct {
	Attempt
	Job         string        `json:"job"`
	JobName     string        `json:"jobName,omitempty"`
	Kind        farm.TaskKind `json:"kind"`
	Composition string        `json:"composition,omitempty"` // "" only for a project with one root composition
	Project     Project       `json:"project"`
	Assets      []farm.Asset  `json:"assets,omitempty"`
	// Files holds every farm:// and job:// address in Assets and Project, by that address.
	Files    map[string]farm.FileRef `json:"files,omitempty"`
	Fonts    []farm.FileRef          `json:"fonts,omitempty"` // to install, Name is the file name
	Settings farm.Settings           `json:"settings"`
	Preview  bool                    `json:"preview,omitempty"`
	Ext      string                  `json:"ext"` // of the result, without the dot: mp4, mov, png, jpg, zip
	// Part asks for a part of a split job: lossless frames of Settings.Frames, or the sound. Ext is ignored then.
	Part bool `json:"part,omitempty"`
	// Engine is the kind of engine that renders all parts of a split job; "" leaves it to the agent.
	Engine string `json:"engine,omitempty"`
	// Parted says, for a task that renders the whole, that another machine can continue from lossless frames of it, as
	// for a Part: an agent that has to stop may hand them over with Failed.Done.
	Parted bool `json:"parted,omitempty"`
	// Ahead says that the farm accepts finished frames in several files, as Before names them.
	Ahead bool `json:"ahead,omitempty"`
	// Stills asks for these frames only, as pictures.
	Stills []int `json:"stills,omitempty"`
	// Proxy asks for a small film of the result that browsers play, handed over under PathProxy before the report.
	Proxy bool `json:"proxy,omitempty"`
	// Parts are what an assemble task puts together, in order; where several hold the same frame, the last counts.
	Parts []Part `json:"parts,omitempty"`
	// Upload says where the result goes instead of to the coordinator; nil means to the coordinator.
	Upload *farm.Upload `json:"upload,omitempty"`
	// Secrets are the values of the references ${secrets.NAME} in Assets and Upload, which keep the references. They are
	// held in memory only, and nothing that leaves the agent may show one.
	Secrets Secrets `json:"secrets,omitempty"`
	// Discard asks the agent to delete all of the lease's project and assets when the attempt has ended.
	Discard bool `json:"discard,omitempty"`
}

// Secrets are values by name. They travel as JSON, and are concealed wherever else they are shown.
type Secrets map[string]string

// String conceals the values.
func (s Secrets) String() string { return "[redacted]" }

// GoString conceals the values.
func (s Secrets) GoString() string { return "[redacted]" }

// LogValue conceals the values.
func (s Secrets) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// Project is the After Effects project of a lease: a kept file, or an address.
type Project struct {
	Type string        `json:"type,omitempty"` // aep, zip, mogrt; "" when only an address is known
	File *farm.FileRef `json:"file,omitempty"`
	Src  string        `json:"src,omitempty"`
}

// PartScheme begins the address, in a lease, of a part of a split job. The id of the task that made it follows, then the
// number of the attempt and the first frame, each after a slash.
const PartScheme = "part://"

// Part is a piece of a split job's result.
type Part struct {
	Kind   farm.TaskKind `json:"kind"`            // farm.TaskRender or farm.TaskSound
	Frames farm.Frames   `json:"frames,omitzero"` // 0-based in the composition
	Src    string        `json:"src"`             // address of its file, a key of Lease.Files
}
