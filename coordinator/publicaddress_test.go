package coordinator_test

import (
	"slices"
	"strings"
	"testing"

	"overcrank/coordinator"
	"overcrank/farm"
)

const farmName = "https://farm.test"

func TestEveryCoordinatorNamesAResultByTheFarmsOwnAddress(t *testing.T) {
	t.Parallel()
	s := openSeveral(t, func(cfg *coordinator.Config) { cfg.NodeAddress, cfg.PublicAddress = cfg.PublicAddress, farmName })
	leader, followers := s.parted()
	job := farm.Job{OutputName: "result.mp4"}
	for _, r := range s.nodes {
		if got := r.OutputAddress(job); got != farmName+"/outputs/result.mp4" {
			t.Errorf("%s names a result %s", r.Cluster().NodeAddress(), got)
		}
	}
	station := followers[0].enrol("suite 4")
	if m := station.ask(); m.Redirect == nil || m.Redirect.Leader != leader.cfg.NodeAddress {
		t.Errorf("a machine is told %+v, want the way to %s", m, leader.cfg.NodeAddress)
	}
	status, err := leader.Cluster().Status(t.Context(), leader.admin, 0)
	if err != nil || len(status.Warnings) != 0 {
		t.Errorf("a farm with an address of its own warns of %q, %v", status.Warnings, err)
	}
}

func TestCoordinatorsThatNameDifferentAddressesUseOneAndSaySo(t *testing.T) {
	t.Parallel()
	s := openSeveral(t)
	s.nodes[0].eventually("all use the same", func() bool {
		return s.nodes[0].PublicAddress() == s.nodes[1].PublicAddress() && s.nodes[1].PublicAddress() == s.nodes[2].PublicAddress()
	})
	var said []string
	s.nodes[0].eventually("it is said", func() bool {
		status, err := s.nodes[0].Cluster().Status(t.Context(), s.nodes[0].admin, 0)
		said = status.Warnings
		return err == nil && slices.ContainsFunc(said, func(w string) bool {
			return strings.Contains(w, "--public-address must be the same on every coordinator") && strings.Contains(w, s.nodes[2].cfg.PublicAddress)
		})
	})
}

func TestAFarmOfOneTakesItsAddressFromItsSettings(t *testing.T) {
	r := open(t)
	r.stop()
	r.cfg.PublicAddress = farmName
	r.restart()
	r.eventually("the record has the new address", func() bool { return r.PublicAddress() == farmName })
	status, err := r.Cluster().Status(t.Context(), r.admin, 0)
	if err != nil || len(status.Warnings) != 0 {
		t.Errorf("it warns of %q, %v", status.Warnings, err)
	}
}
