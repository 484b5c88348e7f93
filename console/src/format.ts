// How times, lengths and sizes are written.
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const ages = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const whole = new Intl.NumberFormat();
const steps: [Intl.RelativeTimeFormatUnit, number][] = [["second", 60], ["minute", 60], ["hour", 24], ["day", 7], ["week", 4.35], ["month", 12], ["year", Infinity]];

export const moment = (at: string) => moments.format(new Date(at));
export const number = (n: number) => whole.format(n);

// age is how long ago something was, such as "3 minutes ago".
export function age(at: string, now = Date.now()): string {
  let n = Math.round((Date.parse(at) - now) / 1000);
  for (const [unit, size] of steps) {
    if (Math.abs(n) < size) return ages.format(n, unit);
    n = Math.round(n / size);
  }
  return "";
}

// length is a time in seconds, such as 1:05.3 or 0:04.
export function length(seconds: number, digits = 1): string {
  const tenths = Math.round(seconds * 10 ** digits) / 10 ** digits;
  const minutes = Math.floor(tenths / 60), rest = tenths - minutes * 60;
  const text = rest.toFixed(Number.isInteger(tenths) ? 0 : digits);
  return minutes + ":" + (rest < 10 ? "0" : "") + text;
}

// bytes is a size.
export const bytes = (n: number) => sized(n, 1000, ["B", "kB", "MB", "GB", "TB"]);

// room is a size of which settings are made, where 1GB is 1 GiB.
export const room = (n: number) => sized(n, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);

function sized(n: number, step: number, units: string[]): string {
  let i = 0;
  while (n >= step && i < units.length - 1) (n /= step), i++;
  return (i && n < 10 ? n.toFixed(1).replace(/\.0$/, "") : Math.round(n)) + " " + units[i];
}

// pretty is a JSON text with line breaks; another text stays as it is.
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
