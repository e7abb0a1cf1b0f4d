package command

import "overcrank/farm"

// PutRelease keeps a release for the farm's machines. It is refused when there is one of that version or number, unless it is the same.
type PutRelease struct{ Release farm.Release }

// RemoveRelease forgets a release; refused while machines are to run it.
type RemoveRelease struct{ Version string }

// PutUpdates replaces how machines get releases. It is refused when Updates.Revision is not the one in force, or the release is not there.
type PutUpdates struct{ Updates farm.Updates }

// RecordUpdates notes what machines run. Those that are no machines of the farm any more are passed over.
type RecordUpdates struct{ Machines []farm.MachineUpdate }

func (PutRelease) Needs() int    { return ReleasesLevel }
func (RemoveRelease) Needs() int { return ReleasesLevel }
func (PutUpdates) Needs() int    { return ReleasesLevel }
func (RecordUpdates) Needs() int { return ReleasesLevel }
