package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm/wording"
)

// Storage is about where a farm keeps its files.
type Storage struct {
	Status storageStatus `cmd:"" default:"withargs" help:"Show where the farm keeps its files, and how far a move has come."`
}

// moveLook is how often a move that is waited for is looked at.
const moveLook = time.Second

type storageStatus struct {
	Wait bool `help:"Wait until all files are where other coordinators can have them."`
	remote.Flags
}

// Help is what stands below the flags.
func (storageStatus) Help() string {
	return `A farm whose coordinator is given a --storage moves what is in its data folder there by itself, and works meanwhile. Until all is there, other
coordinators cannot come:

    overcrank storage status --wait && overcrank cluster invite --for rack2 > token`
}

// Run says where the files are.
func (s storageStatus) Run(ctx context.Context, out *terminal.Output) error {
	c, err := s.Client()
	if err != nil {
		return err
	}
	cluster, err := c.Cluster(ctx)
	if err != nil {
		return err
	}
	now := cluster.Storage
	if s.Wait {
		if now, err = awaitMove(ctx, c, now, out); err != nil {
			return err
		}
	}
	if s.JSON {
		return out.JSON(now)
	}
	if now.Move != nil {
		_, err := fmt.Fprintln(out, strings.Join(moveSaid(now), "\n"))
		return err
	}
	if !now.Shared {
		out.Remark("Other coordinators cannot have them there: give this one a --storage that all reach.")
	}
	_, err = fmt.Fprintf(out, "The farm's files are in %s.\n", now.Where)
	return err
}

// awaitMove waits until no files are on their way any more.
func awaitMove(ctx context.Context, c *client.Client, now client.Storage, out *terminal.Output) (client.Storage, error) {
	bar := out.Bar("moving files")
	defer bar.End()
	trouble := ""
	err := remote.Until(ctx, moveLook, moveLook, "overcrank storage status --wait", func() (bool, error) {
		if now.Move == nil {
			return true, nil
		}
		bar.Bytes(now.Move.Bytes-now.Move.BytesLeft, now.Move.Bytes)
		if now.Move.Trouble != trouble {
			if trouble = now.Move.Trouble; trouble != "" {
				bar.Say("It does not go on: " + trouble)
			}
		}
		cluster, err := c.Cluster(ctx)
		if err == nil {
			now = cluster.Storage
		}
		return now.Move == nil, err
	})
	if err != nil {
		return now, err
	}
	if !now.Shared {
		return now, errors.New("the farm's files are in " + now.Where + ", and nothing moves them: give its coordinator a --storage that others reach")
	}
	return now, nil
}

// moveSaid is what people are told of files that are on their way.
func moveSaid(s client.Storage) []string {
	m := s.Move
	if m.Files == 0 {
		return []string{fmt.Sprintf("The files in %s are being moved to %s.", m.From, s.Where)}
	}
	words := []string{fmt.Sprintf("The files in %s are being moved to %s: %d of %d files, %s of %s, are there.",
		m.From, s.Where, m.Files-m.FilesLeft, m.Files, wording.Size(m.Bytes-m.BytesLeft), wording.Size(m.Bytes))}
	if m.Trouble != "" {
		words = append(words, "It does not go on: "+m.Trouble)
	}
	return words
}
