// The pages of the operators' console. One with a label stands in the navigation.
import type { Route } from "../components/frame";
import type { Role } from "./session";
import { texts } from "./texts";

export const routes: Route<Role>[] = [
  { path: "/accounts", role: "observer", label: texts.accounts.title, icon: "user", load: () => import("./pages/accounts") },
  { path: "/accounts/:id", role: "observer", load: () => import("./pages/account") },
  { path: "/stuck", role: "observer", label: texts.stuck.title, icon: "warning", load: () => import("./pages/stuck") },
  { path: "/operators", role: "observer", label: texts.operators.title, icon: "key", load: () => import("./pages/operators") },
  { path: "/acts", role: "observer", label: texts.acts.title, icon: "pen", load: () => import("./pages/acts") },
];
