import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { messageOf, shownRead, type ShownRead } from './answer.js';
import { curlOf } from './api.js';
import { Copy } from './copy.js';
import { commandOf } from './page-command.js';
import { session } from './session.js';
import { shownPage } from './shown-page.js';
import { csvOf, type Exported, rowsIn, wholeAnswer } from './export.js';

const save = (name: string, type: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
};

/** `/api/v1/requests?model=a` is exported as `requests`. */
const nameOf = (route: string): string =>
  (route.split('?')[0] ?? '').split('/').findLast((part) => /[a-z]/i.test(part)) ?? 'answer';

/** Saves the same query as a file: all its pages, at the position of the shown one. */
const Export = ({ shown }: { readonly shown: ShownRead }) => {
  const outcome = useSignal('');
  const exported = async (write: (whole: Exported) => void): Promise<void> => {
    outcome.value = 'Reading …';
    try {
      const whole = await wholeAnswer(shown);
      write(whole);
      outcome.value = whole.isCut
        ? `Saved the first ${whole.rows.length} rows, the most of one file.`
        : 'Saved.';
    } catch (error) {
      outcome.value = messageOf(error);
    }
  };
  const name = nameOf(shown.route);
  const json = (): Promise<void> =>
    exported(({ answer }) => {
      save(`${name}.json`, 'application/json', JSON.stringify(answer, null, 2));
    });
  const csv = (): Promise<void> =>
    exported(({ rows }) => {
      save(`${name}.csv`, 'text/csv', csvOf(rows));
    });
  return (
    <p class="buttons">
      <button type="button" onClick={() => void json()}>
        Save as JSON
      </button>
      {shown.answer && rowsIn(shown.answer) && (
        <button type="button" onClick={() => void csv()}>
          Save as CSV
        </button>
      )}
      <span role="status">{outcome.value}</span>
    </p>
  );
};

/** The read at the command line of Quipu, where it has one. */
const Command = ({ route }: ShownRead) => {
  const { page, parameters } = shownPage.value ?? {};
  const username = session.value?.user?.username;
  const command =
    page?.command && parameters && commandOf(page.command, { parameters, route, username });
  return command == null ? null : <Copy label="Copy as CLI command" text={command} />;
};

/** The read of the page: as commands, as files, and the answer as the gateway gave it. */
export const DataDrawer = () => {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = useSignal(false);
  const shown = shownRead.value;
  if (!shown) return null;
  const open = (): void => {
    isOpen.value = true;
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" onClick={open}>
        Data
      </button>
      <dialog
        ref={dialog}
        class="drawer"
        aria-label="The read of this page"
        onClose={() => (isOpen.value = false)}
      >
        {isOpen.value && (
          <>
            <form method="dialog">
              <button type="submit">Close</button>
            </form>
            <Copy label="Copy as curl" text={curlOf(window.location.origin, shown.route)} />
            <p class="quiet">It takes the key from the variable QUIPU_API_KEY of your shell.</p>
            <Command {...shown} />
            <Export shown={shown} />
            <pre tabIndex={0} aria-label="The answer">
              {JSON.stringify(shown.answer, null, 2)}
            </pre>
          </>
        )}
      </dialog>
    </>
  );
};
