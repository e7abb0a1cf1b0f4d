package record

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"overcrank/farm"
)

// FirstOfBatch is the id of the first job of an encoded batch, "" for none. It reads no further than that.
func FirstOfBatch(data []byte) (string, error) {
	if len(data) == 0 {
		return "", nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(data), options)
	if _, err := d.ReadToken(); err != nil { // {
		return "", err
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return "", err
		}
		if name.String() == "jobs" {
			return firstJob(d)
		}
		if err := d.SkipValue(); err != nil {
			return "", err
		}
	}
	return "", nil
}

// firstJob is the id of the first of the jobs that a decoder comes to.
func firstJob(d *jsontext.Decoder) (string, error) {
	list, err := d.ReadToken()
	if err != nil || list.Kind() != '[' || d.PeekKind() != '{' {
		return "", err
	}
	var first farm.BatchJob
	err = json.UnmarshalDecode(d, &first, options)
	return first.ID, err
}
