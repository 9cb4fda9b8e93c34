import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { messageOf } from './answer.js';
import { addressWith, goTo } from './location.js';
import { answerChallenge, session, signIn } from './session.js';
import { textIn } from './write-form.js';

/** The challenge of a sign-in by the provider, which the gateway hands over in the fragment. */
const challengeIn = (hash: string): string | null =>
  /^#challenge=(svc_2fa_[\w-]+)$/.exec(hash)?.[1] ?? null;

const ByProvider = () => (
  <p>
    <a class="button" href="/api/v1/auth/oidc/console">
      Sign in by the OpenID provider
    </a>
  </p>
);

const Code = () => (
  <label>
    Code of the authenticator app, or a recovery code
    <input name="code" autocomplete="one-time-code" required maxLength={32} autofocus />
  </label>
);

/** The password stays in the form until the code is there: the gateway takes both together. */
export const SignIn = () => {
  const needsCode = useSignal(false);
  const isBusy = useSignal(false);
  const failure = useSignal('');
  const rejected = session.value?.sign_in_rejected;
  const challenge = useRef(challengeIn(window.location.hash)).current;

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    const password = form.get('password');
    isBusy.value = true;
    failure.value = '';
    try {
      const code = textIn(form, 'code');
      const outcome = await (challenge === null
        ? signIn(textIn(form, 'username'), typeof password === 'string' ? password : '', code)
        : answerChallenge(challenge, code));
      needsCode.value = outcome === 'code-needed';
      if (challenge !== null) goTo(addressWith({}));
    } catch (error) {
      failure.value = messageOf(error);
    } finally {
      isBusy.value = false;
    }
  };

  return (
    <main class="sign-in">
      <h1>Sign in to Quipu</h1>
      {rejected == null ? (
        <form class="stacked" onSubmit={(event) => void submit(event)}>
          {challenge === null && (
            <>
              <label>
                User name
                <input name="username" autocomplete="username" required maxLength={254} />
              </label>
              <label>
                Password
                <input name="password" type="password" autocomplete="current-password" required />
              </label>
            </>
          )}
          {(challenge !== null || needsCode.value) && <Code />}
          <button type="submit" disabled={isBusy.value}>
            Sign in
          </button>
          <p class="failure" role="alert">
            {failure.value}
          </p>
        </form>
      ) : (
        <p class="failure" role="alert">
          {rejected}
        </p>
      )}
      {rejected == null && session.value?.has_provider === true && <ByProvider />}
      <p class="quiet">
        The first start has written a user name and a password into <code>bootstrap.json</code>, in
        the folder that <code>QUIPU_HOME</code> names.
      </p>
    </main>
  );
};
