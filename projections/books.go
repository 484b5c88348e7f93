package projections

import (
	"context"
	"fmt"

	"moviola/domain"
)

// Books opens the read models for an auditor: read-only, as they are.
type Books struct{ at *catalogue }

// OpenBooks opens the current read models. It fails when there are none, or when another version of the program has built them in
// another shape.
func OpenBooks(ctx context.Context, docs Documents) (*Books, error) {
	at, err := openCurrent(ctx, docs, movieModel, balanceModel)
	if err != nil {
		return nil, err
	}
	return &Books{at: at}, nil
}

// Balance returns an account's balance; zero when the account never had credits.
func (b *Books) Balance(ctx context.Context, account domain.AccountID) (Balance, error) {
	balance, _, err := balanceModel.load(ctx, b.at, string(account))
	return balance, err
}

// Movies returns the existing movies among the given projects, by project.
func (b *Books) Movies(ctx context.Context, projects ...domain.ProjectID) (map[domain.ProjectID]Movie, error) {
	if len(projects) == 0 {
		return nil, nil
	}
	ids := make([]string, len(projects))
	for i, project := range projects {
		ids[i] = string(project)
	}
	found, err := b.at.docs.Get(ctx, b.at.collection(movieModel.modelName), ids...)
	if err != nil {
		return nil, fmt.Errorf("read %d movies: %w", len(ids), err)
	}
	movies := make(map[domain.ProjectID]Movie, len(found))
	for id, stored := range found {
		if stored.Gone {
			continue
		}
		if movies[domain.ProjectID(id)], err = decodeAs[Movie](stored.Body); err != nil {
			return nil, fmt.Errorf("decode movie %s: %w", id, err)
		}
	}
	return movies, nil
}
