package command

import (
	"time"

	"overcrank/farm"
)

// PutFile registers a caller's stored file, or moves its expiry.
type PutFile struct{ File farm.StoredFile }

// ExpireFiles forgets stored files whose expiry has passed.
type ExpireFiles struct{ At time.Time }

func (PutFile) Needs() int     { return ClusterLevel }
func (ExpireFiles) Needs() int { return ClusterLevel }
