// The API keys of the account: issue one, see it once, revoke it.
import { useState } from "preact/hooks";
import { api } from "../api";
import { Confirm, Dialog } from "../components/dialog";
import { SelectField, TextField } from "../components/form";
import { Icon } from "../components/icon";
import { List, useEndless } from "../components/list";
import { PageHead } from "../components/page";
import { Ago, Badge, Copy } from "../components/small";
import { Empty } from "../components/states";
import { tell } from "../components/toast";
import { moment } from "../format";
import { useAct } from "../hooks";
import { session } from "../session";
import { texts } from "../texts";

const t = texts.keys;

interface Key { id: string; name: string; role: string; legacy: string | null; created_at: string; expires_at: string | null; expired: boolean }

export default function Keys() {
  const keys = useEndless<Key>(async (next, signal) => {
    const page = await api.get<{ keys: Key[]; next_token: string | null }>("/v2/keys", next ? { next_token: next } : {}, signal);
    return { items: page.keys, next: page.next_token };
  }, []);
  const [issuing, issue] = useState(false);
  const [revoking, revoke] = useState<Key>();
  const own = session.use()?.key_id;
  return (
    <>
      <PageHead title={t.title} note={t.note}><button type="button" class="primary" onClick={() => issue(true)}><Icon name="plus" />{t.issue}</button></PageHead>
      <List of={keys} label={t.title} id={(k) => k.id} empty={<Empty icon="key" title={t.none} />}>
        {(k) => (
          <>
            <span class="what">
              <span><strong dir="auto">{k.name || t.unnamed}</strong> <Badge tone="calm">{texts.roles[k.role] ?? k.role}</Badge>{k.expired && <> <Badge tone="bad">{t.expired}</Badge></>}{k.id === own && <> <Badge tone="good">{t.own}</Badge></>}</span>
              <span class="quiet"><span class="mono">{k.id.slice(0, 12)}…</span> · {t.issued} <Ago at={k.created_at} />{k.expires_at && <> · {t.expires(moment(k.expires_at))}</>}</span>
            </span>
            <button type="button" onClick={() => revoke(k)}>{t.revoke}<span class="hiddentext"> {k.name || k.id}</span></button>
          </>
        )}
      </List>
      {issuing && <Issue done={keys.reload} onClose={() => issue(false)} />}
      {revoking && <Confirm title={t.revokeTitle(revoking.name || t.unnamed)} text={revoking.id === own ? t.revokeOwn : t.revokeText} yes={t.revoke} danger onClose={() => revoke(undefined)}
        act={() => api.delete("/v2/keys", { id: revoking.id }).then(() => { tell(t.revoked); keys.reload(); })} />}
    </>
  );
}

const roles = ["viewer", "render", "editor", "manager", "admin"];

function Issue({ done, onClose }: { done: () => void; onClose: () => void }) {
  const [name, setName] = useState(""), [role, setRole] = useState("render"), [until, setUntil] = useState("");
  const [issued, setIssued] = useState<string>();
  const make = useAct(async () => {
    const a = await api.post<{ key: string }>("/v2/keys", { body: { name: name.trim(), role, expires_at: until ? until + "T23:59:59.999Z" : null } });
    setIssued(a.key);
    done();
  });
  return (
    <Dialog title={issued ? t.yours : t.issue} onClose={onClose}>
      {issued ? (
        <>
          <p>{t.once}</p>
          <p class="secret"><code class="mono">{issued}</code><Copy text={issued} label={t.copy} /></p>
          <div class="actions"><button type="button" class="primary" onClick={onClose}>{t.kept}</button></div>
        </>
      ) : (
        <form class="fields" onSubmit={(e) => { e.preventDefault(); make.run(); }}>
          <TextField label={t.name} hint={t.nameHint} value={name} onValue={setName} required maxLength={100} />
          <SelectField label={t.role} hint={t.roleHints[role]} value={role} onValue={setRole} options={roles.map((one): [string, string] => [one, texts.roles[one]])} />
          <TextField label={t.until} hint={t.untilHint} type="date" value={until} onValue={setUntil} />
          {make.error && <p class="error" role="alert">{make.error.message}</p>}
          <div class="actions"><button type="button" onClick={onClose}>{texts.states.cancel}</button><button class="primary" disabled={make.busy}>{t.issue}</button></div>
        </form>
      )}
    </Dialog>
  );
}
