package macos

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"howett.net/plist"
)

// profileNamespace makes the ids of our profile's parts: the same at each build, so that an MDM replaces the profile of the version before.
var profileNamespace = uuid.NewSHA1(uuid.NameSpaceDNS, []byte("overcrank.studio"))

type dict = map[string]any

// profile is a configuration profile (.mobileconfig) that an MDM gives to the machines before the package: what people would otherwise be
// asked, at a machine where nobody sits. macOS takes the first part from an MDM only.
func (in Input) profile(programs []program) ([]byte, error) {
	version := in.Version.String()
	paths := map[string]string{launcherID: "/" + home + "/bin/overcrank", agentID: "/" + home + "/bin/versions/" + version + "/overcrank-agent"}
	services := dict{}
	// Footage lies on file servers and removable disks; After Effects is the runner's child, and macOS asks about whoever started it.
	for _, service := range []string{"SystemPolicyNetworkVolumes", "SystemPolicyRemovableVolumes"} {
		var may []dict
		for _, p := range programs {
			rule := dict{"Authorization": "Allow", "CodeRequirement": requirement(p, in.Signing.Application.Team()), "Comment": "Overcrank", "StaticCode": false}
			byPath, byID := clone(rule), clone(rule)
			byPath["Identifier"], byPath["IdentifierType"] = paths[p.id], "path"
			byID["Identifier"], byID["IdentifierType"] = p.id, "bundleID"
			may = append(may, byPath, byID)
		}
		services[service] = may
	}
	login := dict{"RuleType": "LabelPrefix", "RuleValue": "studio.overcrank.", "Comment": "Overcrank agent and session runner"}
	if team := in.Signing.Application.Team(); team != "" {
		login["TeamIdentifier"] = team
	}
	notices := dict{
		"BundleIdentifier": sessionID, "NotificationsEnabled": true, "AlertType": 1, "BadgesEnabled": false, "SoundsEnabled": false,
		"CriticalAlertEnabled": false, "ShowInLockScreen": false, "ShowInNotificationCenter": true,
	}
	parts := []dict{
		part("com.apple.TCC.configuration-profile-policy", "tcc", "Network and removable volumes", dict{"Services": services}),
		part("com.apple.servicemanagement", "background", "Background items", dict{"Rules": []dict{login}}),
		part("com.apple.notificationsettings", "notifications", "Notifications", dict{"NotificationSettings": []dict{notices}}),
	}
	whole := part("Configuration", "profile", "Overcrank Agent", dict{
		"PayloadScope": "System", "PayloadContent": parts,
		"PayloadDescription": "Lets the Overcrank agent " + version + " read footage on network and removable volumes, and run in the background.",
	})
	text, err := plist.MarshalIndent(whole, plist.XMLFormat, "\t")
	if err != nil {
		return nil, fmt.Errorf("write the configuration profile: %w", err)
	}
	return append(text, '\n'), nil
}

func part(kind, name, shown string, more dict) dict {
	d := clone(more)
	d["PayloadType"], d["PayloadVersion"] = kind, 1
	d["PayloadIdentifier"] = agentID + "." + name
	d["PayloadUUID"] = strings.ToUpper(uuid.NewSHA1(profileNamespace, []byte(name)).String())
	d["PayloadDisplayName"], d["PayloadOrganization"] = shown, "Overcrank"
	return d
}

func clone(d dict) dict {
	out := make(dict, len(d)+6)
	for k, v := range d {
		out[k] = v
	}
	return out
}

// requirement says which program is meant, in Apple's code requirement language: any that the team has signed under the identifier. One that is
// signed ad hoc can only be named by its hashes, which are others with each version.
func requirement(p program, team string) string {
	if team != "" {
		return fmt.Sprintf(`identifier "%s" and anchor apple generic and certificate leaf[subject.OU] = "%s"`, p.id, team)
	}
	var hashes []string
	for _, code := range p.code {
		hashes = append(hashes, fmt.Sprintf(`cdhash H"%s"`, hex.EncodeToString(code.Hash[:])))
	}
	return fmt.Sprintf(`identifier "%s" and (%s)`, p.id, strings.Join(hashes, " or "))
}
