package effect

import (
	"maps"
	"slices"
	"strings"
)

// table are the effects that are drawn, by match name.
var table = map[string]New{
	"ADBE 4ColorGradient":          newFourColors,
	"ADBE AIF Perlin Noise 3D":     newTurbulentNoise,
	"ADBE Alpha Levels2":           newAlphaLevels255,
	"ADBE Alpha Levels3":           newAlphaLevels,
	"ADBE Arithmetic":              newArithmetic,
	"ADBE AudSpect":                newAudioSpectrum,
	"ADBE AudWave":                 newAudioWaveform,
	"ADBE Bevel Alpha":             newBevelAlpha,
	"ADBE Bevel Edges":             newBevelEdges,
	"ADBE Bilateral":               newBilateral,
	"ADBE Black&White":             newBlackWhite,
	"ADBE Blend":                   newBlend,
	"ADBE Block Dissolve":          newBlockDissolve,
	"ADBE Box Blur":                newBoxBlur,
	"ADBE Box Blur2":               newBoxBlur,
	"ADBE Brightness & Contrast 2": newBrightnessContrast,
	"ADBE Brightness & Contrast":   newBrightnessContrast1,
	"ADBE Bulge":                   newBulge,
	"ADBE Camera Lens Blur":        newLensBlur,
	"ADBE Cell Pattern":            newCellPattern,
	"ADBE Change Color":            newChangeColor,
	"ADBE Change To Color":         newChangeToColor,
	"ADBE Channel Blur":            newChannelBlur,
	"ADBE CHANNEL MIXER":           newChannelMixer,
	"ADBE Checkerboard":            newCheckerboard,
	"ADBE Circle":                  newCircle,
	"ADBE Color Balance (HLS)":     newColorBalanceHLS,
	"ADBE Color Balance 2":         newColorBalance,
	"ADBE Color Balance":           newFirstColorBalance,
	"ADBE Color Emboss":            newColorEmboss,
	"ADBE Color Key":               newColorKey,
	"ADBE Compound Blur":           newCompoundBlur,
	"ADBE Corner Pin":              newCornerPin,
	"ADBE CurvesCustom":            newCurves,
	"ADBE Displacement Map":        newDisplacementMap,
	"ADBE Drop Shadow":             newDropShadow,
	"ADBE Easy Levels":             newLevels,
	"ADBE Easy Levels2":            newLevels,
	"ADBE Echo":                    newEcho,
	"ADBE ELLIPSE":                 newEllipse,
	"ADBE Emboss":                  newEmboss,
	"ADBE Exposure":                newExposure,
	"ADBE Exposure2":               newExposure,
	"ADBE Extract":                 newExtract,
	"ADBE Eyedropper Fill":         newEyedropperFill,
	"ADBE Fast Blur":               newGaussianBlur,
	"ADBE Fill":                    newFill,
	"ADBE Find Edges":              newFindEdges,
	"ADBE Fractal Noise":           newFractalNoise,
	"ADBE Gamma/Pedestal/Gain2":    newGammaPedestalGain,
	"ADBE Gaussian Blur 2":         newGaussianBlur,
	"ADBE Gaussian Blur":           newGaussianBlur,
	"ADBE Geometry":                newOldTransform,
	"ADBE Geometry2":               newTransform,
	"ADBE Glo2":                    newGlow,
	"ADBE Gradient Wipe":           newGradientWipe,
	"ADBE Grid":                    newGrid,
	"ADBE HUE SATURATION":          newHueSaturation,
	"ADBE Invert":                  newInvert,
	"ADBE IRIS_WIPE":               newIrisWipe,
	"ADBE Laser":                   newBeam,
	"ADBE Leave Color":             newLeaveColor,
	"ADBE Linear Color Key2":       newLinearColorKey,
	"ADBE Linear Wipe":             newLinearWipe,
	"ADBE Luma Key":                newLumaKey,
	"ADBE Lumetri":                 newLumetri,
	"ADBE Magnify":                 newMagnify,
	"ADBE Matte Choker":            newMatteChoker,
	"ADBE Minimax":                 newMinimax,
	"ADBE Mirror":                  newMirror,
	"ADBE Mosaic":                  newMosaic,
	"ADBE Motion Blur":             newDirectionalBlur,
	"ADBE Noise":                   newNoise,
	"ADBE Noise2":                  newNoise,
	"ADBE Numbers2":                newNumbers,
	"ADBE Offset":                  newOffset,
	"ADBE Optics Compensation":     newOptics,
	"ADBE Photo Filter":            newPhotoFilter,
	"ADBE Polar Coordinates":       newPolar,
	"ADBE Posterize Time":          newPosterizeTime,
	"ADBE Posterize":               newPosterize,
	"ADBE Pro Levels":              newProLevels,
	"ADBE Pro Levels2":             newProLevels,
	"ADBE Radial Blur":             newRadialBlur,
	"ADBE Radial Shadow":           newRadialShadow,
	"ADBE Radial Wipe":             newRadialWipe,
	"ADBE Ramp":                    newRamp,
	"ADBE Remove Color Matting":    newRemoveMatting,
	"ADBE Ripple":                  newRipple,
	"ADBE Roughen Edges":           newRoughenEdges,
	"ADBE Scribble Fill":           newScribble,
	"ADBE Set Channels":            newSetChannels,
	"ADBE Set Matte2":              newSetMatte,
	"ADBE Set Matte3":              newSetMatte,
	"ADBE Sharpen":                 newSharpen,
	"ADBE Shift Channels":          newShiftChannels,
	"ADBE Simple Choker":           newSimpleChoker,
	"ADBE Smart Blur":              newSmartBlur,
	"ADBE Solid Composite":         newSolidComposite,
	"ADBE Spherize":                newSpherize,
	"ADBE Spill Suppressor":        newSpillSuppressor,
	"ADBE Spill2":                  newAdvancedSpill,
	"ADBE Strobe":                  newStrobeLight,
	"ADBE Stroke":                  newStroke,
	"ADBE Threshold":               newThreshold255,
	"ADBE Threshold2":              newThreshold,
	"ADBE Tile":                    newMotionTile,
	"ADBE Timecode":                newTimecode,
	"ADBE Tint":                    newTint,
	"ADBE Tritone":                 newTritone,
	"ADBE Turbulent Displace":      newTurbulentDisplace,
	"ADBE Twirl":                   newTwirl,
	"ADBE Unsharp Mask":            newUnsharpMask,
	"ADBE Unsharp Mask2":           newUnsharpMask,
	"ADBE Upscale":                 newUpscale,
	"ADBE Venetian Blinds":         newVenetianBlinds,
	"ADBE Vibrance":                newVibrance,
	"ADBE Wave Warp":               newWaveWarp,
	"ADBE Write-on":                newWriteOn,
	"APC Radio Waves":              newRadioWaves,
	"APC Vegas":                    newVegas,
	"CC Bend It":                   newBendIt,
	"CC Composite":                 newComposite,
	"CC Jaws":                      newJaws,
	"CC Lens":                      newLens,
	"CC Light Sweep":               newLightSweep,
	"CC Power Pin":                 newPowerPin,
	"CC Radial Blur":               newCCRadialBlur,
	"CC Radial Fast Blur":          newCCRadialFastBlur,
	"CC RepeTile":                  newRepeTile,
	"CC Slant":                     newSlant,
	"CC Tiler":                     newTiler,
	"CC Toner":                     newCCToner,
	"CC Wide Time":                 newWideTime,
	"Keylight 906":                 newKeylight,
}

// Find is the constructor of an effect that is drawn.
func Find(match string) (New, bool) {
	n, ok := table[match]
	return n, ok
}

// Drawn are the match names of the effects that are drawn, sorted.
func Drawn() []string { return slices.Sorted(maps.Keys(table)) }

// Replaces tells whether an effect replaces the layer's picture. If it cannot be drawn the layer is left out, since the
// picture under the effect was never meant to be seen.
func Replaces(match string) bool { return replacers[match] }

var replacers = map[string]bool{
	"ADBE Lightning 2": true, "CC Particle World": true, "CC Particle Systems II": true, "ADBE Playgnd": true,
	"ADBE Basic Text2": true, "tc Particular": true, "tc Form": true, "VIDEOCOPILOT 3DArray": true,
	"VIDEOCOPILOT OpticalFlares": true,
}

// controls are effects that only hold values for expressions.
var controls = map[string]bool{
	"ADBE Slider Control": true, "ADBE Checkbox Control": true, "ADBE Color Control": true, "ADBE Point Control": true,
	"ADBE Point3D Control": true, "ADBE Angle Control": true, "ADBE Layer Control": true, "ADBE Dropdown Control": true,
}

// isPseudo tells whether an effect is one that a script made, of controls alone.
func isPseudo(match string) bool { return strings.HasPrefix(match, "Pseudo/") }
