package eventstores

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"moviola/eventstore/embedded/entry"
)

// maxPasswordFile limits the bytes that are read for a password; bcrypt uses 72.
const maxPasswordFile = 4096

func eventStoreUserCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "user", Short: "Add users to the users file of `moviola eventstore serve`, or remove them"}
	cmd.AddCommand(eventStoreUserAddCommand(), eventStoreUserRemoveCommand())
	return cmd
}

func eventStoreUserAddCommand() *cobra.Command {
	var users, passwordFile, role string
	var readOnly, replace bool
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Add a user; the password is read from the standard input or a file",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if users == "" {
				return errUsersMissing
			}
			password, err := readPassword(cmd.InOrStdin(), passwordFile)
			if err != nil {
				return err
			}
			if readOnly {
				role = string(entry.RoleReadOnly)
			}
			if err := entry.AddUser(users, args[0], password, entry.Role(role), replace); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s holds user %s (%s)\n", users, args[0], role)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&users, "users", "", "the users file; it is made when it is missing")
	f.StringVar(&role, "role", string(entry.RoleFull), "full: everything; user: what the $acl of each stream allows; "+
		"read-only: reads and subscriptions")
	f.BoolVar(&readOnly, "read-only", false, "the same as --role read-only")
	f.BoolVar(&replace, "replace", false, "give a user that is there this password and role")
	f.StringVar(&passwordFile, "password-file", "", "file with the password in its first line (default: the standard input)")
	return cmd
}

func eventStoreUserRemoveCommand() *cobra.Command {
	var users string
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a user, whose calls end within seconds",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if users == "" {
				return errUsersMissing
			}
			if err := entry.RemoveUser(users, args[0]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s holds no user %s any more\n", users, args[0])
			return err
		},
	}
	cmd.Flags().StringVar(&users, "users", "", "the users file")
	return cmd
}

var errUsersMissing = errors.New("--users is missing: say which file holds the users")

// readPassword returns the first line of a file, or of in when path is empty.
func readPassword(in io.Reader, path string) (string, error) {
	if path != "" {
		file, err := os.Open(path)
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
		defer func() { _ = file.Close() }() // closing a file that was only read loses nothing
		in = file
	}
	content, err := io.ReadAll(io.LimitReader(in, maxPasswordFile))
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	line, _, _ := strings.Cut(string(content), "\n")
	return strings.TrimSuffix(line, "\r"), nil
}
