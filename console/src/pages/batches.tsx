// The batches of the account, newest first.
import { api } from "../api";
import { Icon } from "../components/icon";
import { List, useEndless } from "../components/list";
import { PageHead } from "../components/page";
import { Ago, Badge } from "../components/small";
import { Empty } from "../components/states";
import { go, Link } from "../router";
import { may } from "../session";
import { texts } from "../texts";

const t = texts.batches;

export interface Head { id: string; template: string; state: string; created_at: string; rows: number; movies: number; invalid: number; credits: number }

export default function Batches() {
  const list = useEndless<Head>(async (next, signal) => {
    const page = await api.get<{ batches: Head[]; next_token: string | null }>("/v2/batches", next ? { next_token: next } : { limit: 40 }, signal);
    return { items: page.batches, next: page.next_token };
  }, []);
  return (
    <>
      <PageHead title={t.title}>{may("render") && <button type="button" class="primary" onClick={() => go("/batches/new")}><Icon name="plus" />{t.start}</button>}</PageHead>
      <List of={list} label={t.title} id={(b) => b.id} empty={<Empty icon="rows" title={t.none}><p>{t.noneHint}</p></Empty>}>
        {(b) => (
          <>
            <span class="what">
              <Link to={"/batches/" + b.id}>{t.movies(b.movies)}</Link>
              <span class="quiet"><span class="mono">{b.id}</span> · {texts.movies.credits(b.credits)} · <Ago at={b.created_at} /></span>
            </span>
            <span class="actions">{b.invalid > 0 && <Badge tone="bad">{t.invalid(b.invalid)}</Badge>}<Badge tone={b.state === "submitted" ? "good" : b.state === "cancelled" ? "calm" : "busy"}>{t.states[b.state] ?? b.state}</Badge></span>
          </>
        )}
      </List>
    </>
  );
}
