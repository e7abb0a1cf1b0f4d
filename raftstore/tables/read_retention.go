package tables

import (
	"time"

	"overcrank/farm"
)

// JobsWithDuty reads the jobs with a duty that had ended at a time, the earliest first, at most limit of them. The cost is
// that of what it returns.
func (tx *Tx) JobsWithDuty(duty Duty, ended time.Time, limit int) ([]farm.Job, error) {
	var jobs []farm.Job
	until := string(duty) + timeKey(ended)
	cursor := tx.t.cursor(bucketDuties)
	for key, _ := cursor.Seek([]byte{byte(duty)}); key != nil && len(jobs) < limit; key, _ = cursor.Next() {
		if key[0] != byte(duty) || string(key[:len(until)]) > until {
			break
		}
		job, err := tx.Job(string(key[len(until):]))
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	return jobs, tx.t.err
}

// Family reads a job and those nested in it, at any depth; the job itself comes first.
func (tx *Tx) Family(id string) ([]farm.Job, error) {
	job, err := tx.Job(id)
	if err != nil {
		return nil, err
	}
	return tx.t.family(job), tx.t.err
}
