// The pages of the operators' console. One with a label stands in the navigation.
import type { Route } from "../components/frame";
import type { Role } from "./session";
import { texts } from "./texts";

export const routes: Route<Role>[] = [
  { path: "/queue", role: "observer", label: texts.queue.title, icon: "rows", load: () => import("./pages/queue") },
  { path: "/workers", role: "observer", label: texts.workers.title, icon: "grid", load: () => import("./pages/workers") },
  { path: "/stuck", role: "observer", label: texts.stuck.title, icon: "warning", load: () => import("./pages/stuck") },
  { path: "/accounts", role: "observer", label: texts.accounts.title, icon: "user", load: () => import("./pages/accounts") },
  { path: "/accounts/:id", role: "observer", load: () => import("./pages/account") },
  { path: "/plans", role: "observer", label: texts.plans.title, icon: "chart", load: () => import("./pages/plans") },
  { path: "/storage", role: "observer", label: texts.storage.title, icon: "folder", load: () => import("./pages/storage") },
  { path: "/models", role: "observer", label: texts.models.title, icon: "again", load: () => import("./pages/models") },
  { path: "/configuration", role: "observer", label: texts.configuration.title, icon: "check", load: () => import("./pages/configuration") },
  { path: "/operators", role: "observer", label: texts.operators.title, icon: "key", load: () => import("./pages/operators") },
  { path: "/acts", role: "observer", label: texts.acts.title, icon: "pen", load: () => import("./pages/acts") },
];
