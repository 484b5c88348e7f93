// The media library: folders and files, uploads, and assets that are prepared for movies.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api } from "../api";
import { Confirm, Dialog } from "../components/dialog";
import { CheckField, SelectField, TextField } from "../components/form";
import { Icon } from "../components/icon";
import { type Endless, List, useEndless } from "../components/list";
import { Facts, PageHead, Section } from "../components/page";
import { Ago, Badge, Copy, Progress } from "../components/small";
import { Empty, Failure } from "../components/states";
import { tell } from "../components/toast";
import { Wave } from "../components/wave";
import { bytes } from "../format";
import { useAct, useLoad } from "../hooks";
import { setQuery, usePlace } from "../router";
import { may } from "../session";
import { texts } from "../texts";
import { arrived, forgetEnded, replace, retry, upload, uploads } from "../uploads";

const t = texts.media;
const pageSize = 60;

interface File { name: string; folder: string; type: "image" | "video" | "audio" | "other"; contentType: string; size: number; url: string; status: "pending" | "uploaded"; temporary: boolean; created_at: string }
interface Answer { storage: { used_bytes: number; blocked: boolean }; folders: string[]; files: File[]; total_size: number; total_files: number; has_next: boolean; next_token: string | null }
type Entry = { folder: string } | File;

export default function Media() {
  const path = usePlace().query.get("path") ?? "";
  const [search, setSearch] = useState("");
  const [storage, setStorage] = useState<Answer["storage"]>();
  const come = arrived.use();
  const list = useEndless<Entry>(async (next, signal) => {
    const a = await api.get<Answer>("/v2/media", next ? { path, q: search, next_token: next } : { path, q: search, page_size: pageSize }, signal);
    setStorage(a.storage);
    return { items: [...(next ? [] : a.folders.map((folder) => ({ folder }))), ...a.files], next: a.has_next ? a.next_token : null };
  }, [path, search, come]);
  useArriving(list);
  return (
    <Dropping folder={path}>
      <PageHead title={t.title} note={storage && t.stored(bytes(storage.used_bytes))}>
        {may("render") && <NewFolder path={path} done={list.reload} />}
        {may("render") && <Choose folder={path} />}
      </PageHead>
      {storage?.blocked && <Failure message={t.blocked} />}
      <Uploads />
      <Crumbs path={path} />
      <form class="filters" role="search" aria-label={t.filter} onSubmit={(e) => e.preventDefault()}>
        <TextField label={t.search} type="search" value={search} onValue={setSearch} />
      </form>
      <List of={list} label={t.list} class="cards files" id={(e) => ("name" in e ? "f/" + e.name : "d/" + e.folder)} empty={
        search
          ? <Empty icon="search" title={t.noneFound}><p>{t.noneFoundHint}</p></Empty>
          : <Empty icon="folder" title={path ? t.emptyFolder : t.none}><p>{may("render") ? t.noneHint : t.noneHintViewer}</p>{path && may("render") && <RemoveFolder path={path} />}</Empty>
      }>
        {(e) => ("name" in e ? <Shown file={e} reload={list.reload} /> : <Folder name={e.folder} path={path} />)}
      </List>
      {may("render") && <Preload />}
    </Dropping>
  );
}

// What was sent to a storage of its own is here once the service has seen it there, within seconds as a rule. So long it is looked for, ever less often.
const pauses = [1, 1, 2, 4, 8, 15, 30, 60, 60, 60];
const lookedFor = 20;

// useArriving asks again for the files that are listed and not here yet.
function useArriving({ items, change }: Endless<Entry>) {
  const pending = items.filter((e): e is File => "name" in e && e.status === "pending").slice(0, lookedFor);
  useEffect(() => {
    if (pending.length === 0) return;
    const abort = new AbortController();
    const look = async (f: File) => {
      const { file } = await api.get<{ file: File }>("/v2/media/file", { path: below(f.folder, f.name) }, abort.signal);
      if (file.status !== "pending") change((items) => items.map((e) => ("name" in e && e.name === f.name && e.folder === f.folder ? file : e)));
    };
    const follow = async () => {
      for (const pause of pauses) {
        await new Promise((resolve) => setTimeout(resolve, pause * 1000));
        if (abort.signal.aborted) return;
        for (const f of pending) await look(f).catch(() => {}); // one that is gone stays as it is listed
      }
    };
    follow();
    return () => abort.abort();
  }, [pending.map((f) => below(f.folder, f.name)).join("\n")]);
}

const below = (path: string, name: string) => (path ? path + "/" : "") + name;

// Dropping takes files that are dropped anywhere on the page.
function Dropping({ folder, children }: { folder: string; children: ComponentChildren }) {
  const [over, setOver] = useState(false);
  const holds = (e: DragEvent) => may("render") && !!e.dataTransfer?.types.includes("Files");
  return (
    <div class={"dropping" + (over ? " over" : "")} onDragOver={(e) => { if (holds(e)) { e.preventDefault(); setOver(true); } }} onDragLeave={(e) => e.currentTarget.contains(e.relatedTarget as Node) || setOver(false)}
      onDrop={(e) => { if (holds(e)) { e.preventDefault(); setOver(false); upload(e.dataTransfer!.files, folder); } }}>
      {children}
      {over && <p class="drophere" aria-hidden="true">{t.drop(folder || t.root)}</p>}
    </div>
  );
}

function Choose({ folder }: { folder: string }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input ref={input} type="file" multiple hidden onChange={(e) => { upload(e.currentTarget.files ?? [], folder); e.currentTarget.value = ""; }} />
      <button type="button" class="primary" onClick={() => input.current!.click()}><Icon name="plus" />{t.upload}</button>
    </>
  );
}

function Uploads() {
  const all = uploads.use();
  if (all.length === 0) return null;
  const ended = all.every((u) => u.state === "done" || u.state === "failed");
  return (
    <Section title={t.uploads} actions={ended && <button type="button" class="plain" onClick={forgetEnded}>{t.forget}</button>}>
      <ul class="plainlist" aria-label={t.uploads}>
        {all.map((u) => (
          <li key={u.id} class="upload">
            <span class="what"><strong dir="auto">{u.file.name}</strong><span class="quiet">{bytes(u.file.size)} · <span dir="auto">{u.folder || t.root}</span></span></span>
            {u.state === "done" ? <Badge tone="good">{t.done}</Badge> : u.state === "waiting" ? <Badge tone="calm">{t.waits}</Badge> : u.state === "sending" ? <span class="upto"><Progress percent={u.percent} label={t.progress(u.file.name)} /></span> : (
              <span class="actions">
                <span class="error" role="alert" dir="auto">{u.message}</span>
                {u.code === "file_exists" && <button type="button" onClick={() => replace(u)}>{t.replace}<span class="hiddentext"> {u.file.name}</span></button>}
                <button type="button" onClick={() => retry(u.id)}>{texts.states.retry}<span class="hiddentext">: {u.file.name}</span></button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Crumbs({ path }: { path: string }) {
  const names = path ? path.split("/") : [];
  const step = (text: string, to: string, here: boolean) => (
    <li key={to}>{here ? <strong aria-current="location" dir="auto">{text}</strong> : <button type="button" class="plain" dir="auto" onClick={() => setQuery({ path: to })}>{text}</button>}</li>
  );
  return <div class="crumbs" role="navigation" aria-label={t.place}><ol>{step(t.root, "", names.length === 0)}{names.map((name, i) => step(name, names.slice(0, i + 1).join("/"), i === names.length - 1))}</ol></div>;
}

function Folder({ name, path }: { name: string; path: string }) {
  return (
    <button type="button" class="template folder" onClick={() => setQuery({ path: below(path, name) })}>
      <span class="glimpse"><Icon name="folder" /></span><strong dir="auto">{name}</strong>
      {!path && name === "temp" && <span class="quiet small">{t.temp}</span>}
    </button>
  );
}

function NewFolder({ path, done }: { path: string; done: () => void }) {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState("");
  const make = useAct(async () => {
    await api.post("/v2/media/folder", { body: { folder: below(path, name.trim()) } });
    setOpen(false);
    setName("");
    done();
  });
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}><Icon name="folder" />{t.newFolder}</button>
      {open && (
        <Dialog title={t.newFolder} onClose={() => setOpen(false)}>
          <form class="fields" onSubmit={(e) => { e.preventDefault(); make.run(); }}>
            <TextField label={t.folderName} hint={t.folderHint} value={name} onValue={setName} required error={make.error?.message} />
            <div class="actions"><button type="button" onClick={() => setOpen(false)}>{texts.states.cancel}</button><button class="primary" disabled={make.busy}>{t.make}</button></div>
          </form>
        </Dialog>
      )}
    </>
  );
}

function RemoveFolder({ path }: { path: string }) {
  const remove = useAct(async () => {
    await api.delete("/v2/media/folder", { folder: path });
    tell(t.folderRemoved);
    setQuery({ path: path.split("/").slice(0, -1).join("/") });
  });
  return <>{remove.error && <p class="error" role="alert">{remove.error.message}</p>}<button type="button" disabled={remove.busy} onClick={() => remove.run()}><Icon name="trash" />{t.removeFolder}</button></>;
}

function Shown({ file: f, reload }: { file: File; reload: () => void }) {
  const [doing, set] = useState<"" | "look" | "move" | "remove">("");
  const close = () => set("");
  return (
    <div class="template">
      <button type="button" class="glimpse look" aria-label={t.look(f.name)} onClick={() => set("look")}><Thumb file={f} /></button>
      <span class="what">
        <strong dir="auto">{f.name}</strong>
        <span class="quiet small">{bytes(f.size)} · <Ago at={f.created_at} />{f.status === "pending" && <> · {t.pending}</>}</span>
      </span>
      <span class="actions tight">
        <Copy text={f.url} label={t.copy(f.name)} />
        {may("render") && <button type="button" class="plain" aria-label={t.moveLabel(f.name)} title={t.move} onClick={() => set("move")}><Icon name="folder" /></button>}
        {may("render") && <button type="button" class="plain" aria-label={t.removeLabel(f.name)} title={t.remove} onClick={() => set("remove")}><Icon name="trash" /></button>}
      </span>
      {doing === "look" && <Look file={f} onClose={close} />}
      {doing === "move" && <Move file={f} onClose={close} done={reload} />}
      {doing === "remove" && <Confirm title={t.removeTitle(f.name)} text={t.removeText} yes={t.remove} danger onClose={close}
        act={() => api.delete("/v2/media/file", { name: f.name, folder: f.folder }).then(() => { tell(t.removed); reload(); })} />}
    </div>
  );
}

function Thumb({ file: f }: { file: File }) {
  const [broken, setBroken] = useState(false);
  if (f.status === "pending" || broken || f.type === "other" || f.contentType === "image/svg+xml") return <Icon name={f.type === "video" ? "film" : "rows"} />;
  if (f.type === "image") return <img src={f.url} alt="" loading="lazy" onError={() => setBroken(true)} />;
  if (f.type === "video") return <video src={f.url + "#t=0.5"} preload="metadata" muted playsInline tabIndex={-1} onError={() => setBroken(true)} />;
  return <Icon name="chart" />;
}

function Look({ file: f, onClose }: { file: File; onClose: () => void }) {
  return (
    <Dialog title={f.name} onClose={onClose}>
      <div class="looking">
        {f.status === "uploaded" && f.type === "image" && f.contentType !== "image/svg+xml" && <img src={f.url} alt={f.name} />}
        {f.status === "uploaded" && f.type === "video" && <video src={f.url} controls />}
        {f.status === "uploaded" && f.type === "audio" && <><Wave url={f.url} size={f.size} label={t.wave(f.name)} /><audio src={f.url} controls /></>}
      </div>
      <Facts of={[[t.kind, f.contentType], [t.size, bytes(f.size)], [t.added, <Ago at={f.created_at} />], [t.address, <span class="mono">{f.url}</span>]]} />
      <div class="actions"><a class="button" href={f.url} download={f.name}><Icon name="download" />{t.download}</a><button type="button" onClick={onClose}>{texts.states.close}</button></div>
    </Dialog>
  );
}

function Move({ file: f, onClose, done }: { file: File; onClose: () => void; done: () => void }) {
  const tree = useLoad((signal) => api.get<{ tree: { path: string }[] }>("/v2/media/folder", { tree: true }, signal).then((a) => a.tree.map((one) => (one.path === "/" ? "" : one.path))), []);
  const [to, setTo] = useState(f.folder);
  const move = useAct(async () => {
    await api.put("/v2/media/file", { body: { name: f.name, folder: f.folder, destination: to } });
    tell(t.moved);
    onClose();
    done();
  });
  const options = (tree.data ?? [f.folder]).map((path): [string, string] => [path, path || t.root]);
  return (
    <Dialog title={t.moveTitle(f.name)} onClose={onClose}>
      <form class="fields" onSubmit={(e) => { e.preventDefault(); move.run(); }}>
        <SelectField label={t.into} hint={t.moveHint} value={to} onValue={setTo} options={options} error={(tree.error ?? move.error)?.message} />
        <div class="actions"><button type="button" onClick={onClose}>{texts.states.cancel}</button><button class="primary" disabled={move.busy || to === f.folder}>{t.move}</button></div>
      </form>
    </Dialog>
  );
}

interface Item { id: string; type: string; status: "pending" | "running" | "ready" | "error"; url: string | null; error?: string | null; warning?: string | null }
const lookEvery = 1500;

// Preload prepares an asset from an address, so that movies that use it begin at once.
function Preload() {
  const [kind, setKind] = useState("image"), [src, setSrc] = useState(""), [keep, setKeep] = useState(false);
  const [asked, setAsked] = useState<string[]>([]);
  const start = useAct(async () => {
    const { preload_id } = await api.post<{ preload_id: string }>("/v2/preloads", { body: { preload: [{ id: "asset", type: kind, src: src.trim(), ...(keep ? { "save-to-media": true } : {}) }] } });
    setAsked([preload_id, ...asked]);
    setSrc("");
  });
  return (
    <div class="apart"><Section title={t.preload}>
      <p class="quiet">{t.preloadHint}</p>
      <form class="filters" onSubmit={(e) => { e.preventDefault(); start.run(); }}>
        <SelectField label={t.kind} value={kind} onValue={setKind} options={[["image", t.image], ["video", t.video], ["audio", t.audio]]} />
        <TextField label={t.source} type="url" dir="ltr" value={src} onValue={setSrc} required error={start.error?.message} />
        <CheckField label={t.keep} checked={keep} onValue={setKeep} />
        <button disabled={start.busy}>{t.prepare}</button>
      </form>
      {asked.length > 0 && <ul class="plainlist">{asked.map((id) => <Prepared key={id} id={id} />)}</ul>}
    </Section></div>
  );
}

function Prepared({ id }: { id: string }) {
  const batch = useLoad((signal) => api.get<{ items?: Item[]; preload?: { items: Item[] } }>("/v2/preloads/" + id, {}, signal), [id]);
  const item = (batch.data?.items ?? batch.data?.preload?.items)?.[0];
  const open = !item || item.status === "pending" || item.status === "running";
  useEffect(() => {
    if (!open || batch.loading) return;
    const timer = setTimeout(batch.reload, lookEvery);
    return () => clearTimeout(timer);
  }, [open, batch.loading]);
  return (
    <li class="upload">
      <span class="mono">{id}</span>
      {batch.error && <span class="error" role="alert">{batch.error.message}</span>}
      {item && <Badge tone={item.status === "ready" ? "good" : item.status === "error" ? "bad" : "busy"}>{t.states[item.status]}</Badge>}
      {item?.error && <span class="error" dir="auto">{item.error}</span>}
      {item?.url && <Copy text={item.url} label={t.copy(id)} />}
    </li>
  );
}
