package tables

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/record"
)

var update = flag.Bool("update", false, "write the golden files of commands that have none")

// samples holds one command of each kind, with its fields set.
func samples() []command.Command {
	at := time.Date(2026, 5, 1, 12, 0, 0, 123, time.UTC)
	until := at.Add(time.Hour)
	conform := true
	name, role := "other", farm.RoleViewer
	yes, tags, priority, level, soak := true, []string{"gpu"}, 7, farm.LevelRush, 15
	job := farm.Job{
		ID: "01J", Team: "t1", SubmittedBy: "token", Name: "Opener", Tags: []string{"tv"}, Priority: -5, Level: farm.LevelRush, NotBefore: at,
		RequireTags: []string{"gpu"}, Hold: true, Sequential: true, Template: farm.JobTemplate{ID: "tm", Src: "https://x/y.aep", Composition: "main"},
		Fonts: []string{"A.ttf"}, Settings: farm.Settings{Type: "video", Frames: &farm.Frames{Start: 1, End: 9}, Quality: "draft", Codec: "c", Engine: "ae2026"},
		Assets: []farm.Asset{{Type: "text", LayerName: "title", Value: json.RawMessage(`"Hello"`)}, {Type: "image", LayerIndex: 2, Src: "farm://ab", Conform: &conform},
			{Type: "script", Src: "s.jsx", Parameters: []farm.AssetParameter{{Key: "k", Value: json.RawMessage(`1`)}}}},
		Upload:  &farm.Upload{Provider: "s3", Prefix: "p/", Params: map[string]string{"region": "r", "bucket": "b"}},
		Webhook: &farm.Webhook{URL: "https://h", Headers: map[string]string{"A": "b"}, Data: json.RawMessage(`{"a":1}`)},
		Status:  farm.JobQueued, CreatedAt: at, UpdatedAt: at, OutputName: "01J-r.mp4", FramesTotal: 9,
	}
	file := farm.FileRef{SHA256: "ab", Size: 3, Name: "a.png"}
	inventory := farm.Inventory{OS: "linux", Arch: "amd64", CPUs: 2, Memory: 1 << 33, Version: "v0.1.0", Engines: []farm.EngineInfo{{Kind: "embedded", Version: "1", Path: "/x"}},
		Fonts: []farm.FontUse{{PostScript: "P", Family: "F", Style: "S"}}, Codecs: []string{"image_png"}, Tags: []string{"t"}, Slots: 1}
	return []command.Command{
		command.PutTeam{Team: farm.Team{ID: "t1", Name: "Team", CreatedAt: at}},
		command.PutToken{Token: farm.Token{ID: "k1", Team: "t1", Name: "n", Role: farm.RoleAdmin, Hash: "h", CreatedAt: at, ExpiresAt: until}},
		command.RevokeToken{ID: "k1", At: at},
		command.RecordUses{Uses: []command.TokenUse{{Token: "k1", At: at}}},
		command.SetPassword{Token: "k1", Hash: "$argon2id$h", Was: "$argon2id$w", Keep: "s1", At: at},
		command.RecordAudit{Records: []farm.AuditRecord{{At: at, Address: "192.0.2.1", Action: farm.AuditSignInFailed, Refused: farm.CodeUnauthorized, Reason: "wrong", Times: 2}}},
		command.ForgetAudit{Before: at, Limit: 5},
		command.SetUp{Person: farm.Token{ID: "p1", Team: "t1", Name: "Mia", Role: farm.RoleAdmin, Hash: "h", CreatedAt: at, Person: true, Email: "mia@studio.example"},
			Password: "$argon2id$h", Studio: "Studio", Code: command.UseCode{Hash: "c", Until: until, At: at}, At: at},
		command.BeginSession{Session: farm.OpenSession{Session: farm.Session{ID: "s1", Until: until}, Token: "k1", Browser: "b", Address: "192.0.2.1", BegunAt: at, UsedAt: at, TurnedAt: at}},
		command.TurnSession{Token: "k1", ID: "s1", Turn: 2, At: at},
		command.EndSessions{Token: "k1", ID: "s1", Over: true, At: at},
		command.PutNoticeSettings{Settings: farm.NoticeSettings{Token: "k1", Team: "t1", About: []farm.Happening{farm.HappenedFinished}, Mail: true,
			Chat: &farm.NoticeChat{Kind: farm.ChatTeams, Host: "studio.webhook.office.com", Sealed: []byte{1, 2}}, Quiet: &farm.QuietHours{Hours: farm.Hours{From: 1320, To: 420}, Zone: "Europe/Berlin"}}, At: at},
		command.PutRates{Rates: farm.Rates{Revision: 2, Currency: "EUR", PerHour: 1.5, Tags: []farm.TagRate{{Tag: "gpu", PerHour: 4}}, At: at, By: "n"}},
		command.PutSignInRules{Rules: farm.SignInRules{Revision: 2, Groups: []farm.GroupRule{{Group: "render artists", Team: "t1", Role: farm.RoleArtist}}, LinkByEmail: true, At: at, By: "n"}},
		command.EnterPerson{Issuer: "https://id.studio.example", Subject: "8f1c", Person: farm.Token{ID: "p1", Team: "t1", Name: "Mia", Role: farm.RoleArtist, Hash: "h", CreatedAt: at, Person: true, Email: "mia@studio.example"},
			Link: true, Code: command.UseCode{Hash: "c", Until: until, At: at}, At: at},
		command.PutPasskey{Passkey: farm.Passkey{ID: "1f", Token: "p1", Name: "Phone", Credential: []byte{1, 2}, Key: []byte{3, 4}, Domain: "farm.studio.example", Kind: "00", Transports: []string{"internal"},
			Synced: true, Backed: true, Signs: 1, AddedAt: at, UsedAt: at}, Code: command.UseCode{Hash: "c", Until: until, At: at}, At: at},
		command.ChangePasskey{Token: "p1", ID: "1f", Use: &command.PasskeyUse{Code: command.UseCode{Hash: "c", Until: until, At: at}, Signs: 2, Backed: true}, At: at},
		command.SettleFailures{Team: "t1", Jobs: []string{"01J"}, At: at},
		command.LabelBatch{Team: "t1", ID: "01B", Label: farm.BatchLabel{Name: "Spring spots", DueAt: until}},
		command.WatchJob{Team: "t1", Job: "01J", Token: "k1", Stop: true},
		command.PutReviewLink{Link: farm.ReviewLink{ID: "01R", Team: "t1", Job: "01J", Hash: "h", For: "Client", Password: "$argon2id$h", Download: true, Takes: true, By: "mia", At: at, Until: until}},
		command.RevokeReviewLink{Team: "t1", Job: "01J", ID: "01R", At: at},
		command.AddRemark{Remark: farm.Remark{ID: "01K", Team: "t1", Job: "01J", Link: "01R", Name: "Cleo", Text: "Warmer", Frame: &priority,
			Drawing: []farm.Stroke{{Colour: "amber", Points: []int{1, 2, 3, 4}}}, Verdict: farm.VerdictRejected, Inside: true, At: at}},
		command.DeleteRemark{Team: "t1", Job: "01J", ID: "01K", At: at},
		command.PutTeamLogo{Team: "t1", Picture: []byte{1, 2}, At: at},
		command.RecordNotice{Token: "k1", Way: farm.ByMail, Number: 3, Try: 2, Count: 5, More: 1, Error: "e", GiveUp: true, Next: until, At: at},
		command.ChangeToken{ID: "k1", Name: &name, Role: &role, ExpiresAt: &until, At: at},
		command.CreateTemplate{Template: farm.Template{ID: "tm", Team: "t1", Type: "aep", DisplayName: "Title", Status: farm.TemplateAwaitingUpload, CreatedAt: at, UpdatedAt: at, UploadNonce: "n", UploadUntil: until}},
		command.RenameTemplate{Team: "t1", ID: "tm", DisplayName: "Other", At: at},
		command.MarkTemplate{Team: "t1", ID: "tm", Sequential: true, At: at},
		command.RetireTemplate{Team: "t1", ID: "tm", Retired: true, At: at, By: "mia"},
		command.TakeVersion{Team: "t1", ID: "tm", Version: 2, At: at},
		command.PutPreset{Preset: farm.Preset{Team: "t1", Name: "Broadcast", Settings: farm.Settings{Codec: "video_prores_422", Quality: "full"}, Default: true, At: at, By: "mia",
			Upload: &farm.Upload{Provider: "s3", Prefix: "films", Params: map[string]string{"bucket": "b", "region": "eu-central-1"}}, Webhook: &farm.Webhook{URL: "https://shop.example/hook"}}},
		command.DeletePreset{Team: "t1", Name: "Broadcast", At: at},
		command.RecordBackup{Backup: farm.Backup{ID: "k3x7q2ab", At: at, EndedAt: at, By: "nightly", Place: "nas:/backups/farm.ocbackup", Index: 812, Bytes: 1 << 30, Keys: true, CheckedAt: at}},
		command.PutView{Token: "k1", View: farm.JobView{Name: "Mine that failed", Query: "by=mia&state=failed"}, Was: "Failed"},
		command.DeleteView{Token: "k1", Name: "Failed"},
		command.SwitchKeys{Token: "k1", Off: true},
		command.SetLanguage{Token: "k1", Language: farm.French, Browser: true},
		command.PutProject{Project: farm.Project{ID: "k3x7q2ab", Team: "t1", Name: "Spring", Budget: &farm.Budget{Hours: 40, Per: farm.BudgetMonth, Then: farm.BudgetHold}, CreatedAt: at, By: "mia"}},
		command.ChangeProject{Team: "t1", ID: "k3x7q2ab", Name: &name, Archived: &yes, Budget: &farm.Budget{Hours: 60.5, Per: farm.BudgetTotal, Then: farm.BudgetWarn}, At: at},
		command.PutTeamBudget{Team: "t1", Budget: &farm.Budget{Hours: 400, Per: farm.BudgetMonth, Then: farm.BudgetWarn}, At: at},
		command.RenewUpload{Team: "t1", ID: "tm", Nonce: "n2", Until: until, At: at},
		command.ReceiveTemplate{ID: "tm", Nonce: "n2", File: file, At: at},
		command.FinishTemplate{ID: "tm", FileSHA256: "ab", Introspection: &file, Compositions: []string{"main"}, Layers: []string{"title"}, Fonts: inventory.Fonts, Error: "e", At: at},
		command.DeleteTemplate{Team: "t1", ID: "tm"},
		command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{{ID: "01J.0", Job: "01J", Team: "t1", Kind: farm.TaskRender, Frames: &farm.Frames{End: 3}, Status: farm.TaskReady}}},
		command.KeepAnswer{RequestKey: command.RequestKey{Team: "t1", Key: "k", Hash: "h", Size: 7, At: at}, Answer: []byte("sealed")},
		command.ForgetRequests{Before: at, Limit: 9},
		command.SubmitPart{Batch: "01B", Part: 1, SubmitJobs: command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{{ID: "01J.0", Job: "01J", Team: "t1", Kind: farm.TaskJoin}}}, At: at},
		command.CancelBatch{Team: "t1", ID: "01B", Force: true, At: at},
		command.ReleaseJobs{Team: "t1", IDs: []string{"01J"}, At: at},
		command.HoldJobs{Team: "t1", IDs: []string{"01J"}, At: at},
		command.DropParts{Before: at},
		command.LeaseTasks{Grants: []command.Grant{{Task: "01J.0", Attempt: 1, Agent: "a1"}}, At: at},
		command.FinishTask{Task: "01J.0", Attempt: 1, Output: farm.OutputRef{FileRef: file, Key: "k", ContentType: "video/mp4", Width: 1, Height: 2, Frames: 3, Duration: 0.5, FrameRate: 25, Audio: true}, Warnings: []string{"w"}, At: at},
		command.FailTask{Task: "01J.0", Attempt: 1, Message: "m", Retry: true, Warnings: []string{"w"}, NotBefore: until, At: at},
		command.ExpireLeases{Leases: []command.Grant{{Task: "01J.0", Attempt: 1, Agent: "a1"}}, Returned: true, At: at},
		command.SplitTasks{Splits: []command.Split{{Task: "01J.0", Attempt: 1, Ranges: []farm.Frames{{End: 4}, {Start: 5, End: 9}}, Parting: command.Parting{Engine: farm.EngineEmbedded, Sound: true}}}, At: at},
		command.KeepFrames{Task: "01J.0", Attempt: 1, Frames: farm.Frames{End: 3}, Output: farm.OutputRef{FileRef: file, Key: "k", Frames: 4}, Whole: &farm.Frames{End: 9}, Parting: command.Parting{Sound: true}, At: at},
		command.RedoFrames{Task: "01J.0", Attempt: 1, Bad: []farm.Frames{{Start: 2, End: 3}}, Barred: true, Warnings: []string{"w"}, At: at},
		command.RenderAgain{Team: "t1", ID: "01J", Frames: []farm.Frames{{Start: 2, End: 3}, {Start: 7, End: 7}}, At: at},
		command.DecideJob{Team: "t1", ID: "01J", Reject: true, Reason: "r", By: "b", At: at},
		command.CancelJobs{Team: "t1", IDs: []string{"01J"}, Force: true, At: at},
		command.PutFile{File: farm.StoredFile{FileRef: file, Team: "t1", CreatedAt: at, ExpiresAt: until}},
		command.ExpireFiles{At: at},
		command.EnrolAgent{Agent: farm.Agent{ID: "a1", Name: "mac", SecretHash: "h", EnrolledAt: at, Inventory: inventory}},
		command.PutInventory{ID: "a1", Name: "mac", Inventory: inventory},
		command.RemoveAgent{ID: "a1"},
		command.PutJoinToken{Token: farm.JoinToken{ID: "i1", Name: "night shift", Hash: "h", Tags: []string{"gpu"}, Uses: 2, Left: 2, CreatedBy: "admin", CreatedAt: at, ExpiresAt: until}},
		command.RevokeJoinToken{ID: "i1"},
		command.SetLevel{Level: 2, Version: "v0.2.0"},
		command.PutCoordinator{Coordinator: farm.Coordinator{ID: "c1", Name: "rack1", Cluster: "10.0.0.1:7947", Public: "https://rack1:8080", Version: "v0.2.0", Level: 2, At: at}},
		command.RemoveCoordinator{ID: "c1"},
		command.PutNodeInvitation{Invitation: farm.NodeInvitation{ID: "n1", Name: "rack 3", Hash: "h", CreatedBy: "admin", CreatedAt: at, ExpiresAt: until}},
		command.UseNodeInvitation{Hash: "h", Node: "c3", At: at},
		command.RevokeNodeInvitation{ID: "n1"},
		command.ForgetNodeInvitations{Before: at},
		command.PutGossipRing{Ring: farm.GossipRing{Revision: 1, Keys: []farm.GossipKey{{ID: "a1", Sealed: []byte{1}, DropAt: until}, {ID: "b2", Sealed: []byte{2}, MadeAt: at, UseAt: until}}, At: at}},
		command.ForgetInvitations{Before: at},
		command.UseCode{Hash: "5e88", Until: at.Add(10 * time.Minute), At: at},
		command.JoinAgent{Hash: "h", Agent: farm.Agent{ID: "a1", Name: "mac", Keys: []farm.AgentKey{{SHA256: "k", Until: until}}, EnrolledAt: at, Inventory: inventory}, At: at},
		command.RenewAgentKey{ID: "a1", Key: "k", SecretHash: "s", Next: farm.AgentKey{SHA256: "k2", Until: until}, At: at},
		command.ConfirmAgentKey{ID: "a1", Key: "k2"},
		command.ConfigureAgent{ID: "a1", Name: &name, Drained: &yes, Paused: &yes, Tags: &tags, Restore: true},
		command.PutPolicy{Policy: farm.Policy{Revision: 3, At: at, By: "admin", Paused: true,
			Levels: map[farm.Level]farm.LevelPolicy{farm.LevelOvernight: {Paused: true, MaxShare: 0.5, Hours: []farm.Hours{{Days: []time.Weekday{time.Monday}, From: 1320, To: 360}}}},
			Teams:  map[string]farm.TeamPolicy{"t1": {Weight: 2, MaxMachines: 4}},
			Limits: map[string]farm.LimitPolicy{"particles": {Total: 4, PerMachine: 1, ByMachine: true, Effects: []string{"tc Particular*"}}},
			Split:  farm.SplitPolicy{Off: true, MinSeconds: 20, MaxRanges: 8}, Retry: farm.RetryPolicy{MaxAttempts: 2, MaxJobFailures: 9, SetAsideAfter: 4}, MaxMachinesPerJob: 3}},
		command.ChangeJob{Team: "t1", ID: "01J", Name: &name, Tags: &tags, Priority: &priority, Level: &level, NotBefore: &until, At: at},
		command.EndTeam{ID: "t1", At: at},
		command.RenameTeam{ID: "t1", Name: "Other"},
		command.RecordTry{ID: "01J", Round: 1, Try: 2, Error: "e", GiveUp: true, Next: until, At: at},
		command.Redeliver{Team: "t1", ID: "01J", At: at},
		command.RenewWebhookKey{Team: "t1", Salt: "s"},
		command.PutFont{Font: farm.Font{ID: "f1", Team: "t1", FamilyName: "F", FileName: "F.ttf", Faces: inventory.Fonts, File: file, CreatedAt: at}},
		command.DeleteFont{Team: "t1", ID: "f1"},
		command.PutSecret{Secret: farm.Secret{ID: "s1", Team: "t1", Name: "TOKEN", Key: "k1", Sealed: []byte{1, 2, 3}, CreatedAt: at}},
		command.DeleteSecret{Team: "t1", ID: "s1"},
		command.ChangeSecret{Team: "t1", ID: "s1", MachineTags: []string{"vault"}},
		command.ResealSecrets{Secrets: []command.Resealed{{ID: "s1", Was: "k1", Key: "k2", Sealed: []byte{4, 5}}}},
		command.RedactJobs{Jobs: []command.Redaction{{ID: "01J", Error: "e", Warnings: []string{"w"}}}, Erase: true, At: at},
		command.ExpireOutputs{IDs: []string{"01J"}, At: at},
		command.PurgeJobs{IDs: []string{"01J"}},
		command.PutRelease{Release: farm.Release{Version: "1.2.3", Number: 7, Expires: until, MinLauncher: 1, ProtocolMin: 3, ProtocolMax: 4, DowngradeOf: 8, Keys: 2, KeysExpire: until,
			Files: []farm.ReleaseFile{{System: "linux", Arch: "amd64", File: file}}, AddedAt: at, AddedBy: "admin", Documents: []farm.ReleaseDocument{{Name: "manifest.json", Content: []byte("{}")}}}},
		command.RemoveRelease{Version: "1.2.3"},
		command.PutUpdates{Updates: farm.Updates{Revision: 2, At: at, By: "admin", Release: "1.2.3", CanaryTags: []string{"canary"}, CanaryMachines: []string{"a1"},
			Hours: []farm.Hours{{From: 1320, To: 360}}, BytesPerSecond: 1 << 20, AtOnce: 5, SoakMinutes: &soak, Ring: farm.RingTenth, Since: at, Resumed: at,
			Stopped: &farm.UpdateStop{Reason: "r", Machine: "a1", At: at}}},
		command.RecordUpdates{Machines: []farm.MachineUpdate{{Agent: "a1", Version: "1.2.2", Mode: farm.UpdatedByFarm, Release: "1.2.3", State: farm.UpdateRolledBack, Reason: "r", Failures: 2,
			Rendered: true, At: at}}},
		command.PutDownload{Download: farm.Download{Kind: farm.DownloadPackage, System: "windows", Arch: "amd64", Format: "msi", Version: "1.2.3", File: file, AddedAt: at, AddedBy: "admin"}},
		command.RemoveDownload{SHA256: file.SHA256},
		command.StageState{Restoration: "r1", Number: 3, Rows: []byte{1, 2, 3}, At: at},
		command.ReplaceState{Restoration: "r1", Parts: 4, At: at},
		command.DropStagedState{Restoration: "r1"},
	}
}

func newTestCodec(t testing.TB) *command.Codec {
	t.Helper()
	c, err := command.NewCodec(Definitions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// compressed is the bit of an entry's version byte that says so.
const compressed = 0x80

// compress gives an entry of two bytes and a compressed body.
func compress(t testing.TB, body []byte, kind, version byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(body, []byte{kind, version})
}

func kindOf(t *testing.T, cmd command.Command) command.Kind {
	t.Helper()
	for _, d := range Definitions() {
		if d.Type == reflect.TypeOf(cmd) {
			return d.Kind
		}
	}
	t.Fatalf("%T has no kind", cmd)
	return 0
}

// TestArchitectureNamesTheState holds the table of docs/architecture.md to the buckets and commands that there are.
func TestArchitectureNamesTheState(t *testing.T) {
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.NewReplacer(",", " |", "\n", " ").Replace(string(page))
	for _, cmd := range samples() {
		if want := fmt.Sprintf(" %s %d |", reflect.TypeOf(cmd).Name(), kindOf(t, cmd)); !strings.Contains(words, want) {
			t.Errorf("the table of the state lacks%s", want)
		}
	}
	for _, name := range buckets() {
		if !strings.Contains(words, fmt.Sprintf("`%s`", name)) {
			t.Errorf("the table of the state lacks the bucket `%s`", name)
		}
	}
}

// TestGoldenCommandsStayReadable holds every kind and version that a log may contain against files that are never changed.
func TestGoldenCommandsStayReadable(t *testing.T) {
	c := newTestCodec(t)
	sampled := map[reflect.Type]bool{}
	for _, want := range samples() {
		sampled[reflect.TypeOf(want)] = true
		encoded, err := c.Encode(command.Sender{}, want)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", "commands", fmt.Sprintf("%02d-v%d", encoded[0], encoded[1]&^compressed))
		golden, err := os.ReadFile(path)
		if os.IsNotExist(err) && *update {
			golden, err = encoded, os.WriteFile(path, encoded, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := c.Decode(golden)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got := whole(t, got); !reflect.DeepEqual(got, want) {
			t.Errorf("%s reads as\n%+v, want\n%+v", path, got, want)
		}
		// How well contents are packed is the packer's, and no promise.
		if encoded[1]&^compressed != 2 && !bytes.Equal(encoded, golden) {
			t.Errorf("%T is written as\n%q, want\n%q", want, encoded, golden)
		}
	}
	for _, d := range Definitions() {
		if !sampled[d.Type] {
			t.Errorf("no sample of %v is held", d.Type)
		}
	}
}

// whole puts the contents back into the jobs of a submission that was read from the log.
func whole(t *testing.T, cmd command.Command) command.Command {
	t.Helper()
	if part, ok := cmd.(command.SubmitPart); ok {
		body, err := part.Body()
		if err != nil {
			t.Fatal(err)
		}
		submission, err := command.ReadSubmission(body)
		if err != nil || len(submission.Jobs) != part.Size() {
			t.Fatalf("the part has %d jobs where it says %d, %v", len(submission.Jobs), part.Size(), err)
		}
		return command.SubmitPart{Batch: part.Batch, Part: part.Part, At: part.At, SubmitJobs: whole(t, submission).(command.SubmitJobs)}
	}
	submission, ok := cmd.(command.SubmitJobs)
	if !ok {
		return cmd
	}
	contents, refused := submission.Contents(nil)
	if refused != nil {
		t.Fatal(refused)
	}
	for i, content := range contents {
		if err := record.DecodeContent(content.Data, &submission.Jobs[i]); err != nil {
			t.Fatal(err)
		}
		if kept := submission.Jobs[i].KeptFiles(); !slices.Equal(content.Files, kept) {
			t.Errorf("the job names the files %v and the command says %v", kept, content.Files)
		}
	}
	return command.SubmitJobs{Jobs: submission.Jobs, Tasks: submission.Tasks, Batch: submission.Batch, Parts: submission.Parts}
}

// TestFirstSubmissionsStayReadable holds version 1 of SubmitJobs, which is no longer written.
func TestFirstSubmissionsStayReadable(t *testing.T) {
	golden, err := os.ReadFile(filepath.Join("testdata", "commands", "20-v1"))
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := newTestCodec(t).Decode(golden)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range samples() {
		if _, is := want.(command.SubmitJobs); is && !reflect.DeepEqual(got, want) {
			t.Errorf("reads as\n%+v, want\n%+v", got, want)
		}
	}
}

// TestEntriesOfRequestsStayReadable holds an entry with the key of a request against a file that is never changed.
func TestEntriesOfRequestsStayReadable(t *testing.T) {
	c := newTestCodec(t)
	want := command.RequestKey{Team: "t1", Key: "a key", Hash: "h", Size: 7, At: time.Date(2026, 5, 1, 12, 0, 0, 123, time.UTC)}
	cmd := command.RemoveAgent{ID: "a1"}
	encoded, err := c.Encode(command.Sender{Key: &want}, cmd)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "commands", "42-v1-keyed")
	golden, err := os.ReadFile(path)
	if os.IsNotExist(err) && *update {
		golden, err = encoded, os.WriteFile(path, encoded, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	by, got, err := c.Decode(golden)
	if err != nil || by.Key == nil || *by.Key != want || by.Actor != nil || got != command.Command(cmd) || !bytes.Equal(encoded, golden) {
		t.Errorf("%s reads as %+v of %+v, %v", path, got, by, err)
	}
}

func TestLargeCommandsAreCompressed(t *testing.T) {
	c := newTestCodec(t)
	want := command.FailTask{Task: "j.0", Message: strings.Repeat("the same again ", 10_000)}
	data, err := c.Encode(command.Sender{}, want)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 2000 || data[1]&compressed == 0 {
		t.Errorf("150 KB of repetition became %d bytes", len(data))
	}
	_, got, err := c.Decode(data)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("came back differently: %v", err)
	}
}

func TestTooLargeCommandSaysWhatToDo(t *testing.T) {
	noise := make([]byte, 2*512<<10)
	state := uint32(1)
	for i := range noise {
		state = state*1664525 + 1013904223
		noise[i] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-"[state>>26]
	}
	_, err := newTestCodec(t).Encode(command.Sender{}, command.FailTask{Message: string(noise)})
	if farm.CodeOf(err) != farm.CodeTooLarge || !strings.Contains(err.Error(), "512 KB") {
		t.Errorf("got %v", err)
	}
}

func TestCompressionBombIsRefused(t *testing.T) {
	c := newTestCodec(t)
	bomb := compress(t, make([]byte, 64<<20+1), 23, 1|compressed)
	if _, _, err := c.Decode(bomb); err == nil {
		t.Errorf("a command of %d bytes grew beyond %d", len(bomb), 64<<20)
	}
}

func FuzzDecodeCommand(f *testing.F) {
	c := newTestCodec(f)
	for _, cmd := range samples() {
		data, err := c.Encode(command.Sender{}, cmd)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(compress(f, []byte(`{"ID":"x"}`), 42, 1|compressed))
	f.Fuzz(func(t *testing.T, data []byte) {
		by, cmd, err := c.Decode(data)
		if err != nil {
			return
		}
		again, err := c.Encode(by, cmd)
		if farm.CodeOf(err) == farm.CodeTooLarge {
			return
		}
		if err != nil {
			t.Fatalf("%T was read and cannot be written: %v", cmd, err)
		}
		if _, _, err := c.Decode(again); err != nil {
			t.Fatalf("%T was written and cannot be read: %v", cmd, err)
		}
	})
}
