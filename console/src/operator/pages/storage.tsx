// What is stored, where, and how much may be.
import { PageHead, Section } from "../../components/page";
import { Empty, Failure, Waiting } from "../../components/states";
import { Table } from "../../components/table";
import { number, room } from "../../format";
import { useLoad } from "../../hooks";
import { texts } from "../texts";
import { loadWorkers, type Worker } from "../workers";

const t = texts.storage;

export default function Storage() {
  const workers = useLoad(loadWorkers, []);
  const alive = workers.data?.filter((w) => w.alive);
  return (
    <>
      <PageHead title={t.title} note={<>{t.note} {t.hint}</>} />
      {workers.error && <Failure message={workers.error.message} retry={workers.reload} />}
      {!alive && !workers.error && <Waiting />}
      {alive?.length === 0 && <Empty icon="folder" title={texts.workers.none}><p>{texts.workers.noneHint}</p></Empty>}
      {alive?.map((w) => <One key={w.name} of={w} />)}
    </>
  );
}

const bound = (n: number) => (n > 0 ? room(n) : t.none);

function One({ of: w }: { of: Worker }) {
  return (
    <Section title={w.name}>
      {w.disk_total > 0 && <p class="disk"><meter min={0} max={w.disk_total} high={w.disk_total * 0.9} value={w.disk_total - w.disk_free} aria-label={t.usedOf(w.name)} /><span>{t.free(room(w.disk_free), room(w.disk_total))}</span></p>}
      <Table label={t.title + ": " + w.name} head={[t.place, t.kept, t.files, t.forOne, t.forAll, t.refused]} numbers={[1, 2, 3, 4, 5]} rows={w.storage.map((p) => ({ id: p.place, cells: [
        t.places[p.place] ?? p.place, p.total_bytes > 0 ? room(p.bytes) : t.unknown, p.total_bytes > 0 ? number(p.files) : "–", bound(p.account_bytes), bound(p.total_bytes), number(p.refused),
      ] }))} />
    </Section>
  );
}
