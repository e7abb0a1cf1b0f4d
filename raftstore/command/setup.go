package command

import (
	"time"

	"overcrank/farm"
)

// SetUp makes the farm's first administrator who is a person, and names the studio, with a code that is used up by it. It is refused with
// CodeGone once there is such an administrator, and as UseCode is.
type SetUp struct {
	Person   farm.Token // an administrator of the farm's first team
	Password string     // the hash
	Studio   string     // what that team is called from then on
	Code     UseCode
	At       time.Time
}

func (SetUp) Needs() int { return PasswordsLevel }
