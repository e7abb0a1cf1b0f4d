package record

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"overcrank/farm"
)

// HeadOfBatch is what an encoded batch says of who submitted it, and the id of its first job; "" for what it does not say. It reads no further than
// that.
func HeadOfBatch(data []byte) (by, first string, err error) {
	if len(data) == 0 {
		return "", "", nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(data), options)
	if _, err := d.ReadToken(); err != nil { // {
		return "", "", err
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return "", "", err
		}
		switch name.String() {
		case "by":
			err = json.UnmarshalDecode(d, &by, options)
		case "jobs":
			first, err := firstJob(d)
			return by, first, err
		default:
			err = d.SkipValue()
		}
		if err != nil {
			return "", "", err
		}
	}
	return by, "", nil
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
