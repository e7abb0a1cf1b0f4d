package templates

import (
	"context"
	"crypto/rand"
	"io"
	"strings"

	"overcrank/aep"
	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/raftstore/command"
)

var errAddressUsed = farm.Errorf(farm.CodeGone, "this address has taken its file; PUT /api/v2/templates/{id}/upload gives a fresh one for another file")

// RenewUpload gives a template a fresh upload address; earlier ones stop working.
func (c *Catalog) RenewUpload(ctx context.Context, p farm.Principal, id string) (farm.Template, error) {
	if err := p.May(farm.ActChangeTemplates); err != nil {
		return farm.Template{}, err
	}
	t, err := c.Get(ctx, p, id)
	if err != nil {
		return farm.Template{}, err
	}
	now := c.state.Now()
	return c.change(ctx, p, id, command.RenewUpload{Team: p.Team, ID: id, Nonce: uploadNonce(t.File), Until: now.Add(AddressLife), At: now})
}

// uploadNonce makes the nonce of an upload address. It names the file that the template has at that time, so that one that has come since
// can be told from it.
func uploadNonce(has *farm.FileRef) string {
	nonce := rand.Text() + "."
	if has != nil {
		nonce += has.SHA256
	}
	return nonce
}

// Receive takes the file for a template under the query of its signed upload address. size is -1 when not known.
func (c *Catalog) Receive(ctx context.Context, id, query string, body io.Reader, size int64) error {
	nonce, err := c.checkAddress(opPut, id, query)
	if err != nil {
		return err
	}
	t, err := c.find(id)
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
	_, err = c.state.Apply(ctx, command.ReceiveTemplate{ID: id, Nonce: nonce, File: templateFile(t, obj), At: c.state.Now()})
	return err
}

// Give has a template take a file that the farm keeps for the caller's team. It is read as one that was uploaded.
func (c *Catalog) Give(ctx context.Context, p farm.Principal, id string, kept farm.StoredFile) (farm.Template, error) {
	return c.give(ctx, p, id, func(t farm.Template) farm.FileRef {
		return templateFile(t, files.Object{SHA256: kept.SHA256, Size: kept.Size})
	})
}

func (c *Catalog) give(ctx context.Context, p farm.Principal, id string, file func(farm.Template) farm.FileRef) (farm.Template, error) {
	t, err := c.RenewUpload(ctx, p, id)
	if err != nil {
		return farm.Template{}, err
	}
	if _, err := c.state.Apply(ctx, command.ReceiveTemplate{ID: t.ID, Nonce: t.UploadNonce, File: file(t), At: c.state.Now()}); err != nil {
		return farm.Template{}, err
	}
	return c.Get(ctx, p, id)
}

// receiveAssembled gives a template that has just been registered its archive.
func (c *Catalog) receiveAssembled(ctx context.Context, t farm.Template, obj files.Object) (farm.Template, error) {
	if _, err := c.state.Apply(ctx, command.ReceiveTemplate{ID: t.ID, Nonce: t.UploadNonce, File: templateFile(t, obj), At: c.state.Now()}); err != nil {
		return farm.Template{}, err
	}
	return c.find(t.ID)
}

func templateFile(t farm.Template, obj files.Object) farm.FileRef {
	name := files.Part(t.DisplayName)
	if !strings.Contains(name, ".") || t.Type == aep.TypeProject && strings.HasSuffix(name, farm.ArchiveEnding) {
		name += "." + t.Type
	}
	return farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: name}
}

// Open opens a template's file under the query of its signed download address.
func (c *Catalog) Open(ctx context.Context, id, query string) (*files.File, error) {
	mark, err := c.checkAddress(opGet, id, query)
	if err != nil {
		return nil, err
	}
	t, err := c.find(id)
	if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
		return nil, err
	}
	if err != nil || t.File == nil || t.File.SHA256 != mark {
		return nil, farm.Errorf(farm.CodeGone, "the file at this address is no longer the template's")
	}
	return c.proofs.OpenBlob(ctx, *t.File)
}
