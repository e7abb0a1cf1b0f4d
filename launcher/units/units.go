// Package units holds what systemd, launchd, newsyslog and desktops are told of the launcher, the runner in a person's session and the icon. The packages install these files,
// and so does 'overcrank agent install'.
package units

import _ "embed"

// Names of the files where they are installed.
const (
	AgentService = "overcrank-agent.service"
	AgentDaemon  = "studio.overcrank.agent.plist"
	Session      = "studio.overcrank.session.plist"
	LogRotation  = "studio.overcrank.agent.conf"
	Environment  = "agent.env"
	Tray         = "overcrank-tray.desktop"
)

// The texts of the files.
var (
	//go:embed overcrank-agent.service
	agentService []byte
	//go:embed studio.overcrank.agent.plist
	agentDaemon []byte
	//go:embed studio.overcrank.session.plist
	session []byte
	//go:embed studio.overcrank.agent.conf
	logRotation []byte
	//go:embed agent.env
	environment []byte
	//go:embed overcrank-tray.desktop
	tray []byte
)

// Text is the text of a file by its name, nil for a name that is none of the above.
func Text(name string) []byte {
	return map[string][]byte{
		AgentService: agentService, AgentDaemon: agentDaemon, Session: session, LogRotation: logRotation, Environment: environment, Tray: tray,
	}[name]
}
