package farmv1

import (
	"maps"
	"slices"
	"testing"

	"overcrank/api/apitest"
	"overcrank/api/openapi"
)

// answerShapes are the Go types whose JSON form the farm's own document describes, beside those that it borrows from the public one.
var answerShapes = map[string]any{
	"BatchListed": batchListed{}, "BatchNamed": batchBody{}, "BatchRow": batchRow{}, "Team": teamBody{}, "Self": selfBody{}, "Token": tokenBody{}, "SignIn": signInBody{}, "Session": sessionBody{}, "WaysIn": waysInBody{}, "Passkey": passkeyBody{}, "SignInRules": signInRulesBody{}, "GroupRule": groupRuleBody{}, "AuditRecord": auditBody{}, "AuditActor": auditByBody{}, "AuditThing": auditThingBody{}, "Notifications": noticeSettingsBody{}, "ChatKnown": chatBody{}, "QuietHours": quietBody{}, "NoticeWay": noticeWayBody{}, "NoticeTest": noticeTestBody{},
	"Review": reviewBody{}, "Comment": commentBody{}, "Stroke": strokeBody{},
	"JoinToken": joinTokenBody{}, "Backup": backupBody{}, "Cluster": clusterBody{}, "ClusterStorage": storageBody{}, "StorageMove": storageMoveBody{},
	"ClusterMember": memberBody{}, "NodeInvitation": nodeInvitationBody{}, "ScriptRule": scriptsBody{},
	"KeyChanged": keyChanged{}, "GossipKeys": gossipRingBody{}, "GossipKey": gossipKeyBody{}, "Authority": authorityBody{},
	"Preflight": preflightBody{}, "PreflightFile": askedFile{}, "PreflightFont": askedFont{}, "PreflightEffect": askedThing{},
	"KeptFile": keptFile{}, "Upload": uploadBody{}, "Agent": agentBody{}, "Engine": engineBody{}, "SetAside": setAsideBody{},
	"Presence": presenceBody{}, "AgentLoad": loadBody{}, "AgentRules": rulesBody{}, "Inventory": inventoryBody{}, "FFmpeg": ffmpegBody{}, "FontFace": fontUse{}, "Running": runningShape{},
	"Thumbnail": thumbnailBody{}, "Delivery": deliveryBody{}, "WebhookKey": webhookKeyBody{},
	"FarmTemplate": farmTemplateBody{}, "TemplateVersion": templateVersionBody{}, "BatchLabel": batchLabelBody{}, "TemplatePreflight": templatePreflightBody{}, "Forecast": forecastBody{}, "Finding": findingBody{}, "Need": needBody{}, "FarmJob": farmJobBody{}, "Approval": approvalBody{}, "TaskCounts": taskCounts{},
	"RenderedAgain": renderedAgain{}, "Task": taskBody{}, "FrameRange": framesBody{}, "TaskPart": partBody{}, "TaskAgent": taskAgent{},
	"TaskRunning": runningShape{}, "Attempt": attemptBody{}, "AttemptAgent": taskAgent{}, "Measured": measuredBody{},
	"RetakenRows": retakenBody{}, "RetakenRow": retakenRow{}, "RefusedRow": refusedRow{}, "FailureGroup": failureBody{}, "FailedJob": failedJobBody{}, "RetriedFailures": retriedBody{}, "Report": reportBody{}, "Project": projectBody{}, "ProjectJobs": jobsBody{}, "Preset": presetBody{}, "PresetSettings": presetSettings{}, "PresetUpload": presetUpload{}, "PresetWebhook": presetWebhook{}, "Budget": budgetBody{}, "BudgetUse": useBody{}, "TeamBudget": teamBudgetBody{}, "ReportLine": reportLineBody{}, "Rates": ratesBody{}, "TagRate": tagRateBody{},
	"SearchAnswer": searchBody{}, "Found": foundBody{}, "Indexing": indexingBody{},
	"QueueEntry": queueEntryBody{}, "Placement": placementBody{}, "Requirement": requirementBody{},
	"NearestAgent": nearestBody{}, "Span": spanBody{}, "Event": eventBody{}, "FarmStatus": farmBody{}, "Pace": paceBody{},
	"Policy": policyBody{}, "Levels": levelsBody{}, "Level": levelBody{}, "TeamShare": teamShare{},
	"RestoreLine": restoreLine{}, "Restored": restoredBody{}, "FarmLimit": limitBody{}, "Splitting": splitBody{},
	"Retrying": retryBody{}, "Release": releaseBody{}, "ReleaseFile": releaseFileBody{}, "ReceivedFile": receivedFileBody{}, "Updates": updatesBody{},
	"Download": downloadBody{}, "UpdateStop": updateStopBody{}, "MachineUpdate": machineUpdateBody{},
}

func TestTheDocumentsAnswersAreTheShapesOfTheCode(t *testing.T) {
	borrowed := slices.Collect(maps.Keys(apitest.Described(t, openapi.Public).Components.Schemas))
	apitest.HoldShapes(t, apitest.Described(t, openapi.Farm), answerShapes, borrowed...)
}
