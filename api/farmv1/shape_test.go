package farmv1

import (
	"flag"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/api/answer"
	"overcrank/api/apitest"
	"overcrank/api/public"
	"overcrank/coordinator"
	"overcrank/coordinator/notices"
	"overcrank/coordinator/people"
	"overcrank/coordinator/search"
	"overcrank/coordinator/updates"
	"overcrank/coordinator/uploads"
	"overcrank/farm"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares what a value looks like on the wire with the file of that name.
func golden(t *testing.T, name string, value any) {
	t.Helper()
	apitest.Golden(t, *update, name, value)
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 123_456_789, time.UTC)

const jobA = "01JD7000000000000000000JBA"

func TestMachinesOnTheWire(t *testing.T) {
	machine := farm.Machine{
		Agent: farm.Agent{ID: "a1", Name: "suite-3", SecretHash: "never shown", Inventory: farm.Inventory{
			OS: "windows", Arch: "amd64", CPUs: 16, Memory: 64 << 30, Version: "0.1.0", Slots: 1,
			Engines: []farm.EngineInfo{{Kind: "aftereffects", Version: "26.0.2", Path: `C:\Program Files\Adobe`}},
			Fonts:   []farm.FontUse{{PostScript: "Inter-Bold"}}, Codecs: []string{"image_png"}, Encoders: []string{"png"},
			FFmpeg: &farm.FFmpeg{Version: "7.1.1", Licence: "LGPL", Path: `C:\ffmpeg\ffmpeg.exe`},
		}},
		Online: true, LastSeen: noon, Address: "10.0.0.3:51000",
		Running: []farm.RunningTask{{Task: jobA + ".1", Job: jobA, Attempt: 2, Progress: 12.3456, Frame: 17, Phase: "rendering", Since: noon}, {Frame: -1, Phase: "uploading", Since: noon}},
	}
	golden(t, "agent", agentShape(machine))
	golden(t, "agent-inventory", inventoryShape(machine.Inventory))
	golden(t, "agent-bare", agentShape(farm.Machine{Agent: farm.Agent{ID: "a2", Name: "laptop"}}))
	machine.Drained, machine.Tags = true, []string{"night"}
	machine.SetAside = &farm.SetAside{Reason: "attempts of 5 jobs in a row failed on it", At: noon, Until: noon.Add(time.Hour)}
	machine.Availability = farm.Availability{Presence: farm.PresenceAway, Reason: "somebody works at it", AfterEffects: "nobody is signed in", SignedIn: farm.SignedInNobody}
	golden(t, "agent-set-aside", agentShape(machine))
	machine.Availability = farm.Availability{Presence: farm.PresenceAway, Reason: "somebody works at it", SignedIn: farm.SignedInActive, InUse: true}
	machine.Load = &farm.Load{Processor: 41.256, Memory: 12 << 30, DiskFree: 300e9}
	machine.Rules = &farm.WorkRules{Hours: []farm.Hours{{Days: []time.Weekday{time.Monday}, From: 19 * 60, To: 8 * 60}}, IdleMinutes: 5, Programs: []string{"Premiere"}, Zone: "CET", ZoneOffset: 60}
	golden(t, "agent-in-use", agentShape(machine))
	machine.Load = &farm.Load{Processor: -1, DiskFree: -1}
	golden(t, "agent-unmeasured", agentShape(machine))
}

func TestTasksOnTheWire(t *testing.T) {
	task := farm.Task{ID: jobA + ".2", Job: jobA, Kind: farm.TaskRender, Stage: 1, Frames: &farm.Frames{Start: 0, End: 24}, Status: farm.TaskLeased,
		Attempt: 2, Failures: 1, Agent: "a1", Error: "the engine was killed", Engine: "embedded", Redo: 1, Parts: []farm.TaskPart{{Frames: farm.Frames{Start: 0, End: 9}, Attempt: 1}}}
	golden(t, "task", taskShape(coordinator.TaskView{Task: task, AgentName: "suite-3", Running: &farm.RunningTask{Task: task.ID, Job: jobA, Attempt: 2, Progress: 50, Frame: 12, Phase: "rendering", Since: noon}}))
	golden(t, "task-bare", taskShape(coordinator.TaskView{Task: farm.Task{ID: jobA + ".1", Job: jobA, Kind: farm.TaskSample, Stills: []int{0, 12, 24}, Status: farm.TaskReady}}))
	golden(t, "attempts", attemptShapes([]farm.AttemptRecord{
		{Task: task.ID, Number: 1, Agent: "a2", AgentName: "laptop", LeasedAt: noon, EndedAt: noon.Add(time.Minute), Outcome: farm.OutcomeFailed,
			Class: farm.FailureWorker, Message: "the disk is full", Measured: farm.Measured{Engine: "aftereffects 26.0.2", StartSeconds: 20.5, Frames: 3, FrameSeconds: 1.5, Reused: 2}},
		{Task: task.ID, Number: 2, Agent: "a1", AgentName: "suite-3", LeasedAt: noon},
	}))
	golden(t, "farm-job", farmJobShape(farm.Job{
		ID: jobA, Name: "Opener", Tags: []string{"tv"}, SubmittedBy: "night", Priority: 5, Level: farm.LevelRush, NotBefore: noon, Status: farm.JobRendering, Progress: 12.345,
		RequireTags: []string{"gpu"}, AnyTags: []string{"a", "b"}, NoTags: []string{"slow"}, MinMemory: 16e9, OS: "windows", Settings: farm.Settings{Engine: "ae2026"},
		Limits: []string{"particles"}, MaxMachines: 4, MaxAttempts: 2, PreviewFirst: true, Approve: true, ApprovedAt: noon, ApprovedBy: "ada", Failures: 1, FramesTotal: 100,
		CreatedAt: noon, UpdatedAt: noon, StartedAt: noon,
	}, map[farm.TaskStatus]int{farm.TaskDone: 2, farm.TaskLeased: 1, farm.TaskBlocked: 1}))
	golden(t, "farm-job-bare", farmJobShape(farm.Job{ID: jobA, Status: farm.JobCancelled, CreatedAt: noon, UpdatedAt: noon}, nil))
}

func TestTheQueueOnTheWire(t *testing.T) {
	golden(t, "placement", placementShape(farm.Placement{
		Job: jobA, Task: jobA + ".1", Why: farm.Say("All %d machines that fit are busy.", 2), Split: farm.Say("The render is split into %d ranges of frames.", 3), Agents: 3, Fitting: 2,
		Requirements: []farm.Requirement{{Kind: "engine", Wants: farm.AsIs("After Effects 2026"), RulesOut: 1}},
		Nearest:      &farm.NearAgent{ID: "a1", Name: "suite-3", Lacks: []farm.Text{farm.Say("the font %s", "Inter-Bold")}},
		Place:        3, PlaceAtLeast: true, Start: &farm.Span{Low: 10, High: 90.5}, Finish: &farm.Span{Learning: true}, At: noon,
	}))
	golden(t, "placement-bare", placementShape(farm.Placement{Job: jobA, At: noon}))
	golden(t, "search", searchShape(search.Answer{
		Found: []search.Found{
			{Kind: search.KindJob, ID: jobA, Name: "Opener", Status: "queued", By: "ci", Composition: "main", At: noon},
			{Kind: search.KindBatch, ID: jobA, Jobs: 3, At: noon},
		},
		More: []search.Kind{search.KindJob}, Indexing: &search.Progress{Done: 10, Total: 40},
	}))
	golden(t, "queue-entry", queueEntryShape(farm.QueueEntry{Place: 1, Level: farm.LevelRush, Since: noon, Task: jobA + ".1", Job: jobA, JobName: "Opener", Team: "t", Kind: farm.TaskRender, Priority: 5}))
	golden(t, "queue-entry-others", queueEntryShape(farm.QueueEntry{Place: 2, Since: noon}))
}

func TestThePolicyOnTheWire(t *testing.T) {
	golden(t, "policy", policyShape(farm.Policy{
		Revision: 3, At: noon, By: "ada", Paused: true, MaxMachinesPerJob: 8, MaxSlotsPerMachine: 16, Scripts: farm.ScriptPolicy{Role: farm.RoleProducer},
		Levels: map[farm.Level]farm.LevelPolicy{farm.LevelOvernight: {Paused: true, MaxShare: 0.5, Hours: []farm.Hours{{Days: []time.Weekday{time.Monday, time.Friday}, From: 19 * 60, To: 8 * 60}}}},
		Teams:  map[string]farm.TeamPolicy{"01JD7000000000000000000TEA": {MaxMachines: 4}},
		Limits: map[string]farm.LimitPolicy{"particles": {Total: 4, PerMachine: 1, ByMachine: true, Effects: []string{"tc Particular*"}}},
		Split:  farm.SplitPolicy{MinSeconds: 20, MaxRanges: 8}, Retry: farm.RetryPolicy{MaxAttempts: 2, MaxJobFailures: 9, SetAsideAfter: 4},
	}))
	golden(t, "policy-bare", policyShape(farm.Policy{}))
	golden(t, "farm", farmShape(farm.Status{
		Paused: true, Machines: map[farm.MachineState]int{farm.MachineFree: 2, farm.MachineOffline: 1}, Slots: 2, Ready: 7, Leased: 1,
		Jobs: map[farm.JobStatus]int{farm.JobQueued: 3}, Done: 40, Failed: 2, Since: noon,
	}))
}

func TestOtherAnswersOnTheWire(t *testing.T) {
	golden(t, "batch-listed", batchListed{
		BatchID: "01JD7000000000000000000BTA", Name: answer.OrNull("Spring spots"), SubmittedBy: answer.OrNull("ada"), DueAt: answer.Time(noon.Add(4 * time.Hour)), Status: "processing", CreatedAt: answer.Time(noon), Stats: public.BatchStats{Total: 3, Finished: 1, Error: 1, Pending: 1},
	})
	golden(t, "upload", uploadShape(uploads.Upload{ID: "01JQ0000000000000000000000", Name: "spot.zip", Size: 20 << 20, PartSize: 8 << 20, Missing: []int{1, 2}, Arrived: 8 << 20, ExpiresAt: noon}))
	golden(t, "upload-finished", uploadShape(uploads.Upload{ID: "01JQ0000000000000000000000", Name: "spot.zip", Size: 20 << 20, PartSize: 8 << 20, Arrived: 20 << 20, ExpiresAt: noon, SHA256: "abc"}))
	golden(t, "file", keptFile{Src: "farm://abc", Size: 3, SHA256: "abc", ExpiresAt: answer.Time(noon)})
	src := "farm://abc"
	golden(t, "preflight", preflightBody{Machines: 3, EngineMachines: 2, Files: []askedFile{{SHA256: "abc", Src: &src}, {SHA256: "def"}},
		Fonts: []askedFont{{Name: "Inter-Bold", Library: true, Machines: 1}}, Effects: []askedThing{{Name: "ADBE Tint", Own: true}}})
	golden(t, "template-preflight", templatePreflightShape(&aep.Preflight{Stopped: aep.StoppedByTime, Compositions: []aep.Forecast{
		{ID: 1, Composition: "main", Verdict: aep.DrawsNot, More: 3, MoreNeeds: 2, Needs: []aep.Need{
			{Kind: aep.NeedEffect, Name: "Glow", Match: "ADBE Glo2", Count: 3, Drawn: aep.DrawsNot},
			{Kind: aep.NeedLayer, Name: "3D layers", Count: 12, Drawn: aep.DrawsExactly},
		}, Findings: []aep.Finding{
			{Kind: aep.FeatureFinding, Composition: "inner", Layer: "card", What: "effect 'Glow'"},
			{Kind: aep.FontFinding, Composition: "main", Layer: "title", What: "Brand-Bold", Detail: true},
			{Kind: aep.FeatureFinding, Composition: "main", What: "the project's 32 bits per channel are drawn with 8", Detail: true},
		}},
		{ID: 2, Composition: "inner", Verdict: aep.DrawsExactly},
	}}))
	golden(t, "template-preflight-bare", templatePreflightShape(&aep.Preflight{}))
	golden(t, "thumbnail", thumbnailBody{Frame: 12, Size: 900, URL: "/api/farm/v1/jobs/" + jobA + "/thumbnails/12.jpg"})
}

func TestAccessOnTheWire(t *testing.T) {
	team := teamShape(farm.Team{ID: "01JD7000000000000000000TEA", Name: "Trailers", CreatedAt: noon}, true)
	token := farm.Token{ID: "01JD7000000000000000000TKN", Team: team.ID, Name: "night", Role: farm.RoleArtist, Hash: "never shown", CreatedAt: noon}
	p := farm.Principal{TokenID: token.ID}
	golden(t, "team", team)
	golden(t, "token", tokenShape(token, p))
	made := tokenShape(token, farm.Principal{})
	made.Secret, made.ExpiresAt = "oct_abc", answer.Time(noon.Add(time.Hour))
	golden(t, "token-created", made)
	invitation := joinTokenShape(farm.JoinToken{
		ID: "01JI", Name: "Suite 4", Hash: "never shown", Tags: []string{"gpu"}, Uses: 2, Left: 1, CreatedBy: "admin", CreatedAt: noon, ExpiresAt: noon.Add(time.Hour), LastUsedAt: noon,
	})
	golden(t, "join-token", invitation)
	invitation.JoinToken = "ocj_secret.0123"
	golden(t, "join-token-created", invitation)
	golden(t, "join-token-bare", joinTokenShape(farm.JoinToken{ID: "01JI", Uses: 1, Left: 1, CreatedBy: "admin", CreatedAt: noon, ExpiresAt: noon.Add(time.Hour)}))
	made.Secret, made.LastUsedAt = "", answer.Time(noon)
	made.SignIn = signInShape("https://farm.example", people.SignIn{Code: "CODE", Until: noon.Add(10 * time.Minute)}, noon)
	made.Email = "night@studio.example"
	golden(t, "person-created", made)
	golden(t, "audit", []auditBody{
		auditShape(farm.AuditRecord{ID: "01", At: noon, Team: team.ID, Token: token.ID, Name: token.Name, Address: "192.0.2.1", Action: farm.AuditJobCancel,
			Thing: farm.AuditThing{Kind: "job", ID: jobA, Name: "Opener"}, More: 2}),
		auditShape(farm.AuditRecord{ID: "03", At: noon, Team: team.ID, Token: token.ID, Name: token.Name, Action: farm.AuditPersonMove, Thing: farm.AuditThing{Kind: "person", ID: token.ID, Name: token.Name},
			Left: farm.AuditThing{Kind: "team", ID: team.ID, Name: team.Name}, Joined: farm.AuditThing{Kind: "team", ID: "t2", Name: "Trailers"}}),
		auditShape(farm.AuditRecord{ID: "02", At: noon, Action: farm.AuditSignInFailed, Times: 3, Refused: farm.CodeUnauthorized, Reason: "wrong"}),
	})
	golden(t, "session", sessionShape(farm.OpenSession{
		Session: farm.Session{ID: "S1", Until: noon.Add(time.Hour)}, Token: token.ID, Browser: "Mozilla/5.0", Address: "192.0.2.1", BegunAt: noon, UsedAt: noon, TurnedAt: noon,
	}))
	golden(t, "self", selfBody{ID: token.ID, Name: token.Name, Role: "artist", FarmAdmin: true, Team: team})
}

func TestDeliveries(t *testing.T) {
	golden(t, "delivery-pending", deliveryShape(farm.Delivery{ID: jobA, Tries: 1, TriedAt: noon, Next: noon.Add(time.Second), Error: "the receiver answered 500"}))
	golden(t, "delivery-delivered", deliveryShape(farm.Delivery{ID: jobA, Tries: 2, TriedAt: noon, EndedAt: noon}))
	golden(t, "delivery-failed", deliveryShape(farm.Delivery{ID: jobA, Tries: 4, TriedAt: noon, EndedAt: noon, Error: "the receiver answered 500"}))
}

func TestShapesOfReleasesAndUpdates(t *testing.T) {
	soak := 15
	golden(t, "release", releaseShape(farm.Release{
		Version: "1.2.3", Number: 7, Expires: noon.AddDate(1, 0, 0), MinLauncher: 1, ProtocolMin: 3, ProtocolMax: 4, DowngradeOf: 8, Keys: 2, KeysExpire: noon.AddDate(2, 0, 0),
		Files:   []farm.ReleaseFile{{System: "darwin", Arch: "universal", File: farm.FileRef{SHA256: "ab", Size: 9, Name: "overcrank-agent-darwin-universal"}}},
		AddedAt: noon, AddedBy: "ada", Documents: []farm.ReleaseDocument{{Name: "manifest.json", Content: []byte("{}")}},
	}))
	golden(t, "received-file", receivedFileBody{Size: 9, SHA256: "ab"})
	machines := []updates.Machine{
		{ID: "a1", Name: "suite-3", Online: true, Ring: farm.RingCanary, Tags: []string{"canary"}, Update: farm.MachineUpdate{
			Agent: "a1", Version: "1.2.3", Mode: farm.UpdatedByFarm, Release: "1.2.3", State: farm.UpdateDone, Rendered: true, At: noon,
		}},
		{ID: "a2", Name: "laptop", Online: true, Ring: farm.RingTenth, Update: farm.MachineUpdate{
			Agent: "a2", Version: "1.2.2", Mode: farm.UpdatedByFarm, Release: "1.2.3", State: farm.UpdateRetrying, Reason: "no space left on device", Failures: 2, At: noon,
		}},
		{ID: "a3", Name: "suite-1", Ring: farm.RingAll},
	}
	golden(t, "updates", updatesShape(updates.Overview{
		Updates: farm.Updates{
			Revision: 4, At: noon, By: "ada", Release: "1.2.3", CanaryTags: []string{"canary"}, CanaryMachines: []string{"a1"}, Hours: []farm.Hours{{From: 22 * 60, To: 6 * 60}},
			BytesPerSecond: 1 << 20, AtOnce: 5, SoakMinutes: &soak, Ring: farm.RingTenth, Since: noon, Resumed: noon,
			Stopped: &farm.UpdateStop{Reason: "suite-3 rolled 1.2.3 back", Machine: "a1", At: noon},
		},
		Waiting: "it was stopped: suite-3 rolled 1.2.3 back", Machines: machines,
	}))
	golden(t, "updates-bare", updatesShape(updates.Overview{}))
}

func TestNotificationsOnTheWire(t *testing.T) {
	golden(t, "notifications-bare", noticeSettingsShape(notices.Settings{}))
	golden(t, "notifications", noticeSettingsShape(notices.Settings{
		NoticeSettings: farm.NoticeSettings{
			About: []farm.Happening{farm.HappenedFinished, farm.HappenedApproval}, Mail: true,
			Chat:  &farm.NoticeChat{Kind: farm.ChatSlack, Host: "hooks.slack.com", Sealed: []byte("never shown")},
			Quiet: &farm.QuietHours{Hours: farm.Hours{From: 1320, To: 420}, Zone: "Europe/Berlin"},
		},
		Address: "mia@studio.example", Mails: true, Language: farm.German, Reads: farm.German,
		Ways: map[farm.NoticeWay]farm.NoticeQueue{farm.ByChat: {Waiting: make([]farm.Notice, 2), More: 1, EndedAt: noon, Error: "the receiver answered 502"}},
	}))
}

func TestFailuresOnTheWire(t *testing.T) {
	golden(t, "failures", answer.Each([]farm.FailureGroup{
		{Cause: farm.Cause{Kind: farm.CauseFootage, Subject: "nm.png"}, Count: 3, First: noon, Last: noon.Add(time.Hour), Latest: farm.OpenFailure{Job: jobA, Agent: "a1"}},
		{Cause: farm.Cause{Kind: farm.CauseTime}, Count: 1, First: noon, Last: noon, Latest: farm.OpenFailure{Job: jobA}},
	}, failureShape))
	golden(t, "failed-job", failedJobShape(farm.Job{ID: jobA, SubmittedBy: "mia", Error: "no", ErrorAt: noon}))
}

func TestReportsOnTheWire(t *testing.T) {
	line := coordinator.ReportLine{Subject: "tm", Name: "Title", Sum: farm.Sum{Attempts: 3, Done: 2, Failed: 1, Time: 5_400_000, Wasted: 600_000}, Cost: 3}
	budget := farm.Budget{Hours: 40, Per: farm.BudgetMonth, Then: farm.BudgetHold}
	golden(t, "project", projectShape(coordinator.ProjectListed{Project: farm.Project{ID: "k3x7q2ab", Name: "Spring", Budget: &budget, CreatedAt: noon, By: "mia"}, Use: farm.ProjectUse{Total: 90 * 3_600_000, Month: 41 * 3_600_000}, Jobs: farm.ProjectJobs{Active: 3, Finished: 12, Failed: 1}, Held: true}, noon))
	golden(t, "project-archived", projectShape(coordinator.ProjectListed{Project: farm.Project{ID: "k3x7q2ab", Name: "Spring", CreatedAt: noon, ArchivedAt: noon}}, noon))
	golden(t, "preset", presetShape(farm.Preset{
		Name: "Delivery", Default: true, Settings: farm.Settings{Codec: "video_prores_422", Quality: "full"}, At: noon, By: "mia",
		ProjectID: "k3x7q2ab", Upload: &farm.Upload{Provider: "s3", Prefix: "films/", Params: map[string]string{"bucket": "studio", "region": "eu-central-1", "accessKeyId": "${secrets.ID}", "accessKeySecret": "${secrets.KEY}"}},
		Webhook: &farm.Webhook{URL: "https://studio.example/done"},
	}))
	golden(t, "preset-bare", presetShape(farm.Preset{Name: "Draft", At: noon}))
	golden(t, "report", reportShape(coordinator.Report{From: noon, To: noon, Rates: farm.Rates{Currency: "EUR", PerHour: 2}, Total: line.Sum, Templates: []coordinator.ReportLine{line}}))
	golden(t, "rates", ratesShape(farm.Rates{Revision: 2, Currency: "EUR", PerHour: 2, Tags: []farm.TagRate{{Tag: "gpu", PerHour: 5}}, At: noon, By: "ann"}))
	golden(t, "rates-bare", ratesShape(farm.Rates{}))
}
