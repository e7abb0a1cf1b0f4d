package files

import (
	"errors"
	"fmt"

	"overcrank/farm"
)

// ReceiveError words a failed upload of what for its sender.
func ReceiveError(what string, err error) error {
	switch {
	case errors.Is(err, ErrTooLarge):
		return &farm.Error{Code: farm.CodeTooLarge, Message: "the " + what + " is larger than allowed", Err: err}
	case errors.Is(err, ErrContent):
		return &farm.Error{Code: farm.CodeUnavailable, Message: "the " + what + " did not arrive as it was sent; send it again", Err: err}
	case errors.Is(err, ErrShort):
		return &farm.Error{Code: farm.CodeInvalid, Message: "the upload of the " + what + " broke off; send it again", Err: err}
	case errors.Is(err, ErrFull):
		return &farm.Error{
			Code:    farm.CodeUnavailable,
			Message: "the coordinator's disk is full: free space on it, or move its data folder, then send the " + what + " again",
			Err:     err,
		}
	default:
		return fmt.Errorf("receiving the %s: %w", what, err)
	}
}
