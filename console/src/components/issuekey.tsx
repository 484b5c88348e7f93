// API keys as both consoles show them: a line of a list, and the question for a new one, which is shown once.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { moment } from "../format";
import { useAct } from "../hooks";
import { texts } from "../texts";
import { Dialog } from "./dialog";
import { SelectField, TextField } from "./form";
import { Once } from "./once";
import { Ago, Badge } from "./small";

const t = texts.keys;

export interface Key { id: string; name: string; role: string; legacy: string | null; created_at: string; expires_at: string | null; expired: boolean }

export function KeyLine({ of: k, children }: { of: Key; children?: ComponentChildren }) {
  return (
    <span class="what">
      <span><strong dir="auto">{k.name || t.unnamed}</strong> <Badge tone="calm">{texts.roles[k.role] ?? k.role}</Badge>{k.expired && <> <Badge tone="bad">{t.expired}</Badge></>}{children}</span>
      <span class="quiet"><span class="mono">{k.id.slice(0, 12)}…</span> · {t.issued} <Ago at={k.created_at} />{k.expires_at && <> · {t.expires(moment(k.expires_at))}</>}</span>
    </span>
  );
}

const roles = ["viewer", "render", "editor", "manager", "admin"];

interface IssueProps { issue: (body: { name: string; role: string; expires_at: string | null }) => Promise<{ key: string }>; done: () => void; onClose: () => void }

export function IssueKey({ issue, done, onClose }: IssueProps) {
  const [name, setName] = useState(""), [role, setRole] = useState("render"), [until, setUntil] = useState("");
  const [issued, setIssued] = useState<string>();
  const make = useAct(async () => {
    const a = await issue({ name: name.trim(), role, expires_at: until ? until + "T23:59:59.999Z" : null });
    setIssued(a.key);
    done();
  });
  if (issued) return <Once title={t.yours} secret={issued} copy={t.copy} onClose={onClose} />;
  return (
    <Dialog title={t.issue} onClose={onClose}>
      <form class="fields" onSubmit={(e) => { e.preventDefault(); make.run(); }}>
        <TextField label={t.name} hint={t.nameHint} value={name} onValue={setName} required maxLength={100} />
        <SelectField label={t.role} hint={t.roleHints[role]} value={role} onValue={setRole} options={roles.map((one): [string, string] => [one, texts.roles[one]])} />
        <TextField label={t.until} hint={t.untilHint} type="date" value={until} onValue={setUntil} />
        {make.error && <p class="error" role="alert">{make.error.message}</p>}
        <div class="actions"><button type="button" onClick={onClose}>{texts.states.cancel}</button><button class="primary" disabled={make.busy}>{t.issue}</button></div>
      </form>
    </Dialog>
  );
}
