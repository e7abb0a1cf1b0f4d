package raftstore

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/tables"
)

// childFolder is the environment variable that makes the test's program a farm that writes until it is killed.
const childFolder = "RAFTSTORE_TEST_CHILD_FOLDER"

// runChild submits and leases jobs and prints the id of each once it is acknowledged. It never ends by itself.
func runChild(folder string) int {
	ctx := context.Background()
	s, err := Open(ctx, Config{Dir: folder, MinFree: 1, portion: 20_000})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	run := os.Getpid()
	for _, cmd := range []command.Command{
		command.PutTeam{Team: farm.Team{ID: "team"}},
		command.EnrolAgent{Agent: farm.Agent{ID: fmt.Sprint("agent-", run), SecretHash: fmt.Sprint("hash-", run)}},
	} {
		if result, err := s.Apply(ctx, cmd); err != nil || result.Refused != nil {
			fmt.Fprintln(os.Stderr, err, result.Refused)
			return 1
		}
	}
	var out sync.Mutex
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("job-%d-%d-%d", run, w, i)
				job := farm.Job{ID: id, Team: "team", OutputName: id + "-out.mp4", CreatedAt: epoch}
				submitted, err := s.Apply(ctx, command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{{ID: id + ".0", Job: id, Team: "team"}}})
				if err != nil || submitted.Refused != nil {
					continue
				}
				leased, err := s.Apply(ctx, command.LeaseTasks{Grants: []command.Grant{{Task: id + ".0", Attempt: 1, Agent: fmt.Sprint("agent-", run)}}})
				if err != nil || leased.Each[0] != nil {
					continue
				}
				if i%100 == 50 && w == 0 {
					_ = s.Snapshot()
				}
				out.Lock()
				fmt.Println(id)
				out.Unlock()
			}
		})
	}
	writers.Wait()
	return 0
}

// TestKilledProcessLosesNothingAcknowledged kills a farm in the middle of its work, several times over.
func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	folder := t.TempDir()
	var acknowledged []string
	for run, until := range []int{40, 300, 1, 120} {
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), childFolder+"="+folder)
		var complaints strings.Builder
		child.Stderr = &complaints
		stdout, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(stdout)
		seen := 0
		for lines.Scan() {
			acknowledged = append(acknowledged, lines.Text())
			if seen++; seen == until {
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = child.Wait()
		if seen < until {
			t.Fatalf("run %d ended after %d jobs: %s", run, seen, complaints.String())
		}
		// Every other time the next child finds the folder as the killed one left it.
		if run%2 == 0 {
			checkAcknowledged(t, folder, acknowledged)
		}
	}
	checkAcknowledged(t, folder, acknowledged)
	// A machine that lost its power has only the log.
	remove(t, folder, stateFile)
	checkAcknowledged(t, folder, acknowledged)
}

func checkAcknowledged(t *testing.T, folder string, acknowledged []string) {
	t.Helper()
	s := openStore(t, config(t, folder))
	defer s.Close()
	start := time.Now()
	err := s.View(func(tx *tables.Tx) error {
		for _, id := range acknowledged {
			job, err := tx.Job(id)
			if err != nil {
				return err
			}
			if job.Status != farm.JobRendering {
				return fmt.Errorf("job %s is %s, its lease is lost", id, job.Status)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d acknowledged jobs are there (%v)", len(acknowledged), time.Since(start))
}
