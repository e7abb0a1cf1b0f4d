package farm

// Action is something that not every caller may do. Its text completes a sentence that begins "may".
type Action string

// The actions. Grants alone says who may do each.
const (
	ActView            Action = "see the team's work and the farm's machines"
	ActSubmit          Action = "submit jobs and upload files"
	ActRunScripts      Action = "submit jobs with assets of the type script"
	ActChangeJobs      Action = "cancel, hold, release, reorder and rename jobs, render frames again, and send webhooks again"
	ActApprove         Action = "approve or reject a job by its first frames"
	ActChangeTemplates Action = "add, replace, rename and mark templates"
	ActChangePresets   Action = "save and delete presets"
	ActAddFonts        Action = "add fonts"
	ActViewSecrets     Action = "see the names of secrets"
	ActComment         Action = "comment on results"

	ActChangeProjects  Action = "create, rename, archive and reopen projects"
	ActShareReviews    Action = "make and revoke review links, and delete comments of others"
	ActRush            Action = "submit jobs at the level rush, or move them to it"
	ActDeleteTemplates Action = "delete templates"
	ActDeleteFonts     Action = "delete fonts"
	ActChangeSecrets   Action = "set and delete secrets"
	ActViewWebhookKey  Action = "see the key that signs webhooks"

	ActViewMetrics Action = "read the coordinator's metrics"
	ActRunMachines Action = "drain, pause, tag and rename machines, and set their hours"
	ActSteerFarm   Action = "pause the farm, and change levels and limits"

	ActManageTokens       Action = "create, change and revoke the team's tokens and people"
	ActSetBudgets         Action = "set the budgets of projects"
	ActRenameTeam         Action = "rename the team and set its logo"
	ActRenewWebhookKey    Action = "replace the key that signs webhooks"
	ActAudit              Action = "read the audit log"
	ActProfile            Action = "profile the coordinator"
	ActManageTeams        Action = "create and delete teams, and manage the tokens and people of every team"
	ActSetTeamBudgets     Action = "set the budgets of teams"
	ActUpdateMachines     Action = "add agent releases, and decide which machines get them"
	ActKeepDownloads      Action = "add and remove the packages and the ffmpeg that the farm hands out"
	ActInviteMachines     Action = "invite and remove machines"
	ActChangePolicy       Action = "decide how teams share the farm"
	ActChangeSecretKey    Action = "change the key that seals secrets"
	ActManageCoordinators Action = "invite, remove and inspect coordinators, and manage their keys"
	ActBackUp             Action = "back up and restore the farm"
)

// Grant says who may do an action.
type Grant struct {
	Action Action
	Least  Role // the least that may do it
	// Farm marks actions that concern all teams: only members of the farm's first team may do them.
	Farm bool
}

// Grants is the table of who may do what, from the actions of the least role to those of the farm's administrators.
func Grants() []Grant {
	return []Grant{
		{ActView, RoleViewer, false},

		{ActSubmit, RoleArtist, false},
		{ActRunScripts, RoleArtist, false}, // unless the policy says otherwise: ScriptPolicy.Role
		{ActChangeJobs, RoleArtist, false},
		// Who may submit a job without looking at its first frames may also approve them.
		{ActApprove, RoleArtist, false},
		{ActChangeTemplates, RoleArtist, false},
		{ActChangePresets, RoleArtist, false},
		{ActAddFonts, RoleArtist, false},
		{ActViewSecrets, RoleArtist, false},
		{ActComment, RoleArtist, false},

		{ActRush, RoleProducer, false}, // unless the policy says otherwise: LevelPolicy.Role
		{ActChangeProjects, RoleProducer, false},
		{ActShareReviews, RoleProducer, false},
		{ActDeleteTemplates, RoleProducer, false},
		{ActDeleteFonts, RoleProducer, false},
		{ActChangeSecrets, RoleProducer, false},
		{ActViewWebhookKey, RoleProducer, false},

		{ActViewMetrics, RoleOperator, false},
		{ActRunMachines, RoleOperator, true},
		{ActSteerFarm, RoleOperator, true},

		{ActManageTokens, RoleAdmin, false},
		{ActSetBudgets, RoleAdmin, false},
		{ActRenameTeam, RoleAdmin, false},
		{ActRenewWebhookKey, RoleAdmin, false},
		{ActAudit, RoleAdmin, false}, // of the team; the farm's administrators read all of it
		{ActProfile, RoleAdmin, false},
		{ActManageTeams, RoleAdmin, true},
		{ActSetTeamBudgets, RoleAdmin, true},
		{ActInviteMachines, RoleAdmin, true},
		{ActKeepDownloads, RoleAdmin, true},
		{ActUpdateMachines, RoleAdmin, true},
		{ActChangePolicy, RoleAdmin, true},
		{ActChangeSecretKey, RoleAdmin, true},
		{ActManageCoordinators, RoleAdmin, true},
		{ActBackUp, RoleAdmin, true},
	}
}

// grants is Grants by action. It is never written to.
var grants = func() map[Action]Grant {
	byAction := map[Action]Grant{}
	for _, g := range Grants() {
		byAction[g.Action] = g
	}
	return byAction
}()

// Grant is the action's row in Grants. An action without a row needs a role that nobody has.
func (a Action) Grant() Grant {
	if g, known := grants[a]; known {
		return g
	}
	return Grant{Action: a}
}

// Can says whether the principal may do something.
func (p Principal) Can(a Action) bool {
	g := a.Grant()
	return p.Role.Allows(g.Least) && (p.FirstTeam || !g.Farm)
}

// May is nil when the principal may do something, and otherwise an error of CodeForbidden that says what it takes.
func (p Principal) May(a Action) error { return p.MayAs(a, a.Grant().Least) }

// MayAs is May for an action whose least role the policy sets.
func (p Principal) MayAs(a Action, least Role) error {
	g := a.Grant()
	role, highest := Say(string(least)), least == RoleAdmin
	switch {
	case p.Role.Allows(least) && (p.FirstTeam || !g.Farm):
		return nil
	case !p.Role.Allows(least) && highest:
		return Errorf(CodeForbidden, "%q may not %s: that needs the role %s, and %q has the role %s", p.Name, a.Text(), role, p.Name, Say(string(p.Role)))
	case !p.Role.Allows(least):
		return Errorf(CodeForbidden, "%q may not %s: that needs the role %s or higher, and %q has the role %s", p.Name, a.Text(), role, p.Name, Say(string(p.Role)))
	case highest:
		return Errorf(CodeForbidden, "%q may not %s: that concerns all teams, and needs the role %s in the farm's first team", p.Name, a.Text(), role)
	}
	return Errorf(CodeForbidden, "%q may not %s: that concerns all teams, and needs the role %s or higher in the farm's first team", p.Name, a.Text(), role)
}

// Text is the action as people read it, each in their language.
func (a Action) Text() Text { return Say(string(a)) }
