package config_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"moviola/domain/operator"
	"moviola/internal/config"
)

// oidcConfig reads a command line.
func oidcConfig(t *testing.T, args ...string) (config.Config, *pflag.FlagSet, error) {
	t.Helper()
	var c config.Config
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	c.Bind(f)
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := config.FromFiles(f); err != nil {
		t.Fatal(err)
	}
	err := c.Validate()
	return c, f, err
}

// TestOIDC: the flags of the operators' identity provider are checked, and its secret is shown nowhere.
func TestOIDC(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("not to be seen\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, f, err := oidcConfig(t, "--operators-oidc-issuer=https://id.example.com/a", "--operators-oidc-client=moviola", "--operators-oidc-secret-file="+file,
		"--operators-oidc-roles=groups=video-ops:operator, urn:x:admins:owner")
	if err != nil {
		t.Fatal(err)
	}
	if got := c.OperatorsOIDC; got.Secret != "not to be seen" || got.RolesOf.Claim != "groups" || len(got.RolesOf.Of) != 2 ||
		got.RolesOf.Of["urn:x:admins"] != operator.Owner || got.RolesOf.Of["video-ops"] != operator.Acting {
		t.Errorf("%+v", got)
	}
	var printed bytes.Buffer
	if err := config.Print(&printed, f); err != nil {
		t.Fatal(err)
	}
	for _, one := range config.List(f) {
		printed.WriteString(one.Name + one.Value)
	}
	for name, value := range config.Given(f) {
		printed.WriteString(name + value)
	}
	if strings.Contains(printed.String(), "not to be seen") || !strings.Contains(printed.String(), "urn:x:admins:owner") {
		t.Errorf("%s", printed.String())
	}
}

// TestOIDC_refused: what cannot work is refused at the start, with the flag's name.
func TestOIDC_refused(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"--operators-oidc-client=x"}, "give --operators-oidc-issuer, too"},
		{[]string{"--operators-oidc-issuer=https://id.example.com"}, "give --operators-oidc-client and --operators-oidc-roles, too"},
		{[]string{"--operators-oidc-issuer=http://id.example.com", "--operators-oidc-client=x", "--operators-oidc-roles=g=a:owner"}, "plain http is for"},
		{[]string{"--operators-oidc-issuer=https://u:p@id.example.com", "--operators-oidc-client=x", "--operators-oidc-roles=g=a:owner"}, "without user"},
		{[]string{"--operators-oidc-issuer=http://localhost:1", "--operators-oidc-client=x", "--operators-oidc-roles=g=a:admin"}, "observer, operator or owner"},
		{[]string{"--operators-oidc-issuer=http://localhost:1", "--operators-oidc-client=x", "--operators-oidc-roles=g"}, "CLAIM=VALUE:ROLE"},
		{[]string{"--operators-oidc-issuer=http://localhost:1", "--operators-oidc-client=x", "--operators-oidc-roles=g=owner"}, "VALUE:ROLE"},
		{[]string{"--operators-oidc-issuer=http://localhost:1", "--operators-oidc-client=x", "--operators-oidc-roles=g=a:owner,a:observer"}, "has a role already"},
		{[]string{"--operators-oidc-issuer=http://localhost:1", "--operators-oidc-client=x", "--operators-oidc-roles=g=a:owner", "--operators-oidc-scopes=email"}, "openid must be"},
	} {
		if _, _, err := oidcConfig(t, row.args...); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%v: %v", row.args, err)
		}
	}
}
