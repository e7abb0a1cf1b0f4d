package tables

import (
	"cmp"
	"math"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func noTeam(id string) *farm.Error {
	return farm.Errorf(farm.CodeNotFound, "team %q does not exist", id)
}

func (t *tables) putTeam(c command.PutTeam) command.Result {
	if err := checkID("team", c.Team.ID); err != nil {
		return refuse(err)
	}
	if !t.has(bucketMeta, metaFirstTeam) {
		t.set(bucketMeta, metaFirstTeam, []byte(cmp.Or(t.firstTeam(), c.Team.ID)))
	}
	put(t, bucketTeams, c.Team.ID, t.trialTeam(c.Team))
	return command.Result{}
}

// firstTeam is the team that was made first, "" while there is none. A state of release 0.1.0, which made no second team,
// does not name it.
func (t *tables) firstTeam() string {
	if id := t.lookup(bucketMeta, metaFirstTeam); id != "" {
		return id
	}
	id, _ := t.cursor(bucketTeams).First()
	return string(id)
}

func (t *tables) renameTeam(c command.RenameTeam) command.Result {
	team, ok := get[farm.Team](t, bucketTeams, c.ID)
	if !ok {
		return refuse(noTeam(c.ID))
	}
	team.Name = c.Name
	put(t, bucketTeams, team.ID, team)
	return command.Result{}
}

// endTeam leaves nothing behind that could be used or that keeps a file; jobs that have ended go when their time is over.
func (t *tables) endTeam(c command.EndTeam) command.Result {
	switch {
	case !t.has(bucketTeams, c.ID):
		return refuse(noTeam(c.ID))
	case c.ID == t.firstTeam():
		return refusef(farm.CodeConflict, "the farm's first team cannot be ended: its administrators look after the farm")
	}
	for _, status := range farm.JobStatuses() {
		if n := t.count(t.countOfJobs(c.ID, status)); n > 0 && !status.Ended() {
			return refusef(farm.CodeConflict, "%d jobs of the team are %s; cancel them or wait for their end", n, status)
		}
	}
	for _, token := range all[farm.Token](t, bucketTokens) {
		if token.Team == c.ID {
			t.dropToken(token)
		}
	}
	for _, id := range t.keysUnder(bucketTemplatesByTeam, c.ID+sep) {
		if template, ok := t.template(id); ok {
			t.dropTemplate(template)
		}
	}
	for _, sha256 := range t.keysUnder(bucketFiles, c.ID+sep) {
		if file, ok := get[farm.StoredFile](t, bucketFiles, fileKey(c.ID, sha256)); ok {
			t.dropFile(file)
		}
	}
	t.dropLibrary(c.ID)
	t.endReviews(c.ID)
	t.dropUsage(c.ID, math.MaxInt64)
	t.dropFailures(c.ID)
	t.dropSums(c.ID)
	t.dropPresets(c.ID)
	t.dropProjects(c.ID)
	t.dropAllUses(c.ID)
	t.remove(bucketTeams, c.ID)
	return command.Result{Policy: t.dropShare(c.ID, c.At)}
}
