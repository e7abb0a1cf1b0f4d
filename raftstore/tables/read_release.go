package tables

import "overcrank/farm"

// Releases reads all releases without their documents, by version.
func (tx *Tx) Releases() ([]farm.Release, error) {
	return all[farm.Release](tx.t, bucketReleases), tx.t.err
}

// Release reads one release.
func (tx *Tx) Release(version string) (farm.Release, error) {
	r, err := byID[farm.Release](tx, bucketReleases, "release", version)
	if err != nil {
		return farm.Release{}, err
	}
	signed, _ := get[releaseDocuments](tx.t, bucketReleaseDocuments, version)
	r.Documents = signed.Documents
	return r, tx.t.err
}

// Updates reads how machines get releases.
func (tx *Tx) Updates() (farm.Updates, error) { return tx.t.updates(), tx.t.err }

// MachineUpdates reads what all machines run, as far as they have told.
func (tx *Tx) MachineUpdates() ([]farm.MachineUpdate, error) {
	return all[farm.MachineUpdate](tx.t, bucketMachineUpdates), tx.t.err
}

// MachineUpdate reads what a machine runs; zero but for the id when it has not told.
func (tx *Tx) MachineUpdate(agent string) (farm.MachineUpdate, error) {
	m, ok := get[farm.MachineUpdate](tx.t, bucketMachineUpdates, agent)
	if !ok {
		m.Agent = agent
	}
	return m, tx.t.err
}
