package coordinator

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"overcrank/aep"
	"overcrank/coordinator/files"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore"
)

// maxTemplate is how large a template's file may be, in bytes.
const maxTemplate = 20 << 30

// NewTemplate is what a caller gives to register a template.
type NewTemplate struct{ Type, DisplayName, Src string }

// CreateTemplate registers a template; without Src it waits for its file at UploadAddress.
func (c *Coordinator) CreateTemplate(ctx context.Context, p farm.Principal, in NewTemplate) (farm.Template, error) {
	if err := p.May(farm.ActChangeTemplates); err != nil {
		return farm.Template{}, err
	}
	if !slices.Contains([]string{aep.TypeProject, aep.TypeZip, aep.TypeMogrt}, in.Type) {
		return farm.Template{}, farm.Invalid("the template cannot be registered",
			farm.FieldError{Field: "type", Message: "must be aep, zip or mogrt"})
	}
	if why := c.cfg.Addresses.Refusal(in.Src); why != "" {
		return farm.Template{}, farm.Invalid("the template cannot be registered", farm.FieldError{Field: "src", Message: why})
	}
	if ids, before, err := state.Made(ctx); err != nil {
		return farm.Template{}, err
	} else if before {
		return c.Template(ctx, p, ids[0])
	}
	id, err := c.state.NewID()
	if err != nil {
		return farm.Template{}, err
	}
	now := c.cfg.Now()
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
		t.UploadNonce, t.UploadUntil = uploadNonce(nil), now.Add(addressLife)
	}
	if _, err := c.state.Apply(ctx, raftstore.CreateTemplate{Template: t}); err != nil {
		return farm.Template{}, err
	}
	return t, nil
}

// Template finds a template of the caller's team.
func (c *Coordinator) Template(_ context.Context, p farm.Principal, id string) (farm.Template, error) {
	var t farm.Template
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		t, err = tx.Template(id)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && t.Team != p.Team {
		return farm.Template{}, farm.Errorf(farm.CodeNotFound, "there is no template %q", id)
	}
	return t, err
}

// Templates lists the templates of the caller's team.
func (c *Coordinator) Templates(_ context.Context, p farm.Principal) ([]farm.Template, error) {
	var list []farm.Template
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.Templates(p.Team)
		return err
	})
	return list, err
}

// RenameTemplate gives a template another display name.
func (c *Coordinator) RenameTemplate(ctx context.Context, p farm.Principal, id, displayName string) (farm.Template, error) {
	if err := p.May(farm.ActChangeTemplates); err != nil {
		return farm.Template{}, err
	}
	if strings.TrimSpace(displayName) == "" {
		return farm.Template{}, farm.Invalid("the template cannot be renamed",
			farm.FieldError{Field: "displayName", Message: "must not be empty"})
	}
	if _, err := c.Template(ctx, p, id); err != nil {
		return farm.Template{}, err
	}
	cmd := raftstore.RenameTemplate{Team: p.Team, ID: id, DisplayName: displayName, At: c.cfg.Now()}
	if _, err := c.state.Apply(ctx, cmd); err != nil {
		return farm.Template{}, err
	}
	return c.Template(ctx, p, id)
}

// MarkTemplate says whether a template's compositions have to be rendered from their first frame on, by one machine, as
// farm.Template.Sequential has it. It counts for renders that begin from then on.
func (c *Coordinator) MarkTemplate(ctx context.Context, p farm.Principal, id string, sequential bool) (farm.Template, error) {
	if err := p.May(farm.ActChangeTemplates); err != nil {
		return farm.Template{}, err
	}
	if _, err := c.Template(ctx, p, id); err != nil {
		return farm.Template{}, err
	}
	if _, err := c.state.Apply(ctx, raftstore.MarkTemplate{Team: p.Team, ID: id, Sequential: sequential, At: c.cfg.Now()}); err != nil {
		return farm.Template{}, err
	}
	return c.Template(ctx, p, id)
}

// DeleteTemplate removes a template; CodeConflict while jobs that have not ended use it.
func (c *Coordinator) DeleteTemplate(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActDeleteTemplates); err != nil {
		return err
	}
	if _, err := c.Template(ctx, p, id); err != nil {
		return err
	}
	if _, err := c.state.Apply(ctx, raftstore.DeleteTemplate{Team: p.Team, ID: id}); err != nil {
		return err
	}
	return nil
}

// RenewUpload gives a template a fresh upload address; earlier ones stop working.
func (c *Coordinator) RenewUpload(ctx context.Context, p farm.Principal, id string) (farm.Template, error) {
	if err := p.May(farm.ActChangeTemplates); err != nil {
		return farm.Template{}, err
	}
	t, err := c.Template(ctx, p, id)
	if err != nil {
		return farm.Template{}, err
	}
	now := c.cfg.Now()
	cmd := raftstore.RenewUpload{Team: p.Team, ID: id, Nonce: uploadNonce(t.File), Until: now.Add(addressLife), At: now}
	if _, err := c.state.Apply(ctx, cmd); err != nil {
		return farm.Template{}, err
	}
	return c.Template(ctx, p, id)
}

// ReceiveTemplate takes the file for a template under the query of its signed upload address. size is -1 when not known.
func (c *Coordinator) ReceiveTemplate(ctx context.Context, id, query string, body io.Reader, size int64) error {
	nonce, err := c.checkAddress(opPut, id, query)
	if err != nil {
		return err
	}
	var t farm.Template
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		t, err = tx.Template(id)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound {
		return farm.Errorf(farm.CodeNotFound, "there is no template %q any more", id)
	}
	if err != nil {
		return err
	}
	if nonce == "" || t.UploadNonce != nonce {
		return errAddressExpired
	}
	used := t.UploadUsed()
	if used && size >= 0 && size != t.File.Size {
		return errAddressUsed
	}
	obj, err := c.files.PutBlob(ctx, body, files.Limits{Size: size, Max: maxTemplate})
	if err != nil {
		return files.ReceiveError("template", err)
	}
	if obj.Size == 0 {
		return farm.Errorf(farm.CodeInvalid, "the upload of the template was empty; send the file as the request's body")
	}
	if used && obj.SHA256 != t.File.SHA256 {
		return errAddressUsed
	}
	cmd := raftstore.ReceiveTemplate{ID: id, Nonce: nonce, File: templateFile(t, obj), At: c.cfg.Now()}
	if _, err := c.state.Apply(ctx, cmd); err != nil {
		return err
	}
	return nil
}

// uploadNonce makes the nonce of an upload address. It tells which file the template has then, so that one that has come since can be
// told from it.
func uploadNonce(has *farm.FileRef) string {
	nonce := rand.Text() + "."
	if has != nil {
		nonce += has.SHA256
	}
	return nonce
}

var errAddressUsed = farm.Errorf(farm.CodeGone, "this address has taken its file; PUT /api/v2/templates/{id}/upload gives a fresh one for another file")

func templateFile(t farm.Template, obj files.Object) farm.FileRef {
	name := files.Part(t.DisplayName)
	if !strings.Contains(name, ".") {
		name += "." + t.Type
	}
	return farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: name}
}

// OpenTemplate opens a template's file under the query of its signed download address.
func (c *Coordinator) OpenTemplate(ctx context.Context, id, query string) (*File, error) {
	mark, err := c.checkAddress(opGet, id, query)
	if err != nil {
		return nil, err
	}
	var t farm.Template
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		t, err = tx.Template(id)
		return err
	})
	if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
		return nil, err
	}
	if err != nil || t.File == nil || t.File.SHA256 != mark {
		return nil, farm.Errorf(farm.CodeGone, "the file at this address is no longer the template's")
	}
	return c.openBlob(ctx, *t.File)
}

// openBlob opens kept bytes by their hash.
func (c *Coordinator) openBlob(ctx context.Context, ref farm.FileRef) (*File, error) {
	key, err := files.BlobKey(ref.SHA256)
	if err != nil {
		return nil, err
	}
	r, err := c.openKept(ctx, files.Kept{Key: key, SHA256: ref.SHA256, Size: ref.Size}, "the file "+ref.Name, "upload it again")
	if errors.Is(err, files.ErrNotFound) {
		return nil, farm.Errorf(farm.CodeGone, "the file %s is no longer kept", ref.Name)
	}
	if err != nil {
		return nil, err
	}
	return file(r, ref.Name, ref.SHA256), nil
}

// Introspection is what reading a template's file told; CodeNotFound while it has not been read.
func (c *Coordinator) Introspection(ctx context.Context, p farm.Principal, id string) (*aep.Summary, error) {
	t, err := c.Template(ctx, p, id)
	if err != nil {
		return nil, err
	}
	if t.Status == farm.TemplateError {
		return nil, farm.Errorf(farm.CodeInvalid, "template %q could not be read: %s", t.DisplayName, t.Error)
	}
	if t.Introspection == nil {
		return nil, farm.Errorf(farm.CodeNotFound, "template %q has not been read: it is %s", t.DisplayName, t.Status)
	}
	return c.summary(ctx, *t.Introspection)
}

// summary reads a kept introspection. What it gives is shared: nobody may change it.
func (c *Coordinator) summary(ctx context.Context, ref farm.FileRef) (*aep.Summary, error) {
	if s, found := c.summaries.get(ref.SHA256); found {
		return s, nil
	}
	key, err := files.BlobKey(ref.SHA256)
	if err != nil {
		return nil, err
	}
	text, err := files.ReadAll(ctx, c.files, key)
	if errors.Is(err, files.ErrNotFound) {
		return nil, farm.Errorf(farm.CodeGone, "what was read of a template is no longer kept; register the template again")
	}
	if err != nil {
		return nil, fmt.Errorf("reading a kept introspection: %w", err)
	}
	var s aep.Summary
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("reading a kept introspection: %w", err)
	}
	c.summaries.put(ref.SHA256, ref.Size, &s)
	return &s, nil
}

// summaryFor is summary on behalf of who waits no longer than ctx lasts.
func (c *Coordinator) summaryFor(ctx context.Context) func(farm.FileRef) (*aep.Summary, error) {
	return func(ref farm.FileRef) (*aep.Summary, error) { return c.summary(ctx, ref) }
}

// onlyComposition is the composition that a job means when it names none: the single root composition. It is "" for a
// motion graphics template, which says itself which one it is.
func onlyComposition(t farm.Template, summary func(farm.FileRef) (*aep.Summary, error)) (string, error) {
	if t.Type == aep.TypeMogrt || t.Introspection == nil {
		return "", nil
	}
	s, err := summary(*t.Introspection)
	if err != nil {
		return "", err
	}
	var roots []string
	for _, comp := range s.Compositions {
		if comp.Root {
			roots = append(roots, comp.Name)
		}
	}
	if len(roots) == 1 {
		return roots[0], nil
	}
	if len(roots) == 0 {
		return "", farm.Errorf(farm.CodeInvalid, "template %q has no composition to render", t.DisplayName)
	}
	return "", farm.Invalid("the job names no composition, and the template has several", farm.FieldError{
		Field: "template.composition", Message: "must be one of " + quoteAll(roots),
	})
}

// quoteAll lists names for a sentence, the first twenty of them.
func quoteAll(names []string) string {
	more := ""
	if len(names) > 20 {
		more = fmt.Sprintf(" and %d more", len(names)-20)
		names = names[:20]
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = "'" + name + "'"
	}
	return strings.Join(quoted, ", ") + more
}
