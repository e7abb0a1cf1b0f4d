package attempt

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"overcrank/farm/redact"
	"overcrank/farm/wire"
)

// journal is what an attempt tells while it works: lines and progress for the job, warnings and measurements for its report, and the
// agent's own log. It conceals secrets and this machine's folders. It is safe for concurrent use.
type journal struct {
	feed    *Feed
	log     *slog.Logger
	secrets *redact.Redactor // conceals their values
	dir     string           // the attempt's folder
	watch   stopwatch

	mu       sync.Mutex
	warnings []string
}

// maxWarnings bounds the warnings of an attempt.
const maxWarnings = 100

// say adds a line of the agent's own to the job's log.
func (j *journal) say(format string, args ...any) {
	j.feed.log("agent: " + fmt.Sprintf(format, args...))
}

// hear adds a line of an engine's to the job's log.
func (j *journal) hear(line string) { j.feed.log(j.withoutFolders(line)) }

// warn adds a warning, which the job shows, once.
func (j *journal) warn(text string) {
	text = wire.CutLine(j.secrets.String(text))
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.warnings) < maxWarnings && !slices.Contains(j.warnings, text) {
		j.warnings = append(j.warnings, text)
	}
}

// warnOf adds an engine's warnings.
func (j *journal) warnOf(warnings []string) {
	for _, w := range warnings {
		j.warn(j.withoutFolders(w))
	}
}

func (j *journal) warned() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.warnings
}

// withoutFolders takes this machine's work folder out of a text.
func (j *journal) withoutFolders(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, j.dir+string(filepath.Separator), ""), j.dir, ".")
}
