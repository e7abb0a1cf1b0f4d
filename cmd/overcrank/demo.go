package main

import "context"

type demoCommand struct{}

func (d demoCommand) Run(ctx context.Context) error { return nil }
