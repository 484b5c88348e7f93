// What stands where something is not there: not yet, not at all, or not to be had.
import type { ComponentChildren } from "preact";
import { texts } from "../texts";
import { Icon, type IconName } from "./icon";

export function Waiting({ label = texts.states.loading }: { label?: string }) {
  return <div class="waiting" role="status"><span class="spinner" aria-hidden="true" /><span class="quiet">{label}</span></div>;
}

// Failure says what went wrong and, where that helps, lets it be tried again.
export function Failure({ message, retry }: { message: string; retry?: () => void }) {
  return (
    <div class="failure" role="alert">
      <Icon name="warning" />
      <p dir="auto">{message}</p>
      {retry && <button type="button" onClick={retry}>{texts.states.retry}</button>}
    </div>
  );
}

// Empty says that there is nothing, and what to do about it.
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
  return <div class="empty"><Icon name={icon} /><h2>{title}</h2>{children}</div>;
}
