// A draft in a link: it stands behind the #, which browsers send to nobody.
const mark = "#draft=";

async function through(bytes: BlobPart, stream: GenericTransformStream): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

// linkOf is the address of a page that begins with the text.
export async function linkOf(text: string): Promise<string> {
  const packed = await through(text, new CompressionStream("deflate-raw"));
  let raw = "";
  for (const byte of packed) raw += String.fromCharCode(byte);
  return location.origin + location.pathname + mark + btoa(raw).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// isShared says that the address holds a draft.
export const isShared = () => location.hash.startsWith(mark);

// sharedDraft is the draft of the address, which it is taken out of.
export async function sharedDraft(): Promise<string> {
  const packed = location.hash.slice(mark.length);
  history.replaceState(null, "", location.pathname + location.search);
  const raw = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(await through(Uint8Array.from(raw, (c) => c.charCodeAt(0)), new DecompressionStream("deflate-raw")));
}
