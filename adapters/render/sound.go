package render

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"moviola/adapters/render/artwork"
	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/mp4file"
	"moviola/adapters/render/workspace"
	"moviola/domain"
	"moviola/domain/timeline"
)

const (
	sampleRate = mp4file.SampleRate
	// loopSamples bounds the samples of a repeating sound that are kept in memory: two minutes.
	loopSamples = 120 * sampleRate
)

// samples converts frames to samples of sound, rounded on the time line of the whole movie.
func samples(frames int64, rate timeline.Rate) int64 {
	return int64(math.Round(float64(frames) * sampleRate * float64(rate.Den) / float64(rate.Num)))
}

// soundSpec holds everything that affects the sound of a movie. Its hash is the key of the sound.
type soundSpec struct {
	Version string
	FFmpeg  string
	FPS     timeline.Rate
	Frames  int64
	Encoder []string
	// Project is the id of the movie if its sound must not come from the cache, except from earlier attempts at this movie.
	// The id makes the key differ from the keys of all other movies. Otherwise Project is empty.
	Project domain.ProjectID
	Clips   []timeline.Clip // clips; their Source is the hash of the content, Ref is empty
	Peak    float64         // largest true peak of the encoded sound in dBTP
}

// soundEncoder are the encoder arguments for the sound.
var soundEncoder = []string{
	"-c:a", "aac", "-b:a", "192k", "-ar", strconv.Itoa(sampleRate), "-ac", "2",
	"-map_metadata", "-1", "-fflags", "+bitexact", "-f", "mp4",
}

// soundKey is the cache key of the movie's sound: a hash of everything that affects it.
func (r *run) soundKey() (string, error) {
	spec := soundSpec{Version: version, FFmpeg: r.engine.cfg.Tools.Version(), FPS: r.plan.FPS, Frames: r.plan.Frames,
		Encoder: soundEncoder, Peak: peakMost}
	if r.plan.Fresh {
		spec.Project = r.job.Project
	}
	for _, c := range r.plan.Audio {
		c.Source = r.sources[c.Source].Asset.Hash
		c.Ref = timeline.Ref{}
		spec.Clips = append(spec.Clips, c)
	}
	return workspace.Key(spec)
}

// sound makes the sound of the whole movie in one piece: separately encoded parts would click where they join.
func (r *run) sound(ctx context.Context) (string, error) {
	r.mixed.Do(func() { r.soundPath, r.soundErr = r.mix(ctx) })
	return r.soundPath, r.soundErr
}

func (r *run) mix(ctx context.Context) (string, error) {
	key, err := r.soundKey()
	if err != nil {
		return "", err
	}
	path := filepath.Join(r.parts, key+".m4a")
	known, found, err := r.pieces.Find(key, ".m4a", path)
	if err != nil || found {
		r.soundLevel = known.Loudness
		return path, err
	}
	release, err := r.engine.limiter.Acquire(ctx, 0)
	if err != nil {
		return "", err
	}
	defer release()
	defer r.timeStage(stageSound)()
	return path, r.renderSound(ctx, key, path)
}

func (r *run) renderSound(ctx context.Context, key, path string) error {
	dir, err := os.MkdirTemp(r.dir, "sound-")
	if err != nil {
		return fmt.Errorf("make folder of the sound: %w", err)
	}
	m := mix{rate: r.plan.FPS}
	for _, c := range r.plan.Audio {
		m.add(c, r.sources[c.Source])
	}
	made, level, err := r.encodeSound(ctx, m, dir)
	if err != nil {
		return err
	}
	t, err := mp4file.ReadTrack(made)
	if err != nil {
		return fmt.Errorf("read sound: %w", err)
	}
	if err := r.pieces.Keep(key, ".m4a", made, workspace.Part{Frames: t.Samples, Setup: t.Setup, Loudness: level}); err != nil {
		return err
	}
	r.soundLevel = level
	return os.Rename(made, path)
}

// mix builds the inputs and filters for the whole movie's sound.
type mix struct {
	rate   timeline.Rate
	inputs []ffmpeg.Input
	chains []string
	voices []string // labels of the streams to mix
}

// add adds one clip to the mix, at its time.
func (m *mix) add(c timeline.Clip, src artwork.Source) {
	from, to := samples(c.From, m.rate), samples(c.To, m.rate)
	if to <= from || c.Volume <= 0 {
		return
	}
	length := to - from
	filters := m.open(c, src, &length)
	filters = append(filters, "volume="+strconv.FormatFloat(c.Volume, 'f', 4, 64))
	if c.FadeIn > 0 {
		filters = append(filters, fmt.Sprintf("afade=t=in:ss=0:ns=%d", samples(c.FadeIn, m.rate)))
	}
	if c.FadeOut > 0 {
		out := samples(c.FadeOut, m.rate)
		filters = append(filters, fmt.Sprintf("afade=t=out:ss=%d:ns=%d", max(0, to-from-out), out))
	}
	filters = append(filters, fmt.Sprintf("adelay=delays=%dS:all=1", from))
	voice := "v" + strconv.Itoa(len(m.voices))
	m.chains = append(m.chains, strings.Join(filters, ",")+"["+voice+"]")
	m.voices = append(m.voices, voice)
}

// prepare returns the filters that convert a sound to the format of the mix. If the sound begins later than its file, they put
// silence before it, so that it keeps its time in the file.
func prepare(src artwork.Source) string {
	filters := "aresample=48000:async=1:first_pts=0"
	switch n := src.Asset.Media.Audio.Channels; {
	case n == 1:
		// Players play mono at full level on both sides; ffmpeg would reduce it.
		filters += ",aformat=sample_fmts=fltp,pan=stereo|c0=c0|c1=c0"
	case n > 2:
		// Browsers play the low-frequency channel; ffmpeg would drop it.
		filters += ":lfe_mix_level=0.7071"
	}
	return filters + ",aformat=sample_fmts=fltp:channel_layouts=stereo"
}

// open adds the inputs of a clip and returns the filters that begin its chain. The filters yield *length samples. open reduces
// *length if the clip, with its repetitions, ends earlier.
func (m *mix) open(c timeline.Clip, src artwork.Source, length *int64) []string {
	once := int64(math.Round(c.Loop * sampleRate))
	if c.Loop > 0 && c.Plays > 0 {
		*length = min(*length, once*int64(c.Plays))
	}
	if once <= 0 || *length <= once {
		return []string{m.input(c, src, *length) + prepare(src), atrim(*length)}
	}
	if once <= loopSamples {
		return []string{m.input(c, src, once) + prepare(src), atrim(once),
			// A source that is a little shorter than it claims is padded, so that repetitions keep their rhythm.
			fmt.Sprintf("apad=whole_len=%d", once), fmt.Sprintf("aloop=loop=-1:size=%d", once), atrim(*length)}
	}
	var parts string
	n := (*length + once - 1) / once
	for i := range n {
		label := fmt.Sprintf("c%d_%d", len(m.chains), i)
		m.chains = append(m.chains, m.input(c, src, once)+prepare(src)+","+atrim(once)+fmt.Sprintf(",apad=whole_len=%d", once)+
			"["+label+"]")
		parts += "[" + label + "]"
	}
	return []string{fmt.Sprintf("%sconcat=n=%d:v=0:a=1", parts, n), atrim(*length)}
}

func atrim(n int64) string { return fmt.Sprintf("atrim=end_sample=%d,asetpts=N/SR/TB", n) }

// input opens the source of a clip for n samples and returns the label that its chain begins with.
func (m *mix) input(c timeline.Clip, src artwork.Source, n int64) string {
	m.inputs = append(m.inputs, ffmpeg.Input{
		Path: src.Path, Format: src.Asset.Format, Seek: c.Seek, Length: float64(n)/sampleRate + 1,
	})
	return fmt.Sprintf("[%d:%d]", len(m.inputs)-1, src.Asset.Media.Audio.Index)
}

// script returns the filter graph that mixes the voices over silence as long as the movie. limit is a filter for the mix; empty:
// the mix is encoded as it is.
func (m *mix) script(frames int64, limit string) string {
	total := samples(frames, m.rate)
	bed := fmt.Sprintf("anullsrc=r=%d:cl=stereo,aformat=sample_fmts=fltp,atrim=end_sample=%d", sampleRate, total)
	chains := append([]string{bed + "[bed]"}, m.chains...)
	if limit != "" {
		limit += ","
	}
	chains = append(chains, fmt.Sprintf("[bed][%s]amix=inputs=%d:duration=first:normalize=0,%satrim=end_sample=%d[out]",
		strings.Join(m.voices, "]["), len(m.voices)+1, limit, total))
	return strings.Join(chains, ";\n") + "\n"
}
