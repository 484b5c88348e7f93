package remote

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"moviola/handlers/http/admin"
)

// queueCommand is `moviola work queue`: it prints the waiting and running work by kind and account.
func queueCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "queue",
		Short: "Show what waits and what is being done, and the shares of accounts in it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var answer admin.QueueShown
			if err := o.call(cmd.Context(), http.MethodGet, "/admin/queue", nil, nil, &answer); err != nil {
				return err
			}
			out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			_, _ = fmt.Fprintln(out, "KIND\tACCOUNT\tWAITING\tRUNNING\tOLDEST\tSHARE") // errors are returned by Flush
			for _, s := range answer.Accounts {
				oldest := time.Duration(s.OldestSeconds * float64(time.Second)).Round(time.Second)
				_, _ = fmt.Fprintf(out, "%s\t%s\t%d\t%d\t%s\t%.0f %%\n", s.Kind, cmp.Or(string(s.Account), "the service"),
					s.Waiting, s.Running, oldest, 100*s.Share)
			}
			if answer.More > 0 {
				_, _ = fmt.Fprintf(out, "and %d more\n", answer.More)
			}
			return out.Flush()
		},
	}
}

// workersCommand is `moviola work workers`: it prints the processes of the installation and what each does now.
func workersCommand(o *operator) *cobra.Command {
	return &cobra.Command{
		Use:   "workers",
		Short: "List the processes of the installation: their slots, what they do now, their disk, and missing layers of the sandbox",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var answer admin.Workers
			if err := o.call(cmd.Context(), http.MethodGet, "/admin/workers", nil, nil, &answer); err != nil {
				return err
			}
			lines := []string{}
			for _, one := range answer.Workers {
				lines = append(lines, workerLines(one)...)
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), strings.Join(lines, "\n"))
			return err
		},
	}
}

// workerLines are a process as text.
func workerLines(w admin.Worker) []string {
	state := "silent"
	if w.Alive {
		state = "alive"
	}
	slots := make([]string, len(w.Slots))
	for i, s := range w.Slots {
		slots[i] = fmt.Sprintf("%s %d", s.Kind, s.Slots)
	}
	lines := []string{strings.TrimSpace(w.Name + "\t" + state + "\t" + strings.Join(w.Roles, ","))}
	if len(slots) > 0 {
		lines = append(lines, "  slots: "+strings.Join(slots, ", "))
	}
	if w.DiskTotal > 0 {
		lines = append(lines, fmt.Sprintf("  disk: %s free of %s", inGiB(w.DiskFree), inGiB(w.DiskTotal)))
	}
	for _, place := range w.Storage {
		if place.TotalBytes > 0 { // a total of 0 means that the place is not counted
			lines = append(lines, fmt.Sprintf("  %s %s of %s in %d files", place.Place, inGiB(place.Bytes),
				inGiB(place.TotalBytes), place.Files))
		}
	}
	for _, layer := range w.Sandbox {
		if layer.State == "missing" || layer.State == "off" {
			lines = append(lines, fmt.Sprintf("  %s: %s %s%s", layer.Program, layer.Layer, layer.State, inBrackets(layer.Detail)))
		}
	}
	for _, d := range w.Doing {
		line := "  " + d.Work + " of the service"
		if d.Account != "" {
			line = "  " + d.Work + " of account " + d.Account
		}
		if d.Attempt > 1 {
			line += fmt.Sprintf(", attempt %d", d.Attempt)
		}
		if d.Percent != nil {
			line += fmt.Sprintf(", %.0f %%", *d.Percent)
		}
		lines = append(lines, line)
	}
	return lines
}

func inGiB(bytes int64) string {
	return strconv.FormatFloat(math.Round(float64(bytes)/(1<<30)*10)/10, 'f', -1, 64) + " GiB"
}

func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}
