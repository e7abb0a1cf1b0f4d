package titlecard

import (
	"encoding/binary"
	"math"
)

const sampleRate = 48000

// Music is the sound of the card as a stereo WAV: a soft chord that opens, and a few plucked notes above it.
func Music() []byte {
	n := int(Duration * sampleRate)
	left, right := make([]float64, n), make([]float64, n)
	for i, hz := range []float64{110, 164.81, 220, 277.18, 329.63} { // A major, spread
		pad(left, right, hz, 0.4+0.05*float64(i))
	}
	for i, hz := range []float64{440, 554.37, 659.26, 880, 659.26, 987.77, 880, 1108.73} {
		pluck(left, right, hz, 0.5+0.5*float64(i), 0.3+0.4*float64(i%2))
	}
	return wav(left, right)
}

// pad adds a slowly opening tone of two slightly detuned voices, one to each side.
func pad(left, right []float64, hz, level float64) {
	for i := range left {
		t := float64(i) / sampleRate
		open := smooth(t/1.4) * smooth((Duration-t)/1.2)
		breath := 0.85 + 0.15*math.Sin(2*math.Pi*0.21*t+hz)
		left[i] += 0.11 * level * open * breath * voice(hz*0.9985, t)
		right[i] += 0.11 * level * open * breath * voice(hz*1.0015, t)
	}
}

// voice is a tone with a few soft harmonics.
func voice(hz, t float64) float64 {
	w := 2 * math.Pi * hz * t
	return math.Sin(w) + 0.35*math.Sin(2*w) + 0.12*math.Sin(3*w)
}

// pluck adds a short bright note from second at on; side is 0 for left and 1 for right.
func pluck(left, right []float64, hz, at, side float64) {
	for i := int(at * sampleRate); i < len(left); i++ {
		t := float64(i)/sampleRate - at
		v := 0.12 * math.Exp(-4.2*t) * smooth(t/0.006) * smooth((Duration-at-t)/0.4) * voice(hz, t)
		left[i] += v * (1 - side)
		right[i] += v * side
	}
}

// wav is 16-bit stereo PCM in its container.
func wav(left, right []float64) []byte {
	data := make([]byte, 0, 4*len(left))
	for i := range left {
		for _, v := range [2]float64{left[i], right[i]} {
			data = binary.LittleEndian.AppendUint16(data, uint16(int16(32000*math.Tanh(v))))
		}
	}
	b := append([]byte("RIFF"), le32(36+len(data))...)
	b = append(b, "WAVEfmt "...)
	b = append(b, le32(16)...)
	b = binary.LittleEndian.AppendUint16(b, 1) // PCM
	b = binary.LittleEndian.AppendUint16(b, 2) // channels
	b = append(b, le32(sampleRate)...)
	b = append(b, le32(4*sampleRate)...)
	b = binary.LittleEndian.AppendUint16(b, 4)  // bytes a frame
	b = binary.LittleEndian.AppendUint16(b, 16) // bits a sample
	b = append(b, "data"...)
	b = append(b, le32(len(data))...)
	return append(b, data...)
}

func le32(v int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(v)) }
