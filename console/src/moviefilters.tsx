// What the list of movies is narrowed by. It stands in the page's address, named as the parameters of GET /v2/movies are.
import { useState } from "preact/hooks";
import { SelectField, TextField } from "./components/form";
import { Icon } from "./components/icon";
import { useLoad } from "./hooks";
import { setQuery } from "./router";
import { getTemplates } from "./templates";
import { texts } from "./texts";

const t = texts.movies;
const plain = ["status", "template", "from", "to", "project", "movie_id"];
const data = "client-data.";
const mostData = 5; // values of client-data that the interface takes at once

export type Given = Record<string, string>;

// filtersOf are the filters in an address; everything else in it is left out.
export function filtersOf(query: URLSearchParams): Given {
  return Object.fromEntries([...query].filter(([name, value]) => value !== "" && (plain.includes(name) || (name.startsWith(data) && name.length > data.length))));
}

export function Filters({ given }: { given: Given }) {
  const templates = useLoad((signal) => getTemplates(signal), []);
  const change = (next: Given) => setQuery({ ...given, ...next });
  const named = (templates.data ?? []).map((one): [string, string] => [one.id, one.name]);
  if (given.template && !named.some(([id]) => id === given.template)) named.unshift([given.template, given.template]);
  return (
    <div class="narrow">
      <Search given={given} change={change} />
      <div class="filters" role="group" aria-label={t.filters}>
        <SelectField label={t.status} value={given.status ?? ""} onValue={(status) => change({ status })} options={[["", t.all], ...Object.entries(texts.status)]} />
        <SelectField label={t.template} value={given.template ?? ""} onValue={(template) => change({ template })} options={[["", t.allTemplates], ...named]} />
        <TextField label={t.from} type="date" value={given.from ?? ""} onValue={(from) => change({ from })} max={given.to} />
        <TextField label={t.to} type="date" value={given.to ?? ""} onValue={(to) => change({ to })} min={given.from} />
      </div>
      <Chosen given={given} change={change} />
    </div>
  );
}

// Search finds movies by exactly one value; several values of client-data narrow the list further.
function Search({ given, change }: { given: Given; change: (next: Given) => void }) {
  const [by, setBy] = useState("project"), [name, setName] = useState(""), [value, setValue] = useState("");
  const full = by === "data" && !((data + name.trim()) in given) && Object.keys(given).filter((one) => one.startsWith(data)).length >= mostData;
  const submit = (event: Event) => {
    event.preventDefault();
    if (full || !value.trim()) return;
    change({ [by === "data" ? data + name.trim() : by]: value.trim() });
    setValue("");
  };
  return (
    <form class="filters search" role="search" aria-label={t.searchFor} onSubmit={submit}>
      <SelectField label={t.by} value={by} onValue={setBy} options={[["project", t.project], ["movie_id", t.own], ["data", t.data]]} />
      {by === "data" && <TextField label={t.dataName} value={name} onValue={setName} required spellcheck={false} />}
      <TextField label={t.exactly} value={value} onValue={setValue} error={full ? t.full(mostData) : undefined} placeholder={by === "project" ? t.projectHint : undefined} maxLength={by === "project" ? 16 : undefined}
        type="search" required spellcheck={false} />
      <button><Icon name="search" />{t.search}</button>
    </form>
  );
}

// Chosen are the searches in force, each to be taken away, and all filters at once.
function Chosen({ given, change }: { given: Given; change: (next: Given) => void }) {
  if (Object.keys(given).length === 0) return null;
  const searches = Object.keys(given).filter((name) => name === "project" || name === "movie_id" || name.startsWith(data));
  const called = (name: string) => (name === "project" ? t.project : name === "movie_id" ? t.own : name.slice(data.length));
  return (
    <div class="chosen">
      {searches.length > 0 && <ul aria-label={t.searches}>{searches.map((name) => (
        <li key={name}><span dir="auto"><span class="quiet">{called(name)}</span> {given[name]}</span>
          <button type="button" class="plain" aria-label={t.without(called(name))} title={t.without(called(name))} onClick={() => change({ [name]: "" })}><Icon name="close" /></button></li>
      ))}</ul>}
      <button type="button" class="plain" onClick={() => setQuery({})}>{t.clear}</button>
    </div>
  );
}
