// A line at the edge that tells what has just been done.
import { useEffect } from "preact/hooks";
import { store } from "../store";

const told = store("");

export const tell = (text: string) => told.set(text);

export function Told() {
  const text = told.use();
  useEffect(() => {
    if (!text) return;
    const timer = setTimeout(() => told.set(""), 6000);
    return () => clearTimeout(timer);
  }, [text]);
  return <div class="told" role="status" aria-live="polite">{text && <p dir="auto">{text}</p>}</div>;
}
