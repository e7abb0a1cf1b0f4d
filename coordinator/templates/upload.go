package templates

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
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
	if used && t.CameAs == "" && size >= 0 && size != t.File.Size {
		return errAddressUsed
	}
	head := bufio.NewReader(body)
	archive, _ := head.Peek(len(zipHead)) // what cannot be read is told by who reads it all
	obj, err := c.files.PutBlob(ctx, head, files.Limits{Size: size, Max: maxTemplate})
	if err != nil {
		return files.ReceiveError("template", err)
	}
	if obj.Size == 0 {
		return farm.Errorf(farm.CodeInvalid, "the upload of the template was empty; send the file as the request's body")
	}
	if used && !t.Took(obj.SHA256) {
		return errAddressUsed
	}
	_, err = c.state.Apply(ctx, command.ReceiveTemplate{ID: id, Nonce: nonce, File: templateFile(t, obj, string(archive)), At: c.state.Now()})
	return err
}

// zipHead is what archives begin with (PKWARE APPNOTE.TXT, 4.3.7).
const zipHead = "PK\x03\x04"

// Give has a template take a file that the farm keeps for the caller's team. It is read as one that was uploaded.
func (c *Catalog) Give(ctx context.Context, p farm.Principal, id string, kept farm.StoredFile) (farm.Template, error) {
	if err := p.May(farm.ActChangeTemplates); err != nil {
		return farm.Template{}, err
	}
	t, err := c.Get(ctx, p, id)
	if err != nil {
		return farm.Template{}, err
	}
	head, err := c.headOf(ctx, kept.FileRef)
	if err != nil {
		return farm.Template{}, err
	}
	return c.give(ctx, p, id, templateFile(t, files.Object{SHA256: kept.SHA256, Size: kept.Size}, head))
}

// headOf is what a kept file begins with, at most as much as zipHead.
func (c *Catalog) headOf(ctx context.Context, file farm.FileRef) (_ string, err error) {
	from, err := c.proofs.OpenBlob(ctx, file)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	head := make([]byte, len(zipHead))
	n, err := io.ReadFull(from, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("reading a file that the farm keeps: %w", err)
	}
	return string(head[:n]), nil
}

func (c *Catalog) give(ctx context.Context, p farm.Principal, id string, file farm.FileRef) (farm.Template, error) {
	t, err := c.RenewUpload(ctx, p, id)
	if err != nil {
		return farm.Template{}, err
	}
	if _, err := c.state.Apply(ctx, command.ReceiveTemplate{ID: t.ID, Nonce: t.UploadNonce, File: file, At: c.state.Now()}); err != nil {
		return farm.Template{}, err
	}
	return c.Get(ctx, p, id)
}

// receiveAssembled gives a template that has just been registered its archive.
func (c *Catalog) receiveAssembled(ctx context.Context, t farm.Template, obj files.Object) (farm.Template, error) {
	if _, err := c.state.Apply(ctx, command.ReceiveTemplate{ID: t.ID, Nonce: t.UploadNonce, File: templateFile(t, obj, ""), At: c.state.Now()}); err != nil {
		return farm.Template{}, err
	}
	return c.find(t.ID)
}

// templateFile names a file for a template that begins with head, "" where that is not known. A project that was completed may be followed by an
// archive: its template has one already.
func templateFile(t farm.Template, obj files.Object, head string) farm.FileRef {
	if t.FileType() != t.Type && head == zipHead {
		return farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: archiveName(t)}
	}
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
