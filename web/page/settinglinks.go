package page

import (
	"overcrank/farm"
	"overcrank/web/language"
)

// SettingGroup are pages of the settings that belong together.
type SettingGroup struct {
	Name  string // an English text
	Links []SettingLink
}

// SettingLink leads to a page of the settings.
type SettingLink struct {
	Setting, Address string
	Name             string      // an English text
	Needs            farm.Action // what it takes to see it
}

// settingGroups are the pages of the settings that the reader may see.
func (s Shell) settingGroups() []SettingGroup {
	all := []SettingGroup{
		{language.Text("Team"), []SettingLink{
			{"people", "/settings/people", language.Text("People"), farm.ActManageTokens},
			{"studio", "/settings/studio", language.Text("Studio"), farm.ActRenameTeam},
			{"fonts", "/settings/fonts", language.Text("Fonts"), farm.ActView},
			{"audit", "/settings/audit", language.Text("Audit"), farm.ActAudit},
		}},
		{language.Text("Programs"), []SettingLink{
			{"tokens", "/settings/api-tokens", language.Text("API tokens"), farm.ActManageTokens},
			{"secrets", "/settings/secrets", language.Text("Secrets"), farm.ActViewSecrets},
			{"webhooks", "/settings/webhooks", language.Text("Webhooks"), farm.ActViewWebhookKey},
		}},
		{language.Text("Farm"), []SettingLink{
			{"teams", "/settings/teams", language.Text("Teams"), farm.ActManageTeams},
			{"sharing", "/settings/sharing", language.Text("Sharing"), farm.ActView},
			{"updates", "/settings/updates", language.Text("Updates"), farm.ActView},
			{"sign-in", "/settings/sign-in", language.Text("Sign-in"), farm.ActManageTeams},
			{"coordinators", "/settings/coordinators", language.Text("Coordinators"), farm.ActManageCoordinators},
		}},
	}
	var seen []SettingGroup
	for _, g := range all {
		var links []SettingLink
		for _, l := range g.Links {
			if s.Can(l.Needs) {
				links = append(links, l)
			}
		}
		if len(links) > 0 {
			seen = append(seen, SettingGroup{g.Name, links})
		}
	}
	return seen
}
