// A table of things with the same facts. It scrolls by itself where it is wider than the page.
import type { ComponentChildren } from "preact";

interface TableProps { label: string; head: string[]; rows: { id: string; cells: ComponentChildren[] }[]; numbers?: number[] }

// The columns in numbers are numbers: they stand at the end of their cells.
export function Table({ label, head, rows, numbers = [] }: TableProps) {
  const kind = (i: number) => (numbers.includes(i) ? "number" : undefined);
  return (
    <div class="table" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead><tr>{head.map((name, i) => <th key={name} scope="col" class={kind(i)}>{name}</th>)}</tr></thead>
        <tbody>{rows.map((row) => <tr key={row.id}>{row.cells.map((cell, i) => (i === 0 ? <th key={i} scope="row" class={kind(i)}>{cell}</th> : <td key={i} class={kind(i)}>{cell}</td>))}</tr>)}</tbody>
      </table>
    </div>
  );
}
