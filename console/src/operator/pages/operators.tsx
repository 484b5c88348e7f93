// The operators: who they are, what they may do, and their tokens, each shown once.
import { useState } from "preact/hooks";
import { api } from "../../api";
import { Confirm, Dialog } from "../../components/dialog";
import { SelectField, TextField } from "../../components/form";
import { Icon } from "../../components/icon";
import { Once } from "../../components/once";
import { PageHead } from "../../components/page";
import { Ago, Badge } from "../../components/small";
import { Empty, Failure, Waiting } from "../../components/states";
import { tell } from "../../components/toast";
import { useAct, useLoad } from "../../hooks";
import { texts as common } from "../../texts";
import { findSession, may, session, type Role } from "../session";
import { Sessions } from "../sessions";
import { texts } from "../texts";

const t = texts.operators;

interface Operator { name: string; role: Role; added_at: string }
interface Made { name: string; token: string }

export default function Operators() {
  const list = useLoad((signal) => api.get<{ operators: Operator[] }>("/admin/operators", {}, signal), []);
  const [adding, add] = useState(false);
  const [asked, ask] = useState<{ what: "renew" | "revoke"; of: Operator }>();
  const [made, show] = useState<Made>();
  const own = session.use()?.name;
  const all = list.data?.operators;
  const showMade = (one: Made) => { show(one); list.reload(); };
  return (
    <>
      <PageHead title={t.title} note={t.note}>{may("owner") && <button type="button" class="primary" onClick={() => add(true)}><Icon name="plus" />{t.add}</button>}</PageHead>
      {list.error && <Failure message={list.error.message} retry={list.reload} />}
      {!all && !list.error && <Waiting />}
      {all?.length === 0 && <Empty icon="user" title={t.none}><p>{t.noneHint}</p></Empty>}
      {!!all?.length && (
        <ul class="rows" aria-label={t.title}>
          {all.map((one) => (
            <li key={one.name}>
              <span class="what">
                <span><strong dir="auto">{one.name}</strong> <Badge tone="calm">{texts.roles[one.role]}</Badge>{one.name === own && <> <Badge tone="good">{t.own}</Badge></>}</span>
                <span class="quiet">{t.added} <Ago at={one.added_at} /></span>
              </span>
              {may("owner") && (
                <span class="actions">
                  <button type="button" onClick={() => ask({ what: "renew", of: one })}>{t.renew}<span class="hiddentext"> {one.name}</span></button>
                  <button type="button" onClick={() => ask({ what: "revoke", of: one })}>{t.revoke}<span class="hiddentext"> {one.name}</span></button>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      <Sessions />
      {adding && <Add done={showMade} onClose={() => add(false)} />}
      {asked?.what === "renew" && <Confirm title={t.renewTitle(asked.of.name)} text={t.renewText} yes={t.renew} danger onClose={() => ask(undefined)}
        act={() => api.post<Made>("/admin/operators/renew", { body: { name: asked.of.name } }).then(showMade)} />}
      {asked?.what === "revoke" && <Confirm title={t.revokeTitle(asked.of.name)} text={asked.of.name === own ? t.revokeOwn : t.revokeText} yes={t.revoke} danger onClose={() => ask(undefined)}
        act={() => api.delete("/admin/operators", { name: asked.of.name }).then(() => { tell(t.revoked); list.reload(); })} />}
      {made && !adding && !asked && <Once title={t.token(made.name)} secret={made.token} copy={t.copy} onClose={() => { show(undefined); if (made.name === own) findSession(); }} />}
    </>
  );
}

function Add({ done, onClose }: { done: (made: Made) => void; onClose: () => void }) {
  const [name, setName] = useState(""), [role, setRole] = useState<string>("operator");
  const make = useAct(async () => { done(await api.post<Made>("/admin/operators", { body: { name: name.trim(), role } })); onClose(); });
  return (
    <Dialog title={t.add} onClose={onClose}>
      <form class="fields" onSubmit={(e) => { e.preventDefault(); make.run(); }}>
        <TextField label={t.name} hint={t.nameHint} value={name} onValue={setName} required maxLength={64} dir="ltr" autoComplete="off" />
        <SelectField label={t.role} hint={t.roleHints[role]} value={role} onValue={setRole} options={Object.entries(texts.roles)} />
        {make.error && <p class="error" role="alert">{make.error.message}</p>}
        <div class="actions"><button type="button" onClick={onClose}>{common.states.cancel}</button><button class="primary" disabled={make.busy}>{t.add}</button></div>
      </form>
    </Dialog>
  );
}
