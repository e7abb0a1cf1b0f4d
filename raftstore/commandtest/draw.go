// Package commandtest gives tests commands: random ones about a small farm, and those that a test begins with.
package commandtest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// Draw makes a random command about a small world, so that commands meet each other; many of them are refused.
func Draw(t *rapid.T, step int) command.Command {
	at := After(step)
	id := func(kind string, n int) string { return fmt.Sprintf("%s%d", kind, rapid.IntRange(0, n).Draw(t, kind)) }
	task := func() string { return fmt.Sprintf("%s.%d", id("job", 7), rapid.IntRange(0, 1).Draw(t, "task")) }
	attempt := func() int { return rapid.IntRange(1, 4).Draw(t, "attempt") }
	grants := func() []command.Grant {
		var grants []command.Grant
		for range rapid.IntRange(1, 3).Draw(t, "grants") {
			grants = append(grants, command.Grant{Task: task(), Attempt: attempt(), Agent: id("agent", 2)})
		}
		return grants
	}
	switch rapid.IntRange(0, 28).Draw(t, "command") {
	case 0, 1:
		return DrawSubmission(t, step)
	case 2, 3, 4, 5, 6:
		return command.LeaseTasks{Grants: grants(), At: at}
	case 7, 8:
		return command.FinishTask{Task: task(), Attempt: attempt(), Output: farm.OutputRef{Key: "k"}, Warnings: []string{"w"}, At: at}
	case 9, 10:
		return command.FailTask{Task: task(), Attempt: attempt(), Message: "broke", Retry: rapid.Bool().Draw(t, "retry"), Class: drawClass(t), Cause: drawCause(t), At: at}
	case 11:
		return command.ExpireLeases{Leases: grants(), Returned: rapid.Bool().Draw(t, "returned"), At: at}
	case 12:
		return command.CancelJobs{Team: id("team", 1), IDs: []string{id("job", 7)}, Force: rapid.Bool().Draw(t, "force"), At: at}
	case 13:
		return command.ReceiveTemplate{ID: id("template", 2), Nonce: rapid.SampledFrom([]string{"n", "old", ""}).Draw(t, "nonce"),
			File: farm.FileRef{SHA256: id("content", 3)}, At: at}
	case 14:
		return command.FinishTemplate{ID: id("template", 2), MissingFootage: rapid.SampledFrom([][]string{nil, {"a.png"}}).Draw(t, "missing footage"), FileSHA256: rapid.SampledFrom([]string{"", "content0", "content1", "content2", "content3"}).Draw(t, "file"),
			Introspection: &farm.FileRef{SHA256: id("summary", 1)}, Fonts: []farm.FontUse{{PostScript: "Go-Regular"}, {PostScript: "Inter"}}, MatchFonts: true, Error: rapid.SampledFrom([]string{"", "", "broken"}).Draw(t, "error"), At: at,
			Completed: rapid.SampledFrom([]*farm.FileRef{nil, {SHA256: id("content", 3), Name: "s.zip"}}).Draw(t, "completed")}
	case 15:
		status := rapid.SampledFrom([]farm.TemplateStatus{farm.TemplateAwaitingUpload, farm.TemplateDownloading}).Draw(t, "status")
		return command.CreateTemplate{Template: farm.Template{ID: id("template", 2), Team: "team0", Status: status, UploadNonce: "n"}}
	case 16:
		return rapid.SampledFrom([]command.Command{
			command.DeleteTemplate{Team: "team0", ID: "template0"}, command.RenewUpload{Team: "team0", ID: "template1", Nonce: "n", At: at},
			command.RenameTemplate{Team: "team0", ID: "template0", DisplayName: "x", At: at}, command.RemoveAgent{ID: "agent1"},
			command.MarkTemplate{Team: "team0", ID: "template0", Sequential: true, At: at},
			command.RetireTemplate{Team: "team0", ID: "template0", Retired: at.Second()%2 == 0, At: at, By: "n"},
			command.TakeVersion{Team: "team0", ID: id("template", 2), Version: 1 + at.Second()%2, At: at},
			command.PutPreset{Preset: farm.Preset{Team: id("team", 1), Name: id("preset", 3), Default: at.Second()%2 == 0, At: at}},
			command.DeletePreset{Team: id("team", 1), Name: id("preset", 3), At: at},
			command.RecordBackup{Backup: farm.Backup{ID: id("backup", 40), At: at, EndedAt: at, By: "n", Bytes: 7, CheckedAt: at}},
			command.PutView{Token: id("token", 3), View: farm.JobView{Name: id("view", 3), Query: "state=failed"}, Was: []string{"", "view1"}[at.Second()%2]},
			command.DeleteView{Token: id("token", 3), Name: id("view", 3)},
			command.SwitchKeys{Token: id("token", 3), Off: at.Second()%2 == 0},
			command.SetLanguage{Token: id("token", 3), Language: rapid.SampledFrom([]farm.Language{"", farm.German, farm.French}).Draw(t, "language"), Browser: at.Second()%2 == 0},
			command.EnrolAgent{Agent: farm.Agent{ID: "agent1", Name: "one", SecretHash: "s1"}}, command.PutInventory{ID: "agent0", Name: "n"},
			command.PutToken{Token: farm.Token{ID: id("token", 3), Team: id("team", 1), Role: farm.RoleAdmin, Hash: id("hash", 3), Person: at.Second()%2 == 0}},
			command.RevokeToken{ID: id("token", 3), At: at}, command.RecordUses{Uses: []command.TokenUse{{Token: id("token", 3), At: at}}},
			command.SetPassword{Token: id("token", 3), Hash: id("hash", 3), Keep: id("session", 2), Code: rapid.SampledFrom([]*command.UseCode{nil, {Hash: "chosen", Until: After(step + 3), At: at}}).Draw(t, "chosen"), At: at},
			command.EndSessions{Token: id("token", 3), ID: id("session", 2), At: at},
			command.RecordAudit{Records: []farm.AuditRecord{{At: at, Token: id("token", 3), Action: farm.AuditRequest, Refused: farm.CodeForbidden}, {At: at, Action: farm.AuditSignInFailed}}},
			command.ForgetAudit{Before: After(step - 3), Limit: 3},
			command.SetUp{Person: farm.Token{ID: id("token", 3), Team: "team0", Role: farm.RoleAdmin, Hash: id("hash", 3), Person: true}, Password: "h", Studio: "s", Code: command.UseCode{Hash: id("setup", 3), Until: After(step + 3), At: at}, At: at},
			command.BeginSession{Session: farm.OpenSession{Session: farm.Session{ID: id("session", 2), Until: After(step + 3)}, Token: id("token", 3), BegunAt: at, UsedAt: at, TurnedAt: at}},
			command.TurnSession{Token: id("token", 3), ID: id("session", 2), At: at, Until: After(step + rapid.IntRange(-3, 6).Draw(t, "lasts"))},
			command.PutNoticeSettings{Settings: farm.NoticeSettings{Token: id("token", 3), About: farm.Happenings(), Mail: at.Second()%2 == 0, Chat: &farm.NoticeChat{Kind: farm.ChatSlack}}, At: at},
			command.SetLevel{Level: command.NewestLevel, Version: "v"}, command.SettleFailures{Team: "team0", Jobs: []string{id("job", 7), id("job", 7)}, At: at},
			command.PutRates{Rates: farm.Rates{Revision: rapid.IntRange(0, 2).Draw(t, "rates"), PerHour: 2, Tags: []farm.TagRate{{Tag: "gpu", PerHour: 5}}, At: at}},
			command.PutSignInRules{Rules: farm.SignInRules{Revision: rapid.IntRange(0, 2).Draw(t, "rules"), Groups: []farm.GroupRule{{Group: "g", Team: id("team", 1), Role: farm.RoleArtist}}, At: at}},
			command.EnterPerson{Issuer: "i", Subject: id("subject", 2), Link: at.Second()%2 == 0, Code: command.UseCode{Hash: id("entry", 9), Until: After(step + 3), At: at},
				Person: farm.Token{ID: id("token", 3), Team: id("team", 1), Role: rapid.SampledFrom([]farm.Role{"", farm.RoleArtist}).Draw(t, "given"), Hash: id("hash", 3), Person: true, Email: "a@b.example"}, At: at},
			command.PutPasskey{Passkey: farm.Passkey{ID: id("passkey", 3), Token: id("token", 3), Credential: []byte{1}, Key: []byte{2}}, Code: command.UseCode{Hash: id("entry", 9), Until: After(step + 3), At: at}, At: at},
			command.ChangePasskey{Token: id("token", 3), ID: id("passkey", 3), Name: "n", Remove: at.Second()%2 == 0, At: at},
			command.PutReviewLink{Link: farm.ReviewLink{ID: id("link", 3), Team: id("team", 1), Job: id("job", 7), Hash: id("code", 5), Takes: at.Second()%2 == 0, By: "n", At: at, Until: After(step + 3)}},
			command.RevokeReviewLink{Team: id("team", 1), Job: id("job", 7), ID: id("link", 3), At: at},
			command.AddRemark{Remark: farm.Remark{ID: id("remark", 9), Team: id("team", 1), Job: id("job", 7), Link: rapid.SampledFrom([]string{"", "link0", "link1", "link2"}).Draw(t, "link"), Name: "Cleo",
				Text: "Warmer", Verdict: rapid.SampledFrom([]farm.Verdict{"", farm.VerdictApproved, farm.VerdictRejected}).Draw(t, "verdict"), At: at}},
			command.DeleteRemark{Team: id("team", 1), Job: id("job", 7), ID: id("remark", 9), At: at},
			command.PutTeamLogo{Team: id("team", 1), Picture: rapid.SampledFrom([][]byte{nil, {1}}).Draw(t, "logo"), At: at},
			command.WatchJob{Team: id("team", 1), Job: id("job", 7), Token: id("token", 3), Stop: at.Second()%5 == 0},
			command.RecordNotice{Token: id("token", 3), Way: farm.ByChat, Number: rapid.IntRange(0, 1).Draw(t, "number"), Try: attempt(), Count: 1, Error: rapid.SampledFrom([]string{"", "answered 500"}).Draw(t, "chat"), Next: After(step + 2), At: at},
			command.ChangeToken{ID: id("token", 3), ExpiresAt: &at, At: at}, moved(t, id("token", 3), id("team", 1), at), command.RenameTeam{ID: id("team", 1), Name: "n"}, command.EndTeam{ID: id("team", 1), At: at},
		}).Draw(t, "other")
	case 17:
		if rapid.Bool().Draw(t, "again") {
			return command.Redeliver{Team: "team0", ID: id("job", 7), At: at}
		}
		return command.RecordTry{ID: id("job", 7), Round: rapid.IntRange(0, 1).Draw(t, "round"), Try: attempt(),
			Error: rapid.SampledFrom([]string{"", "answered 500"}).Draw(t, "answer"), GiveUp: rapid.Bool().Draw(t, "final"), Next: After(step + 1), At: at}
	case 18, 19:
		ids := []string{id("job", 7), id("job", 7)}
		return rapid.SampledFrom([]command.Command{command.PurgeJobs{IDs: ids}, command.ExpireOutputs{IDs: ids, At: at},
			command.RedactJobs{Jobs: []command.Redaction{{ID: ids[0], Error: "broke", Warnings: []string{farm.Redacted}}}, Erase: at.Second()%2 == 0, At: at}}).Draw(t, "retention")
	case 20, 21:
		return drawLibrary(t)
	case 22, 23:
		return drawBatchCommand(t, step)
	case 24, 25:
		return drawEnrolment(t, step)
	case 27:
		return drawProject(t, step)
	case 26:
		if rapid.IntRange(0, 2).Draw(t, "releases") == 0 {
			return drawRelease(t, step)
		}
		return drawSteering(t, step)
	default:
		if rapid.Bool().Draw(t, "expire") {
			return command.ExpireFiles{At: at}
		}
		return command.PutFile{File: farm.StoredFile{FileRef: farm.FileRef{SHA256: id("content", 3)}, Team: id("team", 1), ExpiresAt: After(step + rapid.IntRange(-5, 20).Draw(t, "life"))}}
	}
}

// drawProject makes a command about the projects of a team, and budgets that a few attempts use up.
func drawProject(t *rapid.T, step int) command.Command {
	at, team, id := After(step), "team0", fmt.Sprintf("project%d", rapid.IntRange(0, 1).Draw(t, "project"))
	var budget *farm.Budget
	if rapid.Bool().Draw(t, "budget") {
		budget = &farm.Budget{Hours: rapid.SampledFrom([]float64{0, 0.001, 0.01}).Draw(t, "hours"), Per: rapid.SampledFrom([]farm.BudgetPeriod{farm.BudgetTotal, farm.BudgetMonth}).Draw(t, "per"),
			Then: rapid.SampledFrom([]farm.BudgetAction{farm.BudgetWarn, farm.BudgetHold}).Draw(t, "then")}
	}
	name, archived := rapid.SampledFrom([]string{"Spring", "spring ", "Fall"}).Draw(t, "name"), rapid.Bool().Draw(t, "archived")
	switch rapid.IntRange(0, 5).Draw(t, "project command") {
	case 0, 1, 2:
		return command.PutProject{Project: farm.Project{ID: id, Team: team, Name: rapid.SampledFrom([]string{"Spring", "Autumn", "two\nlines"}).Draw(t, "first name"), Budget: budget, CreatedAt: at}}
	case 3:
		return command.ChangeProject{Team: team, ID: id, Name: &name, Budget: budget, At: at}
	case 4:
		return command.ChangeProject{Team: team, ID: id, Archived: &archived, At: at}
	default:
		return command.PutTeamBudget{Team: team, Name: rapid.SampledFrom([]*string{nil, &name}).Draw(t, "team's name"), Budget: budget, At: at}
	}
}

func drawCause(t *rapid.T) farm.Cause {
	return rapid.SampledFrom([]farm.Cause{{}, {Kind: farm.CauseFootage, Subject: "nm.png"}, {Kind: farm.CauseFont, Subject: "Inter-Bold"}, {Kind: "rain", Subject: "a\x00b"}}).Draw(t, "cause")
}

func drawClass(t *rapid.T) farm.FailureClass {
	return rapid.SampledFrom(append([]farm.FailureClass{""}, farm.FailureClasses...)).Draw(t, "class")
}

// DrawMove makes a command that fits what the state holds, nil when nothing does: without such commands hardly any job of
// a random history would come to an end.
func DrawMove(t *rapid.T, step int, now Seen) command.Command {
	var ready, leased []farm.Task
	for _, id := range slices.Sorted(maps.Keys(now.Tasks)) {
		switch task := now.Tasks[id]; task.Status {
		case farm.TaskReady:
			ready = append(ready, task)
		case farm.TaskLeased:
			leased = append(leased, task)
		}
	}
	at := After(step)
	if len(now.Owed) > 0 && rapid.IntRange(0, 3).Draw(t, "deliver") == 0 {
		owed := rapid.SampledFrom(now.Owed).Draw(t, "owed")
		return command.RecordTry{ID: owed.ID, Round: owed.Round, Try: owed.Tries + 1, Error: rapid.SampledFrom([]string{"", "answered 500"}).Draw(t, "answer"),
			Next: After(step + 4), At: at}
	}
	if len(now.Jobs) > 0 && rapid.IntRange(0, 9).Draw(t, "cancel") == 0 {
		job := rapid.SampledFrom(slices.Sorted(maps.Keys(now.Jobs))).Draw(t, "doomed")
		return command.CancelJobs{Team: "team0", IDs: []string{job}, Force: rapid.Bool().Draw(t, "force"), At: at}
	}
	if len(now.Jobs) > 0 && rapid.IntRange(0, 9).Draw(t, "again") == 0 {
		job := rapid.SampledFrom(slices.Sorted(maps.Keys(now.Jobs))).Draw(t, "disliked")
		from := rapid.IntRange(0, 9).Draw(t, "from")
		return command.RenderAgain{Team: "team0", ID: job, Frames: []farm.Frames{{Start: from, End: from + 2}}, At: at}
	}
	if len(ready) > 0 && (len(leased) == 0 || rapid.Bool().Draw(t, "lease")) {
		task := rapid.SampledFrom(ready).Draw(t, "ready")
		if rapid.IntRange(0, 3).Draw(t, "split") == 0 && task.Kind == farm.TaskRender && !task.Part {
			ranges := []farm.Frames{{End: 4}, {Start: 5, End: 9}}
			return command.SplitTasks{Splits: []command.Split{{Task: task.ID, Attempt: task.Attempt, Ranges: ranges, Parting: command.Parting{Sound: true}}}, At: at}
		}
		return command.LeaseTasks{Grants: []command.Grant{{Task: task.ID, Attempt: task.Attempt + 1, Agent: "agent0"}}, At: at}
	}
	if len(leased) == 0 {
		return nil
	}
	task := rapid.SampledFrom(leased).Draw(t, "leased")
	switch rapid.IntRange(0, 4).Draw(t, "end") {
	case 4:
		if task.Kind == farm.TaskAssemble {
			return command.RedoFrames{Task: task.ID, Attempt: task.Attempt, Bad: []farm.Frames{{Start: 3, End: 3}}, At: at}
		}
		return command.KeepFrames{Task: task.ID, Attempt: task.Attempt, Frames: farm.Frames{End: 2}, Output: farm.OutputRef{Key: "k"}, Whole: &farm.Frames{End: 9}, At: at}
	case 0:
		return command.FailTask{Task: task.ID, Attempt: task.Attempt, Message: "broke", Retry: true, Class: drawClass(t), Cause: drawCause(t), At: at}
	case 1:
		return command.ExpireLeases{Leases: []command.Grant{{Task: task.ID, Attempt: task.Attempt, Agent: task.Agent}}, At: at}
	default:
		return command.FinishTask{Task: task.ID, Attempt: task.Attempt, Output: farm.OutputRef{Key: "k"}, At: at}
	}
}

// DrawSubmission makes one job with one or two tasks, or a parent with two children. The first one is a family that can
// only be taken.
func DrawSubmission(t *rapid.T, step int) command.SubmitJobs {
	n := rapid.IntRange(0, 7).Draw(t, "job")
	if step == 0 {
		n %= 3
	}
	jobOf := func(n int) farm.Job {
		job := farm.Job{ID: fmt.Sprintf("job%d", n), Team: "team0", OutputName: fmt.Sprintf("job%d-out.mp4", n), CreatedAt: After(step),
			Priority: rapid.IntRange(-2, 2).Draw(t, "priority")}
		if step == 0 {
			return job
		}
		job.Hold = rapid.Bool().Draw(t, "hold")
		job.Tags = rapid.SampledFrom([][]string{nil, {"red"}, {"red", "blue"}}).Draw(t, "tags")
		if k := rapid.IntRange(0, 9).Draw(t, "template"); k < 4 {
			job.Template.ID = fmt.Sprintf("template%d", k%3)
			job.Template.Version = rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "version")
		} else if k < 6 {
			job.Template.Src, job.Private = "https://x/a.aep", true
		}
		if rapid.Bool().Draw(t, "webhook") {
			job.Webhook = &farm.Webhook{URL: "https://hook"}
		}
		if rapid.IntRange(0, 3).Draw(t, "font") == 0 {
			job.UsesFonts = []string{fmt.Sprintf("font%d", rapid.IntRange(0, 3).Draw(t, "used"))}
		}
		if rapid.IntRange(0, 5).Draw(t, "for a project") == 0 {
			job.ProjectID = fmt.Sprintf("project%d", rapid.IntRange(0, 1).Draw(t, "project"))
		}
		if rapid.IntRange(0, 3).Draw(t, "asset") == 0 {
			job.Assets = []farm.Asset{{Type: "image", Src: fmt.Sprintf("farm://content%d", rapid.IntRange(0, 3).Draw(t, "content"))}}
		}
		return job
	}
	cmd := command.SubmitJobs{Jobs: []farm.Job{jobOf(n)}}
	if step > 0 && rapid.IntRange(0, 2).Draw(t, "in a batch") == 0 {
		inBatch(t, &cmd)
	}
	if n < 3 {
		for _, k := range []int{n + 3, n + 5} {
			child := jobOf(k)
			child.Parent = cmd.Jobs[0].ID
			cmd.Jobs[0].Children = append(cmd.Jobs[0].Children, child.ID)
			cmd.Jobs = append(cmd.Jobs, child)
		}
	}
	for _, job := range cmd.Jobs {
		for k := range rapid.IntRange(1, 2).Draw(t, "tasks") {
			cmd.Tasks = append(cmd.Tasks, farm.Task{ID: fmt.Sprintf("%s.%d", job.ID, k), Job: job.ID, Team: job.Team, Kind: farm.TaskRender, Stage: k * (n % 2)})
		}
	}
	return cmd
}

// inBatch makes the first job of a submission one of a batch.
func inBatch(t *rapid.T, cmd *command.SubmitJobs) {
	job := &cmd.Jobs[0]
	job.Batch = fmt.Sprintf("batch%d", rapid.IntRange(0, 3).Draw(t, "batch"))
	cmd.Batch = &farm.Batch{ID: job.Batch, Team: "team0", Jobs: []farm.BatchJob{{ID: job.ID}}, Total: 1}
	if rapid.IntRange(0, 2).Draw(t, "a new take") == 0 {
		cmd.Batch.ID, cmd.Batch.Into = "takes", job.Batch
		job.TakeOf = fmt.Sprintf("job%d", rapid.IntRange(0, 7).Draw(t, "take of"))
	}
}

// drawBatchCommand makes a command about batches, held jobs or kept requests.
func drawBatchCommand(t *rapid.T, step int) command.Command {
	at := After(step)
	batch, job := fmt.Sprintf("batch%d", rapid.IntRange(0, 3).Draw(t, "batch")), fmt.Sprintf("job%d", rapid.IntRange(0, 7).Draw(t, "job"))
	switch rapid.IntRange(0, 7).Draw(t, "about a batch") {
	case 7:
		return command.LabelBatch{Team: "team0", ID: batch, Label: farm.BatchLabel{Name: rapid.SampledFrom([]string{"", "Spring"}).Draw(t, "label"), DueAt: at}}
	case 0:
		part := DrawSubmission(t, max(step, 1))
		if part.Batch == nil {
			inBatch(t, &part)
		}
		name := part.Batch.ID
		part.Batch = nil
		return command.SubmitPart{Batch: name, Part: rapid.IntRange(0, 1).Draw(t, "part"), SubmitJobs: part, At: at}
	case 1:
		return command.SubmitJobs{Batch: &farm.Batch{ID: batch, Team: "team0", Jobs: []farm.BatchJob{{ID: job}}, Total: 1}, Parts: 1}
	case 2:
		return command.CancelBatch{Team: "team0", ID: batch, Force: rapid.Bool().Draw(t, "force"), At: at}
	case 3:
		if rapid.Bool().Draw(t, "hold") {
			return command.HoldJobs{Team: "team0", IDs: []string{job}, At: at}
		}
		return command.ReleaseJobs{Team: "team0", IDs: []string{job}, At: at}
	case 4:
		return command.DropParts{Before: After(step - 9)}
	case 5:
		return command.KeepAnswer{RequestKey: DrawKey(t, step), Answer: []byte("answer")}
	default:
		return command.ForgetRequests{Before: After(step - rapid.IntRange(0, 20).Draw(t, "age")), Limit: 2}
	}
}

func DrawKey(t *rapid.T, step int) command.RequestKey {
	return command.RequestKey{Team: "team0", Key: rapid.SampledFrom([]string{"k0", "k1", "k2"}).Draw(t, "key"), Hash: rapid.SampledFrom([]string{"h", "h", "g"}).Draw(t, "hash"), At: After(step)}
}

// Seen is what an earlier look at the state showed.
type Seen struct {
	Jobs  map[string]farm.Job
	Tasks map[string]farm.Task
	Owed  []farm.Delivery // in the order in which they are due
}

// drawSteering makes a command with which people steer the farm.
func drawSteering(t *rapid.T, step int) command.Command {
	at := After(step)
	switch rapid.IntRange(0, 3).Draw(t, "steer") {
	case 0:
		drained, paused := rapid.Bool().Draw(t, "drained"), rapid.Bool().Draw(t, "paused")
		return command.ConfigureAgent{ID: fmt.Sprintf("agent%d", rapid.IntRange(0, 2).Draw(t, "agent")), Drained: &drained, Paused: &paused}
	case 1:
		team := fmt.Sprintf("team%d", rapid.IntRange(0, 2).Draw(t, "team"))
		return command.PutPolicy{Policy: farm.Policy{Revision: rapid.IntRange(0, 3).Draw(t, "revision"), At: at,
			Teams: map[string]farm.TeamPolicy{team: {Weight: float64(rapid.IntRange(-1, 3).Draw(t, "weight"))}}}}
	case 2:
		ring := farm.GossipRing{Revision: rapid.IntRange(0, 3).Draw(t, "revision"), At: at}
		for i := range rapid.IntRange(0, farm.MostGossipKeys+1).Draw(t, "keys") {
			ring.Keys = append(ring.Keys, farm.GossipKey{ID: fmt.Sprint(i), Sealed: []byte{byte(i)}, MadeAt: at})
		}
		return command.PutGossipRing{Ring: ring}
	default:
		priority := rapid.IntRange(-2, 2).Draw(t, "priority")
		tags := rapid.SampledFrom([][]string{nil, {"red"}, {"blue", "red"}}).Draw(t, "tags")
		return command.ChangeJob{Team: "team0", ID: fmt.Sprintf("job%d", rapid.IntRange(0, 7).Draw(t, "job")), Priority: &priority, Tags: &tags, At: at}
	}
}

// drawRelease makes a command about releases of the agent's program.
func drawRelease(t *rapid.T, step int) command.Command {
	number, at := rapid.IntRange(1, 3).Draw(t, "number"), After(step)
	version := fmt.Sprintf("1.0.%d", rapid.IntRange(1, 3).Draw(t, "version"))
	switch rapid.IntRange(0, 5).Draw(t, "release") {
	case 4:
		return command.PutDownload{Download: farm.Download{Kind: farm.DownloadPackage, System: "linux", Arch: "amd64", Format: "deb", Version: version,
			File: farm.FileRef{SHA256: fmt.Sprint("content", number), Name: "agent.deb"}, AddedAt: at}}
	case 5:
		return command.RemoveDownload{SHA256: fmt.Sprint("content", number), At: at}
	case 0:
		return command.PutRelease{Release: farm.Release{Version: version, Number: int64(number), Keys: int64(number), AddedAt: at,
			Files:     []farm.ReleaseFile{{System: "linux", Arch: "amd64", File: farm.FileRef{SHA256: fmt.Sprint("content", number)}}},
			Documents: []farm.ReleaseDocument{{Name: "manifest.json", Content: []byte(version)}}}}
	case 1:
		return command.RemoveRelease{Version: version}
	case 2:
		return command.PutUpdates{Updates: farm.Updates{Revision: number - 1, Release: rapid.SampledFrom([]string{"", version}).Draw(t, "wanted"), AtOnce: number - 2, At: at}}
	default:
		return command.RecordUpdates{Machines: []farm.MachineUpdate{{Agent: fmt.Sprint("agent", number-1), Version: version, Release: version, State: farm.UpdateDone, At: at}}}
	}
}

// drawEnrolment makes a random command about a few invitations and machines.
func drawEnrolment(t *rapid.T, step int) command.Command {
	n := func(what string, most int) int { return rapid.IntRange(0, most).Draw(t, what) }
	token, agent, key := fmt.Sprint("invitation", n("invitation", 1)), fmt.Sprint("agent", n("machine", 3)), fmt.Sprint("key", n("key", 4))
	switch n("enrolment", 6) {
	case 0:
		uses := n("uses", 2)
		return command.PutJoinToken{Token: farm.JoinToken{ID: token, Hash: "hash of " + token, Uses: uses, Left: uses, Tags: []string{"new"}, ExpiresAt: After(step + 30)}}
	case 1:
		return command.RevokeJoinToken{ID: token}
	case 6:
		return command.UseCode{Hash: fmt.Sprint("code", n("code", 3)), Until: After(n("until", 40)), At: After(step)}
	case 2:
		return command.ForgetInvitations{Before: After(step - 10)}
	case 3:
		secret := rapid.SampledFrom([]string{"", fmt.Sprint("s", agent)}).Draw(t, "secret")
		return command.RenewAgentKey{ID: agent, Key: rapid.SampledFrom([]string{"", key}).Draw(t, "shown"), SecretHash: secret, Next: farm.AgentKey{SHA256: fmt.Sprint("key", n("next", 4))}, At: After(step)}
	case 4:
		return command.ConfirmAgentKey{ID: agent, Key: key}
	default:
		return command.JoinAgent{Hash: "hash of " + token, Agent: farm.Agent{ID: agent, Keys: []farm.AgentKey{{SHA256: key}}}, At: After(step)}
	}
}

// drawLibrary makes a command about fonts and secrets.
func drawLibrary(t *rapid.T) command.Command {
	n := rapid.IntRange(0, 3).Draw(t, "library")
	id, team := fmt.Sprintf("font%d", n), fmt.Sprintf("team%d", rapid.IntRange(0, 1).Draw(t, "owner"))
	switch rapid.IntRange(0, 6).Draw(t, "what") {
	case 0, 1:
		name := rapid.SampledFrom([]string{"Go", "Inter", "Mono"}).Draw(t, "name")
		return command.PutFont{Font: farm.Font{ID: id, Team: team, FamilyName: name, FileName: name + rapid.SampledFrom([]string{".ttf", ".TTF", ".otf"}).Draw(t, "ext"),
			Faces: []farm.FontUse{{PostScript: name + "-Regular", Family: name, Style: "Regular"}}, File: farm.FileRef{SHA256: "font-" + id}, CopyOf: rapid.SampledFrom([]string{"", "Go-Bold"}).Draw(t, "copy of")}}
	case 2:
		return command.DeleteFont{Team: team, ID: id}
	case 3:
		return command.PutSecret{Secret: farm.Secret{ID: fmt.Sprintf("secret%d", n), Team: team, Name: rapid.SampledFrom([]string{"A", "B"}).Draw(t, "name"), Key: "k", Sealed: []byte{1}}}
	case 4:
		return command.DeleteSecret{Team: team, ID: fmt.Sprintf("secret%d", n)}
	case 5:
		return command.ChangeSecret{Team: team, ID: fmt.Sprintf("secret%d", n), MachineTags: []string{"vault"}[:rapid.IntRange(0, 1).Draw(t, "tags")]}
	default:
		return command.ResealSecrets{Secrets: []command.Resealed{{ID: fmt.Sprintf("secret%d", n), Was: "k", Key: "k", Sealed: []byte{2}}}}
	}
}

// moved brings somebody into a team that there may be.
func moved(t *rapid.T, token, team string, at time.Time) command.ChangeToken {
	to := rapid.SampledFrom([]string{"team0", team, "gone"}).Draw(t, "another team")
	return command.ChangeToken{ID: token, Team: &to, At: at}
}
