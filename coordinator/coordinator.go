// Package coordinator is what the farm decides: submit, match, lease, retry, cancel, keep files, expire; gossip membership
// and agent sessions.
package coordinator

import (
	"context"
	"io"
	"log/slog"
	"time"

	"overcrank/aep"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// Config says how a coordinator runs.
type Config struct {
	DataDir       string // folder of all its files, made when missing
	PublicAddress string // base address that callers use, without a trailing slash, such as http://farm.local:8080
	GossipBind    string // host:port, "127.0.0.1:0" inside `up`
	Logger        *slog.Logger
	Now           func() time.Time // nil means time.Now
	MinFree       int64            // bytes kept free on the disk; 0 means 1 GiB
	Lease         time.Duration    // how long a silent agent keeps its leases; 0 means 30 s
	FileLife      time.Duration    // of stored files after their last use; 0 means 7 days
}

// Coordinator is one node of the farm's head.
type Coordinator struct{}

// Open starts a coordinator on its data folder.
func Open(ctx context.Context, cfg Config) (*Coordinator, error) { panic("skeleton: helper C2") }

// Close stops deciding, ends agent sessions and closes the state, in that order.
func (c *Coordinator) Close() error { panic("skeleton: helper C2") }

// Ready is nil when requests can be served.
func (c *Coordinator) Ready() error { panic("skeleton: helper C2") }

// FirstToken makes the first team with an administrator's token when the farm has none, and returns its secret; it
// returns "" when there is a team already.
func (c *Coordinator) FirstToken(ctx context.Context) (string, error) { panic("skeleton: helper C2") }

// JoinToken is the secret with which agents enrol. It is kept in a file of the data folder that only this user can read.
func (c *Coordinator) JoinToken() string { panic("skeleton: helper C2") }

// SigningKey derives a key for a purpose (sessions, addresses) from the farm's key file.
func (c *Coordinator) SigningKey(purpose string) []byte { panic("skeleton: helper C2") }

// Authenticate finds who holds the secret of an API token; CodeUnauthorized otherwise.
func (c *Coordinator) Authenticate(ctx context.Context, secret string) (farm.Principal, error) {
	panic("skeleton: helper C2")
}

// PrincipalOf finds who a token id stands for, as long as the token is good; for browser sessions.
func (c *Coordinator) PrincipalOf(ctx context.Context, tokenID string) (farm.Principal, error) {
	panic("skeleton: helper C2")
}

// NewTemplate is what a caller gives to register a template.
type NewTemplate struct{ Type, DisplayName, Src string }

// CreateTemplate registers a template; without Src it waits for its file at UploadAddress.
func (c *Coordinator) CreateTemplate(ctx context.Context, p farm.Principal, in NewTemplate) (farm.Template, error) {
	panic("skeleton: helper C2")
}
func (c *Coordinator) Template(ctx context.Context, p farm.Principal, id string) (farm.Template, error) {
	panic("skeleton: helper C2")
}
func (c *Coordinator) Templates(ctx context.Context, p farm.Principal) ([]farm.Template, error) {
	panic("skeleton: helper C2")
}
func (c *Coordinator) RenameTemplate(ctx context.Context, p farm.Principal, id, displayName string) (farm.Template, error) {
	panic("skeleton: helper C2")
}
func (c *Coordinator) DeleteTemplate(ctx context.Context, p farm.Principal, id string) error {
	panic("skeleton: helper C2")
}
func (c *Coordinator) RenewUpload(ctx context.Context, p farm.Principal, id string) (farm.Template, error) {
	panic("skeleton: helper C2")
}

// UploadAddress is the signed address at which a template takes its file by PUT, and DownloadAddress the one that gives it.
// Both are paths below the public address: /files/templates/<id>?…signature…
func (c *Coordinator) UploadAddress(t farm.Template) string { panic("skeleton: helper C2") }
func (c *Coordinator) DownloadAddress(ctx context.Context, p farm.Principal, id string) (string, error) {
	panic("skeleton: helper C2")
}

// ReceiveTemplate takes the file for a template under the query of its signed upload address. size is -1 when not known.
func (c *Coordinator) ReceiveTemplate(ctx context.Context, id, query string, body io.Reader, size int64) error {
	panic("skeleton: helper C2")
}

// OpenTemplate opens a template's file under the query of its signed download address.
func (c *Coordinator) OpenTemplate(ctx context.Context, id, query string) (*File, error) {
	panic("skeleton: helper C2")
}

// Introspection is what reading a template's file told; CodeNotFound while it has not been read.
func (c *Coordinator) Introspection(ctx context.Context, p farm.Principal, id string) (*aep.Summary, error) {
	panic("skeleton: helper C2")
}

// TemplatePoster is a small PNG or JPEG of the template's main composition when there is one; CodeNotFound otherwise.
func (c *Coordinator) TemplatePoster(ctx context.Context, p farm.Principal, id string) (*File, error) {
	panic("skeleton: helper C2")
}

// File is an open stored file.
type File struct {
	io.ReadSeekCloser
	Name        string
	Size        int64
	ContentType string
	Modified    time.Time
	ETag        string
}

// Submit takes a job. The caller has checked its shape; Submit checks it against the farm: template, composition, files.
func (c *Coordinator) Submit(ctx context.Context, p farm.Principal, job farm.Job) (farm.Job, error) {
	panic("skeleton: helper C2")
}
func (c *Coordinator) Job(ctx context.Context, p farm.Principal, id string) (farm.Job, error) {
	panic("skeleton: helper C2")
}
func (c *Coordinator) Jobs(ctx context.Context, p farm.Principal, q farm.JobQuery) (jobs []farm.Job, next string, err error) {
	panic("skeleton: helper C2")
}
func (c *Coordinator) CountJobs(ctx context.Context, p farm.Principal) (map[farm.JobStatus]int, error) {
	panic("skeleton: helper C2")
}

// CancelJobs cancels jobs and those related to them, and returns all that it cancelled.
func (c *Coordinator) CancelJobs(ctx context.Context, p farm.Principal, ids []string, force bool) ([]farm.Job, error) {
	panic("skeleton: helper C2")
}

// WhyWaiting says in a sentence why a job that has not started waits.
func (c *Coordinator) WhyWaiting(ctx context.Context, p farm.Principal, id string) (string, error) {
	panic("skeleton: helper C2")
}
func (c *Coordinator) JobLog(ctx context.Context, p farm.Principal, id string) (*File, error) {
	panic("skeleton: helper C2")
}
func (c *Coordinator) Thumbnails(ctx context.Context, p farm.Principal, jobID string) ([]farm.Thumbnail, error) {
	panic("skeleton: helper C2")
}
func (c *Coordinator) OpenThumbnail(ctx context.Context, p farm.Principal, jobID string, frame int) (*File, error) {
	panic("skeleton: helper C2")
}

// OutputAddress is the public address of a job's result, known from its creation on.
func (c *Coordinator) OutputAddress(j farm.Job) string { panic("skeleton: helper C2") }

// OpenOutput opens a result by the last part of its address; CodeNotFound before it exists.
func (c *Coordinator) OpenOutput(ctx context.Context, outputName string) (*File, error) {
	panic("skeleton: helper C2")
}

// PutFile keeps a caller's own file, to be used as a src. size is -1 when not known.
func (c *Coordinator) PutFile(ctx context.Context, p farm.Principal, name string, body io.Reader, size int64) (farm.StoredFile, error) {
	panic("skeleton: helper C2")
}

// Enrol makes a machine an agent of the farm; joinToken is the bearer it showed.
func (c *Coordinator) Enrol(ctx context.Context, joinToken string, in wire.Enrol) (wire.Enrolled, error) {
	panic("skeleton: helper C2")
}

// AuthenticateAgent finds the agent that holds a secret.
func (c *Coordinator) AuthenticateAgent(ctx context.Context, secret string) (farm.Agent, error) {
	panic("skeleton: helper C2")
}

// AgentConn is an agent's open connection. Read is called from one goroutine, Write from one other; Close ends both.
type AgentConn interface {
	Read() (wire.Message, error)
	Write(wire.Message) error
	Close() error
	RemoteAddr() string
}

// ServeAgent runs the session of an agent until it ends.
func (c *Coordinator) ServeAgent(ctx context.Context, a farm.Agent, conn AgentConn) error {
	panic("skeleton: helper C2")
}

// OpenFileFor opens a file that one of the agent's leases names.
func (c *Coordinator) OpenFileFor(ctx context.Context, a farm.Agent, sha256 string) (*File, error) {
	panic("skeleton: helper C2")
}

// ReceiveOutput keeps the result of an attempt, under the attempt, until it is promoted or dropped.
func (c *Coordinator) ReceiveOutput(ctx context.Context, a farm.Agent, at wire.Attempt, name string, body io.Reader, size int64) (farm.OutputRef, error) {
	panic("skeleton: helper C2")
}
func (c *Coordinator) ReceiveThumbnail(ctx context.Context, a farm.Agent, at wire.Attempt, frame int, jpeg []byte) error {
	panic("skeleton: helper C2")
}

// Machines lists the farm's workstations.
func (c *Coordinator) Machines(ctx context.Context, p farm.Principal) ([]farm.Machine, error) {
	panic("skeleton: helper C2")
}

// Watch tells of what happens in the caller's team until ctx ends. A watcher that is too slow misses events, never holds
// others up; Lost on the next event then says so.
func (c *Coordinator) Watch(ctx context.Context, p farm.Principal) <-chan farm.Event {
	panic("skeleton: helper C2")
}
