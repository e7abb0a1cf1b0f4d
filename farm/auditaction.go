package farm

import "slices"

// AuditAction is what somebody did, as the audit log names it.
type AuditAction string

// The actions of the audit log.
const (
	AuditSetUp           AuditAction = "farm.set-up"
	AuditSignIn          AuditAction = "session.begin"
	AuditSignInFailed    AuditAction = "session.fail"
	AuditSignOut         AuditAction = "session.end"
	AuditPassword        AuditAction = "password.set"
	AuditPasswordReset   AuditAction = "password.reset"
	AuditPersonAdd       AuditAction = "person.add"
	AuditPersonChange    AuditAction = "person.change"
	AuditPersonMove      AuditAction = "person.move"
	AuditPersonRemove    AuditAction = "person.remove"
	AuditPersonLink      AuditAction = "person.link"
	AuditAccessLost      AuditAction = "person.lose"
	AuditPasskeyAdd      AuditAction = "passkey.add"
	AuditPasskeyRename   AuditAction = "passkey.rename"
	AuditPasskeyRemove   AuditAction = "passkey.remove"
	AuditTokenAdd        AuditAction = "token.add"
	AuditTokenChange     AuditAction = "token.change"
	AuditTokenRevoke     AuditAction = "token.revoke"
	AuditTeamAdd         AuditAction = "team.add"
	AuditTeamRename      AuditAction = "team.rename"
	AuditTeamDelete      AuditAction = "team.delete"
	AuditTeamLogo        AuditAction = "team.logo"
	AuditJobSubmit       AuditAction = "job.submit"
	AuditJobChange       AuditAction = "job.change"
	AuditJobCancel       AuditAction = "job.cancel"
	AuditJobRelease      AuditAction = "job.release"
	AuditJobHold         AuditAction = "job.hold"
	AuditJobAgain        AuditAction = "job.render-again"
	AuditJobApprove      AuditAction = "job.approve"
	AuditJobReject       AuditAction = "job.reject"
	AuditWebhookAgain    AuditAction = "job.webhook"
	AuditReviewLink      AuditAction = "review.link"
	AuditReviewRevoke    AuditAction = "review.revoke"
	AuditReviewComment   AuditAction = "review.comment"
	AuditReviewDelete    AuditAction = "review.delete"
	AuditFailureSettle   AuditAction = "failure.settle"
	AuditBatchSubmit     AuditAction = "batch.submit"
	AuditBatchLabel      AuditAction = "batch.label"
	AuditBatchCancel     AuditAction = "batch.cancel"
	AuditTemplateAdd     AuditAction = "template.add"
	AuditTemplateChange  AuditAction = "template.change"
	AuditTemplateDelete  AuditAction = "template.delete"
	AuditTemplateRetire  AuditAction = "template.retire"
	AuditTemplateRestore AuditAction = "template.restore"
	AuditPresetPut       AuditAction = "preset.put"
	AuditPresetDelete    AuditAction = "preset.delete"
	AuditProjectAdd      AuditAction = "project.add"
	AuditProjectChange   AuditAction = "project.change"
	AuditProjectArchive  AuditAction = "project.archive"
	AuditProjectReopen   AuditAction = "project.reopen"
	AuditTeamBudget      AuditAction = "team.budget"
	AuditTeamChange      AuditAction = "team.change"
	AuditFontAdd         AuditAction = "font.add"
	AuditFontDelete      AuditAction = "font.delete"
	AuditSecretSet       AuditAction = "secret.set"
	AuditSecretDelete    AuditAction = "secret.delete"
	AuditSecretKey       AuditAction = "secret.key"
	AuditWebhookKey      AuditAction = "webhook.key"
	AuditMachineInvite   AuditAction = "machine.invite"
	AuditMachineUninvite AuditAction = "machine.uninvite"
	AuditMachineChange   AuditAction = "machine.change"
	AuditMachineRemove   AuditAction = "machine.remove"
	AuditPolicy          AuditAction = "farm.policy"
	AuditSignInRules     AuditAction = "farm.sign-in"
	AuditRates           AuditAction = "farm.rates"
	AuditReleaseAdd      AuditAction = "release.add"
	AuditReleaseRemove   AuditAction = "release.remove"
	AuditUpdates         AuditAction = "release.rollout"
	AuditPackageAdd      AuditAction = "package.add"
	AuditPackageRemove   AuditAction = "package.remove"
	AuditNodeInvite      AuditAction = "coordinator.invite"
	AuditNodeUninvite    AuditAction = "coordinator.uninvite"
	AuditNodeRemove      AuditAction = "coordinator.remove"
	AuditGossipKeys      AuditAction = "coordinator.keys"
	AuditRestore         AuditAction = "farm.restore"
	// AuditRequest is a request that changes no record, or that was refused before it could: the thing says what it asked for.
	AuditRequest AuditAction = "request"
)

// auditWords are the actions with what a list says of each, in the order in which people choose among them.
var auditWords = []struct {
	Action AuditAction
	Words  string
}{
	{AuditSignIn, "signed in"}, {AuditSignInFailed, "failed to sign in"}, {AuditSignOut, "signed out"},
	{AuditPassword, "set a password"}, {AuditPasswordReset, "reset a password"},
	{AuditPersonAdd, "added a person"}, {AuditPersonChange, "changed a person"}, {AuditPersonMove, "moved a person to another team"}, {AuditPersonRemove, "removed a person"},
	{AuditPersonLink, "linked a person to single sign-on"}, {AuditAccessLost, "took a person’s access away, who is in no group any more"},
	{AuditPasskeyAdd, "added a passkey"}, {AuditPasskeyRename, "renamed a passkey"}, {AuditPasskeyRemove, "removed a passkey"},
	{AuditTokenAdd, "made a token"}, {AuditTokenChange, "changed a token"}, {AuditTokenRevoke, "revoked a token"},
	{AuditTeamAdd, "made a team"}, {AuditTeamRename, "renamed a team"}, {AuditTeamDelete, "deleted a team"}, {AuditTeamLogo, "set the team's logo"},
	{AuditJobSubmit, "submitted a job"}, {AuditJobChange, "changed a job"}, {AuditJobCancel, "cancelled a job"}, {AuditJobRelease, "released a job"}, {AuditJobHold, "held a job"}, {AuditJobAgain, "had frames of a job rendered again"},
	{AuditJobApprove, "approved a job"}, {AuditJobReject, "rejected a job"}, {AuditWebhookAgain, "sent a webhook again"},
	{AuditReviewLink, "made a review link"}, {AuditReviewRevoke, "revoked a review link"},
	{AuditReviewComment, "commented on a result"}, {AuditReviewDelete, "deleted a comment"}, {AuditFailureSettle, "dismissed a failure"},
	{AuditBatchSubmit, "submitted a batch"}, {AuditBatchLabel, "named a batch"}, {AuditBatchCancel, "cancelled a batch"},
	{AuditTemplateAdd, "added a template"}, {AuditTemplateChange, "changed a template"}, {AuditTemplateDelete, "deleted a template"},
	{AuditTemplateRetire, "retired a template"}, {AuditTemplateRestore, "brought a template back"}, {AuditPresetPut, "saved a preset"}, {AuditPresetDelete, "deleted a preset"},
	{AuditProjectAdd, "created a project"}, {AuditProjectChange, "changed a project"}, {AuditProjectArchive, "archived a project"}, {AuditProjectReopen, "reopened a project"},
	{AuditTeamBudget, "changed a team’s budget"}, {AuditTeamChange, "changed a team’s name and budget"},
	{AuditFontAdd, "added a font"}, {AuditFontDelete, "deleted a font"},
	{AuditSecretSet, "set a secret"}, {AuditSecretDelete, "deleted a secret"}, {AuditSecretKey, "changed the key that seals secrets"},
	{AuditWebhookKey, "replaced the key that signs webhooks"},
	{AuditMachineInvite, "invited machines"}, {AuditMachineUninvite, "revoked an invitation of machines"}, {AuditMachineChange, "changed a machine"}, {AuditMachineRemove, "removed a machine"},
	{AuditPolicy, "changed how the farm is shared"}, {AuditSignInRules, "changed who signs in with single sign-on"}, {AuditRates, "changed what machines cost"},
	{AuditReleaseAdd, "added a release"}, {AuditReleaseRemove, "removed a release"}, {AuditUpdates, "changed how machines are updated"},
	{AuditPackageAdd, "added a package"}, {AuditPackageRemove, "removed a package"},
	{AuditNodeInvite, "invited a coordinator"}, {AuditNodeUninvite, "revoked the invitation of a coordinator"}, {AuditNodeRemove, "removed a coordinator"},
	{AuditGossipKeys, "replaced the keys of gossip"}, {AuditRestore, "restored the farm from a backup"}, {AuditSetUp, "set the farm up"},
	{AuditRequest, "asked for"},
}

// AuditActions are the actions that the audit log names, in the order in which people choose among them.
func AuditActions() []AuditAction {
	actions := make([]AuditAction, len(auditWords))
	for i, a := range auditWords {
		actions[i] = a.Action
	}
	return actions
}

// Words is what somebody did, in the past tense; the action itself for one of a later release.
func (a AuditAction) Words() string {
	i := slices.IndexFunc(auditWords, func(w struct {
		Action AuditAction
		Words  string
	}) bool {
		return w.Action == a
	})
	if i < 0 {
		return string(a)
	}
	return auditWords[i].Words
}
