package speech

import (
	"math"
	"time"
)

// framesPerSecond is the number of frames per second of sound. A frame is the stretch of sound in which the alignment of two
// sounds measures time: 10 ms.
const framesPerSecond = 100

// tones are the frequencies in hertz by which moments of speech are compared: the range of the formants, and sibilants above it.
var tones = [...]float64{250, 400, 550, 700, 900, 1150, 1450, 1800, 2200, 2700, 3300, 4200, 5500}

// feature describes 10 ms of a sound: its loudness, and the strength of each frequency in the variable tones. They are
// from 0 to 1 until evenOut changes them.
type feature struct {
	loudness float64
	tones    [len(tones)]float64
}

func (a feature) distance(b feature) float64 {
	sum := 0.0
	for i, tone := range a.tones {
		sum += math.Abs(tone - b.tones[i])
	}
	return math.Abs(a.loudness-b.loudness) + 2*sum/float64(len(tones))
}

func features(s sound) []feature {
	size := s.rate / framesPerSecond
	if size == 0 {
		return nil
	}
	frames := make([]feature, 0, len(s.samples)/size)
	for from := 0; from+size <= len(s.samples); from += size {
		frames = append(frames, featureOf(s.samples[from:from+size], s.rate))
	}
	return frames
}

func featureOf(samples []int16, rate int) feature {
	energy := 0.0
	for _, v := range samples {
		energy += float64(v) * float64(v)
	}
	f := feature{loudness: level(energy / float64(len(samples)))}
	for i, hertz := range tones {
		f.tones[i] = level(power(samples, hertz/float64(rate)))
	}
	return f
}

// evenOut makes a sound comparable with the sound of another voice. It replaces each tone by its deviation from the mean in
// the voiced frames of the sound, scaled and limited to the range from -0.5 to 0.5, and shifts the loudness so that the
// loudest frame has 1. Without voiced frames the tones stay as they are.
func evenOut(frames []feature) {
	for i := range tones {
		var sum, squares, n float64
		for _, f := range frames {
			if f.loudness > voice {
				sum, squares, n = sum+f.tones[i], squares+f.tones[i]*f.tones[i], n+1
			}
		}
		if n == 0 {
			continue
		}
		mean := sum / n
		deviation := math.Sqrt(max(squares/n-mean*mean, 1e-4))
		for k := range frames {
			frames[k].tones[i] = min(max((frames[k].tones[i]-mean)/deviation/6, -0.5), 0.5)
		}
	}
	loudest := 0.0
	for _, f := range frames {
		loudest = max(loudest, f.loudness)
	}
	for k := range frames {
		frames[k].loudness += 1 - loudest
	}
}

// level converts a mean square to decibels, scaled to 0 to 1.
func level(meanSquare float64) float64 { return min(10*math.Log10(meanSquare+1)/70, 1) }

// power is the mean square of a tone in samples, by Goertzel's algorithm. The frequency is in cycles per sample.
func power(samples []int16, frequency float64) float64 {
	coefficient := 2 * math.Cos(2*math.Pi*frequency)
	var one, two float64
	for _, v := range samples {
		one, two = float64(v)+coefficient*one-two, one
	}
	n := float64(len(samples))
	return 2 * (one*one + two*two - coefficient*one*two) / (n * n)
}

// warp aligns two sounds of the same speech, and returns the function that maps times of the first sound (from) to times of the
// second sound (onto). It uses dynamic time warping in a band around the straight line between the ends of both sounds. slack is
// the largest distance from that line, in frames of 10 ms.
func warp(from, onto sound, slack int) func(time.Duration) time.Duration {
	a, b := features(from), features(onto)
	evenOut(a)
	evenOut(b)
	if len(a) == 0 || len(b) == 0 {
		return func(t time.Duration) time.Duration { return min(t, onto.length()) }
	}
	partner := newBand(len(a), len(b), slack).align(a, b)
	return func(t time.Duration) time.Duration {
		position := t.Seconds() * framesPerSecond
		frame := min(max(int(position), 0), len(partner)-1)
		seconds := (partner[frame] + min(max(position-float64(frame), 0), 1)) / framesPerSecond
		return min(time.Duration(seconds*float64(time.Second)), onto.length())
	}
}

// band is the part of a table near its diagonal. A row stands for a frame of the first sound, a column for a frame of the second.
type band struct {
	rows, columns, radius int
	step                  []uint8 // direction of the best path into each cell
}

// The directions of a path into a cell.
const (
	both uint8 = iota
	rowOnly
	columnOnly
)

func newBand(rows, columns, radius int) *band {
	return &band{rows: rows, columns: columns, radius: radius, step: make([]uint8, rows*(2*radius+1))}
}

func (b *band) width() int { return 2*b.radius + 1 }

// left is the column of the first cell of a row.
func (b *band) left(row int) int { return row*b.columns/b.rows - b.radius }

// stray is the additional cost of a step that is not diagonal. So of several equally good paths the straightest is chosen.
const stray = 0.02

// align returns, for each frame of the first sound, the position of the same speech in the second sound, in frames.
func (b *band) align(first, second []feature) []float64 {
	before, now := b.row(), b.row()
	for row := range b.rows {
		for k := range now {
			column := b.left(row) + k
			now[k] = math.Inf(1)
			if column < 0 || column >= b.columns {
				continue
			}
			cost, step := b.best(before, now, row, k)
			now[k] = cost + first[row].distance(second[column])
			b.step[row*b.width()+k] = step
		}
		before, now = now, before
	}
	return b.trace()
}

func (b *band) row() []float64 {
	cells := make([]float64, b.width())
	for i := range cells {
		cells[i] = math.Inf(1)
	}
	return cells
}

// best returns the cost of the cheapest path into cell k of a row and the direction of its last step, given the costs of the
// row before and of the cells to the left.
func (b *band) best(before, now []float64, row, k int) (float64, uint8) {
	if row == 0 {
		if column := b.left(0) + k; column == 0 {
			return 0, both
		}
		return now[k-1] + stray, columnOnly
	}
	shift := b.left(row) - b.left(row-1)
	cost, step := math.Inf(1), both
	if up := k + shift - 1; up >= 0 && up < len(before) {
		cost = before[up]
	}
	if up := k + shift; up >= 0 && up < len(before) && before[up]+stray < cost {
		cost, step = before[up]+stray, rowOnly
	}
	if k > 0 && now[k-1]+stray < cost {
		cost, step = now[k-1]+stray, columnOnly
	}
	return cost, step
}

// trace follows the cheapest path back from its end. It returns, for each row, the middle of the columns that the path visits.
func (b *band) trace() []float64 {
	partner := make([]float64, b.rows)
	row, column := b.rows-1, b.columns-1
	last := column
	for row >= 0 {
		k := min(max(column-b.left(row), 0), b.width()-1)
		step := b.step[row*b.width()+k]
		if step == columnOnly && column > 0 {
			column--
			continue
		}
		partner[row] = float64(column+last) / 2
		row--
		if step == both {
			column = max(column-1, 0)
		}
		last = column
	}
	return partner
}
