// One template: a form made of its variables with a live preview, its JSON, and what was made of it.
import { useEffect, useMemo, useState } from "preact/hooks";
import { api } from "../api";
import { Confirm } from "../components/dialog";
import { CheckField, SelectField, TextArea, TextField } from "../components/form";
import { Icon } from "../components/icon";
import { PageHead, Section } from "../components/page";
import { Ago, Badge, Copy } from "../components/small";
import { Failure, Waiting } from "../components/states";
import { getStill, Picture, type Still } from "../components/still";
import { tell } from "../components/toast";
import { length } from "../format";
import { useAct, useLoad } from "../hooks";
import { nameOf, tones, type MoviePage } from "../movies";
import { go, Link } from "../router";
import { may } from "../session";
import { getTemplate, read, typeOf, written, type Schema, type Template, type Values } from "../templates";
import { texts } from "../texts";

const t = texts.template;

type Whole = Awaited<ReturnType<typeof getTemplate>>;

export default function Page({ id }: { id: string }) {
  const loaded = useLoad((signal) => getTemplate(id, signal), [id]);
  if (!loaded.data) return loaded.error ? <><BackLink /><Failure message={loaded.error.message} retry={loaded.reload} /></> : <Waiting />;
  return <Shown template={loaded.data} reload={loaded.reload} />;
}

const BackLink = () => <p><Link to="/templates">← {t.back}</Link></p>;

function Shown({ template: one, reload }: { template: Whole; reload: () => void }) {
  const [removing, remove] = useState(false);
  const [editing, edit] = useState(false);
  const [values, setValues] = useState<Values>({});
  const copy = useAct(async () => {
    const saved = await api.post<{ templateId: string }>("/v2/templates", { query: { action: "duplicate", id: one.id }, body: {} });
    tell(t.copied);
    go("/templates/" + saved.templateId);
  });
  const movie = useMemo(() => ({ template: one.id, ...(Object.keys(values).length > 0 ? { variables: values } : {}) }), [one.id, values]);
  return (
    <>
      <BackLink />
      <PageHead title={one.name} note={<><span class="mono">{one.id}</span> <Copy text={one.id} label={t.copyID} /></>}>
        {may("editor") && <button type="button" aria-expanded={editing} onClick={() => edit(!editing)}><Icon name="pen" />{t.edit}</button>}
        {may("editor") && <button type="button" disabled={copy.busy} onClick={() => copy.run()}><Icon name="copy" />{t.duplicate}</button>}
        {may("editor") && <button type="button" onClick={() => remove(true)}><Icon name="trash" />{t.remove}</button>}
      </PageHead>
      {copy.error && <Failure message={copy.error.message} />}
      {removing && <Confirm title={t.removeTitle(one.name)} text={t.removeText} yes={t.remove} danger onClose={() => remove(false)}
        act={() => api.delete("/v2/templates", { id: one.id }).then(() => { tell(t.removed); go("/templates"); })} />}
      {editing && <Editor template={one} done={() => { edit(false); reload(); }} />}
      <div class="twocolumns">
        <div>{may("render") ? <Preview movie={movie} name={one.name} version={one.updated_at} /> : <p class="quiet">{t.noPreview}</p>}</div>
        <div>
          <Form schema={one.schema} onValues={setValues} />
          <Render movie={movie} />
          <Uses id={one.id} />
        </div>
      </div>
    </>
  );
}

// Preview draws the movie again a moment after the last change.
const pause = 250;

function Preview({ movie, name, version }: { movie: unknown; name: string; version: string }) {
  const [time, setTime] = useState<number>();
  const [fetching, setFetching] = useState(false);
  const [still, setStill] = useState<Still>();
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(true);
  useEffect(() => {
    const abort = new AbortController();
    setBusy(true);
    const timer = setTimeout(() => getStill(movie, { time, fetch: fetching || undefined, size: 960 }, abort.signal).then(
      (next) => { if (!abort.signal.aborted) { setStill(next); setError(undefined); setBusy(false); } },
      (error) => { if (!abort.signal.aborted) { setError(error); setBusy(false); } },
    ), pause);
    return () => { abort.abort(); clearTimeout(timer); };
  }, [movie, time, fetching, version]);
  return (
    <Section title={t.preview} actions={<span class="quiet" role="status">{busy ? t.drawing : still && (still.exact ? t.length(length(still.duration)) : t.about(length(still.duration)))}</span>}>
      {error && <Failure message={error.message} />}
      {still ? <Picture still={still} label={t.picture(name)} class={error || busy ? "old" : ""} /> : !error && <Waiting label={t.drawing} />}
      {still && (
        <div class="moments">
          <label class="quiet">{t.moment}
            <input type="range" min={0} max={Math.max(0, still.duration - 0.04)} step={0.04} value={time ?? still.duration / 2} aria-valuetext={length(time ?? still.duration / 2)}
              onInput={(e) => setTime(Number(e.currentTarget.value))} />
          </label>
          <CheckField label={t.fetch} checked={fetching} onValue={setFetching} />
        </div>
      )}
      {still && still.missing.length > 0 && <ul class="warnings">{still.missing.map((m) => <li key={m} dir="auto"><Icon name="warning" /><span>{m}</span></li>)}</ul>}
      {still && still.warnings.length > 0 && <ul class="warnings">{still.warnings.map((w) => <li key={w} dir="auto"><Icon name="warning" /><span>{w}</span></li>)}</ul>}
    </Section>
  );
}

// Form has an input for each variable. What is left as the template has it is not sent.
function Form({ schema, onValues }: { schema: Schema; onValues: (values: Values) => void }) {
  const names = Object.keys(schema.properties ?? {});
  const [inputs, setInputs] = useState<Record<string, string>>({});
  const [errors, setErrors] = useState<Record<string, string>>({});
  const change = (name: string, text: string) => {
    const next = { ...inputs, [name]: text };
    const wrong: Record<string, string> = {}, values: Values = {};
    for (const [key, input] of Object.entries(next)) {
      const property = schema.properties![key];
      if (input === written(property, property.default)) continue;
      try {
        values[key] = read(property, input);
      } catch {
        wrong[key] = typeOf(property) === "number" ? t.notNumber : t.notJSON;
      }
    }
    setInputs(next);
    setErrors(wrong);
    if (Object.keys(wrong).length === 0) onValues(values);
  };
  const reset = () => { setInputs({}); setErrors({}); onValues({}); };
  return (
    <Section title={t.variables} actions={Object.keys(inputs).length > 0 && <button type="button" class="plain" onClick={reset}>{t.reset}</button>}>
      {names.length === 0 && <p class="quiet">{t.noVariables}</p>}
      <form class="fields" onSubmit={(e) => e.preventDefault()}>
        {names.map((name) => <Input key={name} name={name} of={schema.properties![name]} value={inputs[name]} error={errors[name]} onValue={(text) => change(name, text)} />)}
      </form>
    </Section>
  );
}

function Input({ name, of, value, error, onValue }: { name: string; of: Schema; value?: string; error?: string; onValue: (text: string) => void }) {
  const shown = value ?? written(of, of.default);
  const common = { label: of.title || name, hint: of.description, error, value: shown, onValue };
  switch (typeOf(of)) {
    case "choice": {
      const options = of.oneOf!.map((o): [string, string] => [o.const, o.title || o.const]);
      return <SelectField {...common} options={options.some(([v]) => v === shown) ? options : [[shown, shown], ...options]} />;
    }
    case "boolean":
      return <CheckField label={common.label} checked={shown === "true"} onValue={(on) => onValue(String(on))} />;
    case "number":
      return <TextField {...common} inputMode="decimal" />;
    case "json":
      return <TextArea {...common} class="mono" rows={Math.min(12, shown.split("\n").length + 1)} spellcheck={false} dir="ltr" />;
    default:
      return shown.length > 60 || shown.includes("\n") ? <TextArea {...common} rows={3} /> : <TextField {...common} />;
  }
}

function Render({ movie }: { movie: unknown }) {
  const submit = useAct(async () => {
    const { project } = await api.post<{ project: string }>("/v2/movies", { body: movie });
    tell(t.submitted);
    go("/movies/" + project);
  });
  if (!may("render")) return null;
  return (
    <div class="section">
      {submit.error && <p class="error" role="alert">{submit.error.message}</p>}
      <div class="actions"><button type="button" class="primary" disabled={submit.busy} onClick={() => submit.run()}><Icon name="play" />{t.render}</button></div>
    </div>
  );
}

const days = 89;

// Uses are the movies that were made of it lately.
function Uses({ id }: { id: string }) {
  const from = new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
  const movies = useLoad((signal) => api.get<MoviePage>("/v2/movies", { template: id, from, limit: 5, format: "simple" }, signal), [id]);
  return (
    <Section title={t.uses}>
      {movies.error && <Failure message={movies.error.message} retry={movies.reload} />}
      {movies.data?.movies.length === 0 && <p class="quiet">{t.noUses}</p>}
      {movies.data && movies.data.movies.length > 0 && (
        <ul class="plainlist">
          {movies.data.movies.map((m) => <li key={m.project}><Link to={"/movies/" + m.project}>{nameOf(m)}</Link> <Badge tone={tones[m.status]}>{texts.status[m.status]}</Badge> <span class="quiet"><Ago at={m.created_at} /></span></li>)}
        </ul>
      )}
    </Section>
  );
}

function Editor({ template: one, done }: { template: Template & { movie: unknown }; done: () => void }) {
  const [name, setName] = useState(one.name);
  const [tags, setTags] = useState(one.tags.join(", "));
  const [movie, setMovie] = useState(JSON.stringify(one.movie, null, 2));
  let wrong = "";
  try {
    JSON.parse(movie);
  } catch (error) {
    wrong = (error as Error).message;
  }
  const save = useAct(async () => {
    await api.post("/v2/templates", { query: { id: one.id }, body: { name, tags, movie: JSON.parse(movie) } });
    tell(t.saved);
    done();
  });
  return (
    <Section title={t.edit}>
      <form class="fields" onSubmit={(e) => { e.preventDefault(); if (!wrong) save.run(); }}>
        <TextField label={t.name} value={name} onValue={setName} required maxLength={100} />
        <TextField label={t.tags} hint={t.tagsHint} value={tags} onValue={setTags} />
        <TextArea label={t.json} value={movie} onValue={setMovie} error={wrong} rows={16} class="mono" spellcheck={false} dir="ltr" />
        {save.error && <p class="error" role="alert">{save.error.message}</p>}
        <div class="actions"><button class="primary" disabled={save.busy || !!wrong}>{t.save}</button></div>
      </form>
    </Section>
  );
}
