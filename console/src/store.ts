// A value that several components show: whoever uses it is drawn anew when it changes.
import { useEffect, useState } from "preact/hooks";

export interface Store<T> {
  get(): T;
  set(value: T): void;
  use(): T;
}

export function store<T>(value: T): Store<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const tell of [...listeners]) tell(next);
    },
    use() {
      const [shown, show] = useState({ value });
      useEffect(() => {
        const tell = (next: T) => show({ value: next });
        listeners.add(tell);
        if (shown.value !== value) tell(value);
        return () => void listeners.delete(tell);
      }, []);
      return shown.value;
    },
  };
}
