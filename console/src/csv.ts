// Tables as text: read as the service reads them, and written again with other names in the first line.

// readCSV separates a text into rows of cells. The separator is the one that its first line has most of: comma, semicolon or tab.
export function readCSV(text: string): string[][] {
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  const head = text.slice(0, (text.indexOf("\n") + 1 || text.length + 1) - 1);
  const separator = [",", ";", "\t"].map((s): [string, number] => [s, head.split(s).length]).sort((a, b) => b[1] - a[1])[0][0];
  const rows: string[][] = [];
  let row: string[] = [], cell = "", quoted = false;
  const end = () => { row.push(cell); cell = ""; };
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') (cell += c), i++;
      else quoted = false;
    } else if (c === '"' && cell === "") quoted = true;
    else if (c === separator) end();
    else if (c === "\n") (end(), rows.push(row), (row = []));
    else if (c !== "\r" || text[i + 1] !== "\n") cell += c;
  }
  if (cell !== "" || row.length > 0) (end(), rows.push(row));
  return rows.filter((cells) => cells.some((one) => one !== ""));
}

// writeCSV writes rows so that every reader finds the same cells.
export const writeCSV = (rows: string[][]) => rows.map((cells) => cells.map((cell) => '"' + cell.replaceAll('"', '""') + '"').join(",")).join("\r\n") + "\r\n";
