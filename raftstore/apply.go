package raftstore

import (
	"fmt"

	"overcrank/farm"
)

// The files apply*.go are the rules of the state: what each command does to it. They depend on nothing but the state and
// the command, so that every node and every replay comes to the same: no clock, no random value, no order of a map, no
// environment. A rule checks everything before it writes anything.

// apply does what a command asks, or refuses it.
func (t *tables) apply(cmd Command) Result {
	switch c := cmd.(type) {
	case PutTeam:
		return t.putTeam(c)
	case PutToken:
		return t.putToken(c)
	case RevokeToken:
		return t.revokeToken(c)
	case RecordUses:
		return t.recordUses(c)
	case ChangeToken:
		return t.changeToken(c)
	case CreateTemplate:
		return t.createTemplate(c)
	case RenameTemplate:
		return t.renameTemplate(c)
	case MarkTemplate:
		return t.markTemplate(c)
	case RenewUpload:
		return t.renewUpload(c)
	case ReceiveTemplate:
		return t.receiveTemplate(c)
	case FinishTemplate:
		return t.finishTemplate(c)
	case DeleteTemplate:
		return t.deleteTemplate(c)
	case KeepAnswer:
		return t.keepAnswer(c)
	case ForgetRequests:
		return t.forgetRequests(c)
	case SubmitPart:
		return t.submitPart(c)
	case CancelBatch:
		return t.cancelBatch(c)
	case ReleaseJobs:
		return t.releaseJobs(c)
	case DropParts:
		return t.dropParts(c)
	case SubmitJobs:
		return t.submitJobs(c)
	case LeaseTasks:
		return t.leaseTasks(c)
	case FinishTask:
		return t.finishTask(c)
	case FailTask:
		return t.failTask(c)
	case ExpireLeases:
		return t.expireLeases(c)
	case SplitTasks:
		return t.splitTasks(c)
	case KeepFrames:
		return t.keepFrames(c)
	case RedoFrames:
		return t.redoFrames(c)
	case DecideJob:
		return t.decideJob(c)
	case CancelJobs:
		return t.cancelJobs(c)
	case PutFile:
		return t.putFile(c)
	case ExpireFiles:
		return t.expireFiles(c)
	case EnrolAgent:
		return t.enrolAgent(c)
	case PutInventory:
		return t.putInventory(c)
	case RemoveAgent:
		return t.removeAgent(c)
	case PutJoinToken:
		return t.putJoinToken(c)
	case RevokeJoinToken:
		return t.revokeJoinToken(c)
	case PutCoordinator:
		return t.putCoordinator(c)
	case RemoveCoordinator:
		return t.removeCoordinator(c)
	case PutNodeInvitation:
		return t.putNodeInvitation(c)
	case UseNodeInvitation:
		return t.useNodeInvitation(c)
	case RevokeNodeInvitation:
		return t.revokeNodeInvitation(c)
	case ForgetNodeInvitations:
		return t.forgetNodeInvitations(c)
	case UseCode:
		return t.useCode(c)
	case ForgetInvitations:
		return t.forgetInvitations(c)
	case JoinAgent:
		return t.joinAgent(c)
	case RenewAgentKey:
		return t.renewAgentKey(c)
	case ConfirmAgentKey:
		return t.confirmAgentKey(c)
	case ConfigureAgent:
		return t.configureAgent(c)
	case PutGossipRing:
		return t.putGossipRing(c)
	case PutPolicy:
		return t.putPolicy(c)
	case ChangeJob:
		return t.changeJob(c)
	case EndTeam:
		return t.endTeam(c)
	case RenameTeam:
		return t.renameTeam(c)
	case RecordTry:
		return t.recordTry(c)
	case Redeliver:
		return t.redeliver(c)
	case RenewWebhookKey:
		return t.renewWebhookKey(c)
	case PutFont:
		return t.putFont(c)
	case DeleteFont:
		return t.deleteFont(c)
	case PutSecret:
		return t.putSecret(c)
	case DeleteSecret:
		return t.deleteSecret(c)
	case ChangeSecret:
		return t.changeSecret(c)
	case ResealSecrets:
		return t.resealSecrets(c)
	case RedactJobs:
		return t.redactJobs(c)
	case ExpireOutputs:
		return t.expireOutputs(c)
	case PurgeJobs:
		return t.purgeJobs(c)
	case SetLevel:
		return t.setLevel(c)
	case BringState:
		return t.bringState(c)
	case ReplaceState:
		return t.replaceState(c)
	case DropState:
		return t.dropState(c)
	default:
		if result, known := t.applyTrial(cmd); known {
			return result
		}
		t.fail(fmt.Errorf("no rule for command %T", cmd))
		return Result{}
	}
}

// refuse is the result of a command that the rules forbid.
func refuse(why *farm.Error) Result { return Result{Refused: why} }

// refusef is refuse with a message made on the spot.
func refusef(code farm.Code, format string, args ...any) Result {
	return refuse(farm.Errorf(code, format, args...))
}

// addJob puts a job into the result; of a job that moved twice the later shape stays.
func (r *Result) addJob(job farm.Job) {
	r.Jobs = placed(r.Jobs, job, &r.places.jobs, func(j *farm.Job) string { return j.ID })
}

// addTask puts a task into the result; of a task that moved twice the later shape stays.
func (r *Result) addTask(task farm.Task) {
	r.Tasks = placed(r.Tasks, task, &r.places.tasks, func(t *farm.Task) string { return t.ID })
}

// places are where jobs and tasks lie in a result that holds many, by id. A command moves one or two most often, and up to hundreds of
// thousands, as when the template is read that they all wait for.
type places struct{ jobs, tasks map[string]int }

// manyPlaces is from how many on the places are kept.
const manyPlaces = 16

// placed is list with one more record, or with that record in the place of an earlier one of the same id.
func placed[R any](list []R, record R, places *map[string]int, id func(*R) string) []R {
	own := id(&record)
	if len(list) < manyPlaces {
		for i := range list {
			if id(&list[i]) == own {
				list[i] = record
				return list
			}
		}
		return append(list, record)
	}
	if len(*places) != len(list) { // the first time, or something was put behind by itself
		*places = make(map[string]int, 2*len(list))
		for i := range list {
			(*places)[id(&list[i])] = i
		}
	}
	if at, known := (*places)[own]; known {
		list[at] = record
		return list
	}
	(*places)[own] = len(list)
	return append(list, record)
}
