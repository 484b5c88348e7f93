// What an account did on each of the last days.
import { useMemo } from "preact/hooks";
import { api } from "../api";
import { Section } from "../components/page";
import { Failure, Waiting } from "../components/states";
import { Table } from "../components/table";
import { number } from "../format";
import { useLoad } from "../hooks";
import { texts } from "./texts";

const t = texts.account;
const days = 30;

interface Day { day: string; submitted: number; rendered: number; failed: number; credits: number; video_ms: number }

export function Usage({ account }: { account: string }) {
  const from = useMemo(() => new Date(Date.now() - (days - 1) * 24 * 60 * 60 * 1000).toISOString(), []);
  const usage = useLoad((signal) => api.get<{ usage: Day[] }>("/admin/usage", { account, start_date: from, limit: days + 1 }, signal).then((a) => a.usage.reverse()), [account]);
  return (
    <Section title={t.usage}>
      {usage.error && <Failure message={usage.error.message} retry={usage.reload} />}
      {!usage.data && !usage.error && <Waiting />}
      {usage.data?.length === 0 && <p class="quiet">{t.noUsage}</p>}
      {!!usage.data?.length && <Table label={t.usage} head={[t.day, t.submitted, t.rendered, t.failed, t.minutes, t.spent]} numbers={[1, 2, 3, 4, 5]}
        rows={usage.data.map((d) => ({ id: d.day, cells: [d.day, number(d.submitted), number(d.rendered), number(d.failed), number(Math.round(d.video_ms / 6000) / 10), number(d.credits)] }))} />}
    </Section>
  );
}
