// Signing in with an API key.
import { SignInForm } from "../components/signin";
import { notice, signIn } from "../session";
import { texts } from "../texts";

export function SignIn() {
  return <SignInForm brand="Moviola" name="key" label={texts.signIn.key} hint={texts.signIn.hint} why={notice.use()} enter={signIn} />;
}
