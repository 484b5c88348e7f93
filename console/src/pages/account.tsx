// The account: its credits, what they went for, and the statement.
import { useMemo } from "preact/hooks";
import { address, api } from "../api";
import { TextField } from "../components/form";
import { Icon } from "../components/icon";
import { List, useEndless } from "../components/list";
import { Facts, PageHead, Section } from "../components/page";
import { Empty, Failure, Waiting } from "../components/states";
import { moment, number } from "../format";
import { useLoad } from "../hooks";
import { Link, setQuery, usePlace } from "../router";
import { texts } from "../texts";

const t = texts.account;

interface Credits {
  account: string; plan: string; state: string; granted: number; charged: number; balance: number; held: number; available: number; storage_blocked: boolean;
  period: { month: string; movies: number; movies_quota: number; drafts: number; drafts_quota: number } | null;
}
interface Entry { number: number; at: string; event: string; subject: string | null; amount: number; granted: number; held: number; charged: number; reason: string | null; draft: boolean }
interface Page { entries: Entry[]; has_next: boolean; next_token: string | null }

export default function Account() {
  const credits = useLoad((signal) => api.get<Credits>("/v2/credits", {}, signal), []);
  const c = credits.data;
  return (
    <>
      <PageHead title={t.title} note={c && t.plan(c.plan)} />
      {credits.error && <Failure message={credits.error.message} retry={credits.reload} />}
      {!c && !credits.error && <Waiting />}
      {c?.storage_blocked && <Failure message={t.blocked} />}
      {c && (
        <div class="twocolumns">
          <Spent />
          <Section title={c.period ? t.left(c.period.month) : t.credits}>
            {c.period
              ? <><Quota label={t.movies} used={c.period.movies} of={c.period.movies_quota} /><Quota label={t.drafts} used={c.period.drafts} of={c.period.drafts_quota} /></>
              : <p class="large"><strong>{number(c.available)}</strong> <span class="quiet">{t.available}</span></p>}
            <Facts of={[[t.balance, number(c.balance)], [t.held, number(c.held)], [t.granted, number(c.granted)], [t.charged, number(c.charged)]]} />
          </Section>
        </div>
      )}
      <Statement />
    </>
  );
}

function Quota({ label, used, of }: { label: string; used: number; of: number }) {
  return <p class="quota"><span>{label}</span><meter min={0} max={of} value={used} aria-label={label} /><span>{t.used(number(used), number(of))}</span></p>;
}

const days = 30, day = 24 * 60 * 60 * 1000;
const most = 5000; // entries that are read for the chart
const batch = 500;

// Spent shows what was charged on each of the last days.
function Spent() {
  const from = useMemo(() => new Date(Math.floor(Date.now() / day - days + 1) * day).toISOString(), []);
  const entries = useLoad(async (signal) => {
    const all: Entry[] = [];
    let page = await api.get<Page>("/v2/credits/ledger", { from, limit: batch }, signal);
    for (all.push(...page.entries); page.next_token && all.length < most; all.push(...page.entries)) page = await api.get<Page>("/v2/credits/ledger", { next_token: page.next_token }, signal);
    return { all, cut: !!page.next_token };
  }, []);
  const bars = useMemo(() => {
    const sums = Array.from({ length: days }, (_, i) => ({ at: Date.parse(from) + i * day, sum: 0 }));
    for (const e of entries.data?.all ?? []) {
      const bar = sums[Math.floor((Date.parse(e.at) - Date.parse(from)) / day)];
      if (bar) bar.sum += e.charged;
    }
    return sums;
  }, [entries.data]);
  const total = bars.reduce((sum, b) => sum + b.sum, 0);
  return (
    <Section title={t.spent} actions={entries.data && <strong>{t.total(number(total))}</strong>}>
      {entries.error && <Failure message={entries.error.message} retry={entries.reload} />}
      {!entries.data && !entries.error && <Waiting />}
      {entries.data && <Chart bars={bars} label={t.chart(number(total))} />}
      {entries.data?.cut && <p class="hint">{t.cut(number(most))}</p>}
    </Section>
  );
}

const width = 600, height = 180, foot = 22;
const dayMonth = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

function Chart({ bars, label }: { bars: { at: number; sum: number }[]; label: string }) {
  const top = Math.max(1, ...bars.map((b) => b.sum)), step = width / bars.length;
  return (
    <svg class="chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <line x1={0} x2={width} y1={height - foot} y2={height - foot} />
      {bars.map((b, i) => {
        const tall = (b.sum / top) * (height - foot - 22);
        return (
          <g key={b.at}>
            <title>{dayMonth.format(b.at) + ": " + texts.movies.credits(b.sum)}</title>
            <rect class="hit" x={i * step} y={0} width={step} height={height - foot} />
            <rect class="spent" x={i * step + 2} y={height - foot - tall} width={step - 4} height={tall} rx={2} />
            {b.sum === top && b.sum > 0 && bars.findIndex((one) => one.sum === top) === i && <text x={Math.min(width - 20, Math.max(20, (i + 0.5) * step))} y={height - foot - tall - 6}>{number(b.sum)}</text>}
            {i % 7 === 1 && <text x={Math.min(width - 24, (i + 0.5) * step)} y={height - 5}>{dayMonth.format(b.at)}</text>}
          </g>
        );
      })}
    </svg>
  );
}

function Statement() {
  const { query } = usePlace();
  const from = query.get("from") ?? "", to = query.get("to") ?? "";
  const range = { from, to };
  const entries = useEndless<Entry>(async (next, signal) => {
    const page = await api.get<Page>("/v2/credits/ledger", next ? { next_token: next } : { ...range, limit: 50 }, signal);
    return { items: page.entries, next: page.has_next ? page.next_token : null };
  }, [from, to]);
  return (
    <Section title={t.statement} actions={<a class="button" href={address("/v2/credits/ledger", { ...range, format: "csv" })} download="statement.csv"><Icon name="download" />{t.export}</a>}>
      <form class="filters" aria-label={t.range} onSubmit={(e) => e.preventDefault()}>
        <TextField label={texts.movies.from} type="date" value={from} max={to || undefined} onValue={(from) => setQuery({ ...range, from })} />
        <TextField label={texts.movies.to} type="date" value={to} min={from || undefined} onValue={(to) => setQuery({ ...range, to })} />
      </form>
      <List of={entries} label={t.statement} class="rows statement" id={(e) => String(e.number)} empty={<Empty icon="chart" title={t.nothing} />}>
        {(e) => (
          <>
            <span class="what">
              <strong>{t.events[e.event] ?? e.event}</strong>
              <span class="quiet" dir="auto">{/^[A-Za-z0-9]{16}$/.test(e.subject ?? "") ? <Link to={"/movies/" + e.subject}>{e.subject}</Link> : e.subject}{e.reason && " · " + e.reason}</span>
            </span>
            <span class="amount"><strong class={e.charged > 0 ? "" : "quiet"}>{e.granted > 0 ? "+" + number(e.granted) : e.charged > 0 ? "−" + number(e.charged) : t.holds(number(e.amount))}</strong><time class="quiet" dateTime={e.at}>{moment(e.at)}</time></span>
          </>
        )}
      </List>
    </Section>
  );
}
