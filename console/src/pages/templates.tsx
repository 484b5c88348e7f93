// The templates: the account's own and those of the library, with pictures.
import { useState } from "preact/hooks";
import { api } from "../api";
import { Icon } from "../components/icon";
import { PageHead, Section } from "../components/page";
import { Ago } from "../components/small";
import { Empty, Failure, Waiting } from "../components/states";
import { Glimpse } from "../components/still";
import { tell } from "../components/toast";
import { TextField } from "../components/form";
import { useAct, useLoad } from "../hooks";
import { go, Link } from "../router";
import { may } from "../session";
import { getLibrary, getTemplates, type Shelf, type Template } from "../templates";
import { texts } from "../texts";

const t = texts.templates;

export default function Templates() {
  const own = useLoad(getTemplates, []);
  const library = useLoad((signal) => (may("render") ? getLibrary(signal) : Promise.resolve([])), []);
  const [search, setSearch] = useState("");
  const fits = (one: Template) => (one.name + " " + one.tags.join(" ")).toLowerCase().includes(search.trim().toLowerCase());
  const create = useAct(async () => {
    const saved = await api.post<{ templateId: string }>("/v2/templates", { body: { name: t.newName, movie: fresh } });
    go("/templates/" + saved.templateId);
  });
  const found = own.data?.filter(fits), shelf = library.data?.filter(fits);
  return (
    <>
      <PageHead title={t.title}>
        {may("editor") && <button type="button" class="primary" disabled={create.busy} onClick={() => create.run()}><Icon name="plus" />{t.create}</button>}
      </PageHead>
      {create.error && <Failure message={create.error.message} />}
      <form class="filters" role="search" aria-label={t.filter} onSubmit={(e) => e.preventDefault()}>
        <TextField label={t.search} type="search" value={search} onValue={setSearch} />
      </form>
      <Section title={t.own}>
        {own.error && <Failure message={own.error.message} retry={own.reload} />}
        {!own.data && !own.error && <Waiting />}
        {found?.length === 0 && <Empty icon="grid" title={search ? t.noneFound : t.none}><p>{search ? t.noneFoundHint : t.noneHint}</p></Empty>}
        {found && found.length > 0 && <ul class="cards" aria-label={t.own}>{found.map((one) => <li key={one.id}><Own template={one} /></li>)}</ul>}
      </Section>
      {may("render") && (
        <Section title={t.library}>
          {library.error && <Failure message={library.error.message} retry={library.reload} />}
          {!library.data && !library.error && <Waiting />}
          {shelf?.length === 0 && <p class="quiet">{search ? t.noneFoundHint : t.libraryEmpty}</p>}
          {shelf && shelf.length > 0 && <ul class="cards" aria-label={t.library}>{shelf.map((one) => <li key={one.id}><Published template={one} /></li>)}</ul>}
        </Section>
      )}
    </>
  );
}

// fresh is what a new template begins with.
const fresh = {
  resolution: "hd", variables: { headline: "Your headline" },
  scenes: [{ duration: 4, "background-color": "#14213d", elements: [{ type: "text", text: "{{headline}}", settings: { "font-size": "90px", color: "#ffffff" } }] }],
};

function Own({ template: one }: { template: Template }) {
  return (
    <Link to={"/templates/" + one.id} class="template">
      {may("render") ? <Glimpse movie={{ template: one.id }} label={t.picture(one.name)} /> : <span class="glimpse"><Icon name="grid" /></span>}
      <span class="what">
        <strong dir="auto">{one.name}</strong>
        <span class="quiet">{one.width} × {one.height} · <Ago at={one.updated_at} /></span>
        {one.tags.length > 0 && <span class="tags" dir="auto">{one.tags.join(", ")}</span>}
      </span>
    </Link>
  );
}

function Published({ template: one }: { template: Shelf }) {
  const [playing, play] = useState(false);
  const copy = useAct(async () => {
    const saved = await api.post<{ templateId: string }>("/v2/templates", { query: { action: "duplicate", id: one.id }, body: {} });
    tell(t.copied);
    go("/templates/" + saved.templateId);
  });
  return (
    <div class="template">
      <span class="glimpse">
        {playing && one.video_url
          ? <video src={one.video_url} autoplay loop muted playsInline aria-label={t.example(one.name)} />
          : one.thumbnail_url ? <img src={one.thumbnail_url} alt={t.picture(one.name)} loading="lazy" /> : <Icon name="grid" />}
      </span>
      <span class="what">
        <strong dir="auto">{one.name}</strong>
        <span class="quiet">{one.width} × {one.height}</span>
        {one.credit && <span class="quiet small" dir="auto">{one.credit}</span>}
      </span>
      <span class="actions">
        {one.video_url && <button type="button" aria-pressed={playing} onClick={() => play(!playing)}>{playing ? t.stop : t.play}<span class="hiddentext"> {one.name}</span></button>}
        {may("editor") && <button type="button" disabled={copy.busy} onClick={() => copy.run()}>{t.use}<span class="hiddentext"> {one.name}</span></button>}
      </span>
      {copy.error && <p class="error" role="alert">{copy.error.message}</p>}
    </div>
  );
}
