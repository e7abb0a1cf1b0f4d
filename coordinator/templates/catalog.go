// Package templates is a team's templates: registered, uploaded or downloaded, read for their compositions, layers, fonts and footage, and
// shown with a picture.
package templates

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"overcrank/aep"
	"overcrank/coordinator/cache"
	"overcrank/coordinator/fetch"
	"overcrank/coordinator/files"
	"overcrank/coordinator/reader"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// maxTemplate is how large a template's file may be, in bytes.
const maxTemplate = 20 << 30

// Farm is what templates ask of the coordinator that they are at.
type Farm interface {
	// Leads tells whether this node leads: the leader reads templates.
	Leads() bool
	// PublicAddress is the base address of the farm.
	PublicAddress() string
	// AskWaiting asks the leader for Waiting.
	AskWaiting(ctx context.Context, ids []string) (map[string]string, error)
	// Pictured tells those who look at a template that it has pictures now.
	Pictured(t farm.Template)
	// KnowsMissingFootage tells whether all coordinators understand FinishTemplate.MissingFootage.
	KnowsMissingFootage() bool
	// KnowsCompleted tells whether all coordinators understand FinishTemplate.Completed.
	KnowsCompleted() bool
}

// Config says how templates are taken and read.
type Config struct {
	Addresses  address.Policy // that a src may name
	Fetcher    *fetch.Fetcher // gets what a src names
	Program    []string       // reads a file in a process of its own, see reader.Read
	Bounds     reader.Bounds  // of reading one file
	Scratch    string         // folder for what reading unpacks
	MinFree    int64          // bytes kept free on its disk
	Painter    Painter        // draws pictures of templates whose files bring none; may be nil
	SigningKey []byte         // of addresses
	Logger     *slog.Logger
}

// Catalog is the templates of all teams. Its methods may be called at the same time.
type Catalog struct {
	cfg       Config
	farm      Farm
	state     *state.State
	files     files.Store
	proofs    *files.Proofs
	log       *slog.Logger
	summaries cache.Cache[*aep.Summary]    // by hash
	reels     cache.Cache[map[uint32]Reel] // by hash
	reading   *reading
	painting  *painting
}

// NewCatalog gives the templates of a state, whose files are in a store. Run has to run for them to be read.
func NewCatalog(f Farm, s *state.State, store files.Store, proofs *files.Proofs, cfg Config) *Catalog {
	c := &Catalog{cfg: cfg, farm: f, state: s, files: store, proofs: proofs, log: cfg.Logger}
	c.reading, c.painting = newReading(c), newPainting(c, cfg.Painter)
	return c
}

// Run reads templates, and downloads those that a src names, while this node leads; and it draws pictures of templates.
func (c *Catalog) Run(ctx context.Context) {
	var work sync.WaitGroup
	work.Go(func() { c.painting.run(ctx) })
	c.reading.run(ctx)
	work.Wait()
}

// Wake tells that there may be a template to read.
func (c *Catalog) Wake() { c.reading.wake() }

// New is what a caller gives to register a template.
type New struct{ Type, DisplayName, Src string }

// Create registers a template; without Src it waits for its file at UploadAddress.
func (c *Catalog) Create(ctx context.Context, p farm.Principal, in New) (farm.Template, error) {
	const refused = "the template cannot be registered"
	if err := p.May(farm.ActChangeTemplates); err != nil {
		return farm.Template{}, err
	}
	if !slices.Contains([]string{aep.TypeProject, aep.TypeZip, aep.TypeMogrt}, in.Type) {
		return farm.Template{}, farm.Invalid(refused, farm.Field("type", "must be aep, zip or mogrt"))
	}
	if why := c.cfg.Addresses.Refusal(in.Src); why != "" {
		return farm.Template{}, farm.Invalid(refused, farm.Field("src", "%s", farm.AsIs(why)))
	}
	if ids, before, err := state.Made(ctx); err != nil {
		return farm.Template{}, err
	} else if before {
		return c.Get(ctx, p, ids[0])
	}
	id, err := c.state.NewID()
	if err != nil {
		return farm.Template{}, err
	}
	now := c.state.Now()
	t := farm.Template{
		ID: id, Team: p.Team, Type: in.Type, DisplayName: in.DisplayName, Src: in.Src,
		Status: farm.TemplateAwaitingUpload, CreatedAt: now, UpdatedAt: now,
	}
	if t.DisplayName == "" {
		t.DisplayName = "Untitled " + in.Type
	}
	if in.Src != "" {
		t.Status = farm.TemplateDownloading
	} else {
		t.UploadNonce, t.UploadUntil = uploadNonce(nil), now.Add(AddressLife)
	}
	if _, err := c.state.Apply(ctx, command.CreateTemplate{Template: t}); err != nil {
		return farm.Template{}, err
	}
	return t, nil
}

// Get gives a template of the caller's team; CodeNotFound when the team has none with this id.
func (c *Catalog) Get(_ context.Context, p farm.Principal, id string) (farm.Template, error) {
	t, err := c.find(id)
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && t.Team != p.Team {
		return farm.Template{}, farm.Errorf(farm.CodeNotFound, "there is no template %q", id)
	}
	return t, err
}

func (c *Catalog) find(id string) (t farm.Template, err error) {
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		t, err = tx.Template(id)
		return err
	})
	return t, err
}

// List gives the templates of the caller's team.
func (c *Catalog) List(_ context.Context, p farm.Principal) ([]farm.Template, error) {
	var list []farm.Template
	err := c.state.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.Templates(p.Team)
		return err
	})
	return list, err
}

// change applies a command to a template of the caller's team and gives the template as it is then.
func (c *Catalog) change(ctx context.Context, p farm.Principal, id string, cmd command.Command) (farm.Template, error) {
	if _, err := c.Get(ctx, p, id); err != nil {
		return farm.Template{}, err
	}
	if _, err := c.state.Apply(ctx, cmd); err != nil {
		return farm.Template{}, err
	}
	return c.Get(ctx, p, id)
}

// Rename gives a template another display name.
func (c *Catalog) Rename(ctx context.Context, p farm.Principal, id, displayName string) (farm.Template, error) {
	if err := p.May(farm.ActChangeTemplates); err != nil {
		return farm.Template{}, err
	}
	if strings.TrimSpace(displayName) == "" {
		return farm.Template{}, farm.Invalid("the template cannot be renamed",
			farm.Field("displayName", "must not be empty"))
	}
	return c.change(ctx, p, id, command.RenameTemplate{Team: p.Team, ID: id, DisplayName: displayName, At: c.state.Now()})
}

// MarkSequential says whether a template's compositions have to be rendered from their first frame on, by one machine, see
// farm.Template.Sequential. It counts for renders that begin from then on.
func (c *Catalog) MarkSequential(ctx context.Context, p farm.Principal, id string, sequential bool) (farm.Template, error) {
	if err := p.May(farm.ActChangeTemplates); err != nil {
		return farm.Template{}, err
	}
	return c.change(ctx, p, id, command.MarkTemplate{Team: p.Team, ID: id, Sequential: sequential, At: c.state.Now()})
}

// Retire takes a template out of use, or brings it back, see farm.Template.RetiredAt.
func (c *Catalog) Retire(ctx context.Context, p farm.Principal, id string, retired bool) (farm.Template, error) {
	if err := p.May(farm.ActChangeTemplates); err != nil {
		return farm.Template{}, err
	}
	return c.change(ctx, p, id, command.RetireTemplate{Team: p.Team, ID: id, Retired: retired, At: c.state.Now(), By: p.Name})
}

// Delete deletes a template; CodeConflict while jobs that have not ended use it.
func (c *Catalog) Delete(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActDeleteTemplates); err != nil {
		return err
	}
	if _, err := c.Get(ctx, p, id); err != nil {
		return err
	}
	_, err := c.state.Apply(ctx, command.DeleteTemplate{Team: p.Team, ID: id})
	return err
}
