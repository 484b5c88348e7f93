// A secret that is shown once: a key or a token that has just been made.
import { texts } from "../texts";
import { Dialog } from "./dialog";
import { Copy } from "./small";

export function Once({ title, secret, copy, onClose }: { title: string; secret: string; copy: string; onClose: () => void }) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{texts.keys.once}</p>
      <p class="secret"><code class="mono">{secret}</code><Copy text={secret} label={copy} /></p>
      <div class="actions"><button type="button" class="primary" onClick={onClose}>{texts.keys.kept}</button></div>
    </Dialog>
  );
}
