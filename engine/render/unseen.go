package render

import "overcrank/aep"

// Cameras and lights show nothing of themselves; what they do to 3D layers is warned of there.
var (
	cameraKind = kind{is: func(_ *aep.Project, l *aep.Layer) bool { return l.Kind == aep.LayerCamera }}
	lightKind  = kind{is: func(_ *aep.Project, l *aep.Layer) bool { return l.Kind == aep.LayerLight }}
)
