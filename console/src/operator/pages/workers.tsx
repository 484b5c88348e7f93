// The processes: their slots, what they do now, and the sandbox around the programs that they start.
import { Icon } from "../../components/icon";
import { Facts, PageHead, Section } from "../../components/page";
import { Ago, Badge, Progress, type Tone } from "../../components/small";
import { Empty, Failure, Waiting } from "../../components/states";
import { Table } from "../../components/table";
import { room } from "../../format";
import { Link } from "../../router";
import { useFollowed } from "../follow";
import { texts } from "../texts";
import { type Layer, loadWorkers, type Worker } from "../workers";
import { accountPath } from "./accounts";

const t = texts.workers;
const nameOf = (kind: string) => texts.queue.kindNames[kind] ?? kind;

export default function Workers() {
  const workers = useFollowed(loadWorkers);
  return (
    <>
      <PageHead title={t.title} note={t.note}><button type="button" onClick={workers.reload}><Icon name="again" />{t.reload}</button></PageHead>
      {workers.error && <Failure message={workers.error.message} retry={workers.reload} />}
      {!workers.data && !workers.error && <Waiting />}
      {workers.data?.length === 0 && <Empty icon="grid" title={t.none}><p>{t.noneHint}</p></Empty>}
      {workers.data?.map((w) => <One key={w.name} of={w} />)}
    </>
  );
}

function One({ of: w }: { of: Worker }) {
  const at = (kind: string) => w.doing.filter((d) => d.kind === kind).length;
  return (
    <Section title={w.name} actions={<Badge tone={w.alive ? "good" : "bad"}>{w.alive ? t.alive : t.silent}</Badge>}>
      {!w.alive && <p>{t.silentHint}</p>}
      <div class="twocolumns">
        <div>
          <h3>{t.doing}</h3>
          {w.doing.length === 0 && <p class="quiet">{t.idle}</p>}
          {w.doing.length > 0 && <Table label={t.doing} head={[t.work, t.account, t.since, t.progress]} rows={w.doing.map((d) => ({ id: d.work, cells: [
            <>{nameOf(d.kind)}<br /><span class="mono">{d.subject}</span>{d.attempt > 1 && <span class="quiet"> {t.attempt(d.attempt)}</span>}</>,
            d.account && <Link to={accountPath(d.account)}>{d.account}</Link>, d.since && <Ago at={d.since} />,
            d.percent !== null && <Progress percent={Math.round(d.percent)} label={t.progressOf(d.subject)} />,
          ] }))} />}
        </div>
        <div>
          <Facts of={[
            [t.roles, w.roles.join(", ")], [t.version, w.version], [t.started, w.started_at && <Ago at={w.started_at} />], [t.disk, w.disk_total > 0 && t.diskOf(room(w.disk_free), room(w.disk_total))],
            ...w.slots.filter((s) => ["fetch", "render", "preload", "deliver"].includes(s.kind)).map((s): [string, string] => [`${t.slots}: ${nameOf(s.kind)}`, t.used(at(s.kind), s.slots)]),
          ]} />
        </div>
      </div>
      {w.alive && <><h3>{t.sandbox}</h3>{w.sandbox.length ? <Sandbox of={w.sandbox} /> : <p class="quiet">{t.noSandbox}</p>}</>}
    </Section>
  );
}

const toneOf = (state: Layer["state"]): Tone => (state === "on" ? "good" : state === "unneeded" ? "calm" : "bad");

function Sandbox({ of: all }: { of: Layer[] }) {
  const programs = [...new Set(all.map((l) => l.program))], layers = [...new Set(all.map((l) => l.layer))];
  const state = (program: string, layer: string) => all.find((l) => l.program === program && l.layer === layer);
  return (
    <>
      {all.some((l) => l.state === "missing" || l.state === "off") && <p class="bad">{t.partly}</p>}
      <Table label={t.sandbox} head={[t.program, ...layers.map(t.layer)]} rows={programs.map((p) => ({ id: p, cells: [p, ...layers.map((layer) => {
        const l = state(p, layer);
        return l && <span title={l.detail}><Badge tone={toneOf(l.state)}>{l.state}</Badge></span>;
      })] }))} />
    </>
  );
}
