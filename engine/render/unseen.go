package render

import "overcrank/aep"

// Cameras and lights show nothing themselves; the layers that they would affect warn of it.
var (
	cameraKind = kind{is: func(_ *aep.Project, l *aep.Layer) bool { return l.Kind == aep.LayerCamera }}
	lightKind  = kind{is: func(_ *aep.Project, l *aep.Layer) bool { return l.Kind == aep.LayerLight }}
)
