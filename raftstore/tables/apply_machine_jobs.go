package tables

import (
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// Which jobs a machine worked on is listed twice: by machine, to find them, and by job, since records of attempts do not go back far enough to
// tell what to forget with a job.

func machineJobsPrefix(team, agent string) string { return team + sep + agent + sep }

// workedOn notes that a machine has been given a task of a job.
func (t *tables) workedOn(agent string, job *farm.Job) {
	if !t.since(command.MachineJobsLevel) {
		return
	}
	key := job.ID + sep + agent
	if t.has(bucketJobMachines, key) {
		return
	}
	t.set(bucketJobMachines, key, nil)
	t.set(bucketMachineJobs, keyAt(machineJobsPrefix(job.Team, agent), job.CreatedAt, job.ID), nil)
}

// dropJobMachines forgets which machines worked on a job.
func (t *tables) dropJobMachines(job *farm.Job) {
	for _, agent := range t.keysUnder(bucketJobMachines, job.ID+sep) {
		t.remove(bucketJobMachines, job.ID+sep+agent)
		t.remove(bucketMachineJobs, machineJobsPrefix(job.Team, agent)+timeKey(job.CreatedAt)+job.ID)
	}
}

// WorkedOn says whether a machine has ever been given a task of a job. Of leases from below command.MachineJobsLevel nothing is known.
func (tx *Tx) WorkedOn(agent, job string) (bool, error) {
	return tx.t.has(bucketJobMachines, job+sep+agent), tx.t.err
}

// MachineJobs reads the ids of those of a team's jobs that a machine worked on and that were submitted before a moment, zero for all: the newest
// first, at most limit. more says that there are others.
func (tx *Tx) MachineJobs(team, agent string, before time.Time, limit int) (ids []string, more bool, err error) {
	s := &jobStream{cursor: tx.t.cursor(bucketMachineJobs), prefix: []byte(machineJobsPrefix(team, agent))}
	if strings.Contains(agent, sep) {
		return nil, false, nil // no machine is called so, and the key would be another's
	}
	at := afterTimes
	if !before.IsZero() {
		at = timeKey(before)
	}
	for s.before([]byte(at)); s.head != nil; {
		if len(ids) == limit {
			return ids, true, tx.t.err
		}
		ids = append(ids, string(s.head[len(timeKey(before)):]))
		key, _ := s.cursor.Prev()
		s.take(key)
	}
	return ids, false, tx.t.err
}

// NewerMachineJobs reads the ids of those of a team's jobs that a machine worked on and that were submitted at a moment or later: the oldest first, at
// most limit. more says that there are others.
func (tx *Tx) NewerMachineJobs(team, agent string, from time.Time, limit int) (ids []string, more bool, err error) {
	if strings.Contains(agent, sep) {
		return nil, false, nil
	}
	s := &jobStream{cursor: tx.t.cursor(bucketMachineJobs), prefix: []byte(machineJobsPrefix(team, agent))}
	for s.seek([]byte(timeKey(from))); s.head != nil; {
		if len(ids) == limit {
			return ids, true, tx.t.err
		}
		ids = append(ids, string(s.head[len(timeKey(from)):]))
		key, _ := s.cursor.Next()
		s.take(key)
	}
	return ids, false, tx.t.err
}
