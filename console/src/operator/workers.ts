// The processes of the installation.
import { api } from "../api";

export interface Slots { kind: string; slots: number }
export interface Layer { program: string; layer: string; state: "on" | "missing" | "off" | "unneeded"; detail: string }
export interface Place { place: string; bytes: number; files: number; account_bytes: number; total_bytes: number; refused: number }
export interface Doing { work: string; kind: string; account: string; subject: string; attempt: number; since: string | null; percent: number | null }

export interface Worker {
  name: string; alive: boolean; version: string; roles: string[]; started_at: string | null; seen_at: string | null; disk_free: number; disk_total: number;
  slots: Slots[]; sandbox: Layer[]; storage: Place[]; doing: Doing[];
}

export const loadWorkers = (signal: AbortSignal) => api.get<{ workers: Worker[] }>("/admin/workers", {}, signal).then((a) => a.workers);
