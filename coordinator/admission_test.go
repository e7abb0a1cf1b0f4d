package coordinator_test

import (
	"strings"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// invited is the secret of a token for coordinators.
func (r *rig) invited() string {
	r.t.Helper()
	_, text, err := r.Cluster().Invite(r.t.Context(), r.admin, "rack 2", time.Time{})
	if err != nil {
		r.t.Fatal(err)
	}
	token, err := wire.ParseNodeToken(text)
	if err != nil {
		r.t.Fatal(err)
	}
	return token.Secret
}

// growing is a farm of one that may have more coordinators.
func growing(t *testing.T) *rig {
	storage := t.TempDir()
	return open(t, func(cfg *coordinator.Config) { cfg.ClusterListen, cfg.Storage = "127.0.0.1:0", storage })
}

func asking(id string) wire.NodeJoin {
	return wire.NodeJoin{ID: id, Name: "rack2", Version: "v9", Level: coordinator.Level(), At: time.Now()}
}

func TestACoordinatorThatCannotBeLetInIsToldWhy(t *testing.T) {
	r := growing(t)
	secret := r.invited()
	r.eventually("the farm's level to be known", func() bool {
		old := asking("n2")
		old.Level = 0
		_, err := r.Cluster().GiveKeys(t.Context(), secret, old)
		return farm.CodeOf(err) == farm.CodeConflict && strings.Contains(err.Error(), "version v9 is too old")
	})
	for name, c := range map[string]struct {
		secret string
		change func(*wire.NodeJoin)
		code   farm.Code
		words  string
	}{
		"clock behind": {secret, func(in *wire.NodeJoin) { in.At = in.At.Add(-time.Hour) }, farm.CodeConflict, "clock is 1 h behind the farm's"},
		"clock ahead":  {secret, func(in *wire.NodeJoin) { in.At = in.At.Add(2 * time.Minute) }, farm.CodeConflict, "ahead of the farm's"},
		"no id":        {secret, func(in *wire.NodeJoin) { in.ID = "" }, farm.CodeInvalid, "id of the coordinator"},
		"no token":     {"occ_" + strings.Repeat("x", 40), func(*wire.NodeJoin) {}, farm.CodeUnauthorized, "no such token for coordinators"},
	} {
		in := asking("n2")
		c.change(&in)
		keys, err := r.Cluster().GiveKeys(t.Context(), c.secret, in)
		if farm.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.words) || len(keys.Files) > 0 {
			t.Errorf("%s: %v, with %d files", name, err, len(keys.Files))
		}
	}
	for range 2 { // the answer may get lost
		if keys, err := r.Cluster().GiveKeys(t.Context(), secret, asking("n2")); err != nil || len(keys.Files) < 4 || len(keys.Members) != 1 || keys.String() != "[redacted]" {
			t.Fatalf("%v, %v", keys, err)
		}
	}
	if _, err := r.Cluster().GiveKeys(t.Context(), secret, asking("n3")); farm.CodeOf(err) != farm.CodeUnauthorized {
		t.Errorf("the token let a second one in: %v", err)
	}
}

func TestAFarmThatCannotHaveASecondCoordinatorSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		edit  func(*coordinator.Config)
		words string
	}{
		"no port":         {func(*coordinator.Config) {}, "--cluster-listen"},
		"private storage": {func(cfg *coordinator.Config) { cfg.ClusterListen = "127.0.0.1:0" }, "--storage"},
	} {
		r := open(t, c.edit)
		if _, _, err := r.Cluster().Invite(t.Context(), r.admin, "", time.Time{}); farm.CodeOf(err) != farm.CodeConflict || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheLastCoordinatorStays(t *testing.T) {
	r := growing(t)
	cluster, err := r.Cluster().Status(t.Context(), r.admin, 0)
	if err != nil || len(cluster.Members) != 1 || cluster.Members[0].Fingerprint == "" || cluster.Standing.Spare != 0 {
		t.Fatalf("%+v, %v", cluster, err)
	}
	if err := r.Cluster().Remove(t.Context(), r.admin, cluster.Self); farm.CodeOf(err) != farm.CodeConflict || !strings.Contains(err.Error(), "none would be left to lead") {
		t.Error(err)
	}
	if err := r.Cluster().Remove(t.Context(), r.admin, "nobody"); farm.CodeOf(err) != farm.CodeNotFound {
		t.Error(err)
	}
	stranger := r.admin
	stranger.FirstTeam = false
	if err := r.Cluster().Remove(t.Context(), stranger, cluster.Self); farm.CodeOf(err) != farm.CodeForbidden {
		t.Error(err)
	}
}
