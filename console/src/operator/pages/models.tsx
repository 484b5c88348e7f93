// The read models: how far they are, and making them again.
import { useState } from "preact/hooks";
import { api } from "../../api";
import { Confirm } from "../../components/dialog";
import { Icon } from "../../components/icon";
import { Facts, PageHead, Section } from "../../components/page";
import { Ago, Badge, Progress } from "../../components/small";
import { Failure, Waiting } from "../../components/states";
import { Table } from "../../components/table";
import { tell } from "../../components/toast";
import { number } from "../../format";
import { useFollowed } from "../follow";
import { may } from "../session";
import { texts } from "../texts";

const t = texts.models;

interface Model { name: string; collection: string; shape: number; building: boolean }
interface Rebuild { running: boolean; models: string[]; started_at: string; ended_at: string | null; percent: number; message: string }
interface Answer { caught_up: boolean; message: string; position: number; head: number; lag_events: number; lag_seconds: number; generation: number; models: Model[]; rebuild: Rebuild | null }

export default function Models() {
  const found = useFollowed((signal) => api.get<Answer>("/admin/projections", {}, signal));
  const [asked, ask] = useState<{ name?: string }>();
  const a = found.data;
  const can = may("operator") && !a?.rebuild?.running;
  return (
    <>
      <PageHead title={t.title} note={t.note}>
        {a && may("operator") && <button type="button" disabled={!can} onClick={() => ask({})}>{t.all}</button>}
        <button type="button" onClick={found.reload}><Icon name="again" />{t.reload}</button>
      </PageHead>
      {found.error && <Failure message={found.error.message} retry={found.reload} />}
      {!a && !found.error && <Waiting />}
      {a?.message && <Failure message={t.failing(a.message)} />}
      {a && (
        <Section title={t.lag} actions={<Badge tone={a.lag_events === 0 ? "good" : "busy"}>{a.lag_events === 0 ? t.upToDate : t.behind}</Badge>}>
          <Facts of={[
            [t.behindShort, a.lag_events ? `${t.events(a.lag_events)}, ${t.seconds(a.lag_seconds)}` : t.events(0)], [t.position, t.of(number(a.position), number(a.head))], [t.generation, number(a.generation)],
          ]} />
        </Section>
      )}
      {a?.rebuild && <Last of={a.rebuild} />}
      {a && (
        <Section title={t.models}>
          <Table label={t.models} head={[t.name, t.collection, t.shape, t.state, ...(may("operator") ? [t.one] : [])]} numbers={[2]} rows={a.models.map((m) => ({ id: m.name, cells: [
            m.name, <span class="mono">{m.collection}</span>, m.shape, <Badge tone={m.building ? "busy" : "good"}>{m.building ? t.building : t.current}</Badge>,
            ...(may("operator") ? [<button type="button" class="plain" disabled={!can} aria-label={t.oneOf(m.name)} onClick={() => ask({ name: m.name })}>{t.one}</button>] : []),
          ] }))} />
        </Section>
      )}
      {asked && <Confirm title={asked.name ? t.oneTitle(asked.name) : t.allTitle} text={t.text} yes={asked.name ? t.one : t.all} onClose={() => ask(undefined)}
        act={() => api.post("/admin/projections/rebuild", { body: asked.name ? { models: [asked.name] } : {} }).then(() => { tell(t.begun); found.reload(); })} />}
    </>
  );
}

function Last({ of: r }: { of: Rebuild }) {
  return (
    <Section title={t.last} actions={<Badge tone={r.running ? "busy" : r.message ? "bad" : "good"}>{r.running ? t.running : r.message ? t.failed : t.done}</Badge>}>
      {r.message && <p class="bad" dir="auto">{r.message}</p>}
      {r.running && <Progress percent={Math.round(r.percent)} label={t.progress} />}
      <Facts of={[[t.what, r.models.join(", ") || t.everything], [t.started, <Ago at={r.started_at} />], [t.ended, r.ended_at && <Ago at={r.ended_at} />]]} />
    </Section>
  );
}
