// The plans that accounts can be on.
import { PageHead, Section } from "../../components/page";
import { Badge } from "../../components/small";
import { Failure, Waiting } from "../../components/states";
import { Table } from "../../components/table";
import { length, number } from "../../format";
import { useLoad } from "../../hooks";
import { loadPlans, type Plan } from "../plans";
import { texts } from "../texts";

const t = texts.plans;

const some = (n: number) => (n > 0 ? number(n) : t.no);
const longest = (p: Plan) => <>{length(p.length_seconds)}{p.pack_length_seconds > p.length_seconds && <><br /><span class="quiet">{length(p.pack_length_seconds)} {t.pack}</span></>}</>;

// kept is how long events stay in the log before they are archived.
function kept(p: Plan): string {
  if (p.history_seconds === null) return t.installation;
  if (p.history_seconds === 0) return t.forever;
  const hours = p.history_seconds / 3600;
  return hours < 48 ? `${number(hours)} ${t.hours}` : `${number(hours / 24)} ${t.days}`;
}

export default function Plans() {
  const found = useLoad(loadPlans, []);
  return (
    <>
      <PageHead title={t.title} note={t.note} />
      {found.error && <Failure message={found.error.message} retry={found.reload} />}
      {!found.data && !found.error && <Waiting />}
      {found.data && (
        <Section>
          <Table label={t.title} head={[t.name, t.length, t.size, t.movies, t.drafts, t.previews, t.email, t.outputs, t.history]} numbers={[1, 2, 3, 4, 5, 6, 7, 8]} rows={found.data.plans.map((p) => ({ id: p.name, cells: [
            <>{p.name} <Badge tone="calm">{p.counted ? t.counted : t.credits}</Badge></>, longest(p), `${p.width} × ${p.height}`, p.counted ? number(p.movies) : "–", p.counted ? number(p.drafts) : "–",
            number(p.previews_per_hour), some(p.email_recipients), some(p.outputs), kept(p),
          ] }))} />
        </Section>
      )}
    </>
  );
}
