package tray

import "strings"

// words are all that the tray says, in one language. %s, %d and %q stand for what the comment names.
type words struct {
	Rendering     string // %s: film, %d: percent
	OtherRenders  string // %d: how many more
	Free          string
	SomebodyHere  string
	OnBattery     string
	NotNow        string
	PausedUntil   string // %s: time
	Paused        string
	NoFarm        string // the farm does not answer
	OtherVersion  string // the farm is of another version, and gives no work until the agent is updated
	NoAgent       string // the agent of this machine does not answer
	Nameless      string // a film without a name
	PauseHour     string
	Resume        string
	GiveBack      string
	NeverBattery  string
	OpenDashboard string
	QuitTomorrow  string
	Failed        string // %s: what the agent said
}

// languages are those that the tray speaks, by their codes.
var languages = map[string]words{
	"en": {
		Rendering: "Rendering %s, %d %%", OtherRenders: "and %d more", Free: "Ready, waiting for work",
		SomebodyHere: "You are working: it renders when you are away", OnBattery: "On battery: not rendering", NotNow: "Not rendering now",
		PausedUntil: "Paused until %s", Paused: "Paused", NoFarm: "The farm does not answer", OtherVersion: "Waiting for an update", NoAgent: "The Overcrank agent is not running",
		Nameless: "a film", PauseHour: "Pause for an hour", Resume: "Resume", GiveBack: "Give back now", NeverBattery: "Never on battery",
		OpenDashboard: "Open dashboard", QuitTomorrow: "Quit until tomorrow", Failed: "That did not work: %s",
	},
	"de": {
		Rendering: "Rendert %s, %d %%", OtherRenders: "und %d weitere", Free: "Bereit, wartet auf Arbeit",
		SomebodyHere: "Sie arbeiten: gerendert wird, wenn Sie weg sind", OnBattery: "Akkubetrieb: rendert nicht", NotNow: "Rendert gerade nicht",
		PausedUntil: "Angehalten bis %s", Paused: "Angehalten", NoFarm: "Die Farm antwortet nicht", OtherVersion: "Wartet auf ein Update", NoAgent: "Der Overcrank-Agent läuft nicht",
		Nameless: "einen Film", PauseHour: "Eine Stunde anhalten", Resume: "Fortsetzen", GiveBack: "Jetzt zurückgeben", NeverBattery: "Nie im Akkubetrieb",
		OpenDashboard: "Dashboard öffnen", QuitTomorrow: "Bis morgen beenden", Failed: "Das hat nicht geklappt: %s",
	},
	"fr": {
		Rendering: "Rendu de %s, %d %%", OtherRenders: "et %d autres", Free: "Prêt, en attente de travail",
		SomebodyHere: "Vous travaillez : le rendu se fera en votre absence", OnBattery: "Sur batterie : pas de rendu", NotNow: "Pas de rendu pour le moment",
		PausedUntil: "En pause jusqu’à %s", Paused: "En pause", NoFarm: "La ferme ne répond pas", OtherVersion: "En attente d’une mise à jour", NoAgent: "L’agent Overcrank n’est pas lancé",
		Nameless: "un film", PauseHour: "Pause d’une heure", Resume: "Reprendre", GiveBack: "Rendre le travail maintenant", NeverBattery: "Jamais sur batterie",
		OpenDashboard: "Ouvrir le tableau de bord", QuitTomorrow: "Quitter jusqu’à demain", Failed: "Échec : %s",
	},
}

// speak chooses the language for the first of the person's locales (de_AT.UTF-8, fr-CA) that the tray knows, English without any.
func speak(locales []string) words {
	for _, locale := range locales {
		code, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(locale, "_", "-")), "-")
		code, _, _ = strings.Cut(code, ".")
		if w, known := languages[code]; known {
			return w
		}
	}
	return languages["en"]
}
