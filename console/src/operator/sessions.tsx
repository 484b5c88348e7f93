// The open sessions of the operators' console; owners end those of others.
import { useState } from "preact/hooks";
import { api } from "../api";
import { Confirm } from "../components/dialog";
import { Section } from "../components/page";
import { Ago, Badge } from "../components/small";
import { Failure, Waiting } from "../components/states";
import { tell } from "../components/toast";
import { type Loaded, useLoad } from "../hooks";
import { may, session, type Role } from "./session";
import { texts } from "./texts";

const t = texts.sessions;

interface Open { id: string; name: string; role: Role; issuer: string | null; subject: string | null; began_at: string }

export function Sessions() {
  const list: Loaded<Open[]> = useLoad((signal) => api.get<{ sessions: Open[] }>("/admin/operators/sessions", {}, signal).then((a) => a.sessions), []);
  const [asked, ask] = useState<Open>();
  const own = session.use()?.id;
  const nameOf = (one: Open) => one.name || texts.configured;
  return (
    <div class="apart"><Section title={t.title}>
      <p class="quiet">{t.note}</p>
      {list.error && <Failure message={list.error.message} retry={list.reload} />}
      {!list.data && !list.error && <Waiting />}
      {list.data?.length === 0 && <p>{t.none}</p>}
      {!!list.data?.length && (
        <ul class="rows sessions" aria-label={t.title}>
          {list.data.map((one) => (
            <li key={one.id}>
              <span class="what">
                <span><strong dir="auto">{nameOf(one)}</strong> <Badge tone="calm">{texts.roles[one.role]}</Badge>{one.id === own && <> <Badge tone="good">{texts.operators.own}</Badge></>}</span>
                <span class="quiet">{t.began} <Ago at={one.began_at} />{one.issuer && <> · <span dir="auto">{one.subject}</span> · <span dir="ltr">{one.issuer}</span></>}</span>
              </span>
              {may("owner") && one.id !== own && <span class="actions"><button type="button" onClick={() => ask(one)}>{t.end}<span class="hiddentext"> {nameOf(one)}</span></button></span>}
            </li>
          ))}
        </ul>
      )}
      {asked && <Confirm title={t.endTitle(nameOf(asked))} text={t.endText} yes={t.end} danger onClose={() => ask(undefined)}
        act={() => api.delete("/admin/operators/sessions", { id: asked.id }).then(() => { tell(t.ended); list.reload(); })} />}
    </Section></div>
  );
}
