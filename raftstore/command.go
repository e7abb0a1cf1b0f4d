package raftstore

import (
	"time"

	"overcrank/farm"
)

// Command is one change of the replicated state. Time, ids and random values come inside it.
type Command interface {
	// Needs is from which level of the farm on the command may be written, see level.go.
	Needs() int
}

// CreateTemplate registers a template.
type CreateTemplate struct{ Template farm.Template }

// RenameTemplate gives a template another display name.
type RenameTemplate struct {
	Team, ID, DisplayName string
	At                    time.Time
}

// MarkTemplate says whether a template's compositions have to be rendered from their first frame on, by one machine. It counts for what
// is begun from then on: a job that is rendered in parts stays so.
type MarkTemplate struct {
	Team, ID   string
	Sequential bool
	At         time.Time
}

// RenewUpload gives a template a fresh upload address and ends earlier ones.
type RenewUpload struct {
	Team, ID, Nonce string
	Until, At       time.Time
}

// ReceiveTemplate says that the file of a template has arrived whole; the template is processing from then on. It is
// refused when Nonce is not the one in force. Nonce is "" for a file that the farm fetched from the template's src.
type ReceiveTemplate struct {
	ID, Nonce string
	File      farm.FileRef
	At        time.Time
}

// FinishTemplate ends the reading of a template's file: with Error it failed. It is refused when FileSHA256 is no longer
// the template's file. Tasks that waited for the template become ready, or fail with it.
type FinishTemplate struct {
	ID, FileSHA256 string
	Introspection  *farm.FileRef
	Compositions   []string
	Layers         []string
	Fonts          []farm.FontUse
	Error          string
	At             time.Time
	MatchFonts     bool     `json:",omitempty"` // match the waiting jobs with the team's fonts
	Effects        []string `json:",omitempty"` // of farm.Template
	SavedWith      string   `json:",omitempty"` // of farm.Template
	MissingFootage []string `json:",omitempty"` // of farm.Template; Store.KnowsMissingFootage says whether it may be given
}

// DeleteTemplate removes a template; refused while jobs that have not ended use it.
type DeleteTemplate struct{ Team, ID string }

// SubmitJobs adds jobs with their tasks; all or none. See command_submit.go for how it lies in the log.
type SubmitJobs struct {
	Jobs  []farm.Job
	Tasks []farm.Task
	// Batch is the record of the batch that the jobs make, nil for jobs of no batch.
	Batch *farm.Batch `json:",omitempty"`
	// Parts is how many earlier SubmitPart commands hold jobs of the batch, which stand before Jobs.
	Parts int `json:",omitempty"`

	stored []storedContent // of each job, when the command comes from the log; Jobs has the heads alone then
}

// Grant is one lease: Attempt is the number the lease gets, one more than the task's last.
type Grant struct {
	Task    string
	Attempt int
	Agent   string
}

// LeaseTasks grants leases; each grant stands or is refused on its own.
type LeaseTasks struct {
	Grants []Grant
	At     time.Time
	// Rested says that the leader has seen to the rests of tasks. Their NotBefore is not held against At then, which is read from
	// a clock that may have been set since, or is another node's.
	Rested bool `json:",omitzero"`
}

// FinishTask ends a task well and promotes the output of the attempt.
type FinishTask struct {
	Task     string
	Attempt  int
	Output   farm.OutputRef
	Warnings []string
	At       time.Time
	Measured farm.Measured `json:",omitzero"`
}

// FailTask ends an attempt without a result. What follows is the class's; without one it is farm.FailureTransient with Retry
// and farm.FailureDeterministic without. A task that is tried again is ready from NotBefore on.
type FailTask struct {
	Task          string
	Attempt       int
	Message       string
	Retry         bool
	Class         farm.FailureClass `json:",omitempty"`
	Warnings      []string
	NotBefore, At time.Time
	Measured      farm.Measured `json:",omitzero"`
}

// ExpireLeases takes leases from agents that are gone; the tasks are ready again. Each stands or is refused on its own.
// With Returned the agents gave the tasks back, or never got them: that is no failure of the tasks.
type ExpireLeases struct {
	Leases   []Grant
	Returned bool
	At       time.Time
	// Avoided has tasks that are not returned rather go to other machines, as after any other failure.
	Avoided bool `json:",omitempty"`
}

// CancelJobs cancels jobs: queued and pending ones, and with Force rendering ones too. All or none.
type CancelJobs struct {
	Team  string
	IDs   []string
	Force bool
	At    time.Time
}

// PutFile registers a caller's stored file, or moves its expiry.
type PutFile struct{ File farm.StoredFile }

// ExpireFiles forgets stored files whose expiry has passed.
type ExpireFiles struct{ At time.Time }

// EnrolAgent makes an agent known.
type EnrolAgent struct{ Agent farm.Agent }

// PutInventory records what an agent has.
type PutInventory struct {
	ID        string
	Name      string
	Inventory farm.Inventory
}

// RemoveAgent forgets an agent; its credential stops working.
type RemoveAgent struct{ ID string }

func (CreateTemplate) Needs() int  { return clusterLevel }
func (RenameTemplate) Needs() int  { return clusterLevel }
func (MarkTemplate) Needs() int    { return clusterLevel }
func (RenewUpload) Needs() int     { return clusterLevel }
func (ReceiveTemplate) Needs() int { return clusterLevel }

// Needs is higher when files are missing, which older programs would not keep.
func (c FinishTemplate) Needs() int {
	if len(c.MissingFootage) > 0 {
		return checkedLevel
	}
	return clusterLevel
}

func (DeleteTemplate) Needs() int { return clusterLevel }

// Needs is higher when a job says which secrets its machines get, which older programs would lose.
func (c SubmitJobs) Needs() int {
	for i := range c.Jobs {
		if len(c.Jobs[i].UsesSecrets) > 0 {
			return SecretTagsLevel
		}
	}
	return clusterLevel
}

func (LeaseTasks) Needs() int   { return clusterLevel }
func (FinishTask) Needs() int   { return clusterLevel }
func (FailTask) Needs() int     { return clusterLevel }
func (ExpireLeases) Needs() int { return clusterLevel }
func (CancelJobs) Needs() int   { return clusterLevel }
func (PutFile) Needs() int      { return clusterLevel }
func (ExpireFiles) Needs() int  { return clusterLevel }

// Needs is higher when the machine says which folders it may take files from, which older programs would lose.
func (c PutInventory) Needs() int { return inventoryLevel(c.Inventory) }
func (c EnrolAgent) Needs() int   { return inventoryLevel(c.Agent.Inventory) }

func inventoryLevel(inv farm.Inventory) int {
	if inv.Roots != nil {
		return RootsLevel
	}
	return clusterLevel
}

func (RemoveAgent) Needs() int { return clusterLevel }
