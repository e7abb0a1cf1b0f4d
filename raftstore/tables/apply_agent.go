package tables

import (
	"overcrank/farm"
	"overcrank/raftstore/command"
)

func (t *tables) enrolAgent(c command.EnrolAgent) command.Result {
	agent := c.Agent
	if err := checkID("machine", agent.ID); err != nil {
		return refuse(err)
	}
	switch {
	case agent.SecretHash == "":
		return refusef(farm.CodeInvalid, "machine %q has no credential", agent.Name)
	case t.has(bucketAgents, agent.ID):
		return refusef(farm.CodeConflict, "machine %s has enrolled already", agent.ID)
	case t.has(bucketAgentsByHash, agent.SecretHash):
		return refusef(farm.CodeConflict, "another machine has the same credential")
	}
	put(t, bucketAgents, agent.ID, agent)
	t.note(farm.EventMachine, "", agent.ID)
	t.set(bucketAgentsByHash, agent.SecretHash, []byte(agent.ID))
	return command.Result{}
}

// putInventory keeps the machine's earlier name when the command brings none, and when people gave it.
func (t *tables) putInventory(c command.PutInventory) command.Result {
	agent, ok := get[farm.Agent](t, bucketAgents, c.ID)
	if !ok {
		return refuse(noMachine(c.ID))
	}
	if c.Name != "" && !agent.Named {
		agent.Name = c.Name
	}
	agent.Inventory = c.Inventory
	put(t, bucketAgents, agent.ID, agent)
	t.note(farm.EventMachine, "", agent.ID)
	return command.Result{}
}

// removeAgent leaves the machine's leases to ExpireLeases.
func (t *tables) removeAgent(c command.RemoveAgent) command.Result {
	if !t.forgetAgent(c.ID) {
		return refuse(noMachine(c.ID))
	}
	t.remove(bucketHealth, c.ID)
	t.remove(bucketMachineUpdates, c.ID)
	return command.Result{}
}

// forgetAgent removes a machine's record, and what leads to it.
func (t *tables) forgetAgent(id string) (found bool) {
	agent, found := get[farm.Agent](t, bucketAgents, id)
	if found {
		t.remove(bucketAgents, id)
		t.note(farm.EventMachine, "", id)
		t.dropCredentials(agent)
	}
	return found
}

func noMachine(id string) *farm.Error {
	return farm.Errorf(farm.CodeNotFound, "machine %q has not enrolled with this farm", id)
}

// machineName is how people know an agent.
func (t *tables) machineName(id string) string {
	if agent, ok := get[farm.Agent](t, bucketAgents, id); ok && agent.Name != "" {
		return agent.Name
	}
	return id
}
