// Command farm looks at a farm with a client that was generated from the document of the farm's own interface.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

func main() {
	log.SetFlags(log.Lshortfile)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	token := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Getenv("OVERCRANK_TOKEN"))
		return nil
	}
	c, err := NewClientWithResponses(os.Getenv("OVERCRANK_SERVER"), WithRequestEditorFn(token))
	must(err)
	agents, err := c.ListAgentsWithResponse(ctx, &ListAgentsParams{Limit: ptr(10)})
	must(err)
	want(agents.JSON200 != nil && len(*agents.JSON200) == 1, "agents: %s", agents.Body)
	agent := (*agents.JSON200)[0].Id
	drained, err := c.ChangeAgentWithResponse(ctx, agent, AgentChange{Drained: ptr(true), Tags: &[]string{"night"}})
	must(err)
	want(drained.JSON200 != nil && drained.JSON200.State == AgentStateDrained, "change agent: %s", drained.Body)
	resumed, err := c.ResumeAgentWithResponse(ctx, agent, &ResumeAgentParams{})
	must(err)
	want(resumed.JSON200 != nil && resumed.JSON200.State == AgentStateFree, "resume agent: %s", resumed.Body)
	limit, err := c.PutLimitWithResponse(ctx, "particles", NewLimit{Total: 2})
	must(err)
	want(limit.JSON201 != nil && limit.JSON201.Total == 2, "put limit: %s", limit.Body)
	policy, err := c.GetPolicyWithResponse(ctx)
	must(err)
	want(policy.JSON200 != nil && policy.JSON200.Limits["particles"].Total == 2, "policy: %s", policy.Body)
	fmt.Println("done")
}

func must(err error) {
	if err != nil {
		_ = log.Output(2, err.Error())
		os.Exit(1)
	}
}

func want(ok bool, format string, args ...any) {
	if !ok {
		_ = log.Output(2, fmt.Sprintf(format, args...))
		os.Exit(1)
	}
}

func ptr[T any](v T) *T { return &v }
