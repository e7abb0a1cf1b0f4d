package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"overcrank/agent/identity"
	"overcrank/cmd/overcrank/client"
	"overcrank/coordinator"
	"overcrank/coordinator/cluster"
	"overcrank/coordinator/farmkeys"
	"overcrank/farm/wire"
)

// clusterFlags say which farm of several coordinators this one belongs to.
type clusterFlags struct {
	Join             []string      `help:"Where other coordinators are: with --cluster-token-file, base addresses (https://rack1:8080) of a farm to become part of; else host:port of their --cluster-address." placeholder:"ADDRESS" env:"OVERCRANK_JOIN"`
	GossipJoin       []string      `help:"Instead of --join, for a farm whose key this machine has: where gossip of other coordinators is, host:port of a --gossip-listen." placeholder:"ADDRESS" env:"OVERCRANK_GOSSIP_JOIN"`
	ClusterTokenFile string        `help:"File with the token that 'overcrank cluster invite' printed, needed once." type:"path" env:"OVERCRANK_CLUSTER_TOKEN_FILE"`
	BootstrapExpect  int           `help:"How many coordinators begin a new farm together; each is given the same key and the same number." placeholder:"N" env:"OVERCRANK_BOOTSTRAP_EXPECT"`
	FarmKeyFile      string        `help:"File with the key of a new farm, as 'overcrank cluster key' printed it, for a data folder that has none." type:"path" env:"OVERCRANK_FARM_KEY_FILE"`
	PromoteAfter     time.Duration `help:"How long a new coordinator has to keep up with the others before it gets a vote." default:"10s" env:"OVERCRANK_PROMOTE_AFTER"`
	RemoveDeadAfter  time.Duration `help:"How long a coordinator may be dead before it loses its place, where the farm can do without; 0 for never." default:"72h" env:"OVERCRANK_REMOVE_DEAD_AFTER"`
}

// maxExpected is how many coordinators may begin a farm together.
const maxExpected = 9

func (f clusterFlags) check(clusterListen string) error {
	if f.BootstrapExpect < 0 || f.BootstrapExpect > maxExpected {
		return fmt.Errorf("--bootstrap-expect is %d: it has to be from 1 to %d, and 1, 3 or 5 at best", f.BootstrapExpect, maxExpected)
	}
	if f.PromoteAfter < 0 || f.RemoveDeadAfter < 0 {
		return fmt.Errorf("--promote-after is %v and --remove-dead-after %v: neither can be below 0", f.PromoteAfter, f.RemoveDeadAfter)
	}
	if f.ClusterTokenFile != "" && len(f.Join) == 0 {
		return errors.New("--cluster-token-file needs --join: the address of a coordinator of the farm")
	}
	if (len(f.Join) > 0 || len(f.GossipJoin) > 0 || f.BootstrapExpect > 1) && clusterListen == "" {
		return errors.New("--join, --gossip-join and --bootstrap-expect need --cluster-listen: the port on which the coordinators speak with each other")
	}
	for _, address := range f.Join {
		if isBase(address) != (f.ClusterTokenFile != "") {
			return fmt.Errorf("--join %s: with --cluster-token-file it is the base address of a coordinator, https://rack1:8080, without one the host:port of its --cluster-address", address)
		}
	}
	return nil
}

func isBase(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

// nodes are the addresses of --join, when these are addresses of the coordinators' own port.
func (f clusterFlags) nodes() []string {
	if f.ClusterTokenFile != "" {
		return nil
	}
	return f.Join
}

// prepareFolder makes sure that the data folder has the farm's key: from --farm-key-file, or from the farm that --join and
// --cluster-token-file name.
func (f Flags) prepareFolder(ctx context.Context, version string, logger *slog.Logger) error {
	if info, err := os.Stat(f.DataDir); err == nil && !info.IsDir() {
		return fmt.Errorf("the data folder %s is a file: name a folder with --data-dir", f.DataDir)
	}
	has, err := farmkeys.Exist(f.DataDir)
	if err != nil {
		return unusable(f.DataDir, err)
	}
	if f.FarmKeyFile != "" {
		text, err := os.ReadFile(f.FarmKeyFile)
		switch {
		case (has || f.ClusterTokenFile != "") && errors.Is(err, fs.ErrNotExist): // the copy was deleted after the first start, as recommended
		case err != nil:
			return fmt.Errorf("read the farm's key: %w", err)
		default:
			if err := farmkeys.Keep(f.DataDir, string(text)); err != nil {
				return fmt.Errorf("%s: %w", f.FarmKeyFile, err)
			}
			has = true
		}
	}
	switch {
	case has:
		return nil
	case f.ClusterTokenFile != "":
		return f.fetchKeys(ctx, version, logger)
	case f.BootstrapExpect > 1 || len(f.Join) > 0 || len(f.GossipJoin) > 0:
		return fmt.Errorf("the coordinators of a farm have the same key, and %s has none: make one with 'overcrank cluster key' and give it to each of them with --farm-key-file; or join a farm with --cluster-token-file", f.DataDir)
	}
	return nil
}

// unusable words why a data folder cannot be used, with a way out.
func unusable(dir string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("this account may not use the data folder %s: start the farm as the account whose folder it is, or name another one with --data-dir: %w", dir, err)
	}
	return fmt.Errorf("the data folder %s cannot be used; name another one with --data-dir: %w", dir, err)
}

// fetchKeys has the farm give its keys to this machine.
func (f Flags) fetchKeys(ctx context.Context, version string, logger *slog.Logger) error {
	if f.Storage == "" {
		return errors.New("several coordinators keep their files where all reach them: give this one the --storage of the farm that it joins")
	}
	text, err := os.ReadFile(f.ClusterTokenFile)
	if err != nil {
		return fmt.Errorf("read the token for coordinators: %w", err)
	}
	token, err := wire.ParseNodeToken(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", f.ClusterTokenFile, err)
	}
	id, err := coordinator.NodeID(f.DataDir)
	if err != nil {
		return err
	}
	name, _ := os.Hostname()
	farm := &http.Client{Transport: &http.Transport{TLSClientConfig: identity.FirstContact(token.Authority)}, Timeout: joinWithin}
	defer farm.CloseIdleConnections()
	for pause := time.Second; ; pause = min(2*pause, 15*time.Second) {
		var last error
		for _, base := range f.Join {
			asks := wire.NodeJoin{ID: id, Name: name, Version: version, Level: coordinator.Level(), At: time.Now()}
			keys, err := askForKeys(ctx, farm, base, token.Secret, asks)
			if err == nil {
				logger.Info("received the keys of the farm", "farm", keys.Farm, "by", base)
				return cluster.TakeKeys(f.DataDir, keys)
			}
			var refused *client.Error
			if errors.As(err, &refused) && refused.Status < http.StatusInternalServerError || errors.Is(err, identity.ErrStranger) {
				return fmt.Errorf("join the farm at %s: %w", base, err)
			}
			last = fmt.Errorf("join the farm at %s: %w", base, err)
		}
		logger.Warn("cannot get the keys of the farm yet", "again in", pause, "error", last)
		select {
		case <-ctx.Done():
			return last
		case <-time.After(pause):
		}
	}
}

// joinWithin is the timeout of one request for the keys.
const joinWithin = 30 * time.Second

// askForKeys asks one coordinator for the farm's keys. The token is not sent until the coordinator has proven that it belongs to the farm.
func askForKeys(ctx context.Context, farm *http.Client, base, secret string, asks wire.NodeJoin) (wire.NodeKeys, error) {
	text, err := json.Marshal(asks)
	if err != nil {
		return wire.NodeKeys{}, err
	}
	base = "https://" + strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(base, "/"), "http://"), "https://")
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+wire.PathNodeJoin, strings.NewReader(string(text)))
	if err != nil {
		return wire.NodeKeys{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+secret)
	res, err := farm.Do(req)
	if err != nil {
		return wire.NodeKeys{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return wire.NodeKeys{}, err
	}
	if res.StatusCode != http.StatusOK {
		var refusal struct{ Error string }
		_ = json.Unmarshal(body, &refusal)
		if refusal.Error == "" {
			refusal.Error = res.Status
		}
		return wire.NodeKeys{}, &client.Error{Status: res.StatusCode, Message: refusal.Error}
	}
	var keys wire.NodeKeys
	if err := json.Unmarshal(body, &keys); err != nil {
		return keys, fmt.Errorf("read the farm's keys: %w", err)
	}
	return keys, nil
}
