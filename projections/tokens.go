package projections

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"moviola/domain/connection"
)

// Sealer encrypts what must not be readable in the read models. It binds a ciphertext to a place: the ciphertext can be
// decrypted for that place only.
type Sealer interface {
	Seal(place string, content []byte) (connection.Sealed, error)
	Open(place string, sealed connection.Sealed) ([]byte, error)
}

// sealedTokens is a Documents that encrypts the tokens of movies' files.
type sealedTokens struct {
	Documents
	sealer Sealer
}

// SealTokens returns a Documents for which file tokens are encrypted in the store, so that nobody can read these
// tokens, which are parts of addresses of files, from the read models. (Only events that earlier versions of the
// program wrote contain tokens.) What is read through it is decrypted. All other documents pass unchanged.
func SealTokens(docs Documents, sealer Sealer) Documents { return sealedTokens{docs, sealer} }

// Commit implements Documents.
func (d sealedTokens) Commit(ctx context.Context, batch Changes) error {
	copied := false
	for i, w := range batch.Writes {
		m, ok := w.Document.(Movie)
		if !ok || m.File == nil || m.File.Token == "" {
			continue
		}
		sealed, err := d.seal(m)
		if err != nil {
			return err
		}
		if !copied {
			batch.Writes, copied = append([]Write(nil), batch.Writes...), true
		}
		batch.Writes[i].Document = sealed
	}
	return d.Documents.Commit(ctx, batch)
}

// Get implements Documents.
func (d sealedTokens) Get(ctx context.Context, collection string, ids ...string) (map[string]Stored, error) {
	found, err := d.Documents.Get(ctx, collection, ids...)
	for id, stored := range found {
		stored.Body = unsealedBody{stored.Body, d.sealer}
		found[id] = stored
	}
	return found, err
}

// Page implements Documents.
func (d sealedTokens) Page(ctx context.Context, collection string, query Query) ([]Stored, error) {
	page, err := d.Documents.Page(ctx, collection, query)
	for i := range page {
		page[i].Body = unsealedBody{page[i].Body, d.sealer}
	}
	return page, err
}

// sealedMark is the prefix of an encrypted token; no plain token begins with it. The key's name, a colon, and the ciphertext
// follow.
const sealedMark = "sealed:"

func tokenPlace(project string) string { return "token of " + project }

func (d sealedTokens) seal(m Movie) (Movie, error) {
	sealed, err := d.sealer.Seal(tokenPlace(m.Project), []byte(m.File.Token))
	if err != nil {
		return m, fmt.Errorf("encrypt the token of movie %s: %w", m.Project, err)
	}
	file := *m.File
	file.Token = sealedMark + sealed.Key + ":" + base64.StdEncoding.EncodeToString(sealed.Data)
	m.File = &file
	return m, nil
}

// unsealedBody is a stored document whose token is decrypted by Decode.
type unsealedBody struct {
	Body
	sealer Sealer
}

// Decode implements Body.
func (b unsealedBody) Decode(into any) error {
	if err := b.Body.Decode(into); err != nil {
		return err
	}
	m, ok := into.(*Movie)
	if !ok || m.File == nil {
		return nil
	}
	rest, isSealed := strings.CutPrefix(m.File.Token, sealedMark)
	if !isSealed {
		return nil
	}
	key, text, _ := strings.Cut(rest, ":")
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return fmt.Errorf("read the token of movie %s: %w", m.Project, err)
	}
	token, err := b.sealer.Open(tokenPlace(m.Project), connection.Sealed{Key: key, Data: data})
	if err != nil {
		return fmt.Errorf("decrypt the token of movie %s (moviola rebuild makes the read models anew): %w", m.Project, err)
	}
	m.File.Token = string(token)
	return nil
}
