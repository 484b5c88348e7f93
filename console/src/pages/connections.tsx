// Saved connections: where movies are delivered to, and the providers that speak. Their secrets are never shown.
import { useState } from "preact/hooks";
import { api } from "../api";
import { Confirm, Dialog } from "../components/dialog";
import { CheckField, SelectField, TextArea, TextField } from "../components/form";
import { Icon } from "../components/icon";
import { List, useEndless } from "../components/list";
import { PageHead } from "../components/page";
import { Ago, Badge, Copy } from "../components/small";
import { Empty } from "../components/states";
import { tell } from "../components/toast";
import { useAct } from "../hooks";
import { Link } from "../router";
import { texts } from "../texts";

const t = texts.connections;

interface Connection { id: string; type: string; endpoint?: string; host?: string; bucket?: string; container?: string; folder?: string; url?: string; provider?: string; to?: string; signed?: boolean; events?: string[]; saved_at: string; tested_at: string | null; test: { status?: string; success?: boolean; message?: string } | null }

interface Setting { name: string; kind?: "secret" | "check" | "lines" | "number"; required?: boolean; options?: string[] }

// settings are what each type is asked for, the most important first.
const settings: Record<string, Setting[]> = {
  webhook: [{ name: "endpoint", required: true }, { name: "content-type", options: ["application/json", "application/x-www-form-urlencoded"] }, { name: "signed", kind: "check" },
    { name: "events" }],
  "aws-s3": [{ name: "bucket", required: true }, { name: "region", required: true }, { name: "access-key-id", required: true }, { name: "secret-access-key", kind: "secret", required: true }, { name: "endpoint" },
    { name: "path-style", kind: "check" }, { name: "remote-path" }, { name: "file" }],
  sftp: [{ name: "host", required: true }, { name: "port", kind: "number" }, { name: "username", required: true }, { name: "password", kind: "secret" }, { name: "private-key", kind: "lines" },
    { name: "passphrase", kind: "secret" }, { name: "host-key" }, { name: "remote-path" }, { name: "file" }],
  ftp: [{ name: "host", required: true }, { name: "port", kind: "number" }, { name: "username", required: true }, { name: "password", kind: "secret" }, { name: "secure", kind: "check" }, { name: "remote-path" }, { name: "file" }],
  gcs: [{ name: "bucket", required: true }, { name: "credentials", kind: "lines", required: true }, { name: "endpoint" }, { name: "remote-path" }, { name: "file" }],
  "azure-blob": [{ name: "account", required: true }, { name: "container", required: true }, { name: "account-key", kind: "secret", required: true }, { name: "endpoint" }, { name: "remote-path" }, { name: "file" }],
  folder: [{ name: "folder", required: true }, { name: "remote-path" }, { name: "file" }, { name: "overwrite", kind: "check" }],
  email: [{ name: "to" }, { name: "from" }, { name: "subject" }, { name: "message", kind: "lines" }, { name: "host" }, { name: "port", kind: "number" }, { name: "security", options: ["starttls", "tls", "none"] },
    { name: "username" }, { name: "password", kind: "secret" }],
  apikey: [{ name: "provider", options: ["openai", "azure-speech", "elevenlabs"] }, { name: "key", kind: "secret", required: true }, { name: "url" }, { name: "region" }, { name: "model" }, { name: "voice" }],
};

export default function Connections() {
  const list = useEndless<Connection>(async (next, signal) => {
    const page = await api.get<{ connections: Connection[]; next_token: string | null }>("/v2/connections", next ? { next_token: next } : {}, signal);
    return { items: page.connections, next: page.next_token };
  }, []);
  const [adding, add] = useState(false);
  const [removing, remove] = useState<Connection>();
  return (
    <>
      <PageHead title={t.title} note={<>{t.note} <Link to="/inboxes">{texts.deliveries.tryOut}</Link></>}><button type="button" class="primary" onClick={() => add(true)}><Icon name="plus" />{t.add}</button></PageHead>
      <List of={list} label={t.title} id={(c) => c.id} empty={<Empty icon="rows" title={t.none}><p>{t.noneHint}</p></Empty>}>
        {(c) => <Row of={c} reload={list.reload} remove={() => remove(c)} />}
      </List>
      {adding && <Add done={list.reload} onClose={() => add(false)} />}
      {removing && <Confirm title={t.removeTitle(removing.id)} text={t.removeText} yes={t.remove} danger onClose={() => remove(undefined)}
        act={() => api.delete("/v2/connections", { id: removing.id }).then(() => { tell(t.removed); list.reload(); })} />}
    </>
  );
}

function Row({ of: c, reload, remove }: { of: Connection; reload: () => void; remove: () => void }) {
  const [result, setResult] = useState<{ status: string; message: string; duration_ms: number }>();
  const test = useAct(async () => {
    setResult(await api.post("/v2/connections/test", { query: { id: c.id } }));
    reload();
  });
  const before = c.test && (c.test.status === "ok" || c.test.success === true);
  return (
    <>
      <span class="what">
        <span><strong dir="auto">{c.id}</strong> <Badge tone="calm">{t.types[c.type] ?? c.type}</Badge>{c.signed && <> <Badge tone="calm">{t.signed}</Badge></>} {c.test && <Badge tone={before ? "good" : "bad"}>{before ? t.works : t.fails}</Badge>}</span>
        <span class="quiet" dir="auto">{[c.endpoint || c.host || c.bucket || c.container || c.folder || c.url || c.provider || c.to, c.events?.join(", ")].filter(Boolean).join(" · ")}{" · "}{t.saved} <Ago at={c.saved_at} />{c.tested_at && <> · {t.tested} <Ago at={c.tested_at} /></>}</span>
        {!before && c.test?.message && <span class="bad" dir="auto">{c.test.message}</span>}
        <span role="status">{test.busy ? t.testing : result && t.took(result.status === "ok", result.duration_ms)}</span>
        {test.error && <span class="error" role="alert">{test.error.message}</span>}
      </span>
      <span class="actions">
        <button type="button" disabled={test.busy} onClick={() => test.run()}>{t.test}<span class="hiddentext"> {c.id}</span></button>
        <button type="button" onClick={remove}>{t.remove}<span class="hiddentext"> {c.id}</span></button>
      </span>
    </>
  );
}

function Add({ done, onClose }: { done: () => void; onClose: () => void }) {
  const [type, setType] = useState("webhook"), [id, setID] = useState("");
  const [values, setValues] = useState<Record<string, string>>({});
  const [secret, setSecret] = useState("");
  const save = useAct(async () => {
    const given = settings[type].filter((s) => values[s.name]).map((s) => [s.name, s.kind === "check" ? values[s.name] === "true" : values[s.name]]);
    const saved = await api.post<{ secret?: string }>("/v2/connections", { body: { id: id.trim(), type, ...Object.fromEntries(given) } });
    done();
    if (saved.secret) return setSecret(saved.secret);
    tell(t.savedNow);
    onClose();
  });
  if (secret) return (
    <Dialog title={t.secret} onClose={onClose}>
      <p>{t.secretOnce}</p>
      <p class="secret"><code class="mono">{secret}</code><Copy text={secret} label={t.copySecret} /></p>
      <div class="actions"><button type="button" class="primary" onClick={onClose}>{texts.keys.kept}</button></div>
    </Dialog>
  );
  return (
    <Dialog title={t.add} onClose={onClose}>
      <form class="fields" autocomplete="off" onSubmit={(e) => { e.preventDefault(); save.run(); }}>
        <SelectField label={t.type} value={type} onValue={(next) => { setType(next); setValues({}); }} options={Object.keys(settings).map((one): [string, string] => [one, t.types[one]])} />
        <TextField label={t.id} hint={t.idHint} value={id} onValue={setID} required pattern="[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}" spellcheck={false} />
        {settings[type].map((s) => {
          const common = { label: t.names[s.name] ?? s.name, value: values[s.name] ?? "", onValue: (text: string) => setValues({ ...values, [s.name]: text }) };
          if (s.kind === "check") return <CheckField key={s.name} label={common.label} checked={common.value === "true"} onValue={(on) => common.onValue(String(on))} />;
          if (s.options) return <SelectField key={s.name} {...common} value={common.value || s.options[0]} options={s.options.map((o): [string, string] => [o, o])} />;
          if (s.kind === "lines") return <TextArea key={s.name} {...common} dir={s.name === "private-key" ? "ltr" : "auto"} spellcheck={s.name === "message"} />;
          return <TextField key={s.name} {...common} type={s.kind === "secret" ? "password" : "text"} inputMode={s.kind === "number" ? "numeric" : undefined} required={s.required} autocomplete="off" spellcheck={false} />;
        })}
        {save.error && <p class="error" role="alert">{save.error.message}</p>}
        <div class="actions"><button type="button" onClick={onClose}>{texts.states.cancel}</button><button class="primary" disabled={save.busy}>{t.save}</button></div>
      </form>
    </Dialog>
  );
}
