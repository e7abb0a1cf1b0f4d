package aep

import (
	"errors"
	"strings"
)

// Refusal is a fault of a file, worded for the person who made it. Err is the cause.
type Refusal struct {
	Message string
	Err     error
}

// Error is the message.
func (r *Refusal) Error() string { return r.Message }

// Unwrap is the cause.
func (r *Refusal) Unwrap() error { return r.Err }

// refuse words a file's fault plainly; other errors, such as those of the disk, are returned as they are.
func refuse(err error, typ string) error {
	var message string
	switch {
	case errors.Is(err, ErrPremiere):
		message = "This motion graphics template was made with Premiere Pro. Only those made with After Effects can be rendered."
	case errors.Is(err, errIsArchive):
		message = "This file is an archive, not a project: upload it as a zip or mogrt template."
	case errors.Is(err, errNoDefinition):
		message = "This archive is not a motion graphics template: it has no definition.json. Upload it as a zip template."
	case errors.Is(err, ErrNoProject):
		message = "The " + typ + " holds no After Effects project: put the .aep beside its footage and pack the folder again."
	case errors.Is(err, ErrTruncated):
		message = "This file ends in the middle: upload it again."
	case errors.Is(err, ErrNotProject) && typ == TypeProject:
		message = "This file is not an After Effects project (.aep, .aet or .aepx)."
	case errors.Is(err, ErrNotProject):
		message = "This file is not a " + typ + " archive with an After Effects project in it."
	case errors.Is(err, ErrUnsafe):
		message = "This file was refused because it is not safe to open: " + detail(err, ErrUnsafe) + "."
	case errors.Is(err, ErrLimit):
		message = "This file was refused because it is too large: " + detail(err, ErrLimit) + "."
	case errors.Is(err, ErrBroken):
		message = "This file is damaged: open it in After Effects, save it and upload it again. (" + detail(err, ErrBroken) + ")"
	default:
		return err
	}
	return &Refusal{Message: message, Err: err}
}

// detail is the text of an error without that of its class.
func detail(err, class error) string {
	s := err.Error()
	return strings.TrimPrefix(strings.Replace(s, class.Error()+": ", "", 1), ": ")
}
