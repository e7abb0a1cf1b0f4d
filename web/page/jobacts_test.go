package page

import (
	"testing"

	"overcrank/farm"
)

func TestARowOffersWhatItsStateAndTheReadersRoleAllow(t *testing.T) {
	t.Parallel()
	card, kept := farm.JobTemplate{ID: "T", Composition: "main"}, &farm.OutputRef{}
	for name, c := range map[string]struct {
		role farm.Role
		job  farm.Job
		want string
	}{
		"waits":          {farm.RoleArtist, farm.Job{Status: farm.JobQueued, Template: card}, "hold edit order cancel"},
		"held":           {farm.RoleArtist, farm.Job{Status: farm.JobQueued, Hold: true}, "release order cancel"},
		"renders":        {farm.RoleArtist, farm.Job{Status: farm.JobRendering}, "hold order cancel"},
		"renders, held":  {farm.RoleArtist, farm.Job{Status: farm.JobRendering, Hold: true}, "release order cancel"},
		"failed":         {farm.RoleArtist, farm.Job{Status: farm.JobFailed, Template: card}, "resubmit edit"},
		"was held":       {farm.RoleArtist, farm.Job{Status: farm.JobCancelled, Hold: true}, "resubmit"},
		"nested":         {farm.RoleArtist, farm.Job{Status: farm.JobFinished, Output: kept, Parent: "P"}, "download"},
		"finished":       {farm.RoleArtist, farm.Job{Status: farm.JobFinished, Output: kept}, "download resubmit"},
		"viewer, result": {farm.RoleViewer, farm.Job{Status: farm.JobFinished, Output: kept, Template: card}, "download"},
		"viewer":         {farm.RoleViewer, farm.Job{Status: farm.JobRendering, Template: card}, ""},
	} {
		got := Job{Job: c.job}.acts(Shell{Reader: farm.Principal{Role: c.role}})
		if got != c.want {
			t.Errorf("%s: a row offers %q, want %q", name, got, c.want)
		}
	}
}
