package render

import (
	"context"
	"fmt"
	"os"

	"moviola/adapters/render/artwork"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

// speak has a text spoken.
func (r *run) speak(ctx context.Context, w document.Source) (artwork.Source, error) {
	if r.engine.cfg.Speaker == nil {
		return artwork.Source{}, domain.Errorf(domain.Invalid, "voice_unavailable",
			"This server has no voices: install espeak-ng or set up a speech provider")
	}
	said, err := r.engine.cfg.Speaker.Speak(ctx, r.speechOf(w))
	if err != nil {
		return artwork.Source{}, err
	}
	format, err := soundFormat(said.Path)
	if err != nil {
		return artwork.Source{}, fmt.Errorf("read speech %s: %w", said.Hash, err)
	}
	m, err := r.engine.cfg.Tools.Probe(ctx, said.Path, format)
	if err != nil {
		return artwork.Source{}, fmt.Errorf("read speech %s: %w", said.Hash, err)
	}
	for _, text := range said.Warnings {
		r.warn(artwork.ElementName(w.Ref) + ": " + text)
	}
	return artwork.Source{Words: said.Words, Cached: said.Cached, Asset: commands.Asset{
		Path: said.Path, Hash: said.Hash, Format: format, Media: &m,
		Facts: timeline.Facts{Duration: said.Duration.Seconds(), HasAudio: true},
	}}, nil
}

// speechOf returns the request to the provider of speech.
func (r *run) speechOf(w document.Source) commands.SpeechRequest {
	return commands.SpeechRequest{
		Account: r.job.Account, Text: w.Text, Voice: w.Voice.Voice, Model: w.Voice.Model, Settings: w.Voice.ModelSettings,
		Connection: w.Voice.Connection,
	}
}

// soundFormat returns ffmpeg's name of the format of a WAV or MP3 file.
func soundFormat(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var head [4]byte
	if _, err := f.Read(head[:]); err != nil {
		return "", err
	}
	if string(head[:]) == "RIFF" {
		return "wav", nil
	}
	return "mp3", nil
}
