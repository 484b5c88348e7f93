// What waits, what is being done, and whose it is.
import { api } from "../../api";
import { Icon } from "../../components/icon";
import { PageHead, Section } from "../../components/page";
import { Empty, Failure, Waiting } from "../../components/states";
import { Table } from "../../components/table";
import { number } from "../../format";
import { Link } from "../../router";
import { seconds, useFollowed } from "../follow";
import { texts } from "../texts";
import { accountPath } from "./accounts";

const t = texts.queue;

interface Kind { kind: string; role: string; waiting: number; running: number; oldest_seconds: number }
interface Share { account: string; kind: string; waiting: number; running: number; oldest_seconds: number; share: number }
interface Answer { kinds: Kind[]; accounts: Share[]; more: number }

const nameOf = (kind: string) => t.kindNames[kind] ?? kind;

export default function Queue() {
  const queue = useFollowed((signal) => api.get<Answer>("/admin/queue", {}, signal));
  const q = queue.data;
  const renders = q?.kinds.find((k) => k.kind === "render");
  const busy = q?.kinds.filter((k) => k.waiting + k.running > 0) ?? [];
  return (
    <>
      <PageHead title={t.title} note={t.note}><button type="button" onClick={queue.reload}><Icon name="again" />{t.reload}</button></PageHead>
      {queue.error && <Failure message={queue.error.message} retry={queue.reload} />}
      {!q && !queue.error && <Waiting />}
      {q && renders && (
        <Section title={t.renders}>
          <dl class="sums">
            <div><dt>{t.waiting}</dt><dd>{number(renders.waiting)}</dd></div>
            <div><dt>{t.running}</dt><dd>{number(renders.running)}</dd></div>
            <div><dt>{t.oldest}</dt><dd>{renders.waiting ? seconds(renders.oldest_seconds) : "–"}</dd></div>
          </dl>
          {renders.waiting + renders.running > 0 && <p class="quiet">{t.wanted(renders.waiting + renders.running)}</p>}
        </Section>
      )}
      {q && busy.length === 0 && <Empty icon="check" title={t.idle} />}
      {busy.length > 0 && (
        <Section title={t.kinds}>
          <Table label={t.kinds} head={[t.kind, t.role, t.waiting, t.running, t.oldest]} numbers={[2, 3, 4]}
            rows={busy.map((k) => ({ id: k.kind, cells: [nameOf(k.kind), k.role, number(k.waiting), number(k.running), k.waiting ? seconds(k.oldest_seconds) : "–"] }))} />
          <p class="quiet">{t.quiet}</p>
        </Section>
      )}
      {!!q?.accounts.length && (
        <Section title={t.accounts}>
          <Table label={t.accounts} head={[t.account, t.kind, t.waiting, t.running, t.oldest, t.share]} numbers={[2, 3, 4, 5]}
            rows={q.accounts.map((s) => ({ id: s.account + "/" + s.kind, cells: [
              s.account ? <Link to={accountPath(s.account)}>{s.account}</Link> : t.own, nameOf(s.kind), number(s.waiting), number(s.running), s.waiting ? seconds(s.oldest_seconds) : "–", <Part of={s} />,
            ] }))} />
          {q.more > 0 && <p class="quiet">{t.more(q.more)}</p>}
        </Section>
      )}
    </>
  );
}

function Part({ of: s }: { of: Share }) {
  const percent = Math.round(s.share * 100);
  return <span class="part"><meter min={0} max={100} value={percent} aria-label={t.shareOf(s.account || t.own, percent)} /><span>{percent} %</span></span>;
}
