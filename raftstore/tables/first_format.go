package tables

import (
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/layered"
	"overcrank/raftstore/record"
)

// stateFormat is how the state file is laid out. A file without a number is of format 1, where a job was one record and was
// not listed by its tags.
const stateFormat = 2

// migrateGroup is how many jobs one transaction brings into another format.
const migrateGroup = 1000

// Upgrade brings a state file that has its buckets into the present format. Cut off at any point it begins anew without harm. A file of a
// later release is command.ErrNewer.
func Upgrade(db *bbolt.DB) error {
	if err := migrate(db); err != nil {
		return err
	}
	return understood(db)
}

func migrate(db *bbolt.DB) error {
	format, empty := 0, false
	err := db.View(func(tx *bbolt.Tx) error {
		format = formatOf(tx)
		first, _ := tx.Bucket(bucketMeta).Cursor().First()
		empty = first == nil
		return nil
	})
	switch {
	case err != nil:
		return err
	case format == stateFormat:
		return nil
	case format > stateFormat:
		return fmt.Errorf("it has format %d, which this program does not know: a newer version of it wrote the file: %w", format, command.ErrNewer)
	}
	for next := []byte(nil); !empty; {
		err := db.Update(func(tx *bbolt.Tx) (err error) {
			next, err = splitJobs(tx, next)
			return err
		})
		if err != nil {
			return err
		}
		if next == nil {
			break
		}
	}
	return db.Update(func(tx *bbolt.Tx) error {
		for _, gone := range []string{"jobs by output", "jobs by template"} {
			if tx.Bucket([]byte(gone)) == nil {
				continue
			}
			if err := tx.DeleteBucket([]byte(gone)); err != nil {
				return err
			}
		}
		return tx.Bucket(bucketMeta).Put([]byte(metaFormat), binary.BigEndian.AppendUint64(nil, stateFormat))
	})
}

// KnownFormat is the format of a state file; it is not known of one in which nothing was ever done.
func KnownFormat(tx *bbolt.Tx) (format int, known bool) {
	if meta := tx.Bucket(bucketMeta); meta == nil || meta.Get([]byte(metaApplied)) == nil {
		return 0, false
	}
	return formatOf(tx), true
}

func formatOf(tx *bbolt.Tx) int {
	value := tx.Bucket(bucketMeta).Get([]byte(metaFormat))
	if len(value) != 8 {
		return 1
	}
	return int(binary.BigEndian.Uint64(value))
}

// splitJobs turns the next jobs of format 1, from the one with the given id on, into those of format 2, and gives where to
// go on, nil at the end.
func splitJobs(tx *bbolt.Tx, from []byte) (next []byte, err error) {
	t := changing(layered.Into(tx, buckets(), Fill))
	var ids []string
	cursor := tx.Bucket(bucketJobs).Cursor()
	for key, _ := cursor.Seek(from); key != nil; key, _ = cursor.Next() {
		if len(ids) == migrateGroup {
			next = append(next, key...)
			break
		}
		ids = append(ids, string(key))
	}
	for _, id := range ids {
		job, ok := get[farm.Job](t, bucketJobs, id)
		if !ok {
			continue
		}
		if content, err := record.EncodeContent(&job); err != nil {
			t.fail(fmt.Errorf("job %s: %w", id, err))
		} else if content != nil {
			t.set(bucketContents, id, content)
		}
		put(t, bucketJobs, id, record.HeadOf(job))
		t.listJob(&job, job.Status, func(bucket []byte, key string) { t.set(bucket, key, nil) })
		if job.Status.Ended() {
			t.oweDuties(job)
		}
		for _, task := range t.tasksOf(id) {
			if job.Template.ID != "" && task.Status == farm.TaskBlocked {
				t.set(bucketBlockedByTemplate, job.Template.ID+sep+id, nil)
			}
		}
	}
	return next, t.err
}
