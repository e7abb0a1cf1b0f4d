package templates

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"overcrank/coordinator/fetch"
	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/interval"
	"overcrank/outbound"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	downloadWithin = 6 * time.Hour // one file
	downloadTries  = 3
)

// download gets the file that the template's src names, from elsewhere or from the team's stored files.
func (r *reading) download(ctx context.Context, t farm.Template) error {
	ref, err := r.fetch(ctx, t)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, files.ErrUnreachable) || errors.Is(err, files.ErrFull) {
		return err // it is fetched when the storage is back, or there is room
	}
	if err != nil {
		r.log.Info("a template could not be downloaded", "template", t.ID, "error", err)
		return r.finish(ctx, command.FinishTemplate{ID: t.ID, Error: downloadError(err)})
	}
	_, err = r.catalog.state.Apply(ctx, command.ReceiveTemplate{ID: t.ID, File: ref, At: r.catalog.state.Now()})
	return err
}

func (r *reading) fetch(ctx context.Context, t farm.Template) (farm.FileRef, error) {
	if sha256, ok := strings.CutPrefix(t.Src, farm.KeptScheme); ok {
		var stored farm.StoredFile
		err := r.catalog.state.View(func(tx *raftstore.Tx) (err error) {
			stored, err = tx.File(t.Team, sha256)
			return err
		})
		return stored.FileRef, err
	}
	ctx, cancel := context.WithTimeout(ctx, downloadWithin)
	defer cancel()
	for try := 1; ; try++ {
		ref, err := r.fetchOnce(ctx, t)
		if err == nil || try == downloadTries || !worthAnotherTry(err) || interval.Wait(ctx, time.Duration(try)*time.Second) != nil {
			return ref, err
		}
	}
}

func (r *reading) fetchOnce(ctx context.Context, t farm.Template) (farm.FileRef, error) {
	body, err := r.catalog.cfg.Fetcher.Open(ctx, t.Src)
	if err != nil {
		return farm.FileRef{}, err
	}
	defer body.Close()
	obj, err := r.catalog.files.PutBlob(ctx, body, files.Limits{Size: body.Size, Max: maxTemplate})
	if err != nil {
		return farm.FileRef{}, err
	}
	return templateFile(t, obj, ""), nil
}

// worthAnotherTry tells failures of the moment from answers that will stay the same.
func worthAnotherTry(err error) bool {
	var status *fetch.StatusError
	if errors.As(err, &status) {
		return status.Status >= 500 || status.Status == http.StatusTooManyRequests
	}
	for _, final := range []error{outbound.ErrForbidden, outbound.ErrScheme, files.ErrTooLarge, files.ErrFull} {
		if errors.Is(err, final) {
			return false
		}
	}
	return true
}

func downloadError(err error) string {
	var status *fetch.StatusError
	switch {
	case errors.As(err, &status):
		return fmt.Sprintf("Template failed to download (%d)", status.Status)
	case errors.Is(err, outbound.ErrForbidden), errors.Is(err, outbound.ErrScheme), errors.Is(err, outbound.ErrStalled), errors.Is(err, outbound.ErrTooSlow):
		reason, _ := outbound.Reason(err)
		return "Template failed to download: " + reason
	case errors.Is(err, files.ErrTooLarge):
		return "Template failed to download: it is larger than 20 GiB"
	case farm.CodeOf(err) == farm.CodeNotFound:
		return "Template failed to download: the stored file has expired; store it again"
	default:
		return "Template failed to download: the address could not be reached, or broke off"
	}
}
