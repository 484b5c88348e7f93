// One account: its credits, plan, keys, and what was done to it.
import { useState } from "preact/hooks";
import { api } from "../../api";
import { Confirm, Dialog } from "../../components/dialog";
import { CheckField, SelectField, TextField } from "../../components/form";
import { Icon } from "../../components/icon";
import { IssueKey, KeyLine, type Key } from "../../components/issuekey";
import { List, useEndless } from "../../components/list";
import { Facts, PageHead, Section } from "../../components/page";
import { Badge, Copy } from "../../components/small";
import { Failure, Waiting } from "../../components/states";
import { tell } from "../../components/toast";
import { moment, number } from "../../format";
import { useAct, useLoad } from "../../hooks";
import { Link } from "../../router";
import { texts as common } from "../../texts";
import { usePlans } from "../plans";
import { may } from "../session";
import { texts } from "../texts";
import type { Account } from "./accounts";
import { type Act, ActLine, loadActs } from "./acts";
import { Usage } from "../usage";

const t = texts.account;

interface InFull extends Account { granted: number; charged: number; balance: number; held: number; available: number; suspended: boolean; storage_blocked: boolean }

export default function OneAccount({ id }: { id: string }) {
  const found = useLoad((signal) => api.get<{ account: InFull }>("/admin/accounts", { account: id }, signal).then((a) => a.account), [id]);
  const [asked, ask] = useState<"grant" | "plan" | "close">();
  const [turn, setTurn] = useState(0); // the acts are listed anew after each
  const a = found.data;
  const reload = () => { found.reload(); setTurn(turn + 1); };
  const close = () => ask(undefined);
  return (
    <>
      <p><Link to="/accounts">← {t.back}</Link></p>
      {found.error && <Failure message={found.error.message} retry={found.reload} />}
      {!a && !found.error && <Waiting />}
      {a && (
        <>
          <PageHead title={a.name || a.account} note={<><span class="mono">{a.account}</span> <Copy text={a.account} label={t.copyID} /></>}>
            {may("operator") && a.state === "open" && <>
              <button type="button" class="primary" onClick={() => ask("grant")}>{t.grant}</button>
              <button type="button" onClick={() => ask("plan")}>{t.change}</button>
              <button type="button" onClick={() => ask("close")}>{t.close}</button>
            </>}
          </PageHead>
          {a.state === "closed" && <Failure message={t.closed} />}
          {a.state === "open" && a.suspended && <Failure message={t.suspended} />}
          {a.state === "open" && a.storage_blocked && !a.suspended && <Failure message={t.blocked} />}
          <div class="twocolumns">
            <div>
              <Section title={t.credits}>
                <p class="large"><strong>{number(a.available)}</strong> <span class="quiet">{t.available}</span></p>
                <Facts of={[[t.balance, number(a.balance)], [t.held, number(a.held)], [t.granted, number(a.granted)], [t.charged, number(a.charged)]]} />
              </Section>
              <Keys account={id} open={a.state === "open"} done={() => setTurn(turn + 1)} />
            </div>
            <div>
              <Section title={t.facts}><Facts of={[[t.plan, <Badge tone="calm">{a.plan}</Badge>], [t.opened, moment(a.opened_at)], [t.closedAt, a.closed_at && moment(a.closed_at)], [t.cleared, a.cleared_at && moment(a.cleared_at)]]} /></Section>
              <Acts on={id} turn={turn} />
            </div>
          </div>
          <Usage account={id} />
          {asked === "grant" && <Grant to={a} done={reload} onClose={close} />}
          {asked === "plan" && <Change of={a} done={reload} onClose={close} />}
          {asked === "close" && <Close of={a} done={reload} onClose={close} />}
        </>
      )}
    </>
  );
}

// Grant asks what to grant, and then whether that is meant.
function Grant({ to, done, onClose }: { to: InFull; done: () => void; onClose: () => void }) {
  const [amount, setAmount] = useState(""), [reference, setReference] = useState(""), [pack, setPack] = useState(false);
  const [sure, ask] = useState(false);
  const n = Number(amount.trim());
  const wrong = amount && !(Number.isSafeInteger(n) && n > 0) ? texts.accounts.notNumber : undefined;
  if (sure) {
    return <Confirm title={t.grantTitle(number(n), to.name || to.account)} text={t.grantText(reference.trim())} yes={t.grantYes} onClose={onClose}
      act={() => api.post("/admin/credits", { body: { account: to.account, amount: n, reference: reference.trim(), kind: pack ? "pack" : "" } }).then(() => { tell(t.grantedNow(number(n))); done(); })} />;
  }
  return (
    <Dialog title={t.grant} onClose={onClose}>
      <form class="fields" onSubmit={(e) => { e.preventDefault(); if (!wrong) ask(true); }}>
        <TextField label={t.amount} error={wrong} value={amount} onValue={setAmount} required inputMode="numeric" />
        <TextField label={t.reference} hint={t.referenceHint} value={reference} onValue={setReference} required maxLength={200} />
        <CheckField label={t.pack} checked={pack} onValue={setPack} />
        <div class="actions"><button type="button" onClick={onClose}>{common.states.cancel}</button><button class="primary">{t.grant}</button></div>
      </form>
    </Dialog>
  );
}

function Change({ of: a, done, onClose }: { of: InFull; done: () => void; onClose: () => void }) {
  const [plan, setPlan] = useState(a.plan);
  const options = usePlans(plan);
  const change = useAct(async () => {
    await api.post("/admin/accounts/plan", { body: { account: a.account, plan } });
    tell(t.changed);
    done();
    onClose();
  });
  return (
    <Dialog title={t.change} onClose={onClose}>
      <form class="fields" onSubmit={(e) => { e.preventDefault(); change.run(); }}>
        <SelectField label={t.plan} hint={t.changeHint} value={plan} onValue={setPlan} options={options} />
        {change.error && <p class="error" role="alert">{change.error.message}</p>}
        <div class="actions"><button type="button" onClick={onClose}>{common.states.cancel}</button><button class="primary" disabled={change.busy || plan === a.plan}>{t.change}</button></div>
      </form>
    </Dialog>
  );
}

// Close asks for the account's id: nothing brings an account back.
function Close({ of: a, done, onClose }: { of: InFull; done: () => void; onClose: () => void }) {
  const [typed, type] = useState("");
  const [wrong, setWrong] = useState(false);
  const close = useAct(async () => {
    await api.delete("/admin/accounts", { account: a.account });
    tell(t.closedNow);
    done();
    onClose();
  });
  return (
    <Dialog title={t.closeTitle(a.name || a.account)} onClose={onClose}>
      <form class="fields" onSubmit={(e) => { e.preventDefault(); if (typed.trim() === a.account) close.run(); else setWrong(true); }}>
        <p>{t.closeText}</p>
        <TextField label={t.closeType} hint={a.account} error={wrong && typed.trim() !== a.account ? t.closeDiffers : undefined} value={typed} onValue={type} required dir="ltr" autoComplete="off" />
        {close.error && <p class="error" role="alert">{close.error.message}</p>}
        <div class="actions"><button type="button" onClick={onClose}>{common.states.cancel}</button><button class="danger" disabled={close.busy}>{t.close}</button></div>
      </form>
    </Dialog>
  );
}

function Keys({ account, open, done }: { account: string; open: boolean; done: () => void }) {
  const keys = useEndless<Key>(async (next, signal) => {
    const page = await api.get<{ keys: Key[]; next_token: string | null }>("/admin/keys", next ? { account, next_token: next } : { account, limit: 20 }, signal);
    return { items: page.keys, next: page.next_token };
  }, [account]);
  const [issuing, issue] = useState(false);
  const [revoking, revoke] = useState<Key>();
  const reload = () => { keys.reload(); done(); };
  return (
    <Section title={t.keys} actions={may("operator") && open && <button type="button" onClick={() => issue(true)}><Icon name="plus" />{common.keys.issue}</button>}>
      <List of={keys} label={t.keys} id={(k) => k.id} empty={<p class="quiet">{t.noKeys}</p>}>
        {(k) => <><KeyLine of={k} />{may("operator") && <button type="button" onClick={() => revoke(k)}>{common.keys.revoke}<span class="hiddentext"> {k.name || k.id}</span></button>}</>}
      </List>
      {issuing && <IssueKey issue={(body) => api.post("/admin/keys", { body: { account, ...body } })} done={reload} onClose={() => issue(false)} />}
      {revoking && <Confirm title={common.keys.revokeTitle(revoking.name || common.keys.unnamed)} text={common.keys.revokeText} yes={common.keys.revoke} danger onClose={() => revoke(undefined)}
        act={() => api.delete("/admin/keys", { id: revoking.id }).then(() => { tell(common.keys.revoked); reload(); })} />}
    </Section>
  );
}

function Acts({ on, turn }: { on: string; turn: number }) {
  const acts = useLoad((signal) => loadActs({ on, limit: 8 }, undefined, signal).then((a) => a.items), [on, turn]);
  return (
    <Section title={t.acts}>
      {acts.error && <Failure message={acts.error.message} retry={acts.reload} />}
      {!acts.data && !acts.error && <Waiting />}
      {acts.data?.length === 0 && <p class="quiet">{t.noActs}</p>}
      {!!acts.data?.length && <ul class="rows" aria-label={t.acts}>{acts.data.map((a: Act) => <li key={a.id + (a.refused ?? "")}><ActLine of={a} about={on} /></li>)}</ul>}
    </Section>
  );
}
