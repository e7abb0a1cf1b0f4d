// Package tables is the farm's state: the tables that it is kept in, the rules by which commands change them, and what is read of them.
//
// A rule is a function of the tables and a command, and comes to the same on every node and at each replay. So this package imports neither
// Raft nor anything that differs from one machine, or moment, to another; determinism_test.go holds it to that. Rows are those of package
// layered, and it is package raftstore that keeps their file, brings the log, and answers whoever asked.
package tables

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/layered"
	"overcrank/raftstore/record"
)

// The buckets of the state file. Records are JSON under their id; an index holds keys only, or the id it leads to.
var (
	bucketMeta = []byte("meta")

	bucketTeams        = []byte("teams")
	bucketTokens       = []byte("tokens")
	bucketTokensByHash = []byte("tokens by hash")

	bucketTemplates       = []byte("templates")
	bucketTemplatesByTeam = []byte("templates by team") // team, id
	bucketUnread          = []byte("templates unread")  // id

	bucketJobs                 = []byte("jobs")                     // their heads
	bucketContents             = []byte("job contents")             // see package record
	bucketJobsByTime           = []byte("jobs by time")             // team, status, time, id
	bucketJobsByPriority       = []byte("jobs by priority")         // team, status, priority, time, id
	bucketTaggedJobsByTime     = []byte("tagged jobs by time")      // team, tag, status, time, id
	bucketTaggedJobsByPriority = []byte("tagged jobs by priority")  // team, tag, status, priority, time, id
	bucketBlockedByTemplate    = []byte("jobs blocked by template") // template, id; jobs with tasks that are blocked

	bucketBatches       = []byte("batches")
	bucketBatchesByTeam = []byte("batches by team") // team, id
	bucketBatchParts    = []byte("batch parts")     // batch, number: time and submission, until the batch is whole

	bucketTasks         = []byte("tasks")
	bucketTasksByStatus = []byte("tasks by status") // status, id; only tasks that have not ended
	bucketTimings       = []byte("timings")         // see apply_timing.go
	bucketAttempts      = []byte("attempts")        // task, number; only those that have ended

	bucketFiles         = []byte("files")           // team, content
	bucketFilesByExpiry = []byte("files by expiry") // time, team, content

	bucketRequests       = []byte("requests")         // team, key
	bucketRequestsByTime = []byte("requests by time") // time, team, key
	bucketUsedCodes      = []byte("used codes")       // time until which it would be good, hash

	bucketPasswords = []byte("passwords") // token of the person
	bucketSessions  = []byte("sessions")  // token, id

	bucketSignInRules       = []byte("sign-in rules")       // one record under signInRulesKey
	bucketIdentities        = []byte("identities")          // hash of issuer and subject
	bucketIdentitiesByToken = []byte("identities by token") // token, hash
	bucketPasskeys          = []byte("passkeys")            // token, id
	bucketPasskeysByID      = []byte("passkeys by id")      // id: token

	bucketNoticeSettings = []byte("notice settings") // team, token
	bucketNotices        = []byte("notices")         // token, way: what waits, and how the last message went
	bucketJobWatchers    = []byte("job watchers")    // job, token; only of jobs that have not ended

	bucketFailures        = []byte("open failures")          // team, job; those that still need somebody
	bucketFailuresByCause = []byte("open failures by cause") // team, cause, time, job

	bucketSums          = []byte("daily sums")           // team, day, kind of subject, subject; see apply_report.go
	bucketRates         = []byte("rates")                // one record under ratesKey
	bucketReviewLinks   = []byte("review links")         // job, id
	bucketReviewsByHash = []byte("review links by hash") // only of those that were not revoked
	bucketReviewsByTeam = []byte("review links by team") // team, id: the job
	bucketRemarks       = []byte("review remarks")       // job, id
	bucketTakes         = []byte("takes")                // first job, id: jobs that were submitted again
	bucketTeamLogos     = []byte("team logos")           // team: a PNG
	bucketPresets       = []byte("presets")              // team, name in lower case

	bucketProjects              = []byte("projects")                 // team, id
	bucketProjectsByName        = []byte("projects by name")         // team, name in lower case: the id
	bucketHolding               = []byte("projects that hold")       // team, id; those whose budget holds work
	bucketProjectJobsByTime     = []byte("project jobs by time")     // team, project, status, time, id
	bucketProjectJobsByPriority = []byte("project jobs by priority") // team, project, status, priority, time, id

	bucketBackups     = []byte("backups")              // id
	bucketPersonal    = []byte("personal settings")    // token
	bucketMachineJobs = []byte("machine jobs by time") // team, machine, time, id; see apply_machine_jobs.go
	bucketJobMachines = []byte("machines of jobs")     // job, machine

	bucketAudit         = []byte("audit")          // time, entry and place within it
	bucketAuditByTeam   = []byte("audit by team")  // team, key of the record
	bucketAuditByToken  = []byte("audit by token") // token, key of the record
	bucketAuditByThing  = []byte("audit by thing") // id of the thing, key of the record
	bucketAuditEveryday = []byte("audit everyday") // key of the record; of those that go first when there are too many

	bucketDeliveries    = []byte("deliveries")        // job
	bucketDeliveriesDue = []byte("deliveries by due") // time, job; only those that have not ended
	bucketDuties        = []byte("duties after jobs") // duty, time of the end, job
	bucketWebhookKeys   = []byte("webhook keys")      // team
	bucketFonts         = []byte("fonts")
	bucketFontsByTeam   = []byte("fonts by team") // team, id
	bucketFontsByFile   = []byte("fonts by file") // team, file name in lower case
	bucketFontsByName   = []byte("fonts by name") // team, rank and name, id

	bucketSecrets       = []byte("secrets")
	bucketSecretsByTeam = []byte("secrets by team") // team, id
	bucketSecretsByName = []byte("secrets by name") // team, name

	bucketAgents       = []byte("agents")
	bucketAgentsByHash = []byte("agents by hash")
	bucketAgentsByKey  = []byte("agents by key")

	bucketJoinTokens       = []byte("join tokens")
	bucketJoinTokensByHash = []byte("join tokens by hash")
	bucketHealth           = []byte("machine health") // only of machines that failed lately

	bucketPolicy = []byte("policy") // one record under policyKey

	bucketReleases         = []byte("releases")          // version; without documents
	bucketReleaseDocuments = []byte("release documents") // version
	bucketReleaseNumbers   = []byte("release numbers")   // number
	bucketUpdates          = []byte("updates")           // one record under updatesKey
	bucketMachineUpdates   = []byte("machine updates")   // agent
	bucketDownloads        = []byte("downloads")         // hash of the file
	bucketRemovedDownloads = []byte("removed downloads") // hash of the file

	bucketCoordinators    = []byte("coordinators")
	bucketNodeInvitations = []byte("node invitations")
	bucketGossip          = []byte("gossip keys") // one record under gossipRingKey

	bucketCounts = []byte("counts") // see counters.go

	bucketIncoming = []byte("incoming state") // parts of the state that is to take this one's place, see apply_putback.go
)

func buckets() [][]byte {
	return [][]byte{
		bucketMeta, bucketTeams, bucketTokens, bucketTokensByHash, bucketTemplates, bucketTemplatesByTeam, bucketUnread,
		bucketJobs, bucketContents, bucketJobsByTime, bucketJobsByPriority, bucketTaggedJobsByTime, bucketTaggedJobsByPriority,
		bucketBlockedByTemplate, bucketTasks, bucketTasksByStatus, bucketTimings, bucketFiles, bucketFilesByExpiry, bucketAgents, bucketAgentsByHash, bucketCounts,
		bucketRequests, bucketRequestsByTime, bucketDeliveries, bucketDeliveriesDue, bucketWebhookKeys, bucketDuties,
		bucketFonts, bucketFontsByTeam, bucketFontsByFile, bucketFontsByName, bucketSecrets, bucketSecretsByTeam, bucketSecretsByName,
		bucketBatches, bucketBatchesByTeam, bucketBatchParts, bucketAgentsByKey, bucketJoinTokens, bucketJoinTokensByHash,
		bucketAttempts, bucketHealth, bucketPolicy, bucketCoordinators, bucketNodeInvitations, bucketUsedCodes, bucketGossip,
		bucketIncoming, bucketReleases, bucketReleaseDocuments, bucketReleaseNumbers, bucketUpdates, bucketMachineUpdates,
		bucketAudit, bucketAuditByTeam, bucketAuditByToken, bucketAuditByThing, bucketAuditEveryday,
		bucketDownloads, bucketPasswords, bucketSessions, bucketNoticeSettings, bucketNotices, bucketJobWatchers,
		bucketFailures, bucketFailuresByCause, bucketSums, bucketRates,
		bucketSignInRules, bucketIdentities, bucketIdentitiesByToken, bucketPasskeys, bucketPasskeysByID,
		bucketRemovedDownloads,
		bucketReviewLinks, bucketReviewsByHash, bucketReviewsByTeam, bucketRemarks, bucketTakes, bucketTeamLogos, bucketPresets,
		bucketProjects, bucketProjectsByName, bucketHolding, bucketProjectJobsByTime, bucketProjectJobsByPriority,
		bucketMachineJobs, bucketJobMachines, bucketPersonal, bucketBackups,
	}
}

// CreateBuckets makes the buckets of the state that a file lacks.
func CreateBuckets(tx *bbolt.Tx) error {
	for _, name := range buckets() {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	return nil
}

// Layout says how the state lies in its file.
func Layout() layered.Options {
	return layered.Options{Buckets: buckets(), Often: bucketsReadOften(), Fill: Fill, Stamp: layered.Stamp{Bucket: bucketMeta, Key: metaApplied}}
}

// bucketsReadOften are those that nearly every request reads and few change: who calls, with which template.
func bucketsReadOften() [][]byte {
	return [][]byte{
		bucketMeta, bucketTeams, bucketTokens, bucketTokensByHash, bucketTemplates, bucketPolicy, bucketRates, bucketAgents, bucketAgentsByKey, bucketSecretsByName,
		bucketProjects, bucketHealth,
	}
}

// Keys of bucketMeta. They change in the same transaction as the records.
const (
	metaApplied       = "applied"       // index of the last entry applied, 8 bytes
	metaTerm          = "term"          // its term, 8 bytes
	metaFingerprint   = "fingerprint"   // see row_hash.go, 32 bytes
	metaConfiguration = "configuration" // of the Raft cluster, as Raft encodes it
	metaFirstTeam     = "first team"    // id of the team that was made first
	metaFormat        = "format"        // see first_format.go, 8 bytes
)

// Fill is how full pages become where keys are added behind the last one, as ids and times are that grow. What is left
// lets records grow a little in place.
const Fill = 0.9

// tables are the records of the state within one reading or change of it. The first storage error is kept in err and makes
// the whole of it worthless: nothing that was read after it may be believed, nothing written comes into force.
type tables struct {
	rows    *layered.Rows
	change  *layered.Change // nil where the state is only read
	err     error
	changed []command.Changed     // by the command under way
	noticed []command.NoticeQueue // that the command under way put something into
	counts  map[string]int        // counters that were looked at for a change, as they are now; see counters.go
	sums    map[string]*farm.Sum  // of days, that were changed, as they are now; see apply_report.go
	latest  sumsDay               // whose sums were asked for last
	asker   string                // name of who asks for the command under way, "" for the farm itself
	budgets bool                  // the command under way changed what budgets hold; see apply_project.go
	print   *rowPrint             // of the entry under way; nil where rows are written that are of no entry
	entry   uint64                // index of the entry under way
	// inForce is the farm's level, 0 until it is asked for.
	inForce int
	wrong   func(bucket, key string, value []byte) []byte // see Config.WrongRule
	keys    map[string]string                             // that key has made
	room    []byte                                        // in which key makes one

	// See breach.go.
	at        breachAt             // what is being carried out
	breaches  map[breachAt]*breach // what is known to break the state, and is refused
	breach    *breach              // of what is being carried out
	corrected []error              // by the command under way
}

// changing are the tables within a change.
func changing(change *layered.Change) *tables {
	return &tables{rows: change.Rows, change: change}
}

// value reads what lies under a key, nil for nothing.
func (t *tables) value(bucket []byte, key string) []byte { return t.rows.Get(bucket, key) }

// cursor goes through a bucket in the order of its keys. Nothing may be written while it is used.
func (t *tables) cursor(bucket []byte) *layered.Cursor { return t.rows.Cursor(bucket) }

// key is a key of these parts. Those of counters and sums are asked for again and again within a change, so each is made once.
func (t *tables) key(parts ...string) string {
	if t.change == nil {
		return strings.Join(parts, "") // which is asked for once in a reading, mostly
	}
	room := t.room[:0]
	for _, part := range parts {
		room = append(room, part...)
	}
	t.room = room
	if known, is := t.keys[string(room)]; is {
		return known
	}
	if t.keys == nil {
		t.keys = make(map[string]string)
	}
	key := string(room)
	t.keys[key] = key
	return key
}

func (t *tables) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// get reads one record.
func get[R any](t *tables, bucket []byte, key string) (read R, found bool) {
	value := t.value(bucket, key)
	if value == nil {
		return read, false
	}
	if err := record.Decode(value, &read); err != nil {
		t.fail(fmt.Errorf("state is damaged: %s %q: %w", bucket, key, err))
		return read, false
	}
	return read, true
}

// often is get for a record that nearly every request reads, such as who calls and with which template. What it gives is shared: nobody
// may change what it points to.
func often[R any](t *tables, bucket []byte, key string) (read R, found bool) {
	shared, err := t.rows.Decoded(bucket, key, func(value []byte) (any, error) {
		decoded := new(R)
		return decoded, record.Decode(value, decoded)
	})
	if err != nil {
		t.fail(fmt.Errorf("state is damaged: %s %q: %w", bucket, key, err))
		return read, false
	}
	if shared == nil {
		return read, false
	}
	return *shared.(*R), true
}

// put writes one record.
func put(t *tables, bucket []byte, key string, written any) {
	value, err := record.Encode(written)
	t.setEncoded(bucket, key, value, err)
}

// setEncoded writes a record that was encoded; err is that of encoding it.
func (t *tables) setEncoded(bucket []byte, key string, value []byte, err error) {
	if err != nil {
		t.breaks(fmt.Errorf("write %s %q: %w", bucket, key, err))
		return
	}
	t.set(bucket, key, value)
}

// set writes one key; an index entry without a value is written as empty, which reads back as found. The value is kept: nobody
// may change it any more.
func (t *tables) set(bucket []byte, key string, value []byte) { t.setFor(bucket, key, value, value) }

// setFor is set for a row whose bytes may differ from one release to the next though they say the same, as those of a compressor
// do: the fingerprint takes what they say.
func (t *tables) setFor(bucket []byte, key string, value, says []byte) {
	if t.wrong != nil {
		value = t.wrong(string(bucket), key, value)
		says = value
	}
	if t.print != nil {
		t.print.put(bucket, key, says)
	}
	if err := t.change.Put(bucket, key, value); err != nil {
		t.unwritable(fmt.Errorf("write %s %.100q: %w", bucket, key, err))
	}
}

func (t *tables) remove(bucket []byte, key string) {
	if t.print != nil {
		t.print.deleted(bucket, key)
	}
	if err := t.change.Delete(bucket, key); err != nil {
		t.unwritable(fmt.Errorf("delete %s %.100q: %w", bucket, key, err))
	}
}

func (t *tables) has(bucket []byte, key string) bool {
	return t.value(bucket, key) != nil
}

// lookup reads the id that an index leads to, "" for none.
func (t *tables) lookup(bucket []byte, key string) string {
	return string(t.value(bucket, key))
}

// anyUnder says whether any key of a bucket begins with prefix.
func (t *tables) anyUnder(bucket []byte, prefix string) (is bool) {
	t.rows.Under(bucket, prefix, func([]byte) bool {
		is = true
		return false
	})
	return is
}

// keysUnder gives what follows prefix in each key of the bucket that begins with it, in order.
func (t *tables) keysUnder(bucket []byte, prefix string) []string {
	var list []string
	t.rows.Under(bucket, prefix, func(rest []byte) bool {
		list = append(list, string(rest))
		return true
	})
	return list
}

// all reads every record of a bucket in the order of its keys.
func all[R any](t *tables, bucket []byte) []R {
	var records []R
	cursor := t.cursor(bucket)
	for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
		var read R
		if err := record.Decode(value, &read); err != nil {
			t.fail(fmt.Errorf("state is damaged: %s %q: %w", bucket, key, err))
			return nil
		}
		records = append(records, read)
	}
	return records
}

// Parts of keys end with a byte that no id holds (see checkID).
const sep = "\x00"

const timeKeySize = 8

// padded is a number in so many digits, for keys that sort as the numbers do.
func padded(n int64, digits int) string {
	if n < 0 {
		return fmt.Sprintf("%0*d", digits, n)
	}
	var room [20]byte
	return string(appendPadded(room[:0], n, digits))
}

// appendPadded appends what padded gives for a number that is not negative.
func appendPadded(key []byte, n int64, digits int) []byte {
	var room [20]byte
	number := strconv.AppendInt(room[:0], n, 10)
	for range digits - len(number) {
		key = append(key, '0')
	}
	return append(key, number...)
}

// timeKey is timeKeySize bytes that sort as the times do.
func timeKey(at time.Time) string {
	var room [timeKeySize]byte
	return string(appendTimeKey(room[:0], at))
}

func appendTimeKey(key []byte, at time.Time) []byte {
	return binary.BigEndian.AppendUint64(key, uint64(farm.UnixNano(at))^1<<63)
}

// keyAt is the key of something at a time, behind a prefix.
func keyAt(prefix string, at time.Time, id string) string {
	var room [256]byte
	return string(append(appendTimeKey(append(room[:0], prefix...), at), id...))
}

// priorityKey is 4 bytes that sort from the largest priority to the smallest.
func priorityKey(priority int) string {
	var room [4]byte
	return string(appendPriorityKey(room[:0], priority))
}

func appendPriorityKey(key []byte, priority int) []byte {
	return binary.BigEndian.AppendUint32(key, ^(uint32(int32(priority)) ^ 1<<31))
}

// checkID refuses ids that could not stand in a key.
func checkID(what, id string) *farm.Error {
	if id == "" || len(id) > 200 {
		return farm.Errorf(farm.CodeInvalid, "the id of the %s must have 1 to 200 characters, not %d", what, len(id))
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return farm.Errorf(farm.CodeInvalid, "the id %q of the %s holds a character that ids do not have", id, what)
		}
	}
	return nil
}

// note remembers what the command under way has changed; a record that changes twice is told once.
func (t *tables) note(kind farm.EventKind, team, id string) {
	changed := command.Changed{Kind: kind, Team: team, ID: id}
	for _, known := range t.changed {
		if known == changed {
			return
		}
	}
	t.changed = append(t.changed, changed)
}

// noted gives what the command that has ended changed.
func (t *tables) noted() []command.Changed {
	changed := t.changed
	t.changed = nil
	return changed
}
