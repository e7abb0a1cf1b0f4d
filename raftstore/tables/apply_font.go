package tables

import (
	"slices"
	"strings"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

const (
	maxFontName = 255 // bytes of each of a font's names
	maxFaces    = 256 // of one font file
	// maxMissingFonts is how many missing fonts a job lists.
	maxMissingFonts = 200
)

func noFont(id string) *farm.Error {
	return farm.Errorf(farm.CodeNotFound, "font %q does not exist", id)
}

func fontFileKey(team, fileName string) string { return team + sep + strings.ToLower(fileName) }

// fontNamePrefix begins the keys of a team's fonts that have a name of that rank; the id follows.
func fontNamePrefix(team string, rank int, name string) string {
	return team + sep + string(rune('0'+rank)) + name + sep
}

func (t *tables) putFont(c command.PutFont) command.Result {
	font := c.Font
	if err := checkFont(font); err != nil {
		return refuse(err)
	}
	switch {
	case !t.has(bucketTeams, font.Team):
		return refusef(farm.CodeNotFound, "team %q does not exist", font.Team)
	case t.has(bucketFonts, font.ID):
		return refusef(farm.CodeConflict, "font %s exists already", font.ID)
	case t.has(bucketFontsByFile, fontFileKey(font.Team, font.FileName)):
		return refusef(farm.CodeConflict, "the library has another font file named '%s'; delete that one first, or rename this one", font.FileName)
	}
	put(t, bucketFonts, font.ID, font)
	t.set(bucketFontsByTeam, font.Team+sep+font.ID, nil)
	t.set(bucketFontsByFile, fontFileKey(font.Team, font.FileName), []byte(font.ID))
	for rank, names := range font.Keys() {
		for _, name := range names {
			t.set(bucketFontsByName, fontNamePrefix(font.Team, rank, name)+font.ID, nil)
		}
	}
	t.add(countOfFontCopies(font.File.SHA256), 1)
	return command.Result{}
}

// checkFont refuses a font whose names could not stand in a key or that none could ask for.
func checkFont(font farm.Font) *farm.Error {
	if err := checkID("font", font.ID); err != nil {
		return err
	}
	if err := checkID("font's content", font.File.SHA256); err != nil {
		return err
	}
	if len(font.Faces) == 0 || len(font.Faces) > maxFaces {
		return farm.Errorf(farm.CodeInvalid, "font %s has %d faces; 1 to %d are allowed", font.ID, len(font.Faces), maxFaces)
	}
	names := []string{font.FileName, font.FamilyName, font.CopyOf}
	for _, face := range font.Faces {
		if face.PostScript == "" {
			return farm.Errorf(farm.CodeInvalid, "a face of font %s has no PostScript name", font.ID)
		}
		names = append(names, face.PostScript, face.Family, face.Style)
	}
	for _, name := range names {
		if len(name) > maxFontName || strings.ContainsRune(name, 0) {
			return farm.Errorf(farm.CodeInvalid, "a name of font %s has %d bytes or holds a NUL; %d bytes are allowed", font.ID, len(name), maxFontName)
		}
	}
	if font.FileName == "" || font.FamilyName == "" {
		return farm.Errorf(farm.CodeInvalid, "font %s lacks its file name or its family's name", font.ID)
	}
	return nil
}

func (t *tables) deleteFont(c command.DeleteFont) command.Result {
	font, ok := get[farm.Font](t, bucketFonts, c.ID)
	if !ok || font.Team != c.Team {
		return refuse(noFont(c.ID))
	}
	if used := t.count(countOfFontJobs(font.ID)); used > 0 {
		return refusef(farm.CodeConflict, "font '%s' is needed by jobs that have not ended (%d); cancel them or wait for them", font.FileName, used)
	}
	t.dropFont(font)
	return command.Result{}
}

// dropFont forgets a font.
func (t *tables) dropFont(font farm.Font) {
	t.forgetUses(font.Team, farm.UseFont, font.ID)
	t.remove(bucketFonts, font.ID)
	t.remove(bucketFontsByTeam, font.Team+sep+font.ID)
	t.remove(bucketFontsByFile, fontFileKey(font.Team, font.FileName))
	for rank, names := range font.Keys() {
		for _, name := range names {
			t.remove(bucketFontsByName, fontNamePrefix(font.Team, rank, name)+font.ID)
		}
	}
	t.add(countOfFontCopies(font.File.SHA256), -1)
}

// dropLibrary forgets the fonts and secrets of a team.
func (t *tables) dropLibrary(team string) {
	for _, id := range t.keysUnder(bucketFontsByTeam, team+sep) {
		if font, ok := get[farm.Font](t, bucketFonts, id); ok {
			t.dropFont(font)
		}
	}
	for _, id := range t.keysUnder(bucketSecretsByTeam, team+sep) {
		if secret, ok := get[farm.Secret](t, bucketSecrets, id); ok {
			t.dropSecret(secret)
		}
	}
}

// matchFonts finds, in a team's library, the fonts that are named by their file and those that text uses: their ids, each
// once, and the names of those that it lacks.
func (t *tables) matchFonts(team string, named []string, uses []farm.FontUse) (found, missing []string) {
	add := func(id, name string) {
		switch {
		case id != "" && !slices.Contains(found, id):
			found = append(found, id)
		case id == "" && len(missing) < maxMissingFonts && !slices.Contains(missing, name):
			missing = append(missing, name)
		}
	}
	for _, name := range named {
		add(t.lookup(bucketFontsByFile, fontFileKey(team, name)), name)
	}
	some := len(uses) > 0 && t.anyUnder(bucketFontsByTeam, team+sep) // one look instead of some dozen in a library that is empty
	for _, use := range uses {
		id := ""
		if some {
			id = t.fontFor(team, use)
		}
		add(id, use.PostScript)
	}
	return found, missing
}

// fontFor is the id of the font that text means, "" when the library has none. Of several with one name it is the newest.
func (t *tables) fontFor(team string, use farm.FontUse) string {
	for rank := range farm.FontRanks {
		for _, name := range use.Keys() {
			if ids := t.keysUnder(bucketFontsByName, fontNamePrefix(team, rank, name)); len(ids) > 0 {
				return ids[len(ids)-1]
			}
		}
	}
	return ""
}

// holdFonts counts the fonts that an unended job keeps from being deleted.
func (t *tables) holdFonts(job *farm.Job, delta int) {
	for _, id := range job.UsesFonts {
		t.add(countOfFontJobs(id), delta)
	}
}

// rematchFonts matches the fonts of a waiting job again, now that its template has been read.
func (t *tables) rematchFonts(job farm.Job, template farm.Template) farm.Job {
	t.holdFonts(&job, -1)
	job.UsesFonts, job.MissingFonts = t.matchFonts(job.Team, job.Fonts, append(job.FontUses(), template.Fonts...))
	t.holdFonts(&job, 1)
	t.saveJob(job, job.Status)
	return job
}
