package macos

import (
	"bytes"
	"text/template"
)

// minimumSystem is what programs of the Go version that compiles ours ask for: https://go.dev/wiki/MinimumRequirements.
const minimumSystem = "12.0"

// distribution tells Installer what the package is and where it may go: the running system's volume alone, since its jobs are started at once.
// Without arm64 among the architectures, Installer wants Rosetta on Apple's processors.
var distribution = template.Must(template.New("Distribution").Parse(`<?xml version="1.0" encoding="utf-8"?>
<installer-gui-script minSpecVersion="2">
    <title>Overcrank Agent</title>
    <options customize="allow" require-scripts="false" rootVolumeOnly="true" hostArchitectures="x86_64,arm64"/>
    <domains enable_anywhere="false" enable_currentUserHome="false" enable_localSystem="true"/>
    <volume-check>
        <allowed-os-versions>
            <os-version min="{{.System}}"/>
        </allowed-os-versions>
    </volume-check>
    <choices-outline>
        <line choice="default">
            <line choice="{{.Agent.ID}}"/>
            <line choice="{{.Panel.ID}}"/>
        </line>
    </choices-outline>
    <choice id="default"/>
    <choice id="{{.Agent.ID}}" title="Agent" enabled="false">
        <pkg-ref id="{{.Agent.ID}}"/>
    </choice>
    <choice id="{{.Panel.ID}}" title="Panel for After Effects" description="Submits the open project from within After Effects." start_selected="false">
        <pkg-ref id="{{.Panel.ID}}"/>
    </choice>
{{range .Components}}    <pkg-ref id="{{.ID}}" version="{{$.Numeric}}" installKBytes="{{.Kilobytes}}" onConclusion="none">#{{.Name}}</pkg-ref>
{{end}}    <product id="{{.Agent.ID}}" version="{{.Version}}"/>
</installer-gui-script>
`))

func (in Input) distribution(components []component) ([]byte, error) {
	type part struct {
		ID, Name  string
		Kilobytes int64
	}
	values := struct {
		Version, Numeric, System string
		Agent, Panel             part
		Components               []part
	}{Version: in.Version.String(), Numeric: in.Version.Numeric(), System: minimumSystem}
	for _, c := range components {
		values.Components = append(values.Components, part{c.id, c.name, c.kilobytes})
	}
	values.Agent, values.Panel = values.Components[0], values.Components[1]
	var out bytes.Buffer
	err := distribution.Execute(&out, values)
	return out.Bytes(), err
}
