// The loudness of a sound over its time, as bars.
import { useEffect, useRef, useState } from "preact/hooks";
import { texts } from "../texts";

const largest = 30 << 20; // a larger file is not loaded for a picture
const bars = 240;

export function Wave({ url, size, label }: { url: string; size: number; label: string }) {
  const own = useRef<HTMLCanvasElement>(null);
  const [failed, setFailed] = useState(size > largest);
  useEffect(() => {
    if (failed) return;
    const abort = new AbortController();
    draw(own.current!, url, abort.signal).catch(() => abort.signal.aborted || setFailed(true));
    return () => abort.abort();
  }, [url]);
  if (failed) return <p class="quiet">{texts.media.noWave}</p>;
  return <canvas ref={own} class="wave" width={bars * 3} height={90} role="img" aria-label={label} />;
}

async function draw(canvas: HTMLCanvasElement, url: string, signal: AbortSignal) {
  const raw = await (await fetch(url, { signal })).arrayBuffer();
  const sound = await new OfflineAudioContext(1, 1, 8000).decodeAudioData(raw);
  const samples = sound.getChannelData(0), each = Math.max(1, Math.floor(samples.length / bars));
  const context = canvas.getContext("2d")!;
  context.fillStyle = getComputedStyle(canvas).color;
  for (let bar = 0; bar < bars; bar++) {
    let peak = 0;
    for (let i = bar * each; i < Math.min(samples.length, (bar + 1) * each); i++) peak = Math.max(peak, Math.abs(samples[i]));
    const height = Math.max(1, peak * canvas.height);
    context.fillRect(bar * 3, (canvas.height - height) / 2, 2, height);
  }
}
