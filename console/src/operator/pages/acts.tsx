// What operators have done.
import { useState } from "preact/hooks";
import { api } from "../../api";
import { TextField } from "../../components/form";
import { List, useEndless } from "../../components/list";
import { PageHead } from "../../components/page";
import { Ago, Badge } from "../../components/small";
import { Empty } from "../../components/states";
import { setQuery, usePlace } from "../../router";
import { texts } from "../texts";

const t = texts.acts;

export interface Act { id: string; who: string; act: string; on: string; how: string; at: string; refused: string | null }

interface Page { acts: Act[]; next_token: string | null }

export async function loadActs(query: { on?: string; limit?: number }, next: string | undefined, signal: AbortSignal) {
  const page = await api.get<Page>("/admin/acts", next ? { next_token: next } : { limit: 50, ...query }, signal);
  return { items: page.acts, next: page.next_token };
}

export default function Acts() {
  const on = usePlace().query.get("on") ?? "";
  const [asked, ask] = useState(on);
  const acts = useEndless<Act>((next, signal) => loadActs({ on }, next, signal), [on]);
  return (
    <>
      <PageHead title={t.title} note={t.note} />
      <form class="filters search" onSubmit={(e) => { e.preventDefault(); setQuery({ on: asked.trim() }); }}>
        <TextField label={t.on} hint={t.onHint} value={asked} onValue={ask} dir="ltr" />
        <div class="actions"><button>{t.filter}</button>{on && <button type="button" class="plain" onClick={() => { ask(""); setQuery({}); }}>{t.clear}</button>}</div>
      </form>
      <List of={acts} label={t.title} id={(a) => a.id + (a.refused ?? "")} empty={<Empty icon="pen" title={on ? t.noneFound : t.none} />}>{(a) => <ActLine of={a} />}</List>
    </>
  );
}

// ActLine is an act. Where all are about one thing, that is not said again.
export function ActLine({ of: a, about }: { of: Act; about?: string }) {
  return (
    <>
      <span class="what">
        <span><strong>{a.act}</strong> {a.refused && <Badge tone="bad">{t.refused}</Badge>}</span>
        {a.on !== about && <span class="mono" dir="auto">{a.on}</span>}
        {a.how && <span dir="auto">{a.how}</span>}
        {a.refused && <span class="bad" dir="auto">{a.refused}</span>}
      </span>
      <span class="quiet">{t.by} <strong dir="auto">{a.who}</strong> · <Ago at={a.at} /></span>
    </>
  );
}
