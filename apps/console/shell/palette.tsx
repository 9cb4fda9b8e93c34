import { useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { refreshes } from './answer.js';
import { addressOf, addressWith, goTo } from './location.js';
import { matching } from './matching.js';
import { type Page } from './page.js';
import { signOut } from './session.js';

interface Entry {
  readonly name: string;
  readonly run: () => void;
}

const ACTIONS: readonly Entry[] = [
  { name: 'Show the present', run: () => goTo(addressWith({ asOf: '' })) },
  { name: 'Read this page again', run: () => void (refreshes.value += 1) },
  { name: 'Open the API reference', run: () => window.location.assign('/docs') },
  { name: 'Sign out', run: () => void signOut() },
];

const entriesOf = (pages: readonly Page[]): readonly Entry[] => [
  ...pages.map(({ title, path }) => ({ name: title, run: () => goTo(addressOf(path)) })),
  ...ACTIONS,
];

interface ChoicesProps {
  readonly found: readonly Entry[];
  readonly chosen: number;
  readonly run: (entry: Entry) => void;
}

const Choices = ({ found, chosen, run }: ChoicesProps) => (
  <ul id="palette" role="listbox" aria-label="Pages and actions" tabIndex={-1}>
    {found.map((entry, index) => (
      <li
        key={entry.name}
        id={`palette-${index}`}
        role="option"
        aria-selected={index === chosen}
        onClick={() => run(entry)}
      >
        {entry.name}
      </li>
    ))}
  </ul>
);

/** Opens pages and runs actions by their names: Ctrl-K, or Cmd-K. */
export const Palette = ({ pages }: { readonly pages: readonly Page[] }) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal('');
  const chosen = useSignal(0);
  const open = (): void => {
    text.value = '';
    chosen.value = 0;
    dialog.current?.showModal();
  };
  useSignalEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (dialog.current?.open !== true) open();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
  const found = matching(entriesOf(pages), text.value);
  const run = (entry: Entry | undefined): void => {
    if (!entry) return;
    dialog.current?.close();
    entry.run();
  };
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || found.length === 0) return;
    event.preventDefault();
    chosen.value = (chosen.value + step + found.length) % found.length;
    document.getElementById(`palette-${chosen.value}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      <button type="button" onClick={open} aria-keyshortcuts="Control+K">
        Go to …
      </button>
      <dialog ref={dialog} class="palette" aria-label="Pages and actions">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            run(found[chosen.value]);
          }}
        >
          <input
            autofocus
            role="combobox"
            aria-label="Page or action"
            aria-expanded="true"
            aria-controls="palette"
            aria-activedescendant={`palette-${chosen.value}`}
            autocomplete="off"
            value={text.value}
            onKeyDown={move}
            onInput={(event) => {
              text.value = event.currentTarget.value;
              chosen.value = 0;
            }}
          />
        </form>
        <Choices found={found} chosen={chosen.value} run={run} />
        {found.length === 0 && <p role="status">No page or action has this name.</p>}
      </dialog>
    </>
  );
};
