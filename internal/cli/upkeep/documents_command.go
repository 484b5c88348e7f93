package upkeep

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"moviola/adapters/blobs"
)

// DocumentsCommand is `moviola documents`, whose subcommand copies the documents of movies and templates into a file.
func DocumentsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "documents", Short: "Look after the stored documents of movies and templates"}
	cmd.AddCommand(documentsBackupCommand())
	return cmd
}

func documentsBackupCommand() *cobra.Command {
	var data, to string
	cmd := &cobra.Command{
		Use:   "backup",
		Short: "Copy the documents into a file, also while they are in use",
		Long: "Copy the documents of movies and templates into a file: all of them as they are at one moment, also while the " +
			"service runs.\n" +
			"The copy is checked before it gets its name. To restore it, put it into the folder of the files under the name documents.db.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				to = filepath.Join(".", "documents-"+time.Now().UTC().Format("20060102T150405Z")+".db")
			}
			documents, err := blobs.Backup(cmd.Context(), data, to)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s holds %d documents\n", to, documents)
			return err
		},
	}
	cmd.Flags().StringVar(&data, "data", "./data/files", "folder of the files")
	cmd.Flags().StringVar(&to, "to", "", "file to write (default: documents-<time>.db in this folder); it must not be there")
	return cmd
}
