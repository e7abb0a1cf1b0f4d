package client

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"
)

func TestABackupOfAFarmThatRemembersNoneIsMade(t *testing.T) {
	refuses := `{"error":"the body is not valid","details":[{"field":"place","message":"is not known"}]}`
	c, m := start(t, answers(http.StatusBadRequest, refuses), answers(http.StatusOK, "the farm"))
	content, err := c.Backup(t.Context(), BackupWish{WithoutKeys: true, Place: "box:/backups/farm"})
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	if got, err := io.ReadAll(content); string(got) != "the farm" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	var places []string
	for _, r := range m.sent() {
		var wish BackupWish
		if err := json.Unmarshal([]byte(r.body), &wish); err != nil {
			t.Fatal(err)
		}
		places = append(places, wish.Place)
	}
	if len(places) != 2 || places[0] != "box:/backups/farm" || places[1] != "" {
		t.Errorf("the farm was told the places %q", places)
	}
}
