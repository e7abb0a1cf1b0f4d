package tables

import (
	"overcrank/farm"
	"overcrank/raftstore/command"
)

func (t *tables) putFile(c command.PutFile) command.Result {
	file := c.File
	if err := checkID("file's content", file.SHA256); err != nil {
		return refuse(err)
	}
	if !t.has(bucketTeams, file.Team) {
		return refusef(farm.CodeNotFound, "team %q does not exist", file.Team)
	}
	if was, ok := get[farm.StoredFile](t, bucketFiles, fileKey(file.Team, file.SHA256)); ok {
		file.CreatedAt = was.CreatedAt
	}
	t.saveFile(file)
	return command.Result{}
}

// expireFiles keeps a file that a job still needs; the first expiry after the job's end takes it.
func (t *tables) expireFiles(c command.ExpireFiles) command.Result {
	until := timeKey(c.At)
	var gone []farm.StoredFile
	cursor := t.cursor(bucketFilesByExpiry)
	for key, _ := cursor.First(); key != nil && string(key[:len(until)]) <= until; key, _ = cursor.Next() {
		file, ok := get[farm.StoredFile](t, bucketFiles, string(key[len(until):]))
		if ok && t.count(countOfJobRefs(file.SHA256)) == 0 {
			gone = append(gone, file)
		}
	}
	for _, file := range gone {
		t.dropFile(file)
	}
	return command.Result{}
}

// checkRefs refuses a job that uses a kept file which its team does not have, or no longer has.
func (t *tables) checkRefs(team string, files []string) *farm.Error {
	for _, sha256 := range files {
		if !t.has(bucketFiles, fileKey(team, sha256)) {
			return farm.Errorf(farm.CodeInvalid, "the file %s does not exist or has expired; upload it again", farm.KeptScheme+sha256)
		}
	}
	return nil
}
