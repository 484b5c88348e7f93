// One batch: how far its movies are, and what became of each row.
import { useEffect, useState } from "preact/hooks";
import { address, api } from "../api";
import { Confirm } from "../components/dialog";
import { Icon } from "../components/icon";
import { List, useEndless } from "../components/list";
import { Facts, PageHead, Section } from "../components/page";
import { Ago, Badge, Progress, type Tone } from "../components/small";
import { Failure, Waiting } from "../components/states";
import { tell } from "../components/toast";
import { length, number } from "../format";
import { useLoad } from "../hooks";
import { tones } from "../movies";
import { Link } from "../router";
import { may } from "../session";
import { texts } from "../texts";
import type { Head } from "./batches";

const t = texts.batches;

interface Row { row: number; project?: string; status: string; url?: string | null; duration?: number; credits?: number; column?: string; code?: string; message?: string }
interface Answer { batch: Head & { status: string; counts: Record<string, number> }; results: Row[]; next_token: string | null }

const lookEvery = 3000;
const ended = ["done", "error", "timeout", "cancelled", "invalid"];

export default function Batch({ id }: { id: string }) {
  const batch = useLoad((signal) => api.get<Answer>("/v2/batches/" + id, { limit: 1 }, signal).then((a) => a.batch), [id]);
  const rows = useEndless<Row>(async (next, signal) => {
    const page = await api.get<Answer>("/v2/batches/" + id, next ? { next_token: next } : { limit: 50 }, signal);
    return { items: page.results, next: page.next_token };
  }, [id]);
  const [asking, ask] = useState(false);
  const [turn, setTurn] = useState(0); // counts looks at the rows that have failed: each is made again
  const b = batch.data;
  const counts = Object.entries(b?.counts ?? {});
  const over = counts.filter(([status]) => ended.includes(status)).reduce((sum, [, n]) => sum + n, 0);
  const all = b ? b.rows : 0;
  const under = !!b && (b.status === "pending" || b.status === "running");
  const counted = JSON.stringify(b?.counts ?? null);
  useEffect(() => {
    if (!b || rows.items.length === 0) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    lookAgain(id, rows.items.length, abort.signal).then(
      (now) => abort.signal.aborted || rows.change((items) => items.map((r) => now.get(r.row) ?? r)),
      () => { if (!abort.signal.aborted) timer = setTimeout(() => setTurn((n) => n + 1), lookEvery); },
    );
    return () => { abort.abort(); clearTimeout(timer); };
  }, [counted, rows.started, turn]);
  useEffect(() => {
    if (!under || batch.loading) return;
    const timer = setTimeout(batch.reload, lookEvery);
    return () => clearTimeout(timer);
  }, [under, batch.loading]);
  if (!b) return batch.error ? <><Back /><Failure message={batch.error.message} retry={batch.reload} /></> : <Waiting />;
  return (
    <>
      <Back />
      <PageHead title={t.movies(b.movies)} note={<span class="mono">{b.id}</span>}>
        <a class="button" href={address(`/v2/batches/${id}/results.csv`)} download={id + ".csv"}><Icon name="download" />{t.download}</a>
        {under && may("render") && <button type="button" onClick={() => ask(true)}><Icon name="close" />{t.cancel}</button>}
      </PageHead>
      {asking && <Confirm title={t.cancelTitle} text={t.cancelText} yes={t.cancel} danger onClose={() => ask(false)}
        act={() => api.post("/v2/batches/cancel", { query: { id } }).then(() => { tell(t.cancelled); batch.reload(); })} />}
      <Section title={t.facts} actions={<Badge tone={b.state === "cancelled" ? "calm" : under ? "busy" : "good"}>{t.states[b.state] ?? b.state}</Badge>}>
        <Progress percent={all ? Math.floor((100 * over) / all) : 0} label={t.progress(over, all)} />
        <Facts of={[
          [t.template, <Link to={"/templates/" + b.template}>{b.template}</Link>], [t.created, <Ago at={b.created_at} />], [t.credits, number(b.credits)],
          ...counts.filter(([, n]) => n > 0).map(([status, n]): [string, string] => [nameOf(status), number(n)]),
        ]} />
      </Section>
      <Section title={t.results}>
        <List of={rows} label={t.results} id={(r) => String(r.row)} empty={<p class="quiet">{texts.states.none}</p>}>
          {(r) => (
            <>
              <span class="what">
                <span>{r.project && r.status !== "invalid" ? <Link to={"/movies/" + r.project}>{t.row(r.row)}</Link> : <strong>{t.row(r.row)}</strong>}{r.duration ? <span class="quiet"> · {length(r.duration)}</span> : null}</span>
                {r.message && <span class="bad" dir="auto">{r.column && t.cell(r.column) + ": "}{r.message}</span>}
              </span>
              <Badge tone={toneOf(r.status)}>{nameOf(r.status)}</Badge>
            </>
          )}
        </List>
      </Section>
    </>
  );
}

// lookAgain reads the rows that are shown once more.
async function lookAgain(id: string, count: number, signal: AbortSignal) {
  const now = new Map<number, Row>();
  let next: string | null | undefined;
  do {
    const page: Answer = await api.get<Answer>("/v2/batches/" + id, next ? { next_token: next } : { limit: 100 }, signal);
    for (const r of page.results) now.set(r.row, r);
    next = page.next_token;
  } while (next && now.size < count);
  return now;
}

const Back = () => <p><Link to="/batches">← {t.back}</Link></p>;

const nameOf = (status: string) => texts.status[status] ?? (status === "invalid" ? t.invalidState : t.states[status] ?? status);
const toneOf = (status: string): Tone => (status === "invalid" ? "bad" : (tones as Record<string, Tone>)[status] ?? "calm");
