package deploy

import (
	"encoding/json"
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// query is one query of a panel, and how its series are named.
type query struct{ expr, legend string }

// panel is one graph of the dashboard.
type panel struct {
	title, says, unit string
	queries           []query
}

// row is a line of the dashboard.
type row struct {
	title  string
	panels []panel
}

// counted is a rate of a counter, added up over processes.
func counted(by, counter string) string {
	return fmt.Sprintf("sum by (%s) (rate(%s[$__rate_interval]))", by, counter)
}

// share is the query for a quantile of a histogram, of all processes together.
func share(quantile float64, by, histogram string) string {
	if by != "" {
		by = ", " + by
	}
	return fmt.Sprintf("histogram_quantile(%g, sum by (le%s) (rate(%s_bucket[$__rate_interval])))", quantile, by, histogram)
}

// board is the dashboard as a table.
var board = []row{
	{"Objectives", []panel{
		{"Submissions that failed", "Objective: 99.9 % of POST /movies are taken.", "percentunit", []query{
			{"moviola:submissions_failed:ratio_rate1h", "of the last hour"},
			{"moviola:submissions_failed:ratio_rate6h", "of the last six hours"}}},
		{"Oldest movie that waits", "Objective: under five minutes.", "s", []query{{"moviola:render_wait_seconds:max", "{{plan}}"}}},
		{"Renders that failed", "Objective: 95 % succeed. Movies that cannot be made are among them.", "percentunit", []query{
			{"moviola:renders_failed:ratio_rate1h", "of the last hour"}}},
		{"Tries at destinations that failed", "Objective: 95 % succeed.", "percentunit",
			[]query{{"moviola:deliveries_failed:ratio_rate1h", "of the last hour"}}},
	}},
	{"Requests", []panel{
		{"Requests by status", "", "reqps", []query{{counted("status", "moviola_http_requests_total"), "{{status}}"}}},
		{"Time to answer, p95 by operation", "Downloads and streams last as long as they go on.", "s", []query{
			{share(.95, "operation", "moviola_http_request_duration_seconds"), "{{operation}}"}}},
		{"Keys", "Streams read to find out who holds a key.", "ops",
			[]query{{"sum(rate(moviola_key_reads[$__rate_interval]))", "reads"}}},
	}},
	{"Log and read models", []panel{
		{"Parts that do not answer", "What /readyz tells.", "short",
			[]query{{"sum by (part) (1 - moviola_part_ready)", "{{part}}"}}},
		{"Appends by result", "", "ops", []query{{counted("result", "moviola_appends_total"), "{{result}}"}}},
		{"Time of an append", "", "s", []query{
			{share(.5, "", "moviola_append_duration_seconds"), "p50"}, {share(.99, "", "moviola_append_duration_seconds"), "p99"}}},
		{"Events by type", "", "ops", []query{{"topk(10, " + counted("type", "moviola_events_appended_total") + ")", "{{type}}"}}},
		{"Age of what is not in the read models", "Lists are refused from five seconds on.", "s",
			[]query{{"max(moviola_projection_lag_seconds)", "oldest event"}}},
		{"Events that are not in the read models", "", "short", []query{
			{"max(moviola_projection_lag_events)", "events"}, {"max(moviola_unread_streams)", "streams that stand still"}}},
		{"Place in the log", "", "short", []query{
			{"max(moviola_log_position)", "end of the log"}, {"max(moviola_projection_position)", "read models"},
			{"min(moviola_projection_caught_up)", "caught up"}}},
	}},
	{"Work", []panel{
		{"Work that waits, by kind", "", "short", []query{{"sum by (kind) (max by (kind, plan) (moviola_queue_items))", "{{kind}}"}}},
		{"Oldest of it, by kind", "", "s", []query{{"max by (kind) (moviola_queue_oldest_seconds)", "{{kind}}"}}},
		{"Slots in use", "All busy while movies wait: more renderers.", "percentunit", []query{
			{"sum by (kind) (moviola_slots_busy) / sum by (kind) (moviola_slots)", "{{kind}}"}}},
		{"Slots for movies", "More are wanted than there are: more renderers.", "short", []query{
			{"max(moviola_render_slots_wanted)", "wanted"}, {`sum(moviola_slots{kind="render"})`, "there"}}},
		{"Work that ended", "", "ops", []query{{counted("kind, result", "moviola_work_total"), "{{kind}} {{result}}"}}},
		{"Time of a piece of work, p95", "", "s", []query{{share(.95, "kind", "moviola_work_duration_seconds"), "{{kind}}"}}},
		{"Stuck work", "`moviola work list` names it. -1: cannot be told.", "short", []query{{"max(moviola_stuck_work)", "pieces"}}},
	}},
	{"Renders", []panel{
		{"Movies by outcome", "", "ops", []query{{counted("result", "moviola_renders_total"), "{{result}}"}}},
		{"Where the time goes", "Seconds of each stage for each second: windows are made side by side.", "short", []query{
			{counted("stage", "moviola_render_stage_duration_seconds_sum"), "{{stage}}"}}},
		{"Length of a movie by the time of its render", "1 is real time.", "short", []query{
			{share(.5, "", "moviola_render_speed_ratio"), "median"}, {share(.1, "", "moviola_render_speed_ratio"), "slowest tenth"}}},
		{"Frames", "", "ops", []query{{counted("source", "moviola_render_frames_total"), "{{source}}"}}},
		{"Pages", "", "ops", []query{{counted("result", "moviola_render_pages_total"), "{{result}}"}}},
		{"Requests to other servers", "", "reqps", []query{{counted("purpose, result", "moviola_outbound_requests_total"),
			"{{purpose}} {{result}}"}}},
		{"Time until other servers answer, p95", "", "s", []query{{share(.95, "purpose", "moviola_outbound_request_duration_seconds"),
			"{{purpose}}"}}},
		{"Bytes from other servers", "", "Bps", []query{{counted("purpose", "moviola_outbound_received_bytes_total"), "{{purpose}}"}}},
		{"Layers of the sandbox that are not there", "", "short", []query{
			{`count by (layer, program, state) (moviola_sandbox_layer{state="missing"})`, "{{layer}} {{program}}: {{state}}"}}},
	}},
	{"Deliveries and credits", []panel{
		{"Tries at destinations", "", "ops", []query{{counted("kind, result", "moviola_delivery_attempts_total"),
			"{{kind}} {{result}}"}}},
		{"Time of a try, p95", "", "s", []query{{share(.95, "kind", "moviola_delivery_attempt_duration_seconds"), "{{kind}}"}}},
		{"Credits an hour", "A trend; the books are `moviola audit`.", "short",
			[]query{{"3600 * " + counted("movement", "moviola_credits_total"), "{{movement}}"}}},
	}},
	{"Room", []panel{
		{"Free on the disk", "Below the reserve no new work is taken.", "bytes", []query{
			{"min by (instance) (moviola_disk_free_bytes)", "{{instance}}"}, {"max(moviola_disk_reserve_bytes)", "reserve"}}},
		{"Kept under a bound", "", "bytes", []query{
			{"max by (place) (moviola_storage_bytes)", "{{place}}"},
			{`max by (place) (moviola_storage_limit_bytes{scope="total"})`, "{{place}}: bound"}}},
		{"Files kept under a bound", "", "short", []query{
			{"max by (place) (moviola_storage_files)", "{{place}}"},
			{`max by (place) (moviola_storage_limit_files{scope="total"})`, "{{place}}: bound"}}},
		{"What a bound refused", "", "ops", []query{{counted("place, scope", "moviola_storage_refusals_total"),
			"{{place}} {{scope}}"}}},
	}},
	{"Anchors and traces", []panel{
		{"Anchors of the ledgers", "Tries to keep one at a place of --anchor-to, an hour.", "short", []query{
			{"3600 * " + counted("kind, result", "moviola_anchors_total"), "{{kind}} {{result}}"}}},
		{"Places without a new anchor", "For two times --anchor-every.", "short",
			[]query{{"max(moviola_anchors_overdue)", "places"}}},
		{"Events that wait for a scavenge", "Archived, but still in an EventStoreDB or KurrentDB: scavenge it once a month.", "short",
			[]query{{"max(moviola_scavenge_events)", "events"}}},
		{"Spans", "Dropped or failed: the collector of --otlp is slow or away.", "ops",
			[]query{{counted("result", "moviola_spans_total"), "{{result}}"}}},
	}},
	{"Processes", []panel{
		{"What runs", "", "short", []query{{"count by (version, goversion) (moviola_build_info)", "{{version}} {{goversion}}"}}},
		{"Encoders", "", "short", []query{{"count by (encoder, version) (moviola_encoder_info)", "{{encoder}} {{version}}"}}},
		{"Memory", "", "bytes", []query{{`process_resident_memory_bytes{job="moviola"}`, "{{instance}}"}}},
		{"Processors in use", "Without programs that the service starts.", "short", []query{
			{`rate(process_cpu_seconds_total{job="moviola"}[$__rate_interval])`, "{{instance}}"}}},
		{"Goroutines", "", "short", []query{{`go_goroutines{job="moviola"}`, "{{instance}}"}}},
	}},
}

// source is the data source that the dashboard asks, which its reader picks.
func source() common.DataSourceRef {
	return common.DataSourceRef{Type: cog.ToPtr("prometheus"), Uid: cog.ToPtr("${source}")}
}

// Dashboard is deploy/grafana/moviola.json.
func Dashboard() ([]byte, error) {
	all := dashboard.NewDashboardBuilder("Moviola").Uid("moviola").Tags([]string{"moviola"}).Time("now-6h", "now").Refresh("30s").
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		WithVariable(dashboard.NewDatasourceVariableBuilder("source").Label("Prometheus").Type("prometheus"))
	for _, row := range board {
		all.WithRow(dashboard.NewRowBuilder(row.title))
		for _, its := range row.panels {
			graph := timeseries.NewPanelBuilder().Title(its.title).Description(its.says).Unit(its.unit).
				Datasource(source()).Span(8).Height(8)
			for i, asked := range its.queries {
				graph.WithTarget(prometheus.NewDataqueryBuilder().Datasource(source()).Expr(asked.expr).LegendFormat(asked.legend).Range().
					RefId(string(rune('A' + i))))
			}
			all.WithPanel(graph)
		}
	}
	built, err := all.Build()
	if err != nil {
		return nil, err
	}
	encoded, err := json.MarshalIndent(built, "", "  ")
	return append(encoded, '\n'), err
}
