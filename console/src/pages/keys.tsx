// The API keys of the account: issue one, see it once, revoke it.
import { useState } from "preact/hooks";
import { api } from "../api";
import { Confirm } from "../components/dialog";
import { Icon } from "../components/icon";
import { IssueKey, KeyLine, type Key } from "../components/issuekey";
import { List, useEndless } from "../components/list";
import { PageHead } from "../components/page";
import { Badge } from "../components/small";
import { Empty } from "../components/states";
import { tell } from "../components/toast";
import { session } from "../session";
import { texts } from "../texts";

const t = texts.keys;

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
            <KeyLine of={k}>{k.id === own && <> <Badge tone="good">{t.own}</Badge></>}</KeyLine>
            <button type="button" onClick={() => revoke(k)}>{t.revoke}<span class="hiddentext"> {k.name || k.id}</span></button>
          </>
        )}
      </List>
      {issuing && <IssueKey issue={(body) => api.post("/v2/keys", { body })} done={keys.reload} onClose={() => issue(false)} />}
      {revoking && <Confirm title={t.revokeTitle(revoking.name || t.unnamed)} text={revoking.id === own ? t.revokeOwn : t.revokeText} yes={t.revoke} danger onClose={() => revoke(undefined)}
        act={() => api.delete("/v2/keys", { id: revoking.id }).then(() => { tell(t.revoked); keys.reload(); })} />}
    </>
  );
}
