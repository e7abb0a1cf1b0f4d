package main

import (
	"context"
	"fmt"
	"strings"

	"overcrank/cmd/overcrank/terminal"
	"overcrank/coordinator"
	"overcrank/coordinator/files"
)

// storageCommand is about where a farm keeps its files.
type storageCommand struct {
	Move storageMoveCommand `cmd:"" help:"Bring the files of a coordinator's data folder to shared storage, which a farm of several coordinators needs."`
}

type storageMoveCommand struct {
	DataDir string `help:"Data folder of the coordinator." required:"" type:"path" env:"OVERCRANK_DATA_DIR"`
	To      string `help:"Where the files go: a folder that all coordinators will have mounted, or s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-west-1." required:"" placeholder:"WHERE"`
	Keys    string `name:"storage-credentials" help:"File with the credentials of the bucket, as ~/.aws/credentials; when left out, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY." type:"path" placeholder:"FILE" env:"OVERCRANK_STORAGE_CREDENTIALS"`
	MinFree int64  `help:"Bytes that must stay free on a shared folder." default:"1073741824" env:"OVERCRANK_MIN_FREE"`
}

// Help is what stands below the flags.
func (storageMoveCommand) Help() string {
	return `Run it on the coordinator's machine: once while the coordinator runs, which copies nearly all, and once more when it is stopped, which takes
as long as the files since then do. Then start the coordinator with --storage. Every file that is written is read back and compared. A move
that was broken off goes on where it was when it is repeated. The files in the data folder stay; delete its folder 'files' when the farm works.`
}

// Validate is for the parser of the command line.
func (s storageMoveCommand) Validate() error {
	if err := coordinator.CheckStorageFlag(s.To); err != nil || s.To == "" {
		return fmt.Errorf("--to: %w", err)
	}
	return nil
}

// Run moves.
func (s *storageMoveCommand) Run(ctx context.Context, out *output) error {
	bar := terminal.NewBar(out.errors, "copying")
	told := func(c files.Copied) { bar.Bytes(c.Bytes, c.TotalBytes) }
	if out.quiet {
		told = nil
	}
	moved, err := coordinator.MoveStorage(ctx, coordinator.StorageMove{DataDir: s.DataDir, Storage: s.To, Credentials: s.Keys, MinFree: s.MinFree, Told: told})
	bar.End()
	if err != nil {
		return fmt.Errorf("move the files of %s: %w (what was copied stays; the same command goes on)", s.DataDir, err)
	}
	fmt.Fprintf(out, "%d files are in %s, %d of them new.\n", moved.Files, moved.Where, moved.NewFiles)
	if moved.Running {
		fmt.Fprintln(out, "The coordinator runs, and writes to its data folder still. Stop it and repeat this command for what came meanwhile.")
		return nil
	}
	flag := "--storage '" + strings.ReplaceAll(s.To, "'", `'\''`) + "'"
	if s.Keys != "" {
		flag += " --storage-credentials " + s.Keys
	}
	fmt.Fprintf(out, "Start the coordinator with %s\n", flag)
	return nil
}
