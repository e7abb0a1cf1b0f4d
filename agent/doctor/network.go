package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"overcrank/agent"
	"overcrank/agent/farmclient"
	"overcrank/agent/identity"
	"overcrank/farm/wording"
)

const (
	// noCoordinator stands for the address of a coordinator where none is configured.
	noCoordinator = "http://none.invalid"
	reachTime     = 15 * time.Second
	skewPoor      = 5 * time.Second
	skewBroken    = 5 * time.Minute // at which certificates and signed addresses are taken for ones of another day
)

// coordinators checks of each configured coordinator whether it answers, and compares the clocks.
func (d *Doctor) coordinators(ctx context.Context) {
	for _, address := range d.Config.Coordinators {
		if address == noCoordinator {
			d.add(Finding{Check: "coordinator", Health: Poor, Found: "none is configured", Mend: "Name one with --coordinator, OVERCRANK_AGENT_COORDINATOR, or in the agent's configuration."})
			return
		}
		d.coordinator(ctx, address)
	}
}

func (d *Doctor) coordinator(ctx context.Context, address string) {
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	began := time.Now()
	said, err := d.reach(ctx, address)
	if err != nil {
		d.add(Finding{
			Check: "coordinator", About: address, Health: Broken, Found: fmt.Sprintf("does not answer: %v", err),
			Mend: "Check that the coordinator runs, that the address is right, and that no firewall is in between: curl -k " + farmclient.OverTLS(address) + "/healthz",
		})
		return
	}
	took := time.Since(began)
	d.add(Finding{Check: "coordinator", About: address, Health: Well, Found: fmt.Sprintf("answers within %d ms", took.Milliseconds())})
	if said.IsZero() {
		return
	}
	// The header counts whole seconds.
	skew := time.Since(said) - took/2
	off := max(skew.Abs()-time.Second, 0)
	found := Finding{Check: "clock", Health: Well, Found: "agrees with the coordinator's"}
	if off > skewPoor {
		ahead := "ahead of"
		if skew < 0 {
			ahead = "behind"
		}
		found.Health, found.Found = Poor, fmt.Sprintf("is about %s %s the coordinator's", wording.Duration(off.Round(time.Second)), ahead)
		found.Mend = "Turn on network time on both machines: " + timeCommand(d.system.OS)
	}
	if off > skewBroken {
		found.Health = Broken
	}
	d.add(found)
}

func timeCommand(goos string) string {
	switch goos {
	case "windows":
		return "w32tm /resync"
	case "darwin":
		return "System Settings, General, Date & Time"
	}
	return "timedatectl set-ntp true"
}

// reach asks the coordinator whether it is there, and gives the time that it says.
func (d *Doctor) reach(ctx context.Context, address string) (time.Time, error) {
	// A machine that has enrolled expects its own farm there.
	config := identity.Stranger()
	if self, err := identity.ReadCredential(d.Config.DataDir); err == nil && self.Now().Certified() {
		if config, err = self.Now().TLS(); err != nil {
			return time.Time{}, err
		}
	}
	far := farmclient.New([]string{address}, d.Config.Logger)
	defer far.Close()
	far.Identify(config)
	res, err := far.Do(ctx, http.MethodGet, "/healthz", "", nil, 0)
	if err != nil {
		return time.Time{}, err
	}
	said, err := http.ParseTime(res.Header.Get("Date"))
	if err != nil {
		said = time.Time{} // a proxy may have taken it away
	}
	return said, res.Body.Close()
}

// enrolment checks whether the farm would let this machine in, as far as the machine can tell.
func (d *Doctor) enrolment() {
	self, err := identity.ReadCredential(d.Config.DataDir)
	found := Finding{Check: "enrolment", Health: Well}
	d.enrolled = err == nil && self.Enrolled()
	switch {
	case err != nil:
		found.Health, found.Found = Broken, err.Error()
		found.Mend = "Give the account that the agent runs as the right to read its folder."
	case self.Now().Certified():
		_, until, err := self.Now().Life()
		found.About, found.Found = self.Now().AgentID, "enrolled, with a certificate until "+until.Format(time.DateOnly)
		if err != nil || time.Now().After(until) {
			found.Health, found.Found, d.enrolled = Broken, "its certificate has expired on "+until.Format(time.DateOnly), false
			found.Mend = "Start the agent once with a new join token: overcrank agents invite"
		}
	case self.Now().Secret != "":
		found.About, found.Found = self.Now().AgentID, "enrolled by an earlier release; it gets a certificate when the agent starts"
	case self.Damaged != nil:
		found.Health, found.Found = Broken, self.Damaged.Error()
		found.Mend = "Start the agent once with a new join token: overcrank agents invite"
	case d.Config.JoinToken != "":
		found.Found = "not enrolled yet; there is a join token"
	default:
		found.Health, found.Found = Poor, "not enrolled"
		found.Mend = "Start the agent once with a join token: overcrank agents invite"
	}
	d.add(found)
}

// gossip checks whether the port of gossip can be opened.
func (d *Doctor) gossip() {
	bind := d.Config.GossipBind
	if bind == "" {
		return
	}
	found := Finding{Check: "gossip", About: bind, Health: Well, Found: "the port is free"}
	err := listenBoth(bind)
	switch {
	case err == nil:
	case agent.Running(d.Config.DataDir):
		found.Found = "the port is in use by the running agent"
	default:
		found.Health, found.Found = Poor, fmt.Sprintf("the port cannot be opened: %v", err)
		found.Mend = "Stop the program that uses the port, or name another with --gossip-listen. An agent works without gossip too; the farm then notices later when it is gone."
	}
	d.add(found)
}

func listenBoth(bind string) error {
	stream, err := net.Listen("tcp", bind)
	if err != nil {
		return err
	}
	packets, err := net.ListenPacket("udp", stream.Addr().String())
	if err != nil {
		return errors.Join(err, stream.Close())
	}
	return errors.Join(packets.Close(), stream.Close())
}

var hexIndex = regexp.MustCompile(`0x[0-9a-fA-F]{8}\s*$`)

// sleep checks whether the machine goes to sleep by itself, where that can be asked cheaply.
func (d *Doctor) sleep(ctx context.Context) {
	after, known := time.Duration(0), false
	mend := ""
	switch d.system.OS {
	case "windows":
		out, _ := d.system.Ask(ctx, "powercfg", "/query", "SCHEME_CURRENT", "SUB_SLEEP", "STANDBYIDLE")
		after, known = windowsSleep(string(out))
		mend = "powercfg /change standby-timeout-ac 0"
	case "darwin":
		out, _ := d.system.Ask(ctx, "pmset", "-g", "custom")
		after, known = macSleep(string(out))
		mend = "sudo pmset -c sleep 0"
	}
	switch {
	case !known:
	case after == 0:
		d.add(Finding{Check: "sleep", Health: Well, Found: "the machine does not go to sleep by itself"})
	default:
		d.add(Finding{Check: "sleep", Health: Poor, Found: fmt.Sprintf("the machine goes to sleep after %s of inactivity", after), Mend: "It gets no work while it sleeps. To keep it awake on mains: " + mend})
	}
}

// windowsSleep reads powercfg, whose words are in the language of the system: the last two numbers are seconds on mains and on
// battery.
func windowsSleep(text string) (after time.Duration, known bool) {
	var numbers []string
	for line := range strings.Lines(text) {
		if m := hexIndex.FindString(line); m != "" {
			numbers = append(numbers, strings.TrimSpace(m))
		}
	}
	if len(numbers) < 2 {
		return 0, false
	}
	seconds, err := strconv.ParseInt(numbers[len(numbers)-2], 0, 64)
	return time.Duration(seconds) * time.Second, err == nil
}

// macSleep reads the minutes on mains of "pmset -g custom".
func macSleep(text string) (after time.Duration, known bool) {
	mains := false
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case strings.HasSuffix(strings.TrimSpace(line), "Power:"):
			mains = strings.HasPrefix(strings.TrimSpace(line), "AC")
		case mains && len(words) >= 2 && words[0] == "sleep":
			minutes, err := strconv.Atoi(words[1])
			return time.Duration(minutes) * time.Minute, err == nil
		}
	}
	return 0, false
}
