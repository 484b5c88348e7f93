// One movie: what it looks like, how it came to be, and what can be done with it.
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api";
import { Confirm } from "../components/dialog";
import { Icon } from "../components/icon";
import { Facts, PageHead, Section } from "../components/page";
import { Ago, Badge, Copy, Progress } from "../components/small";
import { Failure, Waiting } from "../components/states";
import { tell } from "../components/toast";
import { bytes, length, moment, number } from "../format";
import { useAct, useLoad } from "../hooks";
import { getMovie, nameOf, open, tones, type Delivery, type Movie } from "../movies";
import { around, partOf } from "../pointing";
import { Link } from "../router";
import { may } from "../session";
import { texts } from "../texts";

const t = texts.movie;

interface Happened {
  number: number; type: string; at: string; worker?: string; attempt?: number; success?: boolean; message?: string; credits?: number; reason?: string;
  cached_from?: string; spent?: { took_ms: number; frames_encoded: number; frames_cached: number; stages: { stage: string; ms: number }[] };
  delivery?: { index?: number; try?: number; type?: string; status?: string; http_status?: number; duration_ms?: number };
}

export default function Page({ project }: { project: string }) {
  const movie = useLoad((signal) => getMovie(project, signal), [project]);
  const under = !!movie.data && open(movie.data);
  useEffect(() => {
    if (!under) return;
    const abort = new AbortController();
    follow(project, abort.signal, (now) => movie.set({ ...movie.data!, ...now }), movie.reload);
    return () => abort.abort();
  }, [project, under]);
  if (!movie.data) return movie.error ? <><BackLink /><Failure message={movie.error.message} retry={movie.reload} /></> : <Waiting />;
  return <Shown movie={movie.data} reload={movie.reload} />;
}

// Warning leads to the place in the JSON that it speaks of.
function Warning({ text, part, point }: { text: string; part?: object; point: (to: { part: object }) => void }) {
  if (!part) return <span>{text}</span>;
  return <button type="button" class="plain pointing" onClick={() => point({ part })} aria-label={t.showPlace(text)} dir="auto">{text}</button>;
}

// follow tells of a movie's progress until it ends; a stream that breaks is opened again.
async function follow(project: string, signal: AbortSignal, change: (now: Partial<Movie>) => void, ended: () => void) {
  while (!signal.aborted) {
    let done = false;
    await api.events("/v2/movies/progress", { project }, signal, (name, data) => {
      change({ status: data.status, progress: data.progress });
      done ||= name === "end";
    }).catch(() => {});
    if (done) return ended();
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

const BackLink = () => <p><Link to="/movies">← {t.back}</Link></p>;

function Shown({ movie: m, reload }: { movie: Movie; reload: () => void }) {
  const [part, point] = useState<{ part: object } | undefined>(undefined);
  return (
    <>
      <BackLink />
      <PageHead title={nameOf(m)} note={<><span class="mono">{m.project}</span> <Copy text={m.project} label={t.copyProject} /></>}>
        <Actions movie={m} reload={reload} />
      </PageHead>
      <div class="twocolumns">
        <div>
          <Player movie={m} />
          {m.message && <Failure message={m.message} />}
          {m.warnings.length > 0 && <Section title={t.warnings}><ul class="warnings">{m.warnings.map((w) => <li key={w} dir="auto"><Icon name="warning" /><Warning text={w} part={partOf(m.json, w)} point={point} /></li>)}</ul></Section>}
          <Deliveries movie={m} reload={reload} />
          <History movie={m} />
        </div>
        <div>
          <Details movie={m} />
          <Source movie={m} part={part} />
        </div>
      </div>
    </>
  );
}

function Player({ movie: m }: { movie: Movie }) {
  if (m.url) return <video class="player" controls preload="metadata" poster={m.thumbnail ?? undefined} src={m.url} aria-label={t.video(nameOf(m))} />;
  return (
    <div class="player none">
      {open(m) ? <><p>{m.status === "running" ? t.rendering : t.waiting}</p><Progress percent={m.progress} label={texts.movies.progress(nameOf(m))} /></> : <p>{t.noVideo}</p>}
    </div>
  );
}

function Actions({ movie: m, reload }: { movie: Movie; reload: () => void }) {
  const [asking, ask] = useState<"" | "cancel" | "remove">("");
  const after = (text: string) => () => { tell(text); reload(); };
  if (!may("render")) return m.url ? <a class="button" href={m.url} download><Icon name="download" />{t.download}</a> : null;
  return (
    <>
      {m.url && <a class="button" href={m.url} download><Icon name="download" />{t.download}</a>}
      {m.json !== undefined && m.json !== null && <Link to={"/write?movie=" + m.project} class="button"><Icon name="again" />{t.again}</Link>}
      {open(m) && <button type="button" onClick={() => ask("cancel")}><Icon name="close" />{t.cancel}</button>}
      {m.url && <button type="button" onClick={() => ask("remove")}><Icon name="trash" />{t.remove}</button>}
      {asking === "cancel" && <Confirm title={t.cancelTitle} text={t.cancelText} yes={t.cancel} danger onClose={() => ask("")}
        act={() => api.post("/v2/movies/cancel", { query: { project: m.project } }).then(after(t.cancelled))} />}
      {asking === "remove" && <Confirm title={t.removeTitle} text={t.removeText} yes={t.remove} danger onClose={() => ask("")}
        act={() => api.delete("/v2/movies", { project: m.project }).then(after(t.removed))} />}
    </>
  );
}

function Details({ movie: m }: { movie: Movie }) {
  const data = Object.entries(m["client-data"] ?? {});
  return (
    <Section title={t.facts} actions={<Badge tone={tones[m.status]}>{texts.status[m.status]}</Badge>}>
      <Facts of={[
        [t.created, <Ago at={m.created_at} />],
        [t.started, m.started_at && <Ago at={m.started_at} />],
        [t.ended, m.ended_at && <Ago at={m.ended_at} />],
        [t.took, m.rendering_time !== null && length(m.rendering_time)],
        [t.length, m.duration !== null && length(m.duration, 3)],
        [t.size, m.width !== null && `${m.width} × ${m.height}`],
        [t.bytes, m.size !== null && bytes(m.size)],
        [t.credits, number(m.consumed_credits)],
        [t.loudness, m.loudness && `${m.loudness.integrated ?? "−∞"} LUFS, ${m.loudness.true_peak} dBTP`],
        [t.draft, m.draft && t.yes],
        [t.captions, m.ass && <a href={m.ass} download>{t.download}</a>],
      ].filter(([, value]) => value !== false) as [string, string][]} />
      {data.length > 0 && <><h3>{t.data}</h3><Facts of={data.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])} /></>}
    </Section>
  );
}

function Deliveries({ movie: m, reload }: { movie: Movie; reload: () => void }) {
  const again = useAct(async (index?: number) => {
    await api.post("/v2/movies/redeliver", { query: { project: m.project, index } });
    tell(t.redelivered);
    reload();
  });
  const results = m.destinations_result ?? [];
  if (results.length === 0) return null;
  const button = (index?: number) => may("render") && !open(m) && <button type="button" disabled={again.busy} onClick={() => again.run(index)}><Icon name="again" />{index === undefined ? t.redeliverAll : t.redeliver}</button>;
  return (
    <Section title={t.deliveries} actions={results.length > 1 && button()}>
      {again.error && <p class="error" role="alert">{again.error.message}</p>}
      <ul class="rows">{results.map((d) => <li key={d.index}><Tried delivery={d} />{button(d.index)}</li>)}</ul>
    </Section>
  );
}

function Tried({ delivery: d }: { delivery: Delivery }) {
  return (
    <span class="what">
      <span><strong>{d.type}</strong> <span dir="auto">{d.id}</span> <Badge tone={d.status === "ok" ? "good" : d.status === "error" ? "bad" : "calm"}>{d.status}</Badge></span>
      <span class="quiet" dir="auto">{[d.http_status || "", t.attempts(d.attempts), texts.event.ms(d.duration_ms), d.message].filter(Boolean).join(" · ")}</span>
    </span>
  );
}

function History({ movie: m }: { movie: Movie }) {
  const events = useLoad((signal) => api.get<{ events: Happened[] }>("/v2/movies/events", { project: m.project }, signal).then((a) => a.events), [m.project, m.status, m.ended_at, m.deleted_at]);
  return (
    <Section title={t.events}>
      {events.error && <Failure message={events.error.message} retry={events.reload} />}
      {!events.data && !events.error && <Waiting />}
      {events.data && <ol class="history">{events.data.map((e) => <li key={e.number} class={e.success === false ? "bad" : ""}><strong>{texts.events[e.type] ?? e.type}</strong> <time class="quiet" dateTime={e.at}>{moment(e.at)}</time><span class="quiet" dir="auto">{said(e)}</span>{!!e.spent?.stages.length && <Stages of={e.spent.stages} />}</li>)}</ol>}
    </Section>
  );
}

// said is what an event tells beside its name.
function said(e: Happened): string {
  const d = e.delivery, words = texts.event;
  return [
    e.attempt && words.attempt(e.attempt), e.worker && words.worker(e.worker), e.credits !== undefined && words.credits(e.credits), e.reason && words.reason[e.reason],
    e.cached_from && words.cachedFrom(e.cached_from), !!e.spent?.frames_cached && words.frames(e.spent.frames_cached, e.spent.frames_cached + e.spent.frames_encoded),
    d?.index !== undefined && words.destination(d.index), d?.type, d?.try && words.try(d.try), d?.status, d?.http_status, d?.duration_ms && words.ms(d.duration_ms), e.message,
  ].filter(Boolean).join(" · ");
}

// Stages are what the time of a render was spent on.
function Stages({ of: stages }: { of: { stage: string; ms: number }[] }) {
  const words = texts.event;
  return <ul class="stages quiet" aria-label={words.stages}>{stages.filter((s) => s.ms > 0).map((s) => <li key={s.stage}>{words.stage(words.stageNames[s.stage] ?? s.stage, words.ms(s.ms))}</li>)}</ul>;
}

// Source is the JSON that the movie was made of. A part of it is marked and scrolled to.
function Source({ movie: m, part }: { movie: Movie; part?: { part: object } }) {
  const mark = useRef<HTMLElement>(null);
  useEffect(() => {
    mark.current?.scrollIntoView({ block: "center" });
    mark.current?.closest<HTMLElement>(".source")?.focus({ preventScroll: true });
  }, [part]);
  if (m.json === undefined || m.json === null) return null;
  const text = typeof m.json === "string" ? m.json : JSON.stringify(m.json, null, 2);
  const pieces = part && around(m.json, part.part);
  return (
    <Section title={t.json} actions={<Copy text={text} label={t.copyJSON} />}>
      <pre class="source" tabIndex={0} role="region" aria-label={t.json}>{pieces ? <>{pieces[0]}<mark ref={mark}>{pieces[1]}</mark>{pieces[2]}</> : text}</pre>
    </Section>
  );
}
