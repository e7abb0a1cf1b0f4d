// Fidelity compares what the embedded engine draws with every picture and film that others made of the same projects, and writes down how
// alike they are: a page with a table, and a sheet of small pictures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	samples := flag.String("samples", "", "`folder` of projects with the list ORACLES.tsv")
	docs := flag.String("docs", "docs", "`folder` of the documentation, for fidelity.md and pictures/fidelity.png")
	flag.Parse()
	if err := run(ctx, *samples, *docs); err != nil {
		fmt.Fprintf(os.Stderr, "fidelity: %v\n", err)
		stop()
		os.Exit(1) //nolint:gocritic // what is deferred has been done
	}
}

func run(ctx context.Context, samples, docs string) error {
	if _, err := os.Stat(filepath.Join(samples, "ORACLES.tsv")); samples == "" || errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there are no samples in %q: name a folder with the list ORACLES.tsv, make fidelity SAMPLES=DIR", samples)
	}
	list, err := compare(ctx, samples)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(docs, "fidelity.md"), page(list), 0o644); err != nil {
		return err
	}
	if err := writeSheet(filepath.Join(docs, "pictures", "fidelity.png"), list.rows); err != nil {
		return err
	}
	fmt.Printf("%d compositions compared in %d pictures: %s\n", len(list.rows), list.pictures(), filepath.Join(docs, "fidelity.md"))
	return nil
}
