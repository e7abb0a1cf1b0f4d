package tables

import "overcrank/farm"

// Font reads one font.
func (tx *Tx) Font(id string) (farm.Font, error) { return byID[farm.Font](tx, bucketFonts, "font", id) }

// FontNamed reads the font of a team's library with that file name, whatever its case.
func (tx *Tx) FontNamed(team, fileName string) (farm.Font, error) {
	id := tx.t.lookup(bucketFontsByFile, fontFileKey(team, fileName))
	font, ok := get[farm.Font](tx.t, bucketFonts, id)
	return found(tx, font, ok && id != "", "font", fileName)
}

// Fonts reads all fonts of a team, oldest first.
func (tx *Tx) Fonts(team string) ([]farm.Font, error) {
	return listed[farm.Font](tx, bucketFontsByTeam, bucketFonts, team)
}

// MatchFonts finds, in a team's library, the fonts that are named by their file and those that text uses: their ids, each
// once, and the names of those that the library lacks.
func (tx *Tx) MatchFonts(team string, named []string, uses []farm.FontUse) (ids, missing []string, err error) {
	ids, missing = tx.t.matchFonts(team, named, uses)
	return ids, missing, tx.t.err
}

// Secret reads one secret, sealed as it is.
func (tx *Tx) Secret(id string) (farm.Secret, error) {
	return byID[farm.Secret](tx, bucketSecrets, "secret", id)
}

// SecretNamed reads the secret of a team with that name, sealed as it is.
func (tx *Tx) SecretNamed(team, name string) (farm.Secret, error) {
	id := tx.t.lookup(bucketSecretsByName, team+sep+name)
	secret, ok := get[farm.Secret](tx.t, bucketSecrets, id)
	return found(tx, secret, ok && id != "", "secret", name)
}

// HasSecret tells whether a team has a secret of that name.
func (tx *Tx) HasSecret(team, name string) bool {
	return tx.t.has(bucketSecretsByName, team+sep+name)
}

// Secrets reads all secrets of a team, oldest first, sealed as they are.
func (tx *Tx) Secrets(team string) ([]farm.Secret, error) {
	return listed[farm.Secret](tx, bucketSecretsByTeam, bucketSecrets, team)
}

// AllSecrets reads the secrets of all teams, sealed as they are.
func (tx *Tx) AllSecrets() ([]farm.Secret, error) {
	return all[farm.Secret](tx.t, bucketSecrets), tx.t.err
}

// listed reads the records of a team that an index lists.
func listed[R any](tx *Tx, index, bucket []byte, team string) ([]R, error) {
	ids := tx.t.keysUnder(index, team+sep)
	records := make([]R, 0, len(ids))
	for _, id := range ids {
		if record, ok := get[R](tx.t, bucket, id); ok {
			records = append(records, record)
		}
	}
	return records, tx.t.err
}
