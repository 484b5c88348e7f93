package secret

import (
	"os"
	"path/filepath"
	"testing"

	"moviola/adapters/vault"
)

// TestNewVault_former: a former secret does not become the current one, and none that the data folder has is lost.
func TestNewVault_former(t *testing.T) {
	for _, env := range []string{Env, CredentialsEnv, FormerCredentialsEnv} {
		t.Setenv(env, "")
	}
	data, master := t.TempDir(), Secret{[]byte("master")}
	plain := mustVault(t, data, master)
	t.Setenv(FormerCredentialsEnv, "z,y")
	if now := mustVault(t, data, master); now.Key() != plain.Key() {
		t.Error("without a current secret, a former one is used instead of that of the installation")
	}
	if err := os.WriteFile(filepath.Join(data, CredentialsFile), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	sealed, err := mustVault(t, data, master).Seal("here", []byte("hush"))
	if err != nil {
		t.Fatal(err)
	}
	if err := RenewCredentials(data, master); err != nil {
		t.Fatal(err)
	}
	if opened, err := mustVault(t, data, master).Open("here", sealed); err != nil || string(opened) != "hush" {
		t.Errorf("after the renewal: %q, %v", opened, err)
	}
}

func mustVault(t *testing.T, data string, master Secret) *vault.Vault {
	t.Helper()
	v, err := NewVault(data, master)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
