// A question in front of the page. The browser keeps the focus in it and closes it by Escape.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { useAct } from "../hooks";
import { texts } from "../texts";

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const own = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    own.current!.showModal();
    return () => before?.focus();
  }, []);
  return (
    <dialog ref={own} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmProps { title: string; text: string; yes: string; danger?: boolean; act: () => Promise<unknown>; onClose: () => void }

// Confirm asks before something is done that cannot be undone.
export function Confirm({ title, text, yes, danger, act, onClose }: ConfirmProps) {
  const doing = useAct(async () => { await act(); onClose(); });
  return (
    <Dialog title={title} onClose={onClose}>
      <p dir="auto">{text}</p>
      {doing.error && <p class="error" role="alert">{doing.error.message}</p>}
      <div class="actions">
        <button type="button" onClick={onClose}>{texts.states.cancel}</button>
        <button type="button" class={danger ? "danger" : "primary"} disabled={doing.busy} onClick={() => doing.run()}>{yes}</button>
      </div>
    </Dialog>
  );
}
