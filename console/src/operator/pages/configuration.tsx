// The configuration in force.
import { useState } from "preact/hooks";
import { api } from "../../api";
import { CheckField, TextField } from "../../components/form";
import { PageHead, Section } from "../../components/page";
import { Badge } from "../../components/small";
import { Empty, Failure, Waiting } from "../../components/states";
import { Table } from "../../components/table";
import { useLoad } from "../../hooks";
import { texts } from "../texts";

const t = texts.configuration;

interface Setting { name: string; value: string; source: string }
interface Answer { version: string; process: string; settings: Setting[] }

export default function Configuration() {
  const found = useLoad((signal) => api.get<Answer>("/admin/configuration", {}, signal), []);
  const [wanted, want] = useState(""), [changed, setChanged] = useState(false);
  const a = found.data;
  const shown = a?.settings.filter((s) => (s.name + " " + s.value).includes(wanted.trim()) && (!changed || s.source !== "default"));
  return (
    <>
      <PageHead title={t.title} note={a && t.note(a.process, a.version)} />
      {found.error && <Failure message={found.error.message} retry={found.reload} />}
      {!a && !found.error && <Waiting />}
      {a && <div class="filters"><TextField label={t.filter} type="search" value={wanted} onValue={want} dir="ltr" /><CheckField label={t.changed} checked={changed} onValue={setChanged} /></div>}
      {shown?.length === 0 && <Empty icon="search" title={t.none} />}
      {!!shown?.length && (
        <Section>
          <Table label={t.title} head={[t.name, t.value, t.source]} rows={shown.map((s) => ({ id: s.name, cells: [
            <span class="mono">--{s.name}</span>, s.value ? <span class="mono value">{s.value}</span> : <span class="quiet">{t.empty}</span>, s.source === "default" ? <span class="quiet">{s.source}</span> : <Badge tone="busy">{s.source}</Badge>,
          ] }))} />
        </Section>
      )}
    </>
  );
}
