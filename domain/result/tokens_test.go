package result_test

import (
	"regexp"
	"testing"

	"moviola/domain/movie"
	"moviola/domain/result"
)

// TestTokens: a derived token follows from secret, project and attempt, all three, and opens nothing else; one that was drawn stays.
func TestTokens(t *testing.T) {
	t.Parallel()
	tokens := result.NewTokens([]byte("a secret of the installation...."))
	first := &movie.File{Key: "renders/Abcdefgh12345678/1.mp4"}
	address := tokens.AddressesOf("", "Abcdefgh12345678", first).Movie
	found := regexp.MustCompile(`^/v2/renders/([0-9a-f]{32})/Abcdefgh12345678\.mp4$`).FindStringSubmatch(address)
	if found == nil {
		t.Fatalf("address %s", address)
	}
	token := found[1]
	if !tokens.Opens("Abcdefgh12345678", first, token) || tokens.AddressesOf("", "Abcdefgh12345678", first).Movie != address {
		t.Error("the token does not open its file")
	}
	drawn := *first
	drawn.Token = "0123456789abcdef0123456789abcdef"
	for name, opens := range map[string]bool{
		"another attempt": tokens.Opens("Abcdefgh12345678", &movie.File{Key: "renders/Abcdefgh12345678/2.mp4"}, token),
		"another project": tokens.Opens("Zbcdefgh12345678", first, token),
		"another secret":  result.NewTokens([]byte("another secret..................")).Opens("Abcdefgh12345678", first, token),
		"a drawn token":   tokens.Opens("Abcdefgh12345678", &drawn, token),
		"nothing stored":  tokens.Opens("Abcdefgh12345678", &movie.File{}, token),
		"no token":        tokens.Opens("Abcdefgh12345678", first, ""),
	} {
		if opens {
			t.Errorf("%s: the token opens it", name)
		}
	}
	if !tokens.Opens("Abcdefgh12345678", &drawn, drawn.Token) {
		t.Error("a token that was drawn opens its file no more")
	}
}
