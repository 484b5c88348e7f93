// Finds the place in a movie's JSON that a warning speaks of.
type Part = Record<string, any>;

const place = /^(?:Scene #(\d+)(?:,? element #(\d+))?|Movie,? element #(\d+))\b/i;

// partOf is the object that a warning is about. None, where the scenes and elements are not counted as they are written.
export function partOf(movie: unknown, warning: string): object | undefined {
  const found = place.exec(warning);
  if (!found || typeof movie !== "object" || movie === null || counted(movie)) return undefined;
  const [, scene, element, own] = found;
  if (own) return at((movie as Part).elements, own);
  const around = at((movie as Part).scenes, scene);
  return element ? at((around as Part)?.elements, element) : around;
}

const at = (list: unknown, number: string): object | undefined => (Array.isArray(list) && typeof list[+number - 1] === "object" ? list[+number - 1] : undefined);

const counted = (movie: object) => /"(iterate|condition|template)":/.test(JSON.stringify(movie));

// around is the JSON of a movie in three pieces: before a part of it, the part, and what comes after.
export function around(movie: unknown, part: object): [before: string, part: string, after: string] {
  const mark = "part-" + crypto.randomUUID();
  const text = JSON.stringify(movie, (_, value) => (value === part ? mark : value), 2);
  const from = text.indexOf('"' + mark + '"');
  const indent = /[ ]*$/.exec(text.slice(0, from).replace(/"[^"\n]*": $/, ""))![0];
  return [text.slice(0, from), JSON.stringify(part, null, 2).replaceAll("\n", "\n" + indent), text.slice(from + mark.length + 2)];
}
