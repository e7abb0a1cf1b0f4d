package tables

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"overcrank/farm"
	"overcrank/raftstore/layered"
)

// The counters of bucketCounts, each 8 bytes under one of these keys; a counter that falls to nothing is removed.
func (t *tables) countOfJobs(team string, status farm.JobStatus) string {
	return t.key("jobs", sep, team, sep, string(status))
}
func (t *tables) countOfBatch(batch string, status farm.JobStatus) string {
	return t.key("jobs of batches", sep, batch, sep, string(status))
}
func countOfProjectJobs(team, project string, status farm.JobStatus) string {
	return "jobs of projects" + sep + team + sep + project + sep + string(status)
}
func (t *tables) countOfActive(template string) string {
	return t.key("active", sep, template)
}
func countOfJobRefs(sha256 string) string      { return "refs of jobs" + sep + sha256 }
func countOfTemplateRefs(sha256 string) string { return "refs of templates" + sep + sha256 }
func countOfFontCopies(sha256 string) string   { return "refs of fonts" + sep + sha256 }
func countOfReleaseFiles(sha256 string) string { return "refs of releases" + sep + sha256 }
func countOfDownloads(sha256 string) string    { return "refs of downloads" + sep + sha256 }
func countOfFontJobs(font string) string       { return "jobs of font" + sep + font }
func countOfTimings(sha256 string) string      { return "timings" + sep + sha256 }

// The machine time of teams is counted in apply_usage.go.
func countOfStoredCopies(sha256 string) string { return "refs of files" + sep + sha256 }

// count reads a counter.
func (t *tables) count(key string) int {
	if n, changed := t.counts[key]; changed {
		return n
	}
	value := t.value(bucketCounts, key)
	if len(value) != 8 {
		return 0
	}
	return int(binary.BigEndian.Uint64(value))
}

// add moves a counter by delta; flushCounts writes it.
func (t *tables) add(key string, delta int) {
	if len(key) > layered.MaxKey {
		t.breaks(fmt.Errorf("counter %.100q: %w", key, layered.ErrUnstorable))
		return
	}
	n := t.count(key) + delta
	if n < 0 {
		t.setRight("counter %q fell to %d and was set to nothing", key, n)
		n = 0
	}
	if t.counts == nil {
		t.counts = make(map[string]int)
	}
	t.counts[key] = n
	if t.print != nil {
		t.print.counted(key, n)
	}
}

// counters are the keys of the counters under a prefix, without it, in order: those too that changed in this transaction and are not written yet. What
// is found does not depend on which entries of the log came in one transaction.
func (t *tables) counters(prefix string) []string {
	found := slices.DeleteFunc(t.keysUnder(bucketCounts, prefix), func(rest string) bool {
		_, changed := t.counts[prefix+rest]
		return changed
	})
	for _, key := range slices.Sorted(maps.Keys(t.counts)) {
		if rest, ok := strings.CutPrefix(key, prefix); ok && t.counts[key] > 0 {
			found = append(found, rest)
		}
	}
	slices.Sort(found)
	return found
}

// flushCounts writes the counters that changed, once per transaction: jobs that come together move the same ones.
func (t *tables) flushCounts() {
	for _, key := range slices.Sorted(maps.Keys(t.counts)) {
		if n := t.counts[key]; n > 0 {
			t.set(bucketCounts, key, binary.BigEndian.AppendUint64(nil, uint64(n)))
		} else {
			t.remove(bucketCounts, key)
		}
	}
	t.counts = nil
}

// refsOfTemplate are the contents of files that a template keeps.
func refsOfTemplate(template farm.Template) []string {
	var refs []string
	for _, file := range []*farm.FileRef{template.File, template.Introspection} {
		if file != nil {
			refs = append(refs, file.SHA256)
		}
	}
	for _, version := range template.Versions {
		if version.Introspection != nil {
			refs = append(refs, version.Introspection.SHA256)
		}
		if version.Kept {
			refs = append(refs, version.File.SHA256)
		}
	}
	return refs
}
