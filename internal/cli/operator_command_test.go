package cli_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOperatorCommands: what each command asks of the service, and what it prints. The service is in TestRules of tests/api.
func TestOperatorCommands(t *testing.T) {
	const account = `{"account":{"account":"a1","name":"Anna","plan":"paid","state":"open","opened_at":"T","granted":7,"charged":2,"balance":5,"held":1,"available":4,"suspended":true,"storage_blocked":true}}`
	tests := []struct {
		name    string
		args    []string
		answers []string
		asked   []string
		code    int
		shown   []string // parts of what is printed
	}{
		{"accounts in pages", []string{"accounts", "list"},
			[]string{`{"next_token":"n","accounts":[{"account":"a1","name":"Anna","plan":"paid","state":"open"}]}`, `{"accounts":[{"account":"a2","state":"closed"}]}`},
			[]string{"GET /admin/accounts", "GET /admin/accounts?next_token=n"}, 0, []string{"a1", "Anna", "a2", "closed"}},
		{"one account", []string{"accounts", "show", "a1"}, []string{account}, []string{"GET /admin/accounts?account=a1"}, 0,
			[]string{"balance    5", "available  4", "suspended", "storage"}},
		{"open", []string{"accounts", "open", "--name", "Anna", "--plan", "paid", "--credits", "0"}, []string{`{"account":"a1","key":"mv_x"}`},
			[]string{`POST /admin/accounts {"name":"Anna","plan":"paid","credits":0}`}, 0, []string{"a1", "mv_x", "shown only now"}},
		{"open with the usual credits", []string{"accounts", "open", "--name", "Anna"}, []string{`{"account":"a1","key":"mv_x"}`},
			[]string{`POST /admin/accounts {"name":"Anna"}`}, 0, []string{"a1"}},
		{"plan", []string{"accounts", "plan", "a1", "counted"}, []string{`{"account":"a1","plan":"counted"}`},
			[]string{`POST /admin/accounts/plan {"account":"a1","plan":"counted"}`}, 0, []string{"is on plan counted"}},
		{"close, unsure", []string{"accounts", "close", "a1"}, nil, nil, 1, []string{"--yes"}},
		{"close", []string{"accounts", "close", "a1", "--yes"}, []string{`{"account":"a1"}`}, []string{"DELETE /admin/accounts?account=a1"}, 0, []string{"is closed"}},
		{"refused", []string{"accounts", "show", "a9"}, []string{`404 {"success":false,"message":"Account a9 not found"}`},
			[]string{"GET /admin/accounts?account=a9"}, 1, []string{"Account a9 not found"}},
		{"grant", []string{"credits", "grant", "--account", "a1", "--amount", "5", "--reference", "r", "--pack"}, []string{`{"account":"a1"}`, account},
			[]string{`POST /admin/credits {"account":"a1","amount":5,"reference":"r","kind":"pack"}`, "GET /admin/accounts?account=a1"}, 0, []string{"has 5 credits, 4"}},
		{"stuck work", []string{"work", "list"}, []string{`{"work":[{"work":"render/p","account":"a1","failures":12,"message":"no","droppable":true}]}`},
			[]string{"GET /admin/work"}, 0, []string{"render/p", "12", "true", "no"}},
		{"capacity", []string{"work", "capacity"}, []string{`{"waiting":3,"running":2,"oldest_seconds":41.5,"slots_wanted":5}`}, []string{"GET /admin/capacity"}, 0,
			[]string{"5 slots", "3 movies wait", "42 s", "2 have one"}},
		{"queue", []string{"work", "queue"}, []string{`{"accounts":[{"account":"a1","kind":"render","waiting":2,"running":1,"oldest_seconds":90,"share":0.75},{"account":"","kind":"sweep","waiting":1,"oldest_seconds":1,"share":1}],"more":3}`},
			[]string{"GET /admin/queue"}, 0, []string{"render", "a1", "1m30s", "75 %", "the service", "and 3 more"}},
		{"workers", []string{"work", "workers"},
			[]string{`{"workers":[{"name":"host-1","alive":true,"roles":["renderer"],"slots":[{"kind":"render","slots":2}],"disk_free":5368709120,"disk_total":10737418240,` +
				`"sandbox":[{"program":"ffmpeg","layer":"seccomp","state":"on"},{"program":"ffmpeg","layer":"cgroup","state":"missing","detail":"no cgroup v2"}],` +
				`"storage":[{"place":"files","bytes":2147483648,"files":3,"total_bytes":4294967296}],` +
				`"doing":[{"work":"render/p","account":"a1","attempt":2,"percent":40},{"work":"sweep/x"}]},{"name":"gone-2","doing":[{"work":"render/q","account":"a1"}]}]}`},
			[]string{"GET /admin/workers"}, 0, []string{"host-1", "alive", "renderer", "render 2", "render/p of account a1, attempt 2, 40 %", "sweep/x of the service", "disk: 5 GiB free of 10 GiB", "files 2 GiB of 4 GiB in 3 files",
				"ffmpeg: cgroup missing (no cgroup v2)", "silent", "render/q of account a1"}},
		{"renew", []string{"operators", "renew", "anna"}, []string{`{"name":"anna","role":"owner","token":"mo_x"}`}, []string{`POST /admin/operators/renew {"name":"anna"}`}, 0,
			[]string{"mo_x", "Token of anna, role owner"}},
		{"sessions", []string{"operators", "sessions"}, []string{`{"sessions":[{"id":"00ff","name":"oidc:anna","role":"owner","issuer":"https://id.example","subject":"s-1","began_at":"T","until":"U"},{"id":"11ee"}]}`},
			[]string{`GET /admin/operators/sessions`}, 0, []string{"00ff", "oidc:anna", "https://id.example", "s-1", "11ee"}},
		{"end a session", []string{"operators", "end-session", "00ff"}, []string{`{"id":"00ff"}`}, []string{`DELETE /admin/operators/sessions?id=00ff`}, 0, []string{"session 00ff has ended"}},
		{"retry one", []string{"work", "retry", "render/p"}, []string{`{"count":1}`}, []string{`POST /admin/work/retry {"work":"render/p"}`}, 0, []string{"1 piece of work is"}},
		{"retry all", []string{"work", "retry", "--all", "--count", "2"}, []string{`{"count":2}`}, []string{`POST /admin/work/retry {"all":true,"count":2}`}, 0, []string{"2 pieces"}},
		{"retry all, unseen", []string{"work", "retry", "--all"}, nil, nil, 1, []string{"--count"}},
		{"drop", []string{"work", "drop", "render/p"}, []string{`{"work":"render/p"}`}, []string{`POST /admin/work/drop {"work":"render/p"}`}, 0, []string{"given up"}},
		{"acts", []string{"acts", "--on", "a1"}, []string{`{"next_token":"n","acts":[{"at":"T","who":"anna","act":"close account","on":"a1","how":""}]}`, `{"acts":[]}`},
			[]string{"GET /admin/acts?on=a1", "GET /admin/acts?next_token=n&on=a1"}, 0, []string{"anna", "close account"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := operate(t, tt.answers...)
			code, stdout, stderr := command(append(tt.args, "--url", o.url)...)
			if code != tt.code {
				t.Errorf("exit %d: %s", code, stderr)
			}
			if diff := cmp.Diff(tt.asked, o.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			for _, part := range tt.shown {
				if !strings.Contains(stdout+stderr, part) {
					t.Errorf("%q is not in %s%s", part, stdout, stderr)
				}
			}
		})
	}
}

// TestAudit_usage: what cannot be is refused before anything is opened.
func TestAudit_usage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--from", "2026-01-01"}, {"--full"}, {"--account", "a", "--from", "yesterday"}, {"--account", "a", "--to", "x"}, {"--account", "a", "--format", "xml"},
		{"--data", t.TempDir()},
	} {
		if code, stdout, stderr := command(append([]string{"audit"}, args...)...); code != 1 || stdout != "" || stderr == "" {
			t.Errorf("%v: exit %d, %q, %q", args, code, stdout, stderr)
		}
	}
}
