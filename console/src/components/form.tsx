// Fields of forms. Each has a label, may have a hint, and says what is wrong with it.
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

interface FieldProps { label: string; hint?: string; error?: string; children: (ids: { id: string; "aria-describedby"?: string; "aria-invalid"?: boolean }) => ComponentChildren }

// Field is the frame around an input of whatever kind.
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const describing = [hint && id + "-hint", error && id + "-error"].filter(Boolean).join(" ");
  return (
    <div class={"field" + (error ? " wrong" : "")}>
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": describing || undefined, "aria-invalid": error ? true : undefined })}
      {hint && <p class="hint" id={id + "-hint"}>{hint}</p>}
      {error && <p class="error" id={id + "-error"} role="alert">{error}</p>}
    </div>
  );
}

interface Common { label: string; hint?: string; error?: string; value: string; onValue: (value: string) => void }

type InputRest = Omit<JSX.IntrinsicElements["input"], "value" | "label">;
export function TextField({ label, hint, error, value, onValue, ...rest }: Common & InputRest) {
  return <Field {...{ label, hint, error }}>{(ids) => <input type="text" dir="auto" {...(rest as {})} {...ids} value={value} onInput={(e) => onValue(e.currentTarget.value)} />}</Field>;
}

type AreaRest = Omit<JSX.IntrinsicElements["textarea"], "value" | "label">;
export function TextArea({ label, hint, error, value, onValue, ...rest }: Common & AreaRest) {
  return <Field {...{ label, hint, error }}>{(ids) => <textarea dir="auto" rows={4} {...(rest as {})} {...ids} value={value} onInput={(e) => onValue(e.currentTarget.value)} />}</Field>;
}

export function SelectField({ label, hint, error, value, onValue, options }: Common & { options: [value: string, label: string][] }) {
  return (
    <Field {...{ label, hint, error }}>
      {(ids) => <select {...ids} value={value} onChange={(e) => onValue(e.currentTarget.value)}>{options.map(([v, text]) => <option key={v} value={v}>{text}</option>)}</select>}
    </Field>
  );
}

export function CheckField({ label, checked, onValue }: { label: string; checked: boolean; onValue: (checked: boolean) => void }) {
  return <label class="check"><input type="checkbox" checked={checked} onChange={(e) => onValue(e.currentTarget.checked)} />{label}</label>;
}
