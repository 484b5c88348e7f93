// Inboxes: addresses for trying webhooks, and what arrives there.
import { useEffect } from "preact/hooks";
import { api } from "../api";
import { Icon } from "../components/icon";
import { Facts } from "../components/page";
import { Ago, Copy } from "../components/small";
import { Empty, Failure, Waiting } from "../components/states";
import { tell } from "../components/toast";
import { bytes, moment, pretty } from "../format";
import { useAct, useLoad } from "../hooks";
import { PageHead, Section } from "../components/page";
import { Link } from "../router";
import { texts } from "../texts";

const t = texts.inboxes;

interface Inbox { id: string; address: string; letters: number; opened_at: string; expires_at: string }

interface Letter { received_at: string; headers: Record<string, string>; body: string; size: number }

const lookEvery = 3000;

// useAgain loads anew some seconds after each answer, while the page is to be seen: an answer that takes longer is waited for.
function useAgain({ loading, reload }: { loading: boolean; reload: () => void }) {
  useEffect(() => {
    if (loading) return;
    const timer = setInterval(() => document.hidden || reload(), lookEvery);
    return () => clearInterval(timer);
  }, [loading, reload]);
}

export default function Inboxes() {
  const list = useLoad((signal) => api.get<{ inboxes: Inbox[] }>("/v2/inboxes", {}, signal).then((a) => a.inboxes), []);
  useAgain(list);
  const open = useAct(async () => {
    await api.post("/v2/inboxes");
    list.reload();
  });
  return (
    <>
      <PageHead title={t.title} note={<>{t.note} <Link to="/deliveries">{texts.deliveries.title}</Link></>}>
        <button type="button" class="primary" disabled={open.busy} onClick={() => open.run()}><Icon name="plus" />{t.open}</button>
      </PageHead>
      {open.error && <p class="error" role="alert">{open.error.message}</p>}
      {list.error && <Failure message={list.error.message} retry={list.reload} />}
      {!list.data && !list.error && <Waiting />}
      {list.data?.length === 0 && <Empty icon="send" title={t.none}><p>{t.noneHint}</p></Empty>}
      {list.data?.map((one) => <Opened key={one.id} of={one} reload={list.reload} />)}
      {!!list.data?.length && <Verify />}
    </>
  );
}

function Opened({ of: one, reload }: { of: Inbox; reload: () => void }) {
  const letters = useLoad((signal) => api.get<{ letters: Letter[] }>("/v2/inboxes/" + encodeURIComponent(one.id), {}, signal).then((a) => a.letters), [one.id, one.letters]);
  useAgain(letters);
  const remove = useAct(async () => {
    await api.delete("/v2/inboxes/" + encodeURIComponent(one.id));
    tell(t.removed);
    reload();
  });
  return (
    <Section title={t.opened(moment(one.opened_at))} actions={<button type="button" disabled={remove.busy} onClick={() => remove.run()}><Icon name="trash" />{t.remove}</button>}>
      <p class="secret"><code class="mono">{one.address}</code><Copy text={one.address} label={t.copy} /></p>
      <p class="quiet">{t.until(moment(one.expires_at))}</p>
      {remove.error && <p class="error" role="alert">{remove.error.message}</p>}
      {letters.error && <Failure message={letters.error.message} retry={reload} />}
      {letters.data?.length === 0 && <p class="quiet" role="status">{t.waiting}</p>}
      {!!letters.data?.length && (
        <ol class="tries" aria-label={t.letters}>
          {letters.data.map((l) => <li key={l.received_at + (l.headers["Webhook-Id"] ?? "") + l.size}><Arrived of={l} /></li>)}
        </ol>
      )}
    </Section>
  );
}

function Arrived({ of: l }: { of: Letter }) {
  return (
    <>
      <p><strong>{moment(l.received_at)}</strong> <span class="quiet"><Ago at={l.received_at} /></span></p>
      <Facts of={Object.entries(l.headers).map(([name, value]) => [name, <span class="mono">{value}</span>])} />
      {!l.headers["Webhook-Signature"] && <p class="quiet">{t.unsigned}</p>}
      <h3>{t.body(bytes(l.size))}</h3>
      <pre class="source" tabIndex={0} role="region" aria-label={t.body(bytes(l.size))}>{pretty(l.body)}</pre>
    </>
  );
}

// Verify says how a receiver checks a signature.
function Verify() {
  return (
    <Section title={t.verify}>
      <p>{t.verifyHow}</p>
      <pre class="source" tabIndex={0} role="region" aria-label={t.verify}>{t.verifyCode}</pre>
    </Section>
  );
}
