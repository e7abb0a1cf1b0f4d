package client

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"overcrank/api/apitest"
	"overcrank/api/openapi"
)

// readers are the types that answers are read into, and those that requests are made of, by the schemas that describe them.
var readers = map[reflect.Type][]string{
	reflect.TypeFor[Team]():                {"Team"},
	reflect.TypeFor[Access]():              {"Token"},
	reflect.TypeFor[WaysIn]():              {"WaysIn"},
	reflect.TypeFor[Passkey]():             {"Passkey"},
	reflect.TypeFor[SignInRules]():         {"SignInRules", "WantedSignInRules"},
	reflect.TypeFor[GroupRule]():           {"GroupRule"},
	reflect.TypeFor[Review]():              {"Review"},
	reflect.TypeFor[NewReview]():           {"NewReview"},
	reflect.TypeFor[Comment]():             {"Comment"},
	reflect.TypeFor[NewAccess]():           {"NewToken", "NewPerson"},
	reflect.TypeFor[PersonChange]():        {"PersonChange"},
	reflect.TypeFor[Session]():             {"Session"},
	reflect.TypeFor[Me]():                  {"Self"},
	reflect.TypeFor[Notifications]():       {"Notifications"},
	reflect.TypeFor[NotificationsWanted](): {"NotificationsWanted"},
	reflect.TypeFor[NoticeTest]():          {"NoticeTest"},
	reflect.TypeFor[AuditRecord]():         {"AuditRecord"},
	reflect.TypeFor[AuditThing]():          {"AuditThing"},
	reflect.TypeFor[FailureGroup]():        {"FailureGroup"},
	reflect.TypeFor[FailedJob]():           {"FailedJob"},
	reflect.TypeFor[Retaken]():             {"RetakenRows"},
	reflect.TypeFor[RetakenRow]():          {"RetakenRow"},
	reflect.TypeFor[RefusedRow]():          {"RefusedRow"},
	reflect.TypeFor[Retried]():             {"RetriedFailures"},
	reflect.TypeFor[Report]():              {"Report"},
	reflect.TypeFor[Project]():             {"Project"},
	reflect.TypeFor[TemplateVersion]():     {"TemplateVersion"},
	reflect.TypeFor[ProjectJobs]():         {"ProjectJobs"},
	reflect.TypeFor[Preset]():              {"Preset"},
	reflect.TypeFor[PresetSettings]():      {"PresetSettings"},
	reflect.TypeFor[PresetUpload]():        {"PresetUpload"},
	reflect.TypeFor[PresetWebhook]():       {"PresetWebhook"},
	reflect.TypeFor[Budget]():              {"Budget", "NewBudget"},
	reflect.TypeFor[BudgetUse]():           {"BudgetUse"},
	reflect.TypeFor[TeamBudget]():          {"TeamBudget"},
	reflect.TypeFor[ReportLine]():          {"ReportLine"},
	reflect.TypeFor[Agent]():               {"Agent"},
	reflect.TypeFor[Load]():                {"AgentLoad"},
	reflect.TypeFor[AgentChange]():         {"AgentChange"},
	reflect.TypeFor[BackupWish]():          {"BackupWish"},
	reflect.TypeFor[KnownBackup]():         {"Backup"},
	reflect.TypeFor[BatchCreated]():        {"BatchCreated"},
	reflect.TypeFor[Batch]():               {"Batch", "BatchListed", "BatchNamed"},
	reflect.TypeFor[BatchLabel]():          {"BatchLabel"},
	reflect.TypeFor[NewBatchLabel]():       {"NewBatchLabel"},
	reflect.TypeFor[BatchCancelled]():      {"BatchCancelled"},
	reflect.TypeFor[GossipKeys]():          {"GossipKeys"},
	reflect.TypeFor[GossipTurn]():          {"GossipTurn"},
	reflect.TypeFor[Authority]():           {"Authority"},
	reflect.TypeFor[Cluster]():             {"Cluster"},
	reflect.TypeFor[NodeInvitation]():      {"NodeInvitation"},
	reflect.TypeFor[NewNodeInvitation]():   {"NewNodeInvitation"},
	reflect.TypeFor[Event]():               {"Event"},
	reflect.TypeFor[Detail]():              {"FieldError"},
	reflect.TypeFor[Farm]():                {"FarmStatus"},
	reflect.TypeFor[Levels]():              {"Levels"},
	reflect.TypeFor[LevelChange]():         {"LevelChange"},
	reflect.TypeFor[Limit]():               {"FarmLimit"},
	reflect.TypeFor[QueueEntry]():          {"QueueEntry"},
	reflect.TypeFor[Found]():               {"SearchAnswer"},
	reflect.TypeFor[FoundRecord]():         {"Found"},
	reflect.TypeFor[Indexing]():            {"Indexing"},
	reflect.TypeFor[KeptFile]():            {"KeptFile"},
	reflect.TypeFor[Upload]():              {"Upload"},
	reflect.TypeFor[NewUpload]():           {"NewUpload"},
	reflect.TypeFor[Font]():                {"Font"},
	reflect.TypeFor[StandIn]():             {"StandIn"},
	reflect.TypeFor[Job]():                 {"Job", "JobCreated"},
	reflect.TypeFor[JoinToken]():           {"JoinToken"},
	reflect.TypeFor[NewJoinToken]():        {"NewJoinToken"},
	reflect.TypeFor[FarmJob]():             {"FarmJob"},
	reflect.TypeFor[AskAgain]():            {"RenderAgain"},
	reflect.TypeFor[Again]():               {"RenderedAgain"},
	reflect.TypeFor[FrameRange]():          {"FrameRange"},
	reflect.TypeFor[Placement]():           {"Placement"},
	reflect.TypeFor[Task]():                {"Task"},
	reflect.TypeFor[Attempt]():             {"Attempt"},
	reflect.TypeFor[Sample]():              {"Thumbnail"},
	reflect.TypeFor[Secret]():              {"Secret"},
	reflect.TypeFor[KeyRotation]():         {"KeyChanged"},
	reflect.TypeFor[Template]():            {"Template", "TemplateV3"},
	reflect.TypeFor[Composition]():         {"Composition"},
	reflect.TypeFor[Layer]():               {"Layer"},
	reflect.TypeFor[TemplateMark]():        {"FarmTemplate"},
	reflect.TypeFor[AddedFile]():           {"AddedFile"},
	reflect.TypeFor[TemplatePreflight]():   {"TemplatePreflight"},
	reflect.TypeFor[Address]():             {"Address"},
	reflect.TypeFor[Restored]():            {"Restored"},
	reflect.TypeFor[Release]():             {"Release"},
	reflect.TypeFor[NewRelease]():          {"NewRelease"},
	reflect.TypeFor[Download]():            {"Download"},
	reflect.TypeFor[NewDownload]():         {"NewDownload"},
	reflect.TypeFor[Updates]():             {"Updates"},
	reflect.TypeFor[MachineUpdate]():       {"MachineUpdate"},
	reflect.TypeFor[UpdatesChange]():       {"UpdatesChange"},
	reflect.TypeFor[BatchJob]():            {"BatchJob", "BatchCreatedJob", "BatchRow"},
}

// TestTheClientReadsWhatTheDocumentsDescribe holds every type with JSON keys to the interface's documents.
func TestTheClientReadsWhatTheDocumentsDescribe(t *testing.T) {
	t.Parallel()
	held := map[string]bool{}
	for _, kind := range apitest.HoldReaders(t, readers, apitest.Described(t, openapi.Public), apitest.Described(t, openapi.Farm)) {
		held[kind.Name()] = true
	}
	for _, name := range typesWithKeys(t) {
		if !held[name] {
			t.Errorf("%s has JSON keys and is not held to the documents: list it in readers", name)
		}
	}
}

// typesWithKeys are the structs of this package that say how their fields are called in JSON.
func typesWithKeys(t *testing.T) (found []string) {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, isType := n.(*ast.TypeSpec)
			if !isType {
				return true
			}
			if structure, isStruct := spec.Type.(*ast.StructType); isStruct {
				for _, field := range structure.Fields.List {
					if field.Tag != nil && strings.Contains(field.Tag.Value, `json:"`) && !strings.Contains(field.Tag.Value, `json:"-"`) {
						found = append(found, spec.Name.Name)
						break
					}
				}
			}
			return false
		})
	}
	return found
}
