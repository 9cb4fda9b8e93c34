import { useSignal } from '@preact/signals';
import { messageOf } from './answer.js';
import { session, signIn } from './session.js';

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

/** The password stays in the form until the code is there: the gateway takes both together. */
export const SignIn = () => {
  const needsCode = useSignal(false);
  const isBusy = useSignal(false);
  const failure = useSignal('');
  const rejected = session.value?.sign_in_rejected;

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    const password = form.get('password');
    isBusy.value = true;
    failure.value = '';
    try {
      const outcome = await signIn(
        textOf(form, 'username'),
        typeof password === 'string' ? password : '',
        textOf(form, 'code'),
      );
      needsCode.value = outcome === 'code-needed';
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
        <form onSubmit={(event) => void submit(event)}>
          <label>
            User name
            <input name="username" autocomplete="username" required maxLength={254} />
          </label>
          <label>
            Password
            <input name="password" type="password" autocomplete="current-password" required />
          </label>
          {needsCode.value && (
            <label>
              Code of the authenticator app, or a recovery code
              <input name="code" autocomplete="one-time-code" required maxLength={32} autofocus />
            </label>
          )}
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
      <p class="quiet">
        The first start has written a user name and a password into <code>bootstrap.json</code>, in
        the folder that <code>QUIPU_HOME</code> names.
      </p>
    </main>
  );
};
