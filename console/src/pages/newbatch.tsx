// A batch to be started: a template, a table dropped on it, which column fills which variable, and what the first rows will look like.
import { useEffect, useMemo, useState } from "preact/hooks";
import { api } from "../api";
import { CheckField, Field, SelectField } from "../components/form";
import { Icon } from "../components/icon";
import { PageHead, Section } from "../components/page";
import { Failure, Waiting } from "../components/states";
import { getStill, Picture, type Still } from "../components/still";
import { tell } from "../components/toast";
import { readCSV, writeCSV } from "../csv";
import { number } from "../format";
import { useAct, useLoad } from "../hooks";
import { go, Link, setQuery, usePlace } from "../router";
import { getTemplate, getTemplates, type Schema } from "../templates";
import { texts } from "../texts";

const t = texts.batches;
const mostRows = 1000;

interface Table { name: string; columns: string[]; rows: string[][]; problem?: string }

export default function NewBatch() {
  const id = usePlace().query.get("template") ?? "";
  const templates = useLoad(getTemplates, []);
  const template = useLoad((signal) => (id ? getTemplate(id, signal) : Promise.resolve(undefined)), [id]);
  const [table, setTable] = useState<Table>();
  return (
    <>
      <p><Link to="/batches">← {t.back}</Link></p>
      <PageHead title={t.start} />
      {(templates.error || template.error) && <Failure message={(templates.error ?? template.error)!.message} retry={() => { templates.reload(); template.reload(); }} />}
      <Section title={t.template}>
        {!templates.data && !templates.error ? <Waiting /> : (
          <div class="fields">
            <SelectField label={t.template} value={id} onValue={(template) => setQuery({ template })} options={[["", t.choose], ...(templates.data ?? []).map((one): [string, string] => [one.id, one.name])]} />
            <Drop onTable={setTable} error={table?.problem} />
            {table && !table.problem && <p role="status">{t.rows(table.rows.length, table.name)}</p>}
          </div>
        )}
      </Section>
      {template.data && table && !table.problem && <Mapped key={id + table.name} id={id} schema={template.data.schema} table={table} />}
    </>
  );
}

function Drop({ onTable, error }: { onTable: (table: Table) => void; error?: string }) {
  const [over, setOver] = useState(false);
  const take = async (file?: File) => file && onTable(await readFile(file));
  return (
    <div class={"dropcsv" + (over ? " over" : "")} onDragOver={(e) => { e.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)} onDrop={(e) => { e.preventDefault(); setOver(false); void take(e.dataTransfer?.files[0]); }}>
      <Field label={t.file} hint={t.drop} error={error}>{(ids) => <input {...ids} type="file" accept=".csv,.tsv,text/csv,text/plain" onChange={(e) => void take(e.currentTarget.files?.[0])} />}</Field>
    </div>
  );
}

async function readFile(file: File): Promise<Table> {
  let rows: string[][];
  try {
    rows = readCSV(new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()));
  } catch {
    return { name: file.name, columns: [], rows: [], problem: t.notUTF8 };
  }
  const [columns = [], ...rest] = rows;
  const problem = rest.length === 0 ? t.noRows : rest.length > mostRows ? t.tooMany : undefined;
  return { name: file.name, columns, rows: rest, problem };
}

// alike are names that mean the same to whoever made the table.
const alike = (a: string, b: string) => a.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "") === b.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

function Mapped({ id, schema, table }: { id: string; schema: Schema; table: Table }) {
  const names = Object.keys(schema.properties ?? {});
  const [map, setMap] = useState(() => table.columns.map((column) => names.find((name) => name === column) ?? names.find((name) => alike(name, column) || alike(schema.properties![name].title ?? "", column)) ?? ""));
  const [strict, setStrict] = useState(false);
  const body = useMemo(() => {
    const used = map.flatMap((name, i) => (name ? [i] : []));
    return writeCSV([used.map((i) => map[i]), ...table.rows.map((cells) => used.map((i) => cells[i] ?? ""))]);
  }, [map.join("\n")]);
  const token = useMemo(() => crypto.randomUUID(), [map.join("\n"), strict]);
  const start = useAct(async () => {
    const a = await api.post<{ batch: string; movies: number }>("/v2/batches", { query: { template: id, all_or_nothing: strict || undefined }, body, headers: { "Content-Type": "text/csv; charset=utf-8", "Idempotency-Key": token } });
    tell(t.started(a.movies));
    go("/batches/" + a.batch);
  });
  return (
    <>
      <Section title={t.columns}>
        <p class="hint">{t.columnsHint}</p>
        <div class="columns">
          {table.columns.map((column, i) => (
            <SelectField key={i} label={t.column(column || String(i + 1))} value={map[i]} onValue={(name) => setMap(map.map((one, at) => (at === i ? name : one === name && name ? "" : one)))}
              options={[["", t.leaveOut], ...names.map((name): [string, string] => [name, schema.properties![name].title || name])]} />
          ))}
        </div>
      </Section>
      <Previews id={id} table={table} map={map} />
      <Price id={id} body={body} mapped={map.some(Boolean)} />
      <Section title={t.start}>
        <CheckField label={t.allOrNothing} checked={strict} onValue={setStrict} />
        {start.error && <p class="error" role="alert" dir="auto">{start.error.message}</p>}
        <div class="actions"><button type="button" class="primary" disabled={start.busy || !map.some(Boolean)} onClick={() => start.run()}><Icon name="play" />{t.go(table.rows.length)}</button></div>
      </Section>
    </>
  );
}

interface Priced { rows: number; movies: number; credits: number; errors: { row: number; column?: string; message: string }[] }

const flawsShown = 20;

// Price tells what all movies cost, and which rows have none, before anything is started.
function Price({ id, body, mapped }: { id: string; body: string; mapped: boolean }) {
  const priced = useLoad((signal) => (mapped ? api.post<Priced>("/v2/batches/validate", { query: { template: id }, body, headers: { "Content-Type": "text/csv; charset=utf-8" }, signal }) : Promise.resolve(undefined)), [id, body]);
  const p = priced.data;
  return (
    <Section title={t.priceTitle}>
      {!mapped ? <p class="hint">{t.priceHint}</p> : priced.error ? <Failure message={priced.error.message} retry={priced.reload} /> : !p || priced.loading ? <Waiting /> : (
        <>
          <p role="status">{t.price(p.movies, number(p.credits))}</p>
          {p.errors.length > 0 && <p class="bad">{t.invalid(p.errors.length)}</p>}
          {p.errors.slice(0, flawsShown).map((e) => <p key={e.row} class="bad" dir="auto">{t.row(e.row)}: {e.column && t.cell(e.column) + ": "}{e.message}</p>)}
        </>
      )}
    </Section>
  );
}

const shown = 3;

function Previews({ id, table, map }: { id: string; table: Table; map: string[] }) {
  const [stills, setStills] = useState<(Still | Error | undefined)[]>([]);
  const movies = table.rows.slice(0, shown).map((cells) => ({ template: id, variables: Object.fromEntries(map.flatMap((name, i) => (name && cells[i] ? [[name, cells[i]]] : []))) }));
  const text = JSON.stringify(movies);
  useEffect(() => {
    const abort = new AbortController();
    setStills([]);
    movies.forEach((movie, i) => {
      const set = (one: Still | Error) => abort.signal.aborted || setStills((all) => Object.assign([...all], { [i]: one }));
      getStill(movie, { size: 480 }, abort.signal).then(set, set);
    });
    return () => abort.abort();
  }, [text]);
  return (
    <Section title={t.previews}>
      <ul class="cards">
        {movies.map((_, i) => {
          const one = stills[i];
          return <li key={i}><span class="template"><span class="glimpse">{!one ? <Waiting /> : one instanceof Error ? <span class="error" dir="auto">{one.message}</span> : <Picture still={one} label={t.preview(i + 1)} />}</span><span class="quiet">{t.preview(i + 1)}</span></span></li>;
        })}
      </ul>
    </Section>
  );
}
