package processors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"moviola/commands"
	"moviola/commands/storage"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
)

// outputsReserve is the time before the movie's time-out at which unfinished outputs other than the MP4 are given up, so that
// they do not make the movie time out.
const outputsReserve = 30 * time.Second

// noOutputs is the owner's message on a server that makes no outputs other than the MP4.
const noOutputs = "This server makes nothing but the MP4"

// makeOutputs makes and stores the outputs that the movie asks for beside its MP4. An output that cannot be made, or for
// which the account has no room, ends with status error; the movie succeeds. Decision 61. The returned error is only the
// end of ctx.
func (r *render) makeOutputs(ctx context.Context, rendered *commands.Rendered) ([]movie.Output, error) {
	all := slices.Clone(r.claim.Outputs)
	formats := movie.FormatsToMake(all)
	if len(formats) == 0 {
		return all, nil
	}
	if r.config.Outputs == nil {
		for i := range all {
			if all[i].Status == movie.OutputPending {
				all[i] = all[i].Failed(noOutputs)
			}
		}
		return all, nil
	}
	made, err := r.config.Outputs.Make(ctx, commands.OutputJob{
		Movie: rendered.Movie, Matte: rendered.Matte, Plan: rendered.Plan, Sound: rendered.File.AudioStreams > 0,
		Still: rendered.Still, Formats: formats,
		Until: r.claim.Until.Add(-outputsReserve),
	})
	if err != nil {
		return nil, err
	}
	for _, o := range made {
		i := slices.IndexFunc(all, func(asked movie.Output) bool { return asked.Format == o.Format })
		if i < 0 {
			continue
		}
		if all[i], err = r.storeOutput(ctx, o, r.put); err != nil {
			return nil, err
		}
		if all[i].Status == movie.OutputError {
			r.key = "" // with the key, the cache would find this movie, which lacks an output
			rendered.Warnings = append(rendered.Warnings, fmt.Sprintf("Output %s: %s", o.Format, all[i].Message))
		}
	}
	return all, nil
}

// storeOutput moves or copies the files of an output to keys of this attempt by calling move. When the account has no room for
// the files, the output ends with status error.
func (r *render) storeOutput(
	ctx context.Context, o movie.Output, move func(ctx context.Context, key, source string) (string, error),
) (movie.Output, error) {
	ctx = storage.StoredFor(ctx, r.claim.Account)
	stem := blobkey.RendersOf(r.project) + strconv.Itoa(r.claim.Attempt) + "-"
	o.Files = slices.Clone(o.Files)
	for i, f := range o.Files {
		key := stem + f.Name
		r.stored = append(r.stored, key)
		hash, err := move(ctx, key, f.Key)
		var refusal *domain.Error
		if errors.As(err, &refusal) {
			for _, earlier := range o.Files[:i] {
				// Nothing names the file, so the daily clean-up removes it if this deletion fails.
				_ = r.config.Files.Delete(ctx, earlier.Key)
			}
			return o.Failed(refusal.Message), nil
		}
		if err != nil {
			return o, err
		}
		o.Files[i].Key, o.Files[i].Hash = key, hash
	}
	return o, nil
}

// copyOutputs gives this movie copies of the outputs of an equal movie.
func (r *render) copyOutputs(ctx context.Context, of *movie.File) ([]movie.Output, error) {
	all := slices.Clone(r.claim.Outputs)
	for i, asked := range all {
		if asked.Status != movie.OutputPending {
			continue
		}
		made, ok := of.OutputOf(asked.Format)
		if !ok || made.Status != movie.OutputDone {
			return nil, commands.ErrFileNotFound
		}
		sizes := map[string]movie.OutputFile{}
		for _, f := range made.Files {
			sizes[f.Key] = f
		}
		copied, err := r.storeOutput(ctx, made, func(ctx context.Context, key, from string) (string, error) {
			return r.copyFile(ctx, key, from, sizes[from].Size, sizes[from].Hash)
		})
		if err != nil {
			return nil, err
		}
		if all[i] = copied; copied.Status == movie.OutputError {
			r.key = "" // with the key, the cache would find this movie, which lacks an output
		}
	}
	return all, nil
}
