package coordinator

import (
	"context"
	"path/filepath"
	"time"

	"overcrank/coordinator/audit"
	"overcrank/coordinator/delivery"
	"overcrank/coordinator/dispatch"
	"overcrank/coordinator/downloads"
	"overcrank/coordinator/enrolment"
	"overcrank/coordinator/handout"
	"overcrank/coordinator/library"
	"overcrank/coordinator/machines"
	"overcrank/coordinator/notices"
	"overcrank/coordinator/peers"
	"overcrank/coordinator/people"
	"overcrank/coordinator/preview"
	"overcrank/coordinator/private"
	"overcrank/coordinator/results"
	"overcrank/coordinator/retention"
	"overcrank/coordinator/reviews"
	"overcrank/coordinator/search"
	"overcrank/coordinator/singlesignon"
	"overcrank/coordinator/state"
	"overcrank/coordinator/storage"
	"overcrank/coordinator/submission"
	"overcrank/coordinator/templates"
	"overcrank/coordinator/updates"
	"overcrank/coordinator/uploads"
	"overcrank/raftstore"
)

// makeRooms makes what works on the farm's state and files, in the order in which one needs another.
func (c *Coordinator) makeRooms() (err error) {
	c.requests = state.NewRequests(c.state, c.keys.Derive)
	c.Directory = people.NewDirectory(c.state, c.keys.Derive, func(ctx context.Context, t people.Try) (time.Duration, error) {
		return peers.AskLeader(ctx, c.peers, askTry, t)
	}, c.log)
	c.passkeys = people.NewPasskeys(c.Directory, c.PublicAddress)
	if c.cfg.SingleSignOn != nil {
		c.signOn, err = singlesignon.New(*c.cfg.SingleSignOn, singlesignon.Parts{Derive: c.keys.Derive, PublicAddress: c.PublicAddress, Now: c.state.Now, Logger: c.log})
		if err != nil {
			return err
		}
	}
	c.audit = audit.New(c.state, c.cfg.KeepAudit, c.log)
	c.storage.Use(storageNode{c.store, c}, c.state)
	c.fonts = library.NewFonts(c.state, c.files, c.Directory, c.cfg.Specimens)
	c.releases = updates.New(c.state, c.files, c.cfg.ReleaseRoots, c.cfg.Protocol, c.log)
	c.downloads = downloads.New(c.state, c.files, c.proofs, c.log)
	c.stored = library.NewStoredFiles(c.state, c.files, c.Directory, c.cfg.FileLife)
	c.uploads = uploads.New(c.files, c.stored)
	c.secrets = library.NewSecrets(c.state, c.ring, keyChanges{c}, c.log)
	c.previews = preview.New(previewFarm{c}, c.proofs, preview.Config{
		Program: c.cfg.Previewer, Dir: filepath.Join(c.cfg.DataDir, "previews"), MinFree: c.cfg.MinFree, Logger: c.log,
	})
	var painter templates.Painter
	if len(c.cfg.Previewer) > 0 {
		painter = c.previews
	}
	c.templates = templates.NewCatalog(catalogFarm{c}, c.state, c.files, c.proofs, templates.Config{
		Addresses: c.cfg.Addresses, Fetcher: c.fetcher, Program: c.cfg.Reader, Bounds: c.cfg.Reading, Scratch: filepath.Join(c.cfg.DataDir, "scratch"),
		MinFree: c.cfg.MinFree, SigningKey: c.SigningKey("addresses"), Painter: painter, Logger: c.log,
	})
	c.private = private.New(c.state, c.files, c.log)
	c.results = results.New(resultsFarm{c}, c.state, results.Config{Files: c.files, Proofs: c.proofs, Transport: c.caller.Transport(), Logger: c.log})
	c.retention = retention.New(retentionFarm{c}, c.state, retention.Config{
		RedactAfter: c.cfg.RedactAfter, KeepOutputs: c.cfg.KeepOutputs, KeepHistory: c.cfg.KeepHistory,
		Files: c.files, Results: c.results, Logs: c.logs, SharedLogs: c.storage.Shared() != nil, Logger: c.log,
	})
	c.webhooks = delivery.NewWebhooks(hooks{c}, c.state, c.caller, c.keys.Derive, c.cfg.Version, c.log)
	c.notices, err = notices.New(c.state, notices.Config{Caller: c.caller, Mail: c.cfg.Mail, Teller: c.cfg.Teller, Derive: c.keys.Derive, PublicAddress: c.PublicAddress, Logger: c.log})
	if err != nil {
		return err
	}
	c.reviews = reviews.New(c.state, reviews.Config{
		Passwords: c.Directory, Derive: c.keys.Derive, PublicAddress: c.PublicAddress, Note: c.logs.Note, Logger: c.log,
	})
	c.search = search.New(c.path(searchFolder), c.state, c, c.unindexed, c.log)
	c.openCluster()
	c.Registry = enrolment.New(enrolment.Config{Farm: c.keys.Farm(), CertificateLife: c.cfg.CertificateLife, Logger: c.log}, c.state, c.authority, c.cluster, c.gossip)
	c.Dispatcher = dispatch.New(c.ctx, dispatch.Config{
		Lease: c.cfg.Lease, Addresses: c.cfg.Addresses, Protocol: c.cfg.Protocol, ClockSet: c.clock.set, Begin: c.begin, Days: c.path(daysFile), Logger: c.log,
	}, dispatch.Parts{
		State: c.state, Feed: c.feed, Raft: c.store, Peers: c.peers, Cluster: c.cluster, Gossip: c.gossip, Enrolled: c.Registry,
		Events: c.hub, Counters: c.metrics, Files: c.files, Proofs: c.proofs, Storage: c.storage, Results: c.results, Logs: c.logs,
		Templates: c.templates, Handouts: handout.New(c.state, c.cluster, c.templates, c.secrets, c.private), Private: c.private, Webhooks: c.webhooks, Notices: c.notices,
	})
	c.Roster = machines.New(c.state, c.Dispatcher, c.gossip, &c.installed, c.files, c.hub, c.log)
	c.Submitter = submission.New(submission.Config{Addresses: c.cfg.Addresses, FileLife: c.cfg.FileLife}, submission.Parts{
		Farm: submissions{c}, State: c.state, Files: c.files, Stored: c.stored, Templates: c.templates, Secrets: c.secrets, Fonts: c.fonts,
	})
	return nil
}

// Passkeys let people sign in with their devices.
func (c *Coordinator) Passkeys() *people.Passkeys { return c.passkeys }

// SingleSignOn signs people in with the studio's accounts; nil for a farm without.
func (c *Coordinator) SingleSignOn() *singlesignon.Provider { return c.signOn }

// Search finds jobs, batches, templates, machines and people by words.
func (c *Coordinator) Search() *search.Search { return c.search }

// Previews draws frames of templates while people still fill them in.
func (c *Coordinator) Previews() *preview.Room { return c.previews }

// Requests are those that must not be carried out twice.
func (c *Coordinator) Requests() *state.Requests { return c.requests }

// Storage is where this node keeps the farm's files.
func (c *Coordinator) Storage() *storage.Storage { return c.storage }

// Fonts are the fonts of teams.
func (c *Coordinator) Fonts() *library.Fonts { return c.fonts }

// Releases are the releases of the agent's program, and how machines get them.
func (c *Coordinator) Releases() *updates.Releases { return c.releases }

// Downloads are the files that the farm hands out: packages and ffmpeg.
func (c *Coordinator) Downloads() *downloads.Downloads { return c.downloads }

// StoredFiles are the files that callers keep at the farm.
func (c *Coordinator) StoredFiles() *library.StoredFiles { return c.stored }

// Uploads are files that come in parts.
func (c *Coordinator) Uploads() *uploads.Uploads { return c.uploads }

// Secrets are the secrets of teams.
func (c *Coordinator) Secrets() *library.Secrets { return c.secrets }

// Templates are the templates of teams.
func (c *Coordinator) Templates() *templates.Catalog { return c.templates }

// Results are the results of jobs, and pictures of their frames.
func (c *Coordinator) Results() *results.Results { return c.results }

// Webhooks delivers the webhooks of jobs that have ended.
func (c *Coordinator) Webhooks() *delivery.Webhooks { return c.webhooks }

// Audit is who did what at the farm.
func (c *Coordinator) Audit() *audit.Log { return c.audit }

// Notices tell people of what happens to their work.
func (c *Coordinator) Notices() *notices.Notices { return c.notices }

// Reviews are what people say about results, and links by which others may.
func (c *Coordinator) Reviews() *reviews.Reviews { return c.reviews }

// storageNode is what the storage knows of this coordinator.
type storageNode struct {
	*raftstore.Store
	c *Coordinator
}

var _ storage.Node = storageNode{}

// Leads tells whether this node does the leader's work.
func (n storageNode) Leads() bool { return n.c.Leads() }
