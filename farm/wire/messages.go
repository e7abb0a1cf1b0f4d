// Package wire holds the messages between an agent and a coordinator. They travel as JSON text frames over the agent's
// one websocket (GET /api/farm/v1/agent/session); files travel beside it over HTTP. All of it goes over TLS 1.3, in which
// both sides show certificates of the farm's authority; an agent gets its own by enrolling.
package wire

import (
	"log/slog"
	"time"

	"overcrank/farm"
	"overcrank/farm/address"
)

// Version is the version of this protocol; a coordinator refuses an agent of another, since one that does not know a field of
// a lease would render something else than was asked for. Version 1, of release v0.1.0, knew no secrets, joins and uploads;
// version 2 had bearer secrets in the place of certificates.
const Version = 3

// Paths of the agent's own endpoints, below the coordinator's address.
const (
	PathEnrol     = "/api/farm/v1/agent/enrol"       // POST Enrol, answers Enrolled; bearer is the secret of a join token
	PathRenew     = "/api/farm/v1/agent/renew"       // POST Renew, answers Enrolled; bearer is the secret of an earlier release's enrolment, if that is all there is
	PathProve     = "/api/farm/v1/agent/prove"       // POST Prove, answers Proof
	PathSession   = "/api/farm/v1/agent/session"     // GET, websocket
	PathFiles     = "/api/farm/v1/agent/files/"      // GET + sha256: a file that one of the agent's leases names
	PathOutput    = "/api/farm/v1/agent/outputs/"    // PUT + "<task>/<attempt>/<file name>": the result, answers farm.OutputRef
	PathThumbnail = "/api/farm/v1/agent/thumbnails/" // PUT + "<task>/<attempt>/<frame>": a JPEG of at most 256 KiB
)

// HeaderSHA256 announces the hash of what follows as a request's body, in lower-case hex: what arrives otherwise is not kept.
const HeaderSHA256 = "Overcrank-Sha256"

// Bounds of what an agent sends: a coordinator ends the session of one that passes MaxMessage, and cuts texts and their
// number at the others.
const (
	MaxMessage = 4 << 20 // bytes of one message, as JSON
	MaxLines   = 1000    // lines of one Log, warnings of one report
	MaxLine    = 4 << 10 // bytes of one line, and of any other text
	MaxPieces  = 500     // that came ahead of one report, or ranges of frames in one
	MaxHolding = 10_000  // attempts that one machine says it holds
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
	// Inventory answers Welcome.WantInventory, and tells of a change.
	Inventory *farm.Inventory `json:"inventory,omitempty"`
	Tried     *Tried          `json:"tried,omitempty"`

	// from the coordinator
	Welcome  *Welcome  `json:"welcome,omitempty"`
	Redirect *Redirect `json:"redirect,omitempty"`
	Lease    *Lease    `json:"lease,omitempty"`
	Cancel   *Cancel   `json:"cancel,omitempty"`
	Settled  *Settled  `json:"settled,omitempty"`
	Gossip   *Gossip   `json:"gossip,omitempty"`
	Trial    *Trial    `json:"trial,omitempty"`
	Standing *Standing `json:"standing,omitempty"`
	// Coordinators tells of a change; an agent that does not know it hears with its next session.
	Coordinators *Coordinators `json:"coordinators,omitempty"`
}

// Coordinators says who the farm's coordinators are now.
type Coordinators struct {
	Addresses []string `json:"addresses"` // as in Welcome.Coordinators
}

// Standing says whether the farm gives the machine work, for people at the machine; the zero value, with which each session begins,
// says that it does.
type Standing struct {
	State  farm.MachineState `json:"state,omitempty"`  // MachinePaused, MachineDrained or MachineSetAside
	Reason string            `json:"reason,omitempty"` // in words, may be empty
	Until  time.Time         `json:"until,omitzero"`   // when that may change; zero when nobody knows
}

// Trial asks the agent to fetch a file of the farm's store and to tell what came: storage that does not work is seen before a job
// needs it.
type Trial struct {
	SHA256 string `json:"sha256"`
}

// Tried answers Trial.
type Tried struct {
	Asked  string `json:"asked"`           // the hash in Trial
	SHA256 string `json:"sha256"`          // of what came
	Error  string `json:"error,omitempty"` // why nothing came
}

// Attempt names one lease of one task. It is part of every message about a task.
type Attempt struct {
	Task    string `json:"task"`
	Attempt int    `json:"attempt"`
}

// Hello opens a session.
type Hello struct {
	Version   int       `json:"version"`
	Name      string    `json:"name"`
	Inventory string    `json:"inventory"`         // hash of what the machine has, see farm.Inventory
	Holding   []Attempt `json:"holding,omitempty"` // leases it still works on, or whose report waits to be sent
	// UpSeconds is for how long the agent's process has been there, without a break: a lease that is younger and not among Holding never
	// reached it. 0 from one that does not tell.
	UpSeconds float64 `json:"upSeconds,omitempty"`
}

// Welcome answers Hello.
type Welcome struct {
	HeartbeatSeconds float64   `json:"heartbeatSeconds"`
	LeaseSeconds     float64   `json:"leaseSeconds"`   // without a heartbeat the leader ends a lease after this long
	Drop             []Attempt `json:"drop,omitempty"` // of Holding: no longer its own, stop and forget
	// WantInventory asks for what the machine has: the farm knows of none with the hash in Hello. Until it comes the machine gets
	// no work.
	WantInventory bool `json:"wantInventory,omitempty"`
	// Addresses is which machines downloads and uploads may ask.
	Addresses address.Policy `json:"addresses,omitzero"`
	// Coordinators are the base addresses of all coordinators of the farm; nil from one that does not tell.
	Coordinators []string `json:"coordinators,omitempty"`
	// Gossip is how to take part in gossip from now on; nil leaves that as it is.
	Gossip *Gossip `json:"gossip,omitempty"`
}

// Redirect says that another coordinator leads; the socket is closed behind it.
type Redirect struct {
	Leader string `json:"leader"` // base address, "" when not known
}

// Heartbeat keeps every lease of the session alive.
type Heartbeat struct {
	Holding []Attempt `json:"holding,omitempty"`
	farm.Availability
	// Cached are the first 16 hex digits of the hashes of template files that the machine has, the last used first; nil when that
	// has not changed since the last heartbeat.
	Cached []string `json:"cached,omitempty"`
	// Sending are those of Holding that are rendered and wait for storage that is not the farm's; they take up none of the machine's
	// slots. A coordinator that does not know it counts them as before.
	Sending []Attempt `json:"sending,omitempty"`
}

// Progress never falls within an attempt.
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

// Piece are frames of a task that lie in a file of their own.
type Piece struct {
	Frames farm.Frames    `json:"frames"`
	Output farm.OutputRef `json:"output"`
}

// Finished reports a validated and uploaded result. It is repeated until Settled.
type Finished struct {
	Attempt
	Output farm.OutputRef `json:"output"`
	// Before are the first frames of a part, which came ahead of Output, one piece behind the other.
	Before   []Piece       `json:"before,omitempty"`
	Warnings []string      `json:"warnings,omitempty"`
	Measured farm.Measured `json:"measured,omitzero"`
}

// Failed reports an attempt that gave no result. It is repeated until Settled.
type Failed struct {
	Attempt
	Message string `json:"message"` // for whoever submitted the job
	// Retry tells whether another attempt, elsewhere, might go better: a killed engine might, a missing layer will not.
	Retry     bool     `json:"retry"`
	Cancelled bool     `json:"cancelled,omitempty"` // it was stopped as Cancel asked, or given back
	Warnings  []string `json:"warnings,omitempty"`
	// Class says what kind of failure it was; "" is FailureDeterministic without Retry and FailureTransient with it.
	Class farm.FailureClass `json:"class,omitempty"`
	// Before are the pieces that came ahead of Output, one behind the other, and Done are the frames behind them that were finished,
	// validated and uploaded as Output before the attempt ended; nil for none.
	Before   []Piece         `json:"before,omitempty"`
	Done     *farm.Frames    `json:"done,omitempty"`
	Output   *farm.OutputRef `json:"output,omitempty"`
	Measured farm.Measured   `json:"measured,omitzero"`
	// Bad are the frames that an assemble task found missing or damaged: they alone are rendered again.
	Bad []farm.Frames `json:"bad,omitempty"`
}

// Settled answers Finished and Failed: the farm has it, or it no longer matters; the agent forgets the attempt.
type Settled struct {
	Attempt
}

// Cancel stops an attempt: the agent kills its processes, discards its output and answers Failed with Cancelled set.
type Cancel struct {
	Attempt
	Reason string `json:"reason"`
	// GiveBack says that another machine goes on with the task: frames that are done come with the answer.
	GiveBack bool `json:"giveBack,omitempty"`
}

// Lease gives a task to the agent, with all that is needed to run it.
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
	// Part asks for a part of a split job: lossless frames of Settings.Frames, or the sound. Ext then counts for nothing.
	Part bool `json:"part,omitempty"`
	// Engine is the kind of engine that all parts of a split job are drawn by; "" leaves it to the agent.
	Engine string `json:"engine,omitempty"`
	// Parted says of a task that renders the whole that lossless frames of it, as a Part gives them, can be gone on from: an agent
	// that has to stop may hand them over with Failed.Done.
	Parted bool `json:"parted,omitempty"`
	// Ahead says that the farm takes finished frames in several files, as Before names them.
	Ahead bool `json:"ahead,omitempty"`
	// Stills asks for these frames alone, as pictures.
	Stills []int `json:"stills,omitempty"`
	// Parts are what an assemble task puts together, in their order; the last to hold a frame counts.
	Parts []Part `json:"parts,omitempty"`
	// Upload says where the result goes instead of to the coordinator; nil means to the coordinator.
	Upload *farm.Upload `json:"upload,omitempty"`
	// Secrets are the values of the references ${secrets.NAME} in Assets and Upload, which stand there as they are. They are
	// held in memory only, and nothing that leaves the agent may show one.
	Secrets Secrets `json:"secrets,omitempty"`
	// Discard asks that nothing of the lease's project and assets stays on the machine when the attempt has ended.
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

// Project is the After Effects project of a lease: a kept file by content, or an address.
type Project struct {
	Type string        `json:"type,omitempty"` // aep, zip, mogrt; "" when only an address is known
	File *farm.FileRef `json:"file,omitempty"`
	Src  string        `json:"src,omitempty"`
}

// PartScheme begins the address, within a lease, of a part of a split job; the id of the task that made it follows, the number of
// the attempt and the first frame, with a slash before each.
const PartScheme = "part://"

// Part is a piece of a split job's result.
type Part struct {
	Kind   farm.TaskKind `json:"kind"`            // farm.TaskRender or farm.TaskSound
	Frames farm.Frames   `json:"frames,omitzero"` // that it holds, 0-based in the composition
	Src    string        `json:"src"`             // of its file, by which Lease.Files has it
}
