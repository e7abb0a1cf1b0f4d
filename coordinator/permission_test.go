package coordinator_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"overcrank/coordinator"
	"overcrank/coordinator/people"
	"overcrank/coordinator/submission"
	"overcrank/farm"
)

// permissions is what each method that takes a principal asks for, written down a second time. What stands as ActView is for
// everybody who is let in.
var permissions = map[string]farm.Action{
	"Reviews.Create": farm.ActShareReviews, "Reviews.Revoke": farm.ActShareReviews, "Reviews.Say": farm.ActComment, "Reviews.Unsay": farm.ActComment,
	"BatchRows": farm.ActSubmit, "RetakeRows": farm.ActSubmit, "RetakeFailed": farm.ActSubmit,
	"Reviews.Links": farm.ActView, "Reviews.TeamLinks": farm.ActView, "Reviews.Takes": farm.ActView, "Reviews.Remarks": farm.ActView,
	"Reviews.Logo": farm.ActView, "Reviews.HasLogo": farm.ActView, "Reviews.SetLogo": farm.ActRenameTeam,
	"ApproveJob": farm.ActApprove, "RejectJob": farm.ActApprove,
	"Submit": farm.ActSubmit, "SubmitBatch": farm.ActSubmit, "SubmitBatchAs": farm.ActSubmit, "ResubmitBatch": farm.ActSubmit, "ResubmitJobs": farm.ActSubmit, "JobAgain": farm.ActSubmit, "StoredFiles.Put": farm.ActSubmit, "StoredFiles.PutFor": farm.ActSubmit,
	"Uploads.Begin": farm.ActSubmit, "Uploads.Get": farm.ActSubmit, "Uploads.Put": farm.ActSubmit, "Uploads.Finish": farm.ActSubmit, "Uploads.Cancel": farm.ActSubmit,
	"Previews.Draw": farm.ActSubmit, "StoredFiles.Known": farm.ActSubmit, "StoredFiles.Kept": farm.ActSubmit,
	"CancelJobs": farm.ActChangeJobs, "CancelBatch": farm.ActChangeJobs, "LabelBatch": farm.ActChangeJobs, "ReleaseJobs": farm.ActChangeJobs, "HoldJobs": farm.ActChangeJobs, "RenderAgain": farm.ActChangeJobs, "ChangeJob": farm.ActChangeJobs,
	"Webhooks.Redeliver": farm.ActChangeJobs,
	"Templates.Create":   farm.ActChangeTemplates, "Templates.Rename": farm.ActChangeTemplates, "Templates.MarkSequential": farm.ActChangeTemplates,
	"Templates.Assemble": farm.ActChangeTemplates, "Templates.Complete": farm.ActChangeTemplates, "Templates.RenewUpload": farm.ActChangeTemplates, "Templates.Give": farm.ActChangeTemplates, "Templates.Delete": farm.ActDeleteTemplates,
	"Personal": farm.ActView, "PutView": farm.ActView, "DeleteView": farm.ActView, "SwitchKeys": farm.ActView, "Presets": farm.ActView, "Preset": farm.ActView, "PutPreset": farm.ActChangePresets, "DeletePreset": farm.ActChangePresets, "Uses": farm.ActView,
	"Templates.Retire": farm.ActChangeTemplates, "Templates.Changes": farm.ActView, "Templates.TakeVersion": farm.ActChangeTemplates,
	"Fonts.Add": farm.ActAddFonts, "Fonts.StandIn": farm.ActAddFonts, "Fonts.Delete": farm.ActDeleteFonts,
	"Secrets.List": farm.ActViewSecrets, "Secrets.Put": farm.ActChangeSecrets, "Secrets.Delete": farm.ActChangeSecrets, "Secrets.Restrict": farm.ActChangeSecrets,
	"Webhooks.Key": farm.ActViewWebhookKey, "Webhooks.RenewKey": farm.ActRenewWebhookKey,
	"Tokens": farm.ActManageTokens, "Token": farm.ActManageTokens, "MakeToken": farm.ActManageTokens, "ChangeToken": farm.ActManageTokens,
	"RevokeToken": farm.ActManageTokens, "InvitePerson": farm.ActManageTokens, "ResetPassword": farm.ActManageTokens,
	"Sessions": farm.ActManageTokens, "EndSessions": farm.ActManageTokens,
	"WaysIn": farm.ActManageTokens, "PasskeysOf": farm.ActManageTokens, "RemovePasskeyOf": farm.ActManageTokens,
	"Audit.Read": farm.ActAudit, "SignInRules": farm.ActManageTeams, "PutSignInRules": farm.ActManageTeams, "RuleFor": farm.ActManageTeams,
	"Passkeys.MayAdd": farm.ActView, "Passkeys.BeginAdding": farm.ActView, "Passkeys.Add": farm.ActView, "Passkeys.Rename": farm.ActView, "Passkeys.Remove": farm.ActView,
	"RenameTeam": farm.ActRenameTeam, "MakeTeam": farm.ActManageTeams, "EndTeam": farm.ActManageTeams,
	"ConfigureAgent": farm.ActRunMachines, "RetireAgent": farm.ActInviteMachines,
	"Invite": farm.ActInviteMachines, "JoinTokens": farm.ActInviteMachines, "RevokeJoinToken": farm.ActInviteMachines,
	"Releases.Receive": farm.ActUpdateMachines, "Releases.Add": farm.ActUpdateMachines, "Releases.Remove": farm.ActUpdateMachines,
	"Releases.Change": farm.ActUpdateMachines, "Releases.Resume": farm.ActUpdateMachines, "Releases.List": farm.ActView, "Releases.Get": farm.ActView,
	"Releases.Updates": farm.ActView, "MachineUpdates": farm.ActView,
	"Downloads.Receive": farm.ActKeepDownloads, "Downloads.Add": farm.ActKeepDownloads, "Downloads.Remove": farm.ActKeepDownloads,
	"Downloads.List": farm.ActView, "Downloads.Get": farm.ActView, "Downloads.Open": farm.ActView,
	"PutPolicy": farm.ActChangePolicy, "ChangePolicy": farm.ActChangePolicy,
	"PauseFarm": farm.ActSteerFarm, "ChangeLevels": farm.ActSteerFarm, "PutLimit": farm.ActSteerFarm, "RemoveLimit": farm.ActSteerFarm,
	"Secrets.ChangeKey": farm.ActChangeSecretKey,
	"Backup":            farm.ActBackUp, "HoldBackup": farm.ActBackUp, "BackupChecked": farm.ActBackUp, "MayRestore": farm.ActBackUp,
	"Cluster.Status": farm.ActManageCoordinators, "Cluster.Remove": farm.ActManageCoordinators, "Cluster.TransferLead": farm.ActManageCoordinators,
	"Cluster.Invite": farm.ActManageCoordinators, "Cluster.Invitations": farm.ActManageCoordinators, "Cluster.RevokeInvitation": farm.ActManageCoordinators,
	"Authority": farm.ActManageCoordinators, "Gossip.Keys": farm.ActManageCoordinators, "Gossip.Rotate": farm.ActManageCoordinators,

	"Job": farm.ActView, "Jobs": farm.ActView, "CountJobs": farm.ActView, "OwnFailures": farm.ActView, "AwaitingApproval": farm.ActView, "DoneToday": farm.ActView, "JobLog": farm.ActView, "Webhooks.Delivery": farm.ActView,
	"Batch": farm.ActView, "Batches": farm.ActView, "SelectBatches": farm.ActView, "BatchPart": farm.ActView,
	"Results.Samples": farm.ActView, "Results.OpenSample": farm.ActView, "Results.OpenProxy": farm.ActView, "Results.Thumbnails": farm.ActView, "Results.FrameTimes": farm.ActView, "Results.OpenThumbnail": farm.ActView, "Templates.Poster": farm.ActView, "Templates.Reels": farm.ActView, "Templates.OpenReel": farm.ActView,
	"Templates.Get": farm.ActView, "Templates.List": farm.ActView, "Templates.Introspection": farm.ActView, "Templates.WhyUnread": farm.ActView, "Templates.DownloadAddress": farm.ActView,
	"Fonts.List": farm.ActView, "Fonts.Get": farm.ActView, "Fonts.Lacking": farm.ActView, "Fonts.Lacks": farm.ActView, "Fonts.Specimen": farm.ActView, "FontCounts": farm.ActView, "FontHolders": farm.ActView, "Equipment": farm.ActView, "HasFirstFrame": farm.ActView, "OpenFirstFrame": farm.ActView, "TemplatePreflight": farm.ActView, "Policy": farm.ActView, "Teams": farm.ActView, "Team": farm.ActView,
	"Tasks": farm.ActView, "Task": farm.ActView, "Attempts": farm.ActView, "JobAttempts": farm.ActView, "Makers": farm.ActView, "CountTasks": farm.ActView,
	"RunningOf": farm.ActView, "RecentAttempts": farm.ActView, "Results.MayOpen": farm.ActView,
	"Agents": farm.ActView, "Agent": farm.ActView, "Board": farm.ActView, "SharingNow": farm.ActView, "Compare": farm.ActView, "Day": farm.ActView, "Machines": farm.ActView, "Status": farm.ActView, "Pulse": farm.ActView,
	"WhyWaiting": farm.ActView, "WhyWaitingEach": farm.ActView, "Placement": farm.ActView, "PlacementEach": farm.ActView, "AbleTo": farm.ActView, "MachinesFor": farm.ActView, "FinishEach": farm.ActView, "BatchForecast": farm.ActView, "Queue": farm.ActView,
	"Failures": farm.ActView, "FailuresOf": farm.ActView, "Failure": farm.ActView, "RetryFailures": farm.ActSubmit, "FileTaken": farm.ActSubmit, "SettleFailures": farm.ActChangeJobs,
	"Projects": farm.ActView, "Project": farm.ActView, "AddProject": farm.ActChangeProjects, "ChangeProject": farm.ActChangeProjects, "TeamBudget": farm.ActView, "PutTeamBudget": farm.ActSetTeamBudgets, "ChangeTeam": farm.ActSetTeamBudgets,
	"Report": farm.ActView, "Rates": farm.ActView, "PutRates": farm.ActChangePolicy,
	"Search.Find": farm.ActView, "Search.Select": farm.ActView, "Search.Newer": farm.ActView, "SelectJobs": farm.ActView, "NewerJobs": farm.ActView,
	"Watch": farm.ActView, "WatchSome": farm.ActView, "Self": farm.ActView, "SignIn": farm.ActView, "Current": farm.ActView, "EndSession": farm.ActView, "EndOwnSessions": farm.ActView, "TurnSession": farm.ActView, "Account": farm.ActView, "ChangePassword": farm.ActView, "Requests.Begin": farm.ActView, "Notices.Settings": farm.ActView, "Notices.Put": farm.ActView, "Notices.ChooseLanguage": farm.ActView, "Notices.NoteBrowserLanguage": farm.ActView, "Notices.Test": farm.ActView, "Notices.Watch": farm.ActView, "Notices.Watches": farm.ActView, "Notices.Show": farm.ActView, "StillIn": farm.ActView,
}

// TestTheFarmItselfRefusesWhatARoleMayNot asks every method for what the roles below the one that it takes may not have. Its other
// arguments are empty: who may not ask is refused before anything of them is looked at.
func TestTheFarmItselfRefusesWhatARoleMayNot(t *testing.T) {
	r := open(t)
	known := map[string]bool{}
	r.refuses(reflect.ValueOf(r.Coordinator), "", known)
	for name := range permissions {
		if !known[name] {
			t.Errorf("%s has a line in permissions and takes no principal", name)
		}
	}
}

// refuses asks the methods of one part of the farm, and of the parts that it leads to.
func (r *rig) refuses(part reflect.Value, path string, known map[string]bool) {
	r.t.Helper()
	who := reflect.TypeFor[farm.Principal]()
	for m, call := range part.Methods() {
		if inner := call.Type(); inner.NumIn() == 0 && inner.NumOut() == 1 && isPart(inner.Out(0)) {
			r.refuses(call.Call(nil)[0], m.Name+".", known)
		}
		at := -1
		for i := range call.Type().NumIn() {
			if call.Type().In(i) == who {
				at = i
			}
		}
		if at < 0 {
			continue
		}
		name := path + m.Name
		known[name] = true
		action, listed := permissions[name]
		if !listed {
			r.t.Errorf("%s takes a principal and has no line in permissions: what does it ask for?", name)
			continue
		}
		if action == farm.ActView {
			continue
		}
		grant := action.Grant()
		for _, role := range farm.Roles() {
			for _, first := range []bool{true, false} {
				if role.Allows(grant.Least) && (first || !grant.Farm) {
					continue
				}
				p := r.admin
				p.Role, p.FirstTeam = role, first
				if err := refusal(call, at, p); farm.CodeOf(err) != farm.CodeForbidden {
					r.t.Errorf("%s for a %s (of the first team: %v): %v", name, role, first, err)
				}
			}
		}
	}
}

// isPart says whether a method that gives a value of a type leads to a part of the coordinator.
func isPart(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer && strings.HasPrefix(t.Elem().PkgPath(), "overcrank/coordinator/")
}

// refusal calls a method with nothing but a principal, and gives its error.
func refusal(call reflect.Value, at int, p farm.Principal) error {
	in := make([]reflect.Value, call.Type().NumIn())
	for i := range in {
		in[i] = reflect.Zero(call.Type().In(i))
	}
	in[at] = reflect.ValueOf(p)
	out := call.Call(in)
	err, _ := out[len(out)-1].Interface().(error)
	return err
}

func TestRushIsForThoseWhoMay(t *testing.T) {
	r := open(t)
	artist, _ := r.token(r.admin, people.NewToken{Name: "art", Role: farm.RoleArtist})
	producer, _ := r.token(r.admin, people.NewToken{Name: "pro", Role: farm.RoleProducer})
	rush := farm.LevelRush
	plainJob := farm.Job{Template: farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"}}
	job := plainJob
	job.Level = rush
	_, err := r.Submit(t.Context(), artist, job)
	wantCode(t, err, farm.CodeForbidden)
	result, err := r.SubmitBatch(t.Context(), artist, []submission.BatchEntry{{Job: plainJob}, {Job: job}})
	if err != nil || len(result.Jobs) != 1 || farm.CodeOf(result.Errs[1]) != farm.CodeForbidden {
		t.Errorf("a batch with one job too urgent: %+v, %v", result, err)
	}
	plain, err := r.Submit(t.Context(), artist, plainJob)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.ChangeJob(t.Context(), artist, plain.ID, coordinator.JobChange{Level: &rush})
	wantCode(t, err, farm.CodeForbidden)
	if _, err := r.ChangeJob(t.Context(), producer, plain.ID, coordinator.JobChange{Level: &rush}); err != nil {
		t.Errorf("a producer: %v", err)
	}
	// Who leaves the level as it is may change the rest.
	priority := 7
	if _, err := r.ChangeJob(t.Context(), artist, plain.ID, coordinator.JobChange{Priority: &priority, Level: &rush}); err != nil {
		t.Errorf("the priority of a job that rushes: %v", err)
	}
	r.eventually("the farm takes up the level at which levels have roles", func() bool {
		_, err := r.ChangePolicy(t.Context(), r.admin, nil, func(p *farm.Policy) {
			p.Levels = map[farm.Level]farm.LevelPolicy{rush: {Role: farm.RoleArtist}}
		})
		return err == nil
	})
	if _, err := r.Submit(t.Context(), artist, job); err != nil {
		t.Errorf("an artist whom the policy lets: %v", err)
	}
}

func TestScriptsAreForThoseWhoMay(t *testing.T) {
	r := open(t)
	template := farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"}
	text := farm.Asset{Type: "text", LayerName: "title", Value: json.RawMessage(`"x"`)}
	plain := farm.Job{Template: template, Assets: []farm.Asset{text}}
	script := farm.Job{Template: template, Assets: []farm.Asset{text, {Type: "script", Src: "data:,1"}}}
	nested := farm.Job{Template: template, Assets: []farm.Asset{{Type: "job", LayerName: "clip", Nested: &script}}}
	callers := map[farm.Role]farm.Principal{}
	for _, role := range farm.Roles()[1:] {
		callers[role], _ = r.token(r.admin, people.NewToken{Name: string(role), Role: role})
	}
	for _, least := range []farm.Role{"", farm.RoleProducer, farm.RoleAdmin} {
		r.eventually("the farm takes up the level at which scripts ask for a role", func() bool {
			_, err := r.ChangePolicy(t.Context(), r.admin, nil, func(p *farm.Policy) { p.Scripts.Role = least })
			return err == nil
		})
		for role, caller := range callers {
			may := role.Allows(cmp.Or(least, farm.RoleArtist))
			for field, job := range map[string]farm.Job{"": plain, "assets[1].type": script, "assets[0].assets[1].type": nested} {
				_, err := r.Submit(t.Context(), caller, job)
				var refused *farm.Error
				switch {
				case field == "" || may:
					if err != nil {
						t.Errorf("%s submits under %q: %v", role, least, err)
					}
				case !errors.As(err, &refused) || refused.Code != farm.CodeForbidden || len(refused.Fields) != 1 || refused.Fields[0].Field != field ||
					!strings.Contains(err.Error(), "scripts.role"):
					t.Errorf("%s submits the script at %s under %q: %v", role, field, least, err)
				}
			}
		}
	}
	result, err := r.SubmitBatch(t.Context(), callers[farm.RoleArtist], []submission.BatchEntry{{Job: plain}, {Job: script}})
	if err != nil || len(result.Jobs) != 1 || farm.CodeOf(result.Errs[1]) != farm.CodeForbidden {
		t.Errorf("a batch with one script: %+v, %v", result, err)
	}
}
