package tables

import (
	"reflect"
	"strings"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// auditOf says what a command does, as the audit log has it; false for what is no action of anybody. A command that no line here knows is named by
// its type, so that none goes unnoticed.
func (t *tables) auditOf(cmd command.Command) (audited, bool) {
	for _, subject := range []func(*tables, command.Command) (audited, bool){
		(*tables).auditOfAccess, (*tables).auditOfJobs, (*tables).auditOfReviews, (*tables).auditOfTemplates, (*tables).auditOfLibrary, (*tables).auditOfMachines, (*tables).auditOfFarm,
	} {
		if about, known := subject(t, cmd); known {
			return about, true
		}
	}
	if unaudited(cmd) {
		return audited{}, false
	}
	return audited{action: farm.AuditAction(commandWords(reflect.TypeOf(cmd).Name()))}, true
}

// unaudited says whether a command only prepares an action, keeps records of one, or is the farm's own affair.
func unaudited(cmd command.Command) bool {
	switch cmd := cmd.(type) {
	case command.KeepAnswer, command.ForgetRequests, command.RecordUses, command.TurnSession, command.UseCode, command.EnterPerson, command.ChangePasskey, command.PutFile, command.RenewUpload, command.FinishTemplate,
		command.PutNoticeSettings, command.PutView, command.DeleteView, command.SwitchKeys, command.SetLanguage, command.WatchJob, command.RecordNotice, command.RecordTry, command.StageState, command.DropStagedState, command.RecordAudit, command.ForgetAudit, command.RecordBackup:
		return true
	case command.SubmitPart:
		return cmd.Batch != "" // the last part, which is a SubmitJobs, says it
	}
	return false
}

// commandWords are the words of a type's name: "put review" for PutReview.
func commandWords(name string) string {
	var words strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				words.WriteByte(' ')
			}
			r += 'a' - 'A'
		}
		words.WriteRune(r)
	}
	return words.String()
}

func (t *tables) auditOfAccess(cmd command.Command) (audited, bool) {
	switch c := cmd.(type) {
	case command.SetUp:
		return audited{action: farm.AuditSetUp, thing: farm.AuditThing{Kind: "team", ID: c.Person.Team, Name: c.Studio}, team: c.Person.Team, subject: c.Person.ID}, true
	case command.PutToken:
		return ofToken(c.Token, farm.AuditPersonAdd, farm.AuditTokenAdd), true
	case command.ChangeToken:
		token := t.tokenOr(c.ID)
		about := ofToken(token, farm.AuditPersonChange, farm.AuditTokenChange)
		if c.Team != nil && t.noteMove(&about, token, *c.Team) {
			about.action = farm.AuditPersonMove
		}
		return about, true
	case command.RevokeToken:
		return ofToken(t.tokenOr(c.ID), farm.AuditPersonRemove, farm.AuditTokenRevoke), true
	case command.SetPassword:
		about := ofToken(t.tokenOr(c.Token), farm.AuditPassword, farm.AuditPassword)
		if about.subject = c.Token; c.Hash == "" {
			about.action = farm.AuditPasswordReset
		}
		return about, !c.Same
	case command.EnterPerson:
		return t.auditOfEntry(c)
	case command.PutPasskey:
		return ofToken(t.tokenOr(c.Passkey.Token), farm.AuditPasskeyAdd, farm.AuditPasskeyAdd), true
	case command.ChangePasskey:
		action := farm.AuditPasskeyRename
		if c.Remove {
			action = farm.AuditPasskeyRemove
		}
		return ofToken(t.tokenOr(c.Token), action, action), c.Use == nil // whose session says it
	case command.BeginSession:
		about := ofToken(t.tokenOr(c.Session.Token), farm.AuditSignIn, farm.AuditSignIn)
		about.subject = c.Session.Token
		return about, true
	case command.EndSessions:
		return ofToken(t.tokenOr(c.Token), farm.AuditSignOut, farm.AuditSignOut), true
	case command.PutTeam:
		return audited{action: farm.AuditTeamAdd, thing: ofTeam(c.Team), team: c.Team.ID}, true
	case command.RenameTeam:
		return audited{action: farm.AuditTeamRename, thing: farm.AuditThing{Kind: "team", ID: c.ID, Name: c.Name}, team: c.ID}, true
	case command.PutTeamLogo:
		return audited{action: farm.AuditTeamLogo, thing: t.teamOr(c.Team), team: c.Team}, true
	case command.PutPreset:
		return audited{action: farm.AuditPresetPut, thing: farm.AuditThing{Kind: "preset", ID: c.Preset.Name, Name: c.Preset.Name}, team: c.Preset.Team}, true
	case command.DeletePreset:
		return audited{action: farm.AuditPresetDelete, thing: farm.AuditThing{Kind: "preset", ID: c.Name, Name: c.Name}, team: c.Team}, true
	case command.PutProject:
		return audited{action: farm.AuditProjectAdd, thing: farm.AuditThing{Kind: "project", ID: c.Project.ID, Name: c.Project.Name}, team: c.Project.Team}, true
	case command.ChangeProject:
		return t.auditOfProject(c), true
	case command.PutTeamBudget:
		return t.auditOfTeam(c), true
	case command.EndTeam:
		return audited{action: farm.AuditTeamDelete, thing: t.teamOr(c.ID), team: c.ID}, true
	}
	return audited{}, false
}

func (t *tables) auditOfProject(c command.ChangeProject) audited {
	p, _ := t.project(c.Team, c.ID)
	about := audited{action: farm.AuditProjectChange, thing: farm.AuditThing{Kind: "project", ID: c.ID, Name: p.Name}, team: c.Team}
	if c.Name == nil && c.Budget == nil && c.Archived != nil {
		if about.action = farm.AuditProjectReopen; *c.Archived {
			about.action = farm.AuditProjectArchive
		}
	}
	return about
}

func (t *tables) auditOfTeam(c command.PutTeamBudget) audited {
	team, _ := get[farm.Team](t, bucketTeams, c.Team)
	team.ID = c.Team
	about := audited{action: farm.AuditTeamBudget, thing: ofTeam(team), team: c.Team}
	if c.Name == nil || *c.Name == team.Name {
		return about
	}
	about.action, about.thing.Name = farm.AuditTeamChange, *c.Name
	if reflect.DeepEqual(c.Budget, team.Budget) {
		about.action = farm.AuditTeamRename
	}
	return about
}

// auditOfEntry is what single sign-on changes about a person. A sign-in that changes nothing is told by its session alone.
func (t *tables) auditOfEntry(c command.EnterPerson) (audited, bool) {
	identity, known := t.identity(c.Issuer, c.Subject)
	person := t.tokenOr(identity.Token)
	about := ofToken(person, farm.AuditPersonChange, farm.AuditPersonChange)
	switch about.subject = identity.Token; {
	case known && c.Person.Role == "":
		about.action = farm.AuditAccessLost
		return about, identity.LostAt.IsZero()
	case known:
		if t.noteMove(&about, person, c.Person.Team) {
			about.action = farm.AuditPersonMove
		}
		return about, person.Role != c.Person.Role || person.Team != c.Person.Team || !identity.LostAt.IsZero()
	}
	person = c.Person
	if linked, ok := t.linkable(c); ok {
		person = linked
	}
	about = ofToken(person, farm.AuditPersonLink, farm.AuditPersonLink)
	if about.subject = person.ID; person.ID == c.Person.ID {
		about.action = farm.AuditPersonAdd
	}
	t.noteMove(&about, person, c.Person.Team)
	return about, true
}

// noteMove says of a person who comes into another team which two these are, and whether they do.
func (t *tables) noteMove(about *audited, person farm.Token, to string) bool {
	if !person.Person || to == person.Team {
		return false
	}
	about.left, about.joined = t.teamOr(person.Team), t.teamOr(to)
	return true
}

// teamOr is a team as the audit log names it, only by its id when there is none.
func (t *tables) teamOr(id string) farm.AuditThing {
	team, _ := get[farm.Team](t, bucketTeams, id)
	team.ID = id
	return ofTeam(team)
}

// tokenOr is a token, or only its id when there is none.
func (t *tables) tokenOr(id string) farm.Token {
	token, _ := often[farm.Token](t, bucketTokens, id)
	token.ID = id
	return token
}

// ofToken is what happens to a person, or to a program's token.
func ofToken(token farm.Token, person, program farm.AuditAction) audited {
	about := audited{action: program, thing: farm.AuditThing{Kind: "token", ID: token.ID, Name: token.Name}, team: token.Team}
	if token.Person {
		about.action, about.thing.Kind = person, "person"
	}
	return about
}

func ofTeam(team farm.Team) farm.AuditThing {
	return farm.AuditThing{Kind: "team", ID: team.ID, Name: team.Name}
}

func (t *tables) auditOfJobs(cmd command.Command) (audited, bool) {
	switch c := cmd.(type) {
	case command.SubmitJobs:
		return auditOfSubmission(c), true
	case command.CancelJobs:
		return t.ofJobs(farm.AuditJobCancel, c.Team, c.IDs), true
	case command.ReleaseJobs:
		return t.ofJobs(farm.AuditJobRelease, c.Team, c.IDs), true
	case command.HoldJobs:
		return t.ofJobs(farm.AuditJobHold, c.Team, c.IDs), true
	case command.ChangeJob:
		return t.ofJobs(farm.AuditJobChange, c.Team, []string{c.ID}), true
	case command.Redeliver:
		return t.ofJobs(farm.AuditWebhookAgain, c.Team, []string{c.ID}), true
	case command.RenderAgain:
		return t.ofJobs(farm.AuditJobAgain, c.Team, []string{c.ID}), true
	case command.DecideJob:
		about := t.ofJobs(farm.AuditJobApprove, c.Team, []string{c.ID})
		if c.Reject {
			about.action = farm.AuditJobReject
		}
		return about, true
	case command.CancelBatch:
		return audited{action: farm.AuditBatchCancel, thing: farm.AuditThing{Kind: "batch", ID: c.ID}, team: c.Team, everyday: true}, true
	case command.LabelBatch:
		return audited{action: farm.AuditBatchLabel, thing: farm.AuditThing{Kind: "batch", ID: c.ID, Name: c.Label.Name}, team: c.Team, everyday: true}, true
	case command.SettleFailures:
		return t.ofJobs(farm.AuditFailureSettle, c.Team, c.Jobs), true
	}
	return audited{}, false
}

func (t *tables) auditOfReviews(cmd command.Command) (audited, bool) {
	switch c := cmd.(type) {
	case command.PutReviewLink:
		return t.ofJobs(farm.AuditReviewLink, c.Link.Team, []string{c.Link.Job}), true
	case command.RevokeReviewLink:
		return t.ofJobs(farm.AuditReviewRevoke, c.Team, []string{c.Job}), true
	case command.AddRemark:
		return t.ofJobs(farm.AuditReviewComment, c.Remark.Team, []string{c.Remark.Job}), true
	case command.DeleteRemark:
		return t.ofJobs(farm.AuditReviewDelete, c.Team, []string{c.Job}), true
	}
	return audited{}, false
}

// auditOfSubmission names the batch, or the job that others are nested in.
func auditOfSubmission(c command.SubmitJobs) audited {
	about := audited{action: farm.AuditJobSubmit, everyday: true}
	if c.Batch != nil {
		about.action, about.team = farm.AuditBatchSubmit, c.Batch.Team
		about.thing = farm.AuditThing{Kind: "batch", ID: c.Batch.Home()}
		about.more = max(0, len(c.Batch.Jobs)-1)
		return about
	}
	for i := range c.Jobs {
		if job := &c.Jobs[i]; job.Parent == "" {
			about.thing, about.team = ofJob(job), job.Team
			break
		}
	}
	return about
}

// ofJob names a job. What a private one is called is not kept.
func ofJob(job *farm.Job) farm.AuditThing {
	thing := farm.AuditThing{Kind: "job", ID: job.ID}
	if !job.Private {
		thing.Name = job.Name
	}
	return thing
}

// ofJobs is what happens to jobs of a team, of which the first is named. Jobs of other teams are not.
func (t *tables) ofJobs(action farm.AuditAction, team string, ids []string) audited {
	about := audited{action: action, team: team, everyday: true, more: max(0, len(ids)-1)}
	if len(ids) == 0 {
		return about
	}
	about.thing = farm.AuditThing{Kind: "job", ID: ids[0]}
	if job, ok := t.head(ids[0]); ok && job.Team == team {
		about.thing = ofJob(&job)
	}
	return about
}

func (t *tables) auditOfTemplates(cmd command.Command) (audited, bool) {
	of := func(action farm.AuditAction, id string) (audited, bool) {
		template, _ := often[farm.Template](t, bucketTemplates, id)
		return audited{action: action, thing: farm.AuditThing{Kind: "template", ID: id, Name: template.DisplayName}, team: template.Team}, true
	}
	switch c := cmd.(type) {
	case command.CreateTemplate:
		return audited{action: farm.AuditTemplateAdd, thing: farm.AuditThing{Kind: "template", ID: c.Template.ID, Name: c.Template.DisplayName}, team: c.Template.Team}, true
	case command.RenameTemplate:
		return of(farm.AuditTemplateChange, c.ID)
	case command.MarkTemplate:
		return of(farm.AuditTemplateChange, c.ID)
	case command.RetireTemplate:
		if !c.Retired {
			return of(farm.AuditTemplateRestore, c.ID)
		}
		return of(farm.AuditTemplateRetire, c.ID)
	case command.ReceiveTemplate:
		return of(farm.AuditTemplateChange, c.ID)
	case command.TakeVersion:
		return of(farm.AuditTemplateChange, c.ID)
	case command.DeleteTemplate:
		return of(farm.AuditTemplateDelete, c.ID)
	}
	return audited{}, false
}

func (t *tables) auditOfLibrary(cmd command.Command) (audited, bool) {
	secret := func(action farm.AuditAction, team, id string) (audited, bool) {
		kept, _ := get[farm.Secret](t, bucketSecrets, id)
		return audited{action: action, thing: farm.AuditThing{Kind: "secret", ID: id, Name: kept.Name}, team: team}, true
	}
	switch c := cmd.(type) {
	case command.PutFont:
		return audited{action: farm.AuditFontAdd, thing: farm.AuditThing{Kind: "font", ID: c.Font.ID, Name: c.Font.FileName}, team: c.Font.Team}, true
	case command.DeleteFont:
		font, _ := get[farm.Font](t, bucketFonts, c.ID)
		return audited{action: farm.AuditFontDelete, thing: farm.AuditThing{Kind: "font", ID: c.ID, Name: font.FileName}, team: c.Team}, true
	case command.PutSecret:
		return audited{action: farm.AuditSecretSet, thing: farm.AuditThing{Kind: "secret", ID: c.Secret.ID, Name: c.Secret.Name}, team: c.Secret.Team}, true
	case command.ChangeSecret:
		return secret(farm.AuditSecretSet, c.Team, c.ID)
	case command.DeleteSecret:
		return secret(farm.AuditSecretDelete, c.Team, c.ID)
	case command.ResealSecrets:
		return audited{action: farm.AuditSecretKey}, true
	case command.RenewWebhookKey:
		return audited{action: farm.AuditWebhookKey, team: c.Team}, true
	}
	return audited{}, false
}

func (t *tables) auditOfMachines(cmd command.Command) (audited, bool) {
	machine := func(action farm.AuditAction, id string) (audited, bool) {
		agent, _ := often[farm.Agent](t, bucketAgents, id)
		return audited{action: action, thing: farm.AuditThing{Kind: "machine", ID: id, Name: agent.Name}}, true
	}
	switch c := cmd.(type) {
	case command.PutJoinToken:
		return audited{action: farm.AuditMachineInvite, thing: farm.AuditThing{Kind: "invitation", ID: c.Token.ID, Name: c.Token.Name}}, true
	case command.RevokeJoinToken:
		token, _ := get[farm.JoinToken](t, bucketJoinTokens, c.ID)
		return audited{action: farm.AuditMachineUninvite, thing: farm.AuditThing{Kind: "invitation", ID: c.ID, Name: token.Name}}, true
	case command.ConfigureAgent:
		return machine(farm.AuditMachineChange, c.ID)
	case command.RemoveAgent:
		return machine(farm.AuditMachineRemove, c.ID)
	case command.PutRelease:
		return audited{action: farm.AuditReleaseAdd, thing: farm.AuditThing{Kind: "release", ID: c.Release.Version, Name: c.Release.Version}}, true
	case command.RemoveRelease:
		return audited{action: farm.AuditReleaseRemove, thing: farm.AuditThing{Kind: "release", ID: c.Version, Name: c.Version}}, true
	case command.PutUpdates:
		return audited{action: farm.AuditUpdates, thing: farm.AuditThing{Kind: "release", ID: c.Updates.Release, Name: c.Updates.Release}}, true
	case command.PutDownload:
		return audited{action: farm.AuditPackageAdd, thing: farm.AuditThing{Kind: "package", ID: c.Download.File.SHA256, Name: c.Download.File.Name}}, true
	case command.RemoveDownload:
		kept, _ := get[farm.Download](t, bucketDownloads, c.SHA256)
		return audited{action: farm.AuditPackageRemove, thing: farm.AuditThing{Kind: "package", ID: c.SHA256, Name: kept.File.Name}}, true
	}
	return audited{}, false
}

func (t *tables) auditOfFarm(cmd command.Command) (audited, bool) {
	switch c := cmd.(type) {
	case command.PutPolicy:
		return audited{action: farm.AuditPolicy}, true
	case command.PutSignInRules:
		return audited{action: farm.AuditSignInRules}, true
	case command.PutRates:
		return audited{action: farm.AuditRates}, true
	case command.PutNodeInvitation:
		return audited{action: farm.AuditNodeInvite, thing: farm.AuditThing{Kind: "invitation", ID: c.Invitation.ID, Name: c.Invitation.Name}}, true
	case command.RevokeNodeInvitation:
		kept, _ := get[farm.NodeInvitation](t, bucketNodeInvitations, c.ID)
		return audited{action: farm.AuditNodeUninvite, thing: farm.AuditThing{Kind: "invitation", ID: c.ID, Name: kept.Name}}, true
	case command.RemoveCoordinator:
		kept, _ := get[farm.Coordinator](t, bucketCoordinators, c.ID)
		return audited{action: farm.AuditNodeRemove, thing: farm.AuditThing{Kind: "coordinator", ID: c.ID, Name: kept.Name}}, true
	case command.PutGossipRing:
		return audited{action: farm.AuditGossipKeys}, true
	case command.ReplaceState:
		return audited{action: farm.AuditRestore}, true
	}
	return audited{}, false
}
