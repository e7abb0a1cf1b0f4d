package raftstore

import (
	"encoding/json"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"overcrank/farm"
)

// An encoded command is one byte of kind, one of version, then JSON, save for what command_submit.go says. The top bit of
// the version byte says that what follows is compressed with zstd. A version once written replays for ever;
// testdata/commands holds one of each.
const (
	commandVersion = 1
	submitVersion  = 2 // of the commands with jobs in them
	compressedFlag = 0x80

	compressFrom   = 4 << 10   // bytes of JSON from which compressing pays
	maxCommand     = 512 << 10 // bytes of an encoded command; larger entries delay Raft's heartbeats
	maxCommandJSON = 64 << 20  // bytes of a command's JSON, also against hostile compression
)

// codec turns commands into log entries and back. It is safe for concurrent use.
type codec struct {
	compressor   *zstd.Encoder
	decompressor *zstd.Decoder
	pack         packers
}

func newCodec() (*codec, error) {
	compressor, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("prepare compression of commands: %w", err)
	}
	decompressor, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxCommandJSON))
	if err != nil {
		return nil, fmt.Errorf("prepare decompression of commands: %w", err)
	}
	return &codec{compressor: compressor, decompressor: decompressor}, nil
}

// close frees what the codec holds.
func (c *codec) close() { c.decompressor.Close() }

// encode gives the log entry of cmd. A command that is too large is an error of CodeTooLarge.
func (c *codec) encode(cmd Command) ([]byte, error) {
	out, version, err := appendBody(make([]byte, 2), cmd, &c.pack)
	if err != nil {
		return nil, farm.Errorf(farm.CodeInvalid, "the change cannot be stored: %w", err)
	}
	body := out[2:]
	limit := compressFrom
	if version == submitVersion {
		limit = maxCommand // most of it is compressed already
	}
	if len(body) >= limit {
		version |= compressedFlag
		out = c.compressor.EncodeAll(body, make([]byte, 2, 2+len(body)/2))
	}
	if len(out) > maxCommand || len(body) > maxCommandJSON {
		return nil, farm.Errorf(farm.CodeTooLarge,
			"the request is too large to be stored in one piece: %d KB where %d KB are allowed; send fewer jobs at once, or put large values into files",
			(len(out)+1023)>>10, maxCommand>>10)
	}
	out[0], out[1] = byte(cmd.kind()), version
	return out, nil
}

// decode gives the command of a log entry. An unknown kind or version is an error: a node that does not understand an
// entry must not go on without it.
func (c *codec) decode(data []byte) (Command, error) {
	if len(data) < 2 {
		return nil, fmt.Errorf("command of %d bytes is too short", len(data))
	}
	kind, version, body := Kind(data[0]), data[1]&^compressedFlag, data[2:]
	if data[1]&compressedFlag != 0 {
		var err error
		if body, err = c.decompressor.DecodeAll(body, nil); err != nil {
			return nil, fmt.Errorf("decompress command of kind %d: %w", kind, err)
		}
	}
	switch {
	case kind == KindSubmitJobs && version == submitVersion:
		return decodeSubmission(body)
	case kind == KindSubmitPart && version == submitVersion:
		return decodePart(body)
	case version != commandVersion:
		return nil, fmt.Errorf("command of kind %d has version %d, which this program does not know: a newer version of it wrote the log: %w", kind, version, errNewer)
	}
	return decodeBody(kind, body)
}

// understands is nil when this program knows the kind and version of an entry.
func understands(entry []byte) error {
	if len(entry) < 2 {
		return fmt.Errorf("command of %d bytes is too short", len(entry))
	}
	kind, version := Kind(entry[0]), entry[1]&^(compressedFlag|keyedFlag)
	if (kind == KindSubmitJobs || kind == KindSubmitPart) && version == submitVersion {
		return nil
	}
	if version != commandVersion {
		return fmt.Errorf("command of kind %d has version %d, which this program does not know", kind, version)
	}
	_, err := decodeBody(kind, []byte("{}"))
	return err
}

// appendBody writes what stands behind the two bytes of kind and version.
func appendBody(out []byte, cmd Command, pack *packers) (entry []byte, version byte, err error) {
	switch c := cmd.(type) {
	case SubmitJobs:
		out, err = c.appendTo(out, pack)
		return out, submitVersion, err
	case SubmitPart:
		out, err = c.appendTo(out, pack)
		return out, submitVersion, err
	}
	body, err := json.Marshal(cmd)
	return append(out, body...), commandVersion, err
}

func decodeBody(kind Kind, body []byte) (Command, error) {
	switch kind {
	case KindPutTeam:
		return unmarshal[PutTeam](body)
	case KindPutToken:
		return unmarshal[PutToken](body)
	case KindRevokeToken:
		return unmarshal[RevokeToken](body)
	case KindRecordUses:
		return unmarshal[RecordUses](body)
	case KindChangeToken:
		return unmarshal[ChangeToken](body)
	case KindCreateTemplate:
		return unmarshal[CreateTemplate](body)
	case KindRenameTemplate:
		return unmarshal[RenameTemplate](body)
	case KindMarkTemplate:
		return unmarshal[MarkTemplate](body)
	case KindRenewUpload:
		return unmarshal[RenewUpload](body)
	case KindReceiveTemplate:
		return unmarshal[ReceiveTemplate](body)
	case KindFinishTemplate:
		return unmarshal[FinishTemplate](body)
	case KindDeleteTemplate:
		return unmarshal[DeleteTemplate](body)
	case KindKeepAnswer:
		return unmarshal[KeepAnswer](body)
	case KindForgetRequests:
		return unmarshal[ForgetRequests](body)
	case KindSubmitPart:
		return unmarshal[SubmitPart](body)
	case KindCancelBatch:
		return unmarshal[CancelBatch](body)
	case KindReleaseJobs:
		return unmarshal[ReleaseJobs](body)
	case KindDropParts:
		return unmarshal[DropParts](body)
	case KindSubmitJobs:
		return unmarshal[SubmitJobs](body)
	case KindLeaseTasks:
		return unmarshal[LeaseTasks](body)
	case KindFinishTask:
		return unmarshal[FinishTask](body)
	case KindFailTask:
		return unmarshal[FailTask](body)
	case KindExpireLeases:
		return unmarshal[ExpireLeases](body)
	case KindSplitTasks:
		return unmarshal[SplitTasks](body)
	case KindKeepFrames:
		return unmarshal[KeepFrames](body)
	case KindRedoFrames:
		return unmarshal[RedoFrames](body)
	case KindDecideJob:
		return unmarshal[DecideJob](body)
	case KindCancelJobs:
		return unmarshal[CancelJobs](body)
	case KindPutFile:
		return unmarshal[PutFile](body)
	case KindExpireFiles:
		return unmarshal[ExpireFiles](body)
	case KindEnrolAgent:
		return unmarshal[EnrolAgent](body)
	case KindPutInventory:
		return unmarshal[PutInventory](body)
	case KindRemoveAgent:
		return unmarshal[RemoveAgent](body)
	case KindPutJoinToken:
		return unmarshal[PutJoinToken](body)
	case KindRevokeJoinToken:
		return unmarshal[RevokeJoinToken](body)
	case KindPutCoordinator:
		return unmarshal[PutCoordinator](body)
	case KindRemoveCoordinator:
		return unmarshal[RemoveCoordinator](body)
	case KindPutNodeInvitation:
		return unmarshal[PutNodeInvitation](body)
	case KindUseNodeInvitation:
		return unmarshal[UseNodeInvitation](body)
	case KindRevokeNodeInvitation:
		return unmarshal[RevokeNodeInvitation](body)
	case KindForgetNodeInvitations:
		return unmarshal[ForgetNodeInvitations](body)
	case KindUseCode:
		return unmarshal[UseCode](body)
	case KindForgetInvitations:
		return unmarshal[ForgetInvitations](body)
	case KindJoinAgent:
		return unmarshal[JoinAgent](body)
	case KindRenewAgentKey:
		return unmarshal[RenewAgentKey](body)
	case KindConfirmAgentKey:
		return unmarshal[ConfirmAgentKey](body)
	case KindConfigureAgent:
		return unmarshal[ConfigureAgent](body)
	case KindPutGossipRing:
		return unmarshal[PutGossipRing](body)
	case KindPutPolicy:
		return unmarshal[PutPolicy](body)
	case KindChangeJob:
		return unmarshal[ChangeJob](body)
	case KindEndTeam:
		return unmarshal[EndTeam](body)
	case KindRenameTeam:
		return unmarshal[RenameTeam](body)
	case KindRecordTry:
		return unmarshal[RecordTry](body)
	case KindRedeliver:
		return unmarshal[Redeliver](body)
	case KindRenewWebhookKey:
		return unmarshal[RenewWebhookKey](body)
	case KindPutFont:
		return unmarshal[PutFont](body)
	case KindDeleteFont:
		return unmarshal[DeleteFont](body)
	case KindPutSecret:
		return unmarshal[PutSecret](body)
	case KindDeleteSecret:
		return unmarshal[DeleteSecret](body)
	case KindChangeSecret:
		return unmarshal[ChangeSecret](body)
	case KindResealSecrets:
		return unmarshal[ResealSecrets](body)
	case KindRedactJobs:
		return unmarshal[RedactJobs](body)
	case KindExpireOutputs:
		return unmarshal[ExpireOutputs](body)
	case KindPurgeJobs:
		return unmarshal[PurgeJobs](body)
	case KindSetLevel:
		return unmarshal[SetLevel](body)
	case KindBringState:
		return unmarshal[BringState](body)
	case KindReplaceState:
		return unmarshal[ReplaceState](body)
	case KindDropState:
		return unmarshal[DropState](body)
	default:
		return decodeTrial(kind, body)
	}
}

func unmarshal[C Command](body []byte) (Command, error) {
	var cmd C
	if err := json.Unmarshal(body, &cmd); err != nil {
		return nil, fmt.Errorf("read command %T: %w", cmd, err)
	}
	return cmd, nil
}
