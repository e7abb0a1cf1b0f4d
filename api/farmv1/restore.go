package farmv1

import (
	"context"
	"errors"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/coordinator"
	"overcrank/farm"
)

const (
	// linesType is the media type of an answer of one JSON value in each line.
	linesType = "application/x-ndjson"
	// restoringBeat is the least between two lines about one step.
	restoringBeat = 250 * time.Millisecond
)

// restoreLine is one line of the answer to a restoration. The last one has Restored or Error.
type restoreLine struct {
	Step     string        `json:"step,omitempty"`
	Done     int64         `json:"done,omitempty"` // of All
	All      int64         `json:"all,omitempty"`
	Restored *restoredBody `json:"restored,omitempty"`
	Error    string        `json:"error,omitempty"`
}

// restoredBody is what the farm was put back to.
type restoredBody struct {
	MadeAt     answer.Time `json:"madeAt"`     // the backup
	Change     int64       `json:"change"`     // number of the last change in it
	RestoredAt int64       `json:"restoredAt"` // number of the change that put the farm back
	Files      int         `json:"files"`      // that the farm's storage lacked
	Before     string      `json:"before"`     // file with what was replaced
	Node       string      `json:"node"`       // coordinator on which it is
}

// restoreFarm puts the farm back to a backup. All that can be refused is, with its status, before the answer begins; the answer then
// says how far it is.
func (h backupHandlers) restoreFarm(c *fiber.Ctx, p farm.Principal) error {
	if err := h.backups.MayRestore(p); err != nil {
		return err
	}
	body, _, err := request.Body(c, math.MaxInt64-1)
	if err != nil {
		return err
	}
	kind, params, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err != nil || kind != fiber.MIMEMultipartForm || params["boundary"] == "" {
		return farm.Invalid("the backup has to come as multipart/form-data: the passphrase, and behind it one file part named backup",
			farm.Field("backup", "is missing: the body is not a form"))
	}
	form := backupForm{multipart.NewReader(body, params["boundary"]), func(r io.Reader, passphrase farm.Confidential) (*coordinator.HeldBackup, error) {
		return h.backups.HoldBackup(request.Transfer(c), p, r, passphrase)
	}}
	held, err := form.read()
	if err != nil {
		return input.FormError(err)
	}
	out, in := io.Pipe()
	go h.putBack(request.Stopping(c), held, in)
	c.Set(fiber.HeaderContentType, linesType)
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set("X-Accel-Buffering", "no") // a proxy in between must not wait for more
	answer.Stream(c, out)
	return nil
}

// putBack puts the farm back, whoever reads of it, and writes how it goes.
func (h backupHandlers) putBack(ctx context.Context, held *coordinator.HeldBackup, w *io.PipeWriter) {
	write := func(line restoreLine) {
		if text, err := answer.Encode(line); err == nil {
			_, _ = w.Write(text) // whoever has gone looks at the farm
		}
	}
	var last restoreLine
	var told time.Time
	done, err := held.PutBack(ctx, func(step coordinator.RestoringStep, n, all int64) {
		if last.Step == string(step) && time.Since(told) < restoringBeat {
			return
		}
		last, told = restoreLine{Step: string(step), Done: n, All: all}, time.Now()
		write(last)
	})
	defer func() { // the farm waits for it when it stops
		_ = w.Close()
		if err := held.Close(); err != nil {
			h.logger.Warn("what was received of a backup stays in the data folder", "error", err)
		}
	}()
	if err != nil {
		h.logger.Error("restoring the farm", "error", err)
		write(restoreLine{Error: plainError(err)})
	} else {
		write(restoreLine{Restored: &restoredBody{
			MadeAt: answer.Time(held.Manifest.CreatedAt), Change: int64(held.Manifest.Index), RestoredAt: int64(done.Index), Files: done.Files, Before: done.Before, Node: done.Node,
		}})
	}
}

// plainError is what a caller may see of an error.
func plainError(err error) string {
	var fe *farm.Error
	if errors.As(err, &fe) {
		return fe.Message
	}
	return "the farm could not be restored; its log says why"
}

// backupForm is the form that a backup comes in.
type backupForm struct {
	*multipart.Reader
	hold func(r io.Reader, passphrase farm.Confidential) (*coordinator.HeldBackup, error)
}

// read takes the form in to its end. The passphrase has to come first, since the backup is read as it comes.
func (f backupForm) read() (held *coordinator.HeldBackup, err error) {
	defer func() {
		if err != nil && held != nil {
			err = errors.Join(err, held.Close())
		}
	}()
	var passphrase farm.Confidential
	for range input.FormParts {
		part, err := input.NextPart(f.Reader)
		if errors.Is(err, io.EOF) {
			if held == nil {
				return nil, farm.Invalid("the form holds no backup", farm.Field("backup", "is missing; send it as a file part of this name"))
			}
			return held, nil
		}
		if err != nil {
			return held, err
		}
		switch name := part.FormName(); {
		case name == "passphrase" && part.FileName() == "" && held == nil:
			text, err := io.ReadAll(io.LimitReader(part, passphraseLimit))
			if err != nil {
				return held, err
			}
			passphrase = farm.NewConfidential(strings.TrimRight(string(text), "\r\n"))
		case name == "backup" && held == nil:
			if held, err = f.hold(part, passphrase); err != nil {
				return nil, err
			}
		default:
			return held, farm.Invalid("the form holds something else than a passphrase and, behind it, one backup",
				farm.Field(input.FormField(name), "is not a field of this form, or comes where it has no place"))
		}
	}
	return held, farm.Errorf(farm.CodeInvalid, "the form has more than %d parts", input.FormParts)
}
