// Package record has how records lie in the state's rows and in the log: as JSON, and the contents of jobs packed.
package record

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/klauspost/compress/s2"

	"overcrank/farm"
)

// options makes the records' JSON the same text as encoding/json makes it, in less than half of the time.
var options = json.JoinOptions(
	json.Deterministic(true),
	json.FormatNilSliceAsNull(true),
	json.FormatNilMapAsNull(true),
	jsontext.AllowInvalidUTF8(true),
	jsontext.AllowDuplicateNames(true),
	jsonv1.OmitEmptyWithLegacySemantics(true),
)

// Encode gives the JSON of a record.
func Encode(record any) ([]byte, error) { return json.Marshal(record, options) }

// EncodeHead gives a job without its content, as the state keeps it.
func EncodeHead(job *farm.Job) ([]byte, error) {
	w := text{text: make([]byte, 0, headRoom)}
	w.head(job)
	return w.text, w.err
}

// EncodeTask gives a task as the state keeps it.
func EncodeTask(task *farm.Task) ([]byte, error) {
	w := text{text: make([]byte, 0, taskRoom)}
	w.task(task)
	return w.text, w.err
}

// EncodeAttempt gives an attempt that has ended as the state keeps it.
func EncodeAttempt(attempt *farm.AttemptRecord) ([]byte, error) {
	w := text{text: make([]byte, 0, attemptRoom)}
	w.attempt(attempt)
	return w.text, w.err
}

// EncodeFailure gives a failure that needs somebody as the state keeps it.
func EncodeFailure(failure *farm.OpenFailure) ([]byte, error) {
	w := text{text: make([]byte, 0, attemptRoom)}
	w.failure(failure)
	return w.text, w.err
}

// EncodeSum gives the sum of a day as the state keeps it.
func EncodeSum(sum *farm.Sum) ([]byte, error) {
	w := text{text: make([]byte, 0, sumRoom)}
	w.sum(sum)
	return w.text, w.err
}

// EncodeAudit gives who did what as the state keeps it.
func EncodeAudit(r *farm.AuditRecord) ([]byte, error) {
	w := text{text: make([]byte, 0, auditRoom)}
	w.audit(r)
	return w.text, w.err
}

// EncodeActor gives who asks for a command as it lies in the log.
func EncodeActor(actor *farm.Actor) ([]byte, error) {
	w := text{text: make([]byte, 0, actorRoom)}
	w.actor(actor)
	return w.text, w.err
}

// Most records are as large as this, in bytes of JSON.
const (
	headRoom    = 704
	taskRoom    = 192
	attemptRoom = 320
	sumRoom     = 96
	auditRoom   = 320
	actorRoom   = 112

	// SubmissionRoom is how large what a submission says of a job is most often.
	SubmissionRoom = headRoom + taskRoom
)

// Decode reads what Encode gives into a record with nothing in it.
func Decode(data []byte, record any) error {
	switch record := record.(type) {
	case *farm.Job:
		return decode(data, jobFields, record)
	case *farm.Task:
		return decode(data, taskFields, record)
	case *jobContent:
		return decode(data, contentFields, record)
	case *Submission:
		return decode(data, submissionFields, record)
	case *farm.Batch:
		return decode(data, batchFields, record)
	case *farm.Actor:
		return decode(data, actorFields, record)
	}
	return json.Unmarshal(data, record, options)
}

// decode is Decode for records that are read a lot.
func decode[R any](data []byte, fields fields[R], record *R) error {
	if readWhole(data, fields, record) {
		return nil
	}
	var none R
	*record = none
	return json.Unmarshal(data, record, options)
}

// A job is kept as two records under its id. The head is what its moves change and what rules and lists ask for; the
// content is what stays as it was submitted, and is much larger. Both are JSON of a farm.Job, so that together they give
// the whole one.

// jobContent is the content of a job.
type jobContent struct {
	Fonts   []string      `json:"fonts,omitempty"`
	Assets  []farm.Asset  `json:"assets,omitempty"`
	Upload  *farm.Upload  `json:"upload,omitempty"`
	Webhook *farm.Webhook `json:"webhook,omitempty"`
}

// HeadOf is the job without its content.
func HeadOf(job farm.Job) farm.Job {
	job.Fonts, job.Assets, job.Upload, job.Webhook = nil, nil, nil, nil
	return job
}

// The first byte of an encoded content says how the JSON behind it is packed.
const (
	contentPlain  = 'j'
	contentPacked = 's' // S2
)

// maxContent is how many bytes a content's JSON may have, also against hostile compression: as many as that of the command it comes in.
const maxContent = 64 << 20

// EncodeContent gives the content of a job as it lies in the log and in the state, nil when it has none.
func EncodeContent(job *farm.Job) ([]byte, error) { return new(packer).content(job) }

// ContentText is the JSON of an encoded content that is not empty.
func ContentText(data []byte) ([]byte, error) {
	text := data[1:]
	switch data[0] {
	case contentPlain:
		return text, nil
	case contentPacked:
		size, err := s2.DecodedLen(text)
		if err != nil {
			return nil, err
		}
		if size > maxContent {
			return nil, fmt.Errorf("it unpacks to %d bytes", size)
		}
		return s2.Decode(nil, text)
	default:
		return nil, errors.New("it is packed in a way that this program does not know")
	}
}

// DecodeContent adds an encoded content to its job's head.
func DecodeContent(data []byte, job *farm.Job) error {
	if len(data) == 0 {
		return nil
	}
	text, err := ContentText(data)
	if err != nil {
		return err
	}
	var content jobContent
	if err := Decode(text, &content); err != nil {
		return err
	}
	job.Fonts, job.Assets, job.Upload, job.Webhook = content.Fonts, content.Assets, content.Upload, content.Webhook
	return nil
}
