// The accounts: find one, open one.
import { useState } from "preact/hooks";
import { api } from "../../api";
import { Dialog } from "../../components/dialog";
import { SelectField, TextField } from "../../components/form";
import { Icon } from "../../components/icon";
import { List, useEndless } from "../../components/list";
import { Once } from "../../components/once";
import { PageHead } from "../../components/page";
import { Ago, Badge } from "../../components/small";
import { Empty } from "../../components/states";
import { useAct } from "../../hooks";
import { go, Link } from "../../router";
import { texts as common } from "../../texts";
import { usePlans } from "../plans";
import { may } from "../session";
import { texts } from "../texts";

const t = texts.accounts;

export interface Account { account: string; name: string; plan: string; state: "open" | "closed"; opened_at: string; closed_at: string | null; cleared_at: string | null }

export const accountPath = (id: string) => "/accounts/" + encodeURIComponent(id);

export default function Accounts() {
  const list = useEndless<Account>(async (next, signal) => {
    const page = await api.get<{ accounts: Account[]; next_token: string | null }>("/admin/accounts", next ? { next_token: next } : { limit: 100 }, signal);
    return { items: page.accounts, next: page.next_token };
  }, []);
  const [opening, open] = useState(false);
  const [wanted, want] = useState("");
  return (
    <>
      <PageHead title={t.title} note={t.note}>{may("operator") && <button type="button" class="primary" onClick={() => open(true)}><Icon name="plus" />{t.open}</button>}</PageHead>
      <form class="filters search" onSubmit={(e) => { e.preventDefault(); if (wanted.trim()) go(accountPath(wanted.trim())); }}>
        <TextField label={t.find} hint={t.findHint} value={wanted} onValue={want} dir="ltr" />
        <button>{t.show}</button>
      </form>
      <List of={list} label={t.title} id={(a) => a.account} empty={<Empty icon="user" title={t.none}><p>{t.noneHint}</p></Empty>}>
        {(a) => (
          <>
            <span class="what">
              <Link to={accountPath(a.account)}><strong dir="auto">{a.name || t.unnamed}</strong></Link>
              <span class="quiet"><span class="mono">{a.account}</span> · {t.opened} <Ago at={a.opened_at} /></span>
            </span>
            <span class="actions"><Badge tone="calm">{a.plan}</Badge>{a.state === "closed" && <Badge tone="bad">{t.closed}</Badge>}</span>
          </>
        )}
      </List>
      {opening && <Open done={list.reload} onClose={() => open(false)} />}
    </>
  );
}

function Open({ done, onClose }: { done: () => void; onClose: () => void }) {
  const [name, setName] = useState(""), [plan, setPlan] = useState("free"), [credits, setCredits] = useState("");
  const [key, setKey] = useState<string>();
  const plans = usePlans(plan);
  const wrong = /^\d*$/.test(credits.trim()) ? undefined : t.notNumber;
  const make = useAct(async () => {
    const a = await api.post<{ key: string }>("/admin/accounts", { body: { name: name.trim(), plan, ...(credits.trim() ? { credits: Number(credits) } : {}) } });
    setKey(a.key);
    done();
  });
  if (key) return <Once title={t.yours} secret={key} copy={t.copy} onClose={onClose} />;
  return (
    <Dialog title={t.open} onClose={onClose}>
      <form class="fields" onSubmit={(e) => { e.preventDefault(); if (!wrong) make.run(); }}>
        <TextField label={t.name} value={name} onValue={setName} required maxLength={100} />
        <SelectField label={t.plan} value={plan} onValue={setPlan} options={plans} />
        <TextField label={t.credits} hint={t.creditsHint} error={wrong} value={credits} onValue={setCredits} inputMode="numeric" />
        {make.error && <p class="error" role="alert">{make.error.message}</p>}
        <div class="actions"><button type="button" onClick={onClose}>{common.states.cancel}</button><button class="primary" disabled={make.busy}>{t.do}</button></div>
      </form>
    </Dialog>
  );
}
