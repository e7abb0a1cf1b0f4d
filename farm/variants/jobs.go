package variants

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
)

// FromJSON reads jobs: an array of them, an object with an array "jobs" and what "project" they are for, or one after the other, as in JSON lines.
// Members of base that a job lacks are added to it.
func FromJSON(r io.Reader, base map[string]any) ([]Variant, error) {
	raw, err := io.ReadAll(io.LimitReader(r, jobsLimit+1))
	if err != nil {
		return nil, fmt.Errorf("read the jobs: %w", err)
	}
	if len(raw) > jobsLimit {
		return nil, fmt.Errorf("the jobs are larger than %d MiB; give them in several files", jobsLimit>>20)
	}
	raw = bytes.TrimPrefix(raw, []byte{0xef, 0xbb, 0xbf})
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var out []Variant
	line := func() int { return 1 + bytes.Count(raw[:start(raw, dec.InputOffset())], []byte("\n")) }
	for {
		at := line()
		var v any
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("line %d is not JSON: %w", at, err)
		}
		jobs, listed, err := jobsIn(v)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", at, err)
		}
		for _, job := range jobs {
			place := Variant{Where: fmt.Sprintf("line %d", at), Number: at, Job: fill(job, base)}
			if listed {
				place.Number = len(out) + 1
				place.Where = fmt.Sprintf("job %d", place.Number)
			}
			out = append(out, place)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the file contains no jobs")
	}
	return out, nil
}

// jobsLimit is the largest file of jobs that is read, in bytes: as much as one batch takes.
const jobsLimit = 100 << 20

// start skips the white space before the next value.
func start(raw []byte, offset int64) int64 {
	for offset < int64(len(raw)) && bytes.IndexByte([]byte(" \t\r\n,"), raw[offset]) >= 0 {
		offset++
	}
	return offset
}

// jobsIn are the jobs that one value holds, and whether it is a list of them.
func jobsIn(v any) (jobs []map[string]any, listed bool, err error) {
	switch v := v.(type) {
	case map[string]any:
		if list, ok := v["jobs"].([]any); ok && v["template"] == nil {
			jobs, listed, err = jobsIn(list)
			for _, job := range jobs { // what the request says of all of them
				if project := v["project"]; project != nil && job["project"] == nil {
					job["project"] = project
				}
			}
			return jobs, listed, err
		}
		return []map[string]any{v}, false, nil
	case []any:
		out := make([]map[string]any, len(v))
		for i, e := range v {
			job, ok := e.(map[string]any)
			if !ok {
				return nil, true, fmt.Errorf("job %d of the list is not an object", i+1)
			}
			out[i] = job
		}
		return out, true, nil
	}
	return nil, false, errors.New("not a job")
}

// fill adds to job what base has and job lacks, within template and settings as well.
func fill(job, base map[string]any) map[string]any {
	for key, value := range clone(base) {
		have, isObject := job[key].(map[string]any)
		want, wantsObject := value.(map[string]any)
		switch {
		case isObject && wantsObject:
			if key == "template" && (have["id"] != nil || have["src"] != nil) {
				continue // another project, whose compositions are its own
			}
			maps.Copy(want, have)
			job[key] = want
		case job[key] == nil:
			job[key] = value
		}
	}
	return job
}
