// The plans of the installation.
import { api } from "../api";
import { useLoad } from "../hooks";

export interface Plan {
  name: string; counted: boolean; length_seconds: number; pack_length_seconds: number; width: number; height: number; movies: number; drafts: number; email_recipients: number;
  previews_per_hour: number; outputs: number;
  history_seconds: number | null; // 0: for ever; null: as the installation says
}

export const loadPlans = (signal: AbortSignal) => api.get<{ plans: Plan[] }>("/admin/plans", {}, signal);

// usePlans is what can be chosen: the plans, and the one that is chosen even before they are known.
export function usePlans(chosen: string): [value: string, label: string][] {
  const names = useLoad(loadPlans, []).data?.plans.map((p) => p.name) ?? [];
  return (names.includes(chosen) ? names : [chosen, ...names]).map((name) => [name, name]);
}
