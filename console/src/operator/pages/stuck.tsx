// Work that has failed again and again: try it anew, or give it up.
import { useState } from "preact/hooks";
import { api } from "../../api";
import { Confirm } from "../../components/dialog";
import { Icon } from "../../components/icon";
import { PageHead } from "../../components/page";
import { Ago, Badge } from "../../components/small";
import { Empty, Failure, Waiting } from "../../components/states";
import { tell } from "../../components/toast";
import { useAct, useLoad } from "../../hooks";
import { Link } from "../../router";
import { may } from "../session";
import { texts } from "../texts";

const t = texts.stuck;

interface Stuck { work: string; kind: string; account: string; subject: string; message: string; failures: number; first: string; last: string; droppable: boolean }

export default function StuckWork() {
  const list = useLoad((signal) => api.get<{ count: number; work: Stuck[] }>("/admin/work", {}, signal), []);
  const [all, setAll] = useState(false);
  const [dropping, drop] = useState<Stuck>();
  const retry = (body: object) => api.post<{ count: number }>("/admin/work/retry", { body }).then((a) => { tell(t.retried(a.count)); list.reload(); });
  const work = list.data?.work;
  return (
    <>
      <PageHead title={t.title} note={t.note}>
        {may("operator") && !!work?.length && <button type="button" onClick={() => setAll(true)}>{t.retryAll}</button>}
        <button type="button" onClick={list.reload}><Icon name="again" />{t.reload}</button>
      </PageHead>
      {list.error && <Failure message={list.error.message} retry={list.reload} />}
      {!work && !list.error && <Waiting />}
      {work?.length === 0 && <Empty icon="check" title={t.none} />}
      {!!work?.length && <ul class="rows" aria-label={t.title}>{work.map((one) => <li key={one.work}><Row of={one} retry={retry} drop={drop} /></li>)}</ul>}
      {all && <Confirm title={t.retryAllTitle(work?.length ?? 0)} text={t.retryAllText} yes={t.retryAll} onClose={() => setAll(false)} act={() => retry({ all: true, count: work?.length })} />}
      {dropping && <Confirm title={t.dropTitle(dropping.subject)} text={t.dropText} yes={t.drop} danger onClose={() => drop(undefined)}
        act={() => api.post("/admin/work/drop", { body: { work: dropping.work } }).then(() => { tell(t.dropped); list.reload(); })} />}
    </>
  );
}

function Row({ of: one, retry, drop }: { of: Stuck; retry: (body: object) => Promise<unknown>; drop: (one: Stuck) => void }) {
  const again = useAct(() => retry({ work: one.work }));
  return (
    <>
      <span class="what">
        <span><Badge tone="bad">{texts.queue.kindNames[one.kind] ?? one.kind}</Badge> <strong class="mono">{one.subject}</strong></span>
        <span dir="auto">{one.message}</span>
        <span class="quiet">{t.failures(one.failures)} · {t.since} <Ago at={one.first} /> · {t.last} <Ago at={one.last} />{one.account && <> · {t.account} <Link to={"/accounts/" + encodeURIComponent(one.account)}>{one.account}</Link></>}</span>
        {!one.droppable && <span class="quiet">{t.must}</span>}
        {again.error && <span class="error" role="alert">{again.error.message}</span>}
      </span>
      {may("operator") && (
        <span class="actions">
          <button type="button" disabled={again.busy} onClick={() => again.run()}>{t.retry}<span class="hiddentext"> {one.subject}</span></button>
          {one.droppable && <button type="button" onClick={() => drop(one)}>{t.drop}<span class="hiddentext"> {one.subject}</span></button>}
        </span>
      )}
    </>
  );
}
