// The delivery log: where movies were delivered to, and what each try has sent and got.
import { useState } from "preact/hooks";
import { api } from "../api";
import { Icon } from "../components/icon";
import { List, useEndless } from "../components/list";
import { Facts, PageHead } from "../components/page";
import { Ago, Badge, type Tone } from "../components/small";
import { Empty, Failure, Waiting } from "../components/states";
import { tell } from "../components/toast";
import { bytes, moment, pretty } from "../format";
import { useAct, useLoad } from "../hooks";
import { Link } from "../router";
import { texts } from "../texts";

const t = texts.deliveries;

interface Sent { project: string; index: number; type: string; id: string; status: string; final: boolean; http_status: number; message: string; attempts: number; duration_ms: number; first_at: string; at: string }

interface Try {
  index: number; run: number; try: number; type: string; id: string; status: string; http_status: number; message: string; duration_ms: number; at: string;
  address: string | null; started_at: string | null; content_type: string | null; sent: string | null; sent_size: number | null; answer: string | null;
}

const toneOf = (status: string): Tone => (status === "ok" ? "good" : status === "error" ? "bad" : "calm");

export default function Deliveries() {
  const list = useEndless<Sent>(async (next, signal) => {
    const page = await api.get<{ deliveries: Sent[]; next_token: string | null }>("/v2/deliveries", next ? { next_token: next } : { limit: 40 }, signal);
    return { items: page.deliveries, next: page.next_token };
  }, []);
  return (
    <>
      <PageHead title={t.title} note={<>{t.note} <Link to="/inboxes">{t.tryOut}</Link></>}><button type="button" onClick={list.reload}><Icon name="again" />{t.reload}</button></PageHead>
      <List of={list} label={t.title} id={(d) => d.project + "/" + d.index} empty={<Empty icon="send" title={t.none}><p>{t.noneHint}</p></Empty>}>
        {(d) => <Row of={d} reload={list.reload} />}
      </List>
    </>
  );
}

function Row({ of: d, reload }: { of: Sent; reload: () => void }) {
  const [open, setOpen] = useState(false);
  const name = t.named(d.project, d.index);
  const again = useAct(async () => {
    await api.post("/v2/movies/redeliver", { query: { project: d.project, index: d.index } });
    tell(texts.movie.redelivered);
    reload();
  });
  return (
    <>
      <span class="what">
        <span><strong>{texts.connections.types[d.type] ?? (d.type || t.unknown)}</strong> <span dir="auto">{d.id}</span> <Badge tone={toneOf(d.status)}>{t.states[d.status] ?? d.status}</Badge></span>
        <span dir="auto">{d.message}</span>
        <span class="quiet">{t.movie} <Link to={"/movies/" + d.project}><span class="mono">{d.project}</span></Link> · {texts.movie.attempts(d.attempts)} · <Ago at={d.at} /></span>
        {again.error && <span class="error" role="alert">{again.error.message}</span>}
      </span>
      <span class="actions">
        <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? t.hide : t.show}<span class="hiddentext"> {name}</span></button>
        <button type="button" disabled={again.busy} onClick={() => again.run()}><Icon name="again" />{texts.movie.redeliver}<span class="hiddentext"> {name}</span></button>
      </span>
      {open && <Tries of={d} />}
    </>
  );
}

// Tries are all tries at one destination of a movie, the newest first.
function Tries({ of: d }: { of: Sent }) {
  const tries = useLoad((signal) => api.get<{ tries: Try[] }>("/v2/deliveries/" + encodeURIComponent(d.project), {}, signal).then((a) => a.tries.filter((one) => one.index === d.index)), [d.project, d.index, d.at]);
  if (tries.error) return <div class="tries"><Failure message={tries.error.message} retry={tries.reload} /></div>;
  if (!tries.data) return <div class="tries"><Waiting /></div>;
  return <ol class="tries" aria-label={t.tries(t.named(d.project, d.index))}>{tries.data.map((one) => <li key={one.run + "-" + one.try}><Tried of={one} /></li>)}</ol>;
}

function Tried({ of: one }: { of: Try }) {
  return (
    <>
      <p><strong>{moment(one.started_at ?? one.at)}</strong> <Badge tone={toneOf(one.status)}>{t.states[one.status] ?? one.status}</Badge></p>
      <Facts of={[
        [t.address, one.address && <span class="mono">{one.address}</span>], [t.status, one.http_status || null], [t.took, texts.event.ms(one.duration_ms)], [t.result, one.message],
        [t.form, one.content_type],
      ]} />
      {one.address === null && <p class="quiet">{t.gone}</p>}
      {one.sent !== null && <Text title={t.sent(bytes(one.sent_size ?? 0))} text={one.sent} none={t.nothingSent} />}
      {one.answer !== null && <Text title={t.answer} text={one.answer} none={t.noAnswer} />}
    </>
  );
}

function Text({ title, text, none }: { title: string; text: string; none: string }) {
  return <><h3>{title}</h3>{text ? <pre class="source" tabIndex={0} role="region" aria-label={title}>{pretty(text)}</pre> : <p class="quiet">{none}</p>}</>;
}
