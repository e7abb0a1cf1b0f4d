package files

import (
	"errors"
	"fmt"

	"overcrank/farm"
)

// ReceiveError words a failed upload of what for its sender.
func ReceiveError(what string, err error) error {
	told, thing := (*farm.Error)(nil), farm.Say(what)
	switch {
	case errors.Is(err, ErrTooLarge):
		told = farm.Errorf(farm.CodeTooLarge, "the %s is larger than allowed", thing)
	case errors.Is(err, ErrContent):
		told = farm.Errorf(farm.CodeUnavailable, "the %s did not arrive as it was sent; send it again", thing)
	case errors.Is(err, ErrShort):
		told = farm.Errorf(farm.CodeInvalid, "the upload of the %s broke off; send it again", thing)
	case errors.Is(err, ErrFull):
		told = farm.Errorf(farm.CodeUnavailable, "the coordinator's disk is full: free space on it, or move its data folder, then send the %s again", thing)
	default:
		return fmt.Errorf("receiving the %s: %w", what, err)
	}
	told.Err = err
	return told
}
