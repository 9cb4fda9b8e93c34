import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { messageOf, shownRead } from './answer.js';
import { curlOf } from './api.js';
import { addressOf, addressWith, asOf, goTo, path } from './location.js';
import { type Page } from './page.js';
import { session, signOut } from './session.js';

/** Sets the shown page to a state of the log. */
const TimeControl = () => {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const value = new FormData(event.currentTarget).get('asOf');
    goTo(addressWith({ asOf: typeof value === 'string' ? value.trim() : '' }));
  };
  return (
    <form class="time" onSubmit={submit}>
      <label>
        As of
        <input
          name="asOf"
          placeholder="now"
          key={asOf.value ?? ''}
          defaultValue={asOf.value ?? ''}
          pattern="\d{1,19}|\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+\-]\d\d:\d\d))?"
          title="A number of events of the log, a day, or an instant such as 2026-01-31T12:00:00Z"
        />
      </label>
      <button type="submit">Show</button>
      {asOf.value !== undefined && (
        <a data-page href={addressWith({ asOf: '' })}>
          Now
        </a>
      )}
    </form>
  );
};

/** The read of the page: as a command, which is copied, and its answer as the gateway gave it. */
const ReadOfPage = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = useSignal(false);
  const outcome = useSignal('');
  const shown = shownRead.value;
  if (!shown) return null;
  const command = curlOf(window.location.origin, shown.route);
  const copy = async (): Promise<void> => {
    isOpen.value = true;
    dialog.current?.showModal();
    try {
      await navigator.clipboard.writeText(command);
      outcome.value = 'Copied.';
    } catch {
      outcome.value = 'The browser denies access to the clipboard: copy the text.';
    }
  };
  const close = (): void => {
    isOpen.value = false;
    outcome.value = '';
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        Copy as curl
      </button>
      <dialog ref={dialog} aria-label="The read of this page" onClose={close}>
        {isOpen.value && (
          <>
            <pre tabIndex={0}>{command}</pre>
            <p role="status">{outcome.value}</p>
            <p>The command takes the key from the variable QUIPU_API_KEY of your shell.</p>
            <details>
              <summary>Answer</summary>
              <pre tabIndex={0}>{JSON.stringify(shown.answer, null, 2)}</pre>
            </details>
            <form method="dialog">
              <button type="submit">Close</button>
            </form>
          </>
        )}
      </dialog>
    </>
  );
};

const SignOut = () => {
  const failure = useSignal('');
  const end = (): void => {
    signOut().catch((error: unknown) => {
      failure.value = messageOf(error);
    });
  };
  return (
    <>
      <span class="quiet">{session.value?.user?.username}</span>
      <button type="button" onClick={end}>
        Sign out
      </button>
      {failure.value !== '' && (
        <span class="failure" role="alert">
          {failure.value}
        </span>
      )}
    </>
  );
};

export interface HeaderProps {
  /** In the navigation. */
  readonly pages: readonly Page[];
}

export const Header = ({ pages }: HeaderProps) => (
  <header>
    <nav aria-label="Pages">
      {pages.map((page) => (
        <a
          key={page.path}
          data-page
          href={addressOf(page.path)}
          aria-current={page.path === path.value ? 'page' : undefined}
        >
          {page.title}
        </a>
      ))}
      <a href="/console/stream">Stream</a>
      <a href="/docs">API</a>
    </nav>
    <div class="tools">
      <span class="position">
        Log position <output id="position">{shownRead.value?.position ?? '–'}</output>
      </span>
      <TimeControl />
      <ReadOfPage />
      <SignOut />
    </div>
  </header>
);
