// Files on their way into the media library. They go on while another page is looked at, three at a time.
import { api, ApiError } from "./api";
import { store } from "./store";
import { texts } from "./texts";

export interface Upload { id: number; file: File; folder: string; state: "waiting" | "sending" | "done" | "failed"; percent: number; message: string; code: string; address?: string; until: number }

export const uploads = store<Upload[]>([]);
// how often something has come: who lists a folder looks again.
export const arrived = store(0);

const atOnce = 3;
const margin = 5_000; // before an address expires it is not used any more
let last = 0;

const change = (id: number, next: Partial<Upload>) => uploads.set(uploads.get().map((u) => (u.id === id ? { ...u, ...next } : u)));

export function upload(files: Iterable<File>, folder: string) {
  const fresh = [...files].map((file): Upload => ({ id: ++last, file, folder, state: "waiting", percent: 0, message: "", code: "", until: 0 }));
  uploads.set([...uploads.get(), ...fresh]);
  begin();
}

// retry sends a file again: to its address, as long as that can be used.
export function retry(id: number) {
  change(id, { state: "waiting", message: "", code: "", percent: 0 });
  begin();
}

// replace removes the file that has the name, and sends this one.
export async function replace(one: Upload) {
  change(one.id, { state: "sending", message: "", code: "", percent: 0 });
  try {
    await api.delete("/v2/media/file", { name: one.file.name, folder: one.folder });
    retry(one.id);
  } catch (error) {
    change(one.id, { state: "failed", message: (error as Error).message });
  }
}

export function forgetEnded() {
  uploads.set(uploads.get().filter((u) => u.state === "waiting" || u.state === "sending"));
}

function begin() {
  const all = uploads.get();
  const free = atOnce - all.filter((u) => u.state === "sending").length;
  for (const one of all.filter((u) => u.state === "waiting").slice(0, Math.max(0, free))) {
    change(one.id, { state: "sending" });
    void run(one).then(
      () => { change(one.id, { state: "done", percent: 100 }); arrived.set(arrived.get() + 1); },
      (error) => change(one.id, { state: "failed", message: error.message, code: error instanceof ApiError ? error.code : "" }),
    ).then(begin);
  }
}

async function run(one: Upload) {
  const type = one.file.type || "application/octet-stream";
  let address = one.address;
  if (!address || Date.now() > one.until) {
    const given = await api.post<{ uploadUrl: string; expiresIn: number }>("/v2/media/file", { body: { name: one.file.name, folder: one.folder, contentType: type, size: one.file.size } });
    address = given.uploadUrl;
    change(one.id, { address, until: Date.now() + given.expiresIn * 1000 - margin });
  }
  await put(address, type, one);
}

// put sends the bytes: only this way of asking tells how many have gone.
function put(address: string, type: string, one: Upload): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", address);
    request.setRequestHeader("Content-Type", type);
    request.upload.onprogress = (e) => change(one.id, { percent: Math.floor((100 * e.loaded) / Math.max(1, one.file.size)) });
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) return resolve();
      let said: { code?: string; message?: string } = {};
      try {
        said = JSON.parse(request.responseText);
      } catch { /* the storage answers in another form */ }
      change(one.id, { until: 0 }); // another address is needed
      reject(new ApiError(request.status, said.code ?? "", said.message ?? texts.errors.status(request.status)));
    };
    request.onerror = () => reject(new ApiError(0, "unreachable", texts.media.broken));
    request.send(one.file);
  });
}
