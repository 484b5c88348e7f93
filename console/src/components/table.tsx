// A table of things with the same facts. It scrolls by itself where it is wider than the page; on a phone each row is a list of its facts.
import type { ComponentChildren } from "preact";

interface TableProps { label: string; head: string[]; rows: { id: string; cells: ComponentChildren[] }[]; numbers?: number[] }

// The columns in numbers are numbers: they stand at the end of their cells. The roles are told since the looks of a phone take them from the elements.
export function Table({ label, head, rows, numbers = [] }: TableProps) {
  const kind = (i: number) => (numbers.includes(i) ? "number" : undefined);
  return (
    <div class="table" tabIndex={0} role="region" aria-label={label}>
      <table role="table">
        <thead role="rowgroup"><tr role="row">{head.map((name, i) => <th key={name} role="columnheader" scope="col" class={kind(i)}>{name}</th>)}</tr></thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={row.id} role="row">
              {row.cells.map((cell, i) => i === 0
                ? <th key={i} role="rowheader" scope="row" class={kind(i)}>{cell}</th>
                : <td key={i} role="cell" data-head={head[i]} class={kind(i)}><div>{cell}</div></td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
