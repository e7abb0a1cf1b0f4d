package tables

import (
	"bytes"
	"encoding/binary"

	"go.etcd.io/bbolt"

	"overcrank/farm"
	"overcrank/raftstore/layered"
)

// Tx is one consistent reading of the state. Methods that find nothing return a *farm.Error of CodeNotFound.
type Tx struct{ t *tables }

// Read reads rows.
func Read(rows *layered.Rows) *Tx {
	reading := new(struct { // made together: most readings are short
		tx     Tx
		tables tables
	})
	reading.tables.rows = rows
	reading.tx.t = &reading.tables
	return &reading.tx
}

// ReadFile reads a state file that is not in use.
func ReadFile(tx *bbolt.Tx) *Tx { return Read(layered.Of(tx, buckets())) }

// Err is why nothing that was read may be believed, nil when all may be.
func (tx *Tx) Err() error { return tx.t.err }

// Index is the index of the last log entry that this reading has, 0 for none.
func (tx *Tx) Index() uint64 { return lastApplied(tx.t.rows) }

// Fingerprint is the hash over all rows that the entries up to Index have written, as raw bytes; see row_hash.go.
func (tx *Tx) Fingerprint() []byte { return bytes.Clone(tx.t.value(bucketMeta, metaFingerprint)) }

// lastApplied is the index of the last entry that the state holds, 0 for none.
func lastApplied(rows *layered.Rows) uint64 {
	value := rows.Get(bucketMeta, metaApplied)
	if len(value) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(value)
}

// found turns what get gives into what readers get. A storage error goes before a thing not found.
func found[R any](tx *Tx, record R, ok bool, what, id string) (R, error) {
	if tx.t.err != nil {
		return record, tx.t.err
	}
	if !ok {
		return record, farm.Errorf(farm.CodeNotFound, "%s %q does not exist", what, id)
	}
	return record, nil
}

// byID reads one record.
func byID[R any](tx *Tx, bucket []byte, what, id string) (R, error) {
	record, ok := get[R](tx.t, bucket, id)
	return found(tx, record, ok, what, id)
}

// bySecret is found for a record that the hash of a secret led to. The hash is not repeated in the error.
func bySecret[R any](tx *Tx, record R, ok bool, what string) (R, error) {
	if tx.t.err == nil && !ok {
		return record, farm.Errorf(farm.CodeNotFound, "no %s has this secret", what)
	}
	return record, tx.t.err
}

// Team reads one team.
func (tx *Tx) Team(id string) (farm.Team, error) {
	team, ok := often[farm.Team](tx.t, bucketTeams, id)
	return found(tx, team, ok, "team", id)
}

// Teams reads all teams, by id.
func (tx *Tx) Teams() ([]farm.Team, error) { return all[farm.Team](tx.t, bucketTeams), tx.t.err }

// FirstTeam is the id of the team that was made first, "" while there is none.
func (tx *Tx) FirstTeam() (string, error) { return tx.t.firstTeam(), tx.t.err }

// Token reads one token, also one that has expired.
func (tx *Tx) Token(id string) (farm.Token, error) {
	token, ok := often[farm.Token](tx.t, bucketTokens, id)
	return found(tx, token, ok, "token", id)
}

// TokenByHash reads the token whose secret has this hash, also one that has expired.
func (tx *Tx) TokenByHash(hash string) (farm.Token, error) {
	token, ok := often[farm.Token](tx.t, bucketTokens, tx.t.lookup(bucketTokensByHash, hash))
	return bySecret(tx, token, ok, "token")
}

// Tokens reads all tokens of a team, by id.
func (tx *Tx) Tokens(team string) ([]farm.Token, error) {
	var tokens []farm.Token
	for _, token := range all[farm.Token](tx.t, bucketTokens) {
		if token.Team == team {
			tokens = append(tokens, token)
		}
	}
	return tokens, tx.t.err
}

// Template reads one template with the number of its active jobs.
func (tx *Tx) Template(id string) (farm.Template, error) {
	template, ok := tx.t.template(id)
	return found(tx, template, ok, "template", id)
}

// Templates reads all templates of a team, by id.
func (tx *Tx) Templates(team string) ([]farm.Template, error) {
	return tx.templates(tx.t.keysUnder(bucketTemplatesByTeam, team+sep))
}

// UnreadTemplates reads the templates of all teams whose file is being downloaded or read.
func (tx *Tx) UnreadTemplates() ([]farm.Template, error) {
	return tx.templates(tx.t.keysUnder(bucketUnread, ""))
}

func (tx *Tx) templates(ids []string) ([]farm.Template, error) {
	templates := make([]farm.Template, 0, len(ids))
	for _, id := range ids {
		template, err := tx.Template(id)
		if err != nil {
			return nil, err
		}
		templates = append(templates, template)
	}
	return templates, nil
}

// Task reads one task.
func (tx *Tx) Task(id string) (farm.Task, error) { return byID[farm.Task](tx, bucketTasks, "task", id) }

// TasksOf reads the tasks of a job in the order of their numbers.
func (tx *Tx) TasksOf(job string) ([]farm.Task, error) { return tx.t.tasksOf(job), tx.t.err }

// Attempts reads the attempts of a task that have ended, in their order: the latest maxAttemptRecords of them.
func (tx *Tx) Attempts(task string) ([]farm.AttemptRecord, error) {
	return tx.t.attempts(task), tx.t.err
}

// Attempt reads one attempt of a task that has ended; known says whether it is remembered.
func (tx *Tx) Attempt(task string, number int) (record farm.AttemptRecord, known bool, err error) {
	record, known = get[farm.AttemptRecord](tx.t, bucketAttempts, attemptKey(task, number))
	return record, known, tx.t.err
}

// Policy reads how the farm shares its machines, zero while nobody set that.
func (tx *Tx) Policy() (farm.Policy, error) { return tx.t.policy(), tx.t.err }

// TasksIn reads the tasks of all teams in one state, by id, which for ids that are ULIDs is the order of submission: at most
// limit of those behind the id after. Only states that are not an end can be asked for; tasks that have ended are found
// through their job.
func (tx *Tx) TasksIn(status farm.TaskStatus, after string, limit int) ([]farm.Task, error) {
	if !status.Known() || status.Ended() {
		return nil, farm.Errorf(farm.CodeInvalid, "tasks cannot be listed by the state %q", status)
	}
	var tasks []farm.Task
	prefix := []byte(string(status) + sep)
	cursor := tx.t.cursor(bucketTasksByStatus)
	for key, _ := cursor.Seek([]byte(string(prefix) + after)); len(tasks) < limit; key, _ = cursor.Next() {
		id, ok := bytes.CutPrefix(key, prefix)
		if !ok || key == nil {
			break
		}
		if string(id) == after {
			continue
		}
		task, err := tx.Task(string(id))
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, task)
	}
	return tasks, nil
}

// UrgentTasks reads ready tasks of a team whose jobs come first: of jobs that render, then of those that wait, each by priority and then by
// age; at most limit, and it looks at no more than a few times as many jobs.
func (tx *Tx) UrgentTasks(team string, limit int) ([]farm.Task, error) {
	var tasks []farm.Task
	jobs := tx.t.cursor(bucketJobsByPriority)
	for _, status := range []farm.JobStatus{farm.JobRendering, farm.JobQueued} {
		prefix, looks := []byte(statusPrefix(team, status)), 4*limit
		for key, _ := jobs.Seek(prefix); bytes.HasPrefix(key, prefix) && looks > 0; key, _ = jobs.Next() {
			looks--
			place := key[len(prefix):]
			if ahead := len(priorityKey(0)) + timeKeySize; len(place) > ahead {
				for _, task := range tx.t.tasksOf(string(place[ahead:])) {
					if task.Status == farm.TaskReady {
						tasks = append(tasks, task)
					}
				}
			}
			if len(tasks) >= limit {
				return tasks[:limit], tx.t.err
			}
		}
	}
	return tasks, tx.t.err
}

// File reads a team's stored file, also one whose expiry has passed while it was not yet forgotten.
func (tx *Tx) File(team, sha256 string) (farm.StoredFile, error) {
	file, ok := get[farm.StoredFile](tx.t, bucketFiles, fileKey(team, sha256))
	return found(tx, file, ok, "file", sha256)
}

// FileReferenced says whether the content is used by any template, font, release, download, stored file or job that has not ended.
func (tx *Tx) FileReferenced(sha256 string) (bool, error) {
	used := tx.t.count(countOfTemplateRefs(sha256)) + tx.t.count(countOfStoredCopies(sha256)) + tx.t.count(countOfJobRefs(sha256)) +
		tx.t.count(countOfFontCopies(sha256)) + tx.t.count(countOfReleaseFiles(sha256)) + tx.t.count(countOfDownloads(sha256))
	return used > 0, tx.t.err
}

// Agent reads one agent.
func (tx *Tx) Agent(id string) (farm.Agent, error) {
	agent, ok := tx.t.agent(id)
	return found(tx, agent, ok, "machine", id)
}

// AgentBySecretHash reads the agent whose credential has this hash.
func (tx *Tx) AgentBySecretHash(hash string) (farm.Agent, error) {
	agent, ok := tx.t.agent(tx.t.lookup(bucketAgentsByHash, hash))
	return bySecret(tx, agent, ok, "machine")
}

// AgentIDByKey is the id of the agent that has a key with this SHA-256, "" when none has.
func (tx *Tx) AgentIDByKey(sha256 string) (string, error) {
	return tx.t.lookup(bucketAgentsByKey, sha256), tx.t.err
}

// AgentByKey reads the agent that has a key with this SHA-256, without its inventory: it is asked for with every request of an
// agent, and inventories are large.
func (tx *Tx) AgentByKey(sha256 string) (farm.Agent, error) {
	record, ok := get[agentHead](tx.t, bucketAgents, tx.t.lookup(bucketAgentsByKey, sha256))
	return found(tx, record.Agent, ok, "machine with the key", sha256)
}

// agentHead reads a machine's record as far as it is not about what the machine has.
type agentHead struct {
	farm.Agent
	Inventory struct{} `json:"inventory"`
}

// JoinTokens reads all invitations, by id.
func (tx *Tx) JoinTokens() ([]farm.JoinToken, error) {
	return all[farm.JoinToken](tx.t, bucketJoinTokens), tx.t.err
}

// JoinToken reads one invitation.
func (tx *Tx) JoinToken(id string) (farm.JoinToken, error) {
	return byID[farm.JoinToken](tx, bucketJoinTokens, "invitation", id)
}

// JoinTokenByHash reads the invitation whose secret has this hash.
func (tx *Tx) JoinTokenByHash(hash string) (farm.JoinToken, error) {
	token, ok := get[farm.JoinToken](tx.t, bucketJoinTokens, tx.t.lookup(bucketJoinTokensByHash, hash))
	return bySecret(tx, token, ok, "invitation")
}

// AgentsAfter reads agents by id, at most limit of those behind the id after.
func (tx *Tx) AgentsAfter(after string, limit int) ([]farm.Agent, error) {
	var agents []farm.Agent
	for _, id := range tx.t.keysUnder(bucketAgents, "") {
		if id <= after {
			continue
		}
		if len(agents) == limit {
			break
		}
		if agent, ok := tx.t.agent(id); ok {
			agents = append(agents, agent)
		}
	}
	return agents, tx.t.err
}

// CountAgents is how many agents there are.
func (tx *Tx) CountAgents() (int, error) { return len(tx.t.keysUnder(bucketAgents, "")), tx.t.err }

// Agents reads all agents, by id.
func (tx *Tx) Agents() ([]farm.Agent, error) {
	agents := all[farm.Agent](tx.t, bucketAgents)
	for i := range agents {
		agents[i].SetAside = tx.t.health(agents[i].ID).SetAside
	}
	return agents, tx.t.err
}
