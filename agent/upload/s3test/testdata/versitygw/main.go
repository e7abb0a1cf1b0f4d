// Versitygw is the gateway of versity over a folder, without its other storages, commands and tests of its own, which take a compiler twice as long.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

func main() {
	var (
		data    = flag.String("data", "", "the `folder` of objects")
		sidecar = flag.String("sidecar", "", "the `folder` of what is known of them")
		address = flag.String("listen", "", "`host:port`")
	)
	// As many as the gateway's own command takes.
	config := &embedgw.Config{MaxConnections: 250_000, MaxRequests: 100_000, MultipartMaxParts: 10_000, Quiet: true}
	flag.StringVar(&config.RootUserAccess, "access", "", "the `key` of its only user")
	flag.StringVar(&config.RootUserSecret, "secret", "", "its `secret`")
	flag.StringVar(&config.Region, "region", "", "the `region` that it is said to be in")
	flag.StringVar(&config.VirtualDomain, "virtual-domain", "", "the `domain` below which buckets are hosts")
	flag.Parse()
	config.Ports = []string{*address}

	about, err := meta.NewSideCar(*sidecar)
	if err != nil {
		log.Fatalf("opening the folder of what is known of objects: %v", err)
	}
	objects, err := posix.New(*data, about, posix.PosixOpts{SideCarDir: *sidecar, Concurrency: 5000, CopyObjectThreshold: 5 << 30})
	if err != nil {
		log.Fatalf("opening the folder of objects: %v", err)
	}
	if err := embedgw.RunVersityGW(context.Background(), objects, config); err != nil {
		log.Fatal(err)
	}
}
