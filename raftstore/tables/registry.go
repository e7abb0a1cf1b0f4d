package tables

import (
	"reflect"
	"slices"

	"overcrank/raftstore/command"
)

// registry is every command that a log may hold: its kind, by its type how it is read, and the rule that carries it out. From which
// level of the farm on it may be written says its method Needs. A kind is never used for another command.
var registry = slices.Concat([]rule{
	does(1, (*tables).putTeam),
	does(2, (*tables).putToken),
	does(3, (*tables).revokeToken),
	does(4, (*tables).recordUses),
	does(5, (*tables).changeToken),
	does(6, (*tables).keepAnswer),
	does(7, (*tables).forgetRequests),
	does(10, (*tables).createTemplate),
	does(11, (*tables).renameTemplate),
	does(12, (*tables).renewUpload),
	does(13, (*tables).receiveTemplate),
	does(14, (*tables).finishTemplate),
	does(15, (*tables).deleteTemplate),
	does(16, (*tables).markTemplate),
	packed(20, (*tables).submitJobs, command.ReadSubmission),
	does(21, (*tables).leaseTasks),
	does(22, (*tables).finishTask),
	does(23, (*tables).failTask),
	does(24, (*tables).expireLeases),
	does(25, (*tables).cancelJobs),
	packed(26, (*tables).submitPart, command.ReadPart),
	does(27, (*tables).cancelBatch),
	does(28, (*tables).releaseJobs),
	does(29, (*tables).dropParts),
	does(30, (*tables).putFile),
	does(31, (*tables).expireFiles),
	does(40, (*tables).enrolAgent),
	does(41, (*tables).putInventory),
	does(42, (*tables).removeAgent),
	does(43, (*tables).configureAgent),
	does(44, (*tables).putPolicy),
	does(45, (*tables).changeJob),
	does(50, (*tables).putFont),
	does(51, (*tables).deleteFont),
	does(52, (*tables).putSecret),
	does(53, (*tables).deleteSecret),
	does(54, (*tables).resealSecrets),
	does(55, (*tables).changeSecret),
	does(60, (*tables).recordTry),
	does(61, (*tables).redeliver),
	does(62, (*tables).renewWebhookKey),
	does(63, (*tables).redactJobs),
	does(64, (*tables).expireOutputs),
	does(65, (*tables).purgeJobs),
	does(80, (*tables).endTeam),
	does(81, (*tables).renameTeam),
	does(82, (*tables).putJoinToken),
	does(83, (*tables).revokeJoinToken),
	does(84, (*tables).joinAgent),
	does(85, (*tables).renewAgentKey),
	does(86, (*tables).confirmAgentKey),
	does(87, (*tables).forgetInvitations),
	does(95, (*tables).splitTasks),
	does(96, (*tables).keepFrames),
	does(97, (*tables).redoFrames),
	does(98, (*tables).decideJob),
	does(110, (*tables).putCoordinator),
	does(111, (*tables).removeCoordinator),
	does(114, (*tables).putNodeInvitation),
	does(115, (*tables).useNodeInvitation),
	does(116, (*tables).revokeNodeInvitation),
	does(117, (*tables).forgetNodeInvitations),
	does(120, (*tables).putGossipRing),
	does(128, (*tables).setLevel),
	does(134, (*tables).useCode),
	does(135, (*tables).putRelease),
	does(136, (*tables).removeRelease),
	does(137, (*tables).putUpdates),
	does(138, (*tables).recordUpdates),
	does(139, (*tables).putDownload),
	does(140, (*tables).stageState),
	does(141, (*tables).replaceState),
	does(142, (*tables).dropStagedState),
	does(143, (*tables).removeDownload),
	does(144, (*tables).setPassword),
	does(145, (*tables).beginSession),
	does(146, (*tables).turnSession),
	does(147, (*tables).endSessions),
	does(148, (*tables).putNoticeSettings),
	does(149, (*tables).recordNotice),
	does(150, (*tables).watchJob),
	does(151, (*tables).putReviewLink),
	does(152, (*tables).revokeReviewLink),
	does(153, (*tables).addRemark),
	does(154, (*tables).deleteRemark),
	does(155, (*tables).putTeamLogo),
	does(156, (*tables).putSignInRules),
	does(157, (*tables).enterPerson),
	does(158, (*tables).putPasskey),
	does(162, (*tables).changePasskey),
	does(163, (*tables).putProject),
	does(164, (*tables).changeProject),
	does(165, (*tables).putTeamBudget),
	does(169, (*tables).putPreset),
	does(170, (*tables).deletePreset),
	does(171, (*tables).retireTemplate),
	does(186, (*tables).takeVersion),
	does(180, (*tables).putView),
	does(181, (*tables).deleteView),
	does(182, (*tables).switchKeys),
	does(187, (*tables).setLanguage),
	does(167, (*tables).putRates),
	does(168, (*tables).settleFailures),
	does(159, (*tables).setUp),
	does(160, (*tables).recordAudit),
	does(161, (*tables).forgetAudit),
	does(172, (*tables).renderAgain),
	does(173, (*tables).recordBackup),
	does(175, (*tables).labelBatch),
	does(166, (*tables).holdJobs),
}, trialRegistry())

// rule is one kind of command and what it does to the state.
type rule struct {
	command.Definition
	apply func(*tables, command.Command) command.Result
}

// does defines a command that lies in the log as JSON.
func does[C command.Command](kind command.Kind, apply func(*tables, C) command.Result) rule {
	return rule{command.Define[C](kind), func(t *tables, cmd command.Command) command.Result { return apply(t, cmd.(C)) }}
}

// packed defines a command that lies in the log as it packs itself.
func packed[C command.Command](kind command.Kind, apply func(*tables, C) command.Result, read func(body []byte) (C, error)) rule {
	r := does(kind, apply)
	r.Definition = command.DefinePacked(kind, read)
	return r
}

// Definitions are the definitions of all commands.
func Definitions() []command.Definition {
	all := make([]command.Definition, len(registry))
	for i, r := range registry {
		all[i] = r.Definition
	}
	return all
}

var ruleOf = func() map[reflect.Type]func(*tables, command.Command) command.Result {
	rules := make(map[reflect.Type]func(*tables, command.Command) command.Result, len(registry))
	for _, r := range registry {
		rules[r.Type] = r.apply
	}
	return rules
}()
