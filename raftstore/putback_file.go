package raftstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"go.etcd.io/bbolt"

	"overcrank/raftstore/command"
	"overcrank/raftstore/tables"
)

// The rows of a state travel as one stream: of each row its bucket, its key and its value, each with its length before it as an
// unsigned varint. The stream is cut into parts anywhere.

// appendRow writes a row behind what out holds.
func appendRow(out, bucket, key, value []byte) []byte {
	for _, piece := range [][]byte{bucket, key, value} {
		out = append(binary.AppendUvarint(out, uint64(len(piece))), piece...)
	}
	return out
}

// cutRow takes a row from the front of a stream; whole is false when its end has not come yet.
func cutRow(data []byte) (row [3][]byte, rest []byte, whole bool, err error) {
	rest = data
	for i := range row {
		size, n := binary.Uvarint(rest)
		if n < 0 || size > command.MaxCommandJSON {
			return row, nil, false, errors.New("the rows of a state are damaged")
		}
		if n == 0 || size > uint64(len(rest)-n) {
			return row, data, false, nil
		}
		row[i], rest = rest[n:n+int(size)], rest[n+int(size):]
	}
	return row, rest, true, nil
}

// incoming is the file of the state that is being staged, beside the one in use. It grows with each part of a restoration, so that little is left
// to do when it takes the other's place. It can be made again at any time, since the parts stay in the state until then.
type incoming struct {
	path    string
	codec   *command.Codec
	db      *bbolt.DB // nil while there is none
	id      string
	parts   int
	partial []byte // the beginning of a row whose end is in the next part
}

// add writes the next part. A part that does not follow the last one drops the file.
func (in *incoming) add(id string, number int, packed []byte) error {
	switch {
	case number == 0:
		if err := in.begin(id); err != nil {
			return errors.Join(err, in.drop())
		}
	case in.db == nil:
		return nil
	case in.id != id || in.parts != number:
		return in.drop()
	}
	if err := in.take(packed); err != nil {
		return errors.Join(err, in.drop())
	}
	in.parts++
	return nil
}

func (in *incoming) begin(id string) error {
	if err := in.drop(); err != nil {
		return err
	}
	db, err := bbolt.Open(in.path, 0o600, stateOptions())
	if err != nil {
		return fmt.Errorf("begin the file of the staged state: %w", err)
	}
	in.db, in.id = db, id
	return db.Update(tables.CreateBuckets)
}

func (in *incoming) take(packed []byte) error {
	rows, err := in.codec.UnpackRows(packed, in.partial)
	if err != nil {
		return fmt.Errorf("unpack a part of the state: %w", err)
	}
	return in.db.Update(func(tx *bbolt.Tx) error {
		rest := rows
		for {
			row, behind, whole, err := cutRow(rest)
			if err != nil {
				return err
			}
			if !whole {
				in.partial = append([]byte(nil), rest...)
				return nil
			}
			rest = behind
			bucket := tx.Bucket(row[0])
			if bucket == nil {
				return fmt.Errorf("a part of the state has rows for %q, which this program does not know: %w", row[0], command.ErrNewer)
			}
			bucket.FillPercent = tables.Fill
			if err := bucket.Put(row[1], row[2]); err != nil {
				return err
			}
		}
	})
}

// complete makes sure that the file has all parts of a restoration, which lie in the state.
func (in *incoming) complete(tx *tables.Tx, c command.ReplaceState) error {
	if in.db == nil || in.id != c.Restoration || in.parts != c.Parts {
		for number := range c.Parts {
			if err := in.add(c.Restoration, number, tx.StagedPart(number)); err != nil {
				return err
			}
		}
	}
	if len(in.partial) > 0 {
		return errors.New("the staged state ends in the middle of a row")
	}
	return nil
}

// release hands the finished file to the caller.
func (in *incoming) release() *bbolt.DB {
	db := in.db
	in.db, in.id, in.parts, in.partial = nil, "", 0, nil
	return db
}

// drop closes and removes the file.
func (in *incoming) drop() error {
	var err error
	if db := in.release(); db != nil {
		err = db.Close()
	}
	return errors.Join(err, os.RemoveAll(in.path))
}
