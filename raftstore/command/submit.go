package command

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"overcrank/farm"
	"overcrank/raftstore/record"
)

// Version 2 of SubmitJobs is, each with its length before it as an unsigned varint: the envelope as JSON, with the heads of
// the jobs; then the content of each job, in their order, as it will lie in the state. Applying it does not look into the
// contents. Version 1 is JSON with whole jobs.

// SubmitJobs adds jobs with their tasks; all or none. How it lies in the log says the head of this file.
type SubmitJobs struct {
	Jobs  []farm.Job
	Tasks []farm.Task
	// Batch is the record of the batch that the jobs make, nil for jobs of no batch.
	Batch *farm.Batch `json:",omitempty"`
	// Parts is how many earlier SubmitPart commands hold jobs of the batch, which stand before Jobs.
	Parts int `json:",omitempty"`

	stored []record.Content // of each job, when the command comes from the log; Jobs has the heads alone then
}

// Needs is higher when a job says which secrets its machines get, what it is a take of, which project it is for, which version of its template it asks for or with which frame it begins, or a batch has a
// label or gets new takes of its rows, which older programs would lose.
func (c SubmitJobs) Needs() int {
	level := ClusterLevel
	if c.Batch != nil && c.Batch.BatchLabel != (farm.BatchLabel{}) {
		level = BatchLabelsLevel
	}
	if c.Batch != nil && c.Batch.Into != "" {
		level = max(level, TakesLevel)
	}
	for i := range c.Jobs {
		if len(c.Jobs[i].UsesSecrets) > 0 {
			level = max(level, SecretTagsLevel)
		}
		if c.Jobs[i].TakeOf != "" {
			level = max(level, ReviewsLevel)
		}
		if c.Jobs[i].FirstFrame != 0 {
			level = max(level, RenderAgainLevel)
		}
		if c.Jobs[i].Template.Version != 0 {
			level = max(level, VersionsLevel)
		}
		if c.Jobs[i].ProjectID != "" {
			level = max(level, ProjectsLevel)
		}
		if settings := c.Jobs[i].Settings; settings.MissingFootage != "" || settings.DrawAll {
			level = max(level, MissingFootageLevel)
		}
	}
	return level
}

// Contents gives the content of each job.
func (c SubmitJobs) Contents(pack *record.Packers) ([]record.Content, *farm.Error) {
	if c.stored != nil {
		return c.stored, nil
	}
	contents, refused := make([]record.Content, len(c.Jobs)), make([]*farm.Error, len(c.Jobs))
	record.Spread(len(c.Jobs), record.FewJobs, func(i int) {
		var err error
		if contents[i], err = pack.ContentOf(&c.Jobs[i]); err != nil {
			refused[i] = farm.Errorf(farm.CodeInvalid, "the content of job %s cannot be stored: %w", c.Jobs[i].ID, err)
		}
	})
	if i := slices.IndexFunc(refused, func(err *farm.Error) bool { return err != nil }); i >= 0 {
		return nil, refused[i]
	}
	return contents, nil
}

// appendTo writes version 2 behind what out holds.
func (c SubmitJobs) appendTo(out []byte, pack *record.Packers) ([]byte, error) {
	contents, refusal := c.Contents(pack)
	if refusal != nil {
		return nil, refusal
	}
	var files [][]string
	size := 0
	for i := range contents {
		size += record.SubmissionRoom + binary.MaxVarintLen32 + len(contents[i].Data)
		if len(contents[i].Files) > 0 && files == nil {
			files = make([][]string, len(c.Jobs))
		}
	}
	for i := range files {
		files[i] = contents[i].Files
	}
	from := len(out)
	heads := record.Submission{Jobs: c.Jobs, Tasks: c.Tasks, Batch: c.Batch, Parts: c.Parts, Files: files}
	out, err := heads.AppendTo(slices.Grow(out, size))
	if err != nil {
		return nil, err
	}
	out = slices.Insert(out, from, binary.AppendUvarint(nil, uint64(len(out)-from))...)
	for _, content := range contents {
		out = appendPart(out, content.Data)
	}
	return out, nil
}

// ReadSubmission reads version 2. What it gives keeps parts of body.
func ReadSubmission(body []byte) (c SubmitJobs, err error) {
	text, rest, err := cutPart(body)
	if err != nil {
		return c, damagedSubmission(err)
	}
	jobs, err := countParts(rest)
	if err != nil {
		return c, damagedSubmission(err)
	}
	heads := record.Submission{Jobs: make([]farm.Job, 0, jobs), Tasks: make([]farm.Task, 0, jobs)} // most have one task
	if err := record.Decode(text, &heads); err != nil {
		return c, fmt.Errorf("read command %T: %w", c, err)
	}
	if heads.Files != nil && len(heads.Files) != len(heads.Jobs) {
		return c, errors.New("a submission of jobs is damaged: it lists files for other jobs")
	}
	submission := SubmitJobs{Jobs: heads.Jobs, Tasks: heads.Tasks, Batch: heads.Batch, Parts: heads.Parts, stored: make([]record.Content, len(heads.Jobs))}
	for i := range submission.stored {
		if submission.stored[i].Data, rest, err = cutPart(rest); err != nil {
			return c, damagedSubmission(err)
		}
		if heads.Files != nil {
			submission.stored[i].Files = heads.Files[i]
		}
	}
	if len(rest) > 0 {
		return c, errors.New("a submission of jobs is damaged: something follows its end")
	}
	return submission, nil
}

// countParts is how many parts with their lengths before them data is made of.
func countParts(data []byte) (n int, err error) {
	for ; len(data) > 0; n++ {
		if _, data, err = cutPart(data); err != nil {
			return n, err
		}
	}
	return n, nil
}

func damagedSubmission(err error) error {
	return fmt.Errorf("a submission of jobs is damaged: %w", err)
}
