package raftstore

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
)

func TestRaftsLinesReachTheLog(t *testing.T) {
	var out bytes.Buffer
	logger := newRaftLogger(slog.New(slog.NewTextHandler(&out, nil)))
	logger.Info("inner workings")
	logger.Named("net").With("peer", "n1").Warn("slow", "servers", hclog.Fmt("%+v", []int{1, 2}))
	logger.Error("failed", "error", "full")
	logger.StandardLogger(nil).Print("from a library")
	got := out.String()
	for _, want := range []string{`level=WARN msg="raft.net: slow" peer=n1 servers="[1 2]"`, `level=ERROR msg="raft: failed" error=full`, `msg="from a library"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "inner") {
		t.Errorf("Raft's information is shown:\n%s", got)
	}
	if logger.IsDebug() || !logger.IsWarn() || logger.GetLevel() != hclog.Warn {
		t.Errorf("level is %v", logger.GetLevel())
	}
}

func TestNodeAloneStartsWithoutWarnings(t *testing.T) {
	var out bytes.Buffer
	cfg := config(t, t.TempDir())
	cfg.Logger = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelWarn}))
	for range 2 {
		s := openStore(t, cfg)
		putTeam(t, s, "team")
		if wait := s.raft.ReloadableConfig().ElectionTimeout; wait < time.Second {
			t.Errorf("it stands for election once more after %s, which a disk may take for a vote", wait)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if out.Len() > 0 {
		t.Errorf("warned:\n%s", out.String())
	}
}
