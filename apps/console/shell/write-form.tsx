import { useSignal } from '@preact/signals';
import { type ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Answered, messageOf, useRead } from './answer.js';
import { ApiError, type Reply } from './api.js';
import { addressOf } from './location.js';
import { type Address, type AnswerOf, routeOf } from './routes.js';
import { confirmIdentity, write, type WriteMethod } from './session.js';

/** The value of a field of a form, without white space around it. */
export const textIn = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

/** The events that a write led to, as the log has them. */
const Recorded = ({ requestId }: { readonly requestId: string }) => {
  const state = useRead(() => routeOf('/audit/requests/{request_id}', { request_id: requestId }));
  return (
    <Answered state={state}>
      {({ events }) => (
        <ul class="recorded">
          {events.map(({ event_id: id, position, type }) => (
            <li key={id}>
              {type}, event <code>{id}</code>, at position{' '}
              <a data-page href={addressOf('/', { asOf: position })}>
                {position}
              </a>
            </li>
          ))}
        </ul>
      )}
    </Answered>
  );
};

/** The gateway takes no write of this kind until the password has been entered again. */
const NOT_CONFIRMED = 'confirmation_needed';

interface ConfirmProps {
  readonly onConfirmed: () => void;
  readonly onCancelled: () => void;
}

/** Asks for the password, and the second factor of a user who has one. */
const ConfirmIdentity = ({ onConfirmed, onCancelled }: ConfirmProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const needsCode = useSignal(false);
  const failure = useSignal('');
  const isConfirmed = useRef(false);
  useEffect(() => dialog.current?.showModal(), []);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    const password = form.get('password');
    try {
      const outcome = await confirmIdentity(
        typeof password === 'string' ? password : '',
        textIn(form, 'code'),
      );
      needsCode.value = outcome === 'code-needed';
      if (needsCode.value) return;
      isConfirmed.current = true;
      dialog.current?.close();
    } catch (error) {
      failure.value = messageOf(error);
    }
  };
  const close = (): void => (isConfirmed.current ? onConfirmed() : onCancelled());
  return (
    <dialog ref={dialog} aria-label="Enter your password again" onClose={close}>
      <form class="stacked" onSubmit={(event) => void submit(event)}>
        <p>This write needs your password, unless you entered it in the last minutes.</p>
        <label>
          Password
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        {needsCode.value && (
          <label>
            Code of the authenticator app, or a recovery code
            <input name="code" autocomplete="one-time-code" required maxLength={32} />
          </label>
        )}
        <p class="failure" role="alert">
          {failure.value}
        </p>
        <p class="buttons">
          <button type="submit">Confirm</button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </form>
    </dialog>
  );
};

type WriteState<Answer> =
  | { readonly status: 'open' | 'sending' | 'unconfirmed' }
  | { readonly status: 'done'; readonly reply: Reply<Answer> }
  | { readonly status: 'failed'; readonly error: unknown };

/** The effect of a failed write, and the state of its form. */
const keptText = (error: unknown): string => {
  if (!(error instanceof ApiError)) return 'Nothing was sent. The fields are kept.';
  if (error.status === 0 || error.status >= 500) {
    return (
      'It may have been recorded all the same. The fields are kept: to send them again ' +
      'unchanged has no second effect.'
    );
  }
  return 'Nothing was recorded. The fields are kept.';
};

export interface WriteFormProps<Of extends string, By extends WriteMethod> {
  /** Of the button that sends. */
  readonly label: string;
  readonly route: Address<Of>;
  /** Default: `POST`. */
  readonly method?: By;
  /** Default: no body. May throw an error for fields that the browser does not check. */
  readonly bodyOf?: (form: FormData) => object;
  /** The fields, which the browser checks: `required`, `pattern`, `min`, … */
  readonly children?: ComponentChildren;
  /** Whether the fields show the written values after a write. Default: their first values. */
  readonly keepsFields?: boolean;
  /** Whether the log has events of the write, which are then shown. Default: it has. */
  readonly isRecorded?: boolean;
  readonly onDone?: (answer: AnswerOf<Of, By>) => void;
  /** Shows a part of the answer, such as a key that is shown once. */
  readonly done?: ((answer: AnswerOf<Of, By>) => ComponentChildren) | undefined;
}

interface OutcomeProps<Answer> {
  readonly label: string;
  readonly isRecorded: boolean;
  readonly state: WriteState<Answer>;
  readonly done: ((answer: Answer) => ComponentChildren) | undefined;
}

const Outcome = <Answer,>({ label, state, isRecorded, done }: OutcomeProps<Answer>) => (
  <>
    <div role="status" class="outcome">
      {state.status === 'sending' && 'Sending …'}
      {state.status === 'done' && (
        <>
          <p class="success">Done.</p>
          {done?.(state.reply.answer)}
          {isRecorded && state.reply.requestId !== null && (
            <Recorded requestId={state.reply.requestId} />
          )}
        </>
      )}
    </div>
    <div role="alert" class="failure">
      {state.status === 'failed' && (
        <>
          {label}: {messageOf(state.error)} {keptText(state.error)}
        </>
      )}
    </div>
  </>
);

/**
 * Sends one write. A repetition of unchanged fields has the same idempotency key, so it has no
 * second effect; after it, the events that it led to are shown.
 */
export const WriteForm = <Of extends string, By extends WriteMethod = 'POST'>({
  label,
  route,
  method = 'POST' as By,
  bodyOf,
  children,
  keepsFields = false,
  isRecorded = true,
  onDone,
  done,
}: WriteFormProps<Of, By>) => {
  const state = useSignal<WriteState<AnswerOf<Of, By>>>({ status: 'open' });
  const form = useRef<HTMLFormElement>(null);
  const sent = useRef({ text: '', key: '' });

  const send = async (): Promise<void> => {
    if (!form.current) return;
    state.value = { status: 'sending' };
    try {
      const body = bodyOf?.(new FormData(form.current));
      const text = JSON.stringify([method, route, body]);
      if (sent.current.text !== text) sent.current = { text, key: crypto.randomUUID() };
      const { key: idempotencyKey } = sent.current;
      const reply = await write<Of, By>(route, { method, idempotencyKey, ...(body && { body }) });
      sent.current = { text: '', key: '' };
      state.value = { status: 'done', reply };
      if (!keepsFields) form.current.reset();
      onDone?.(reply.answer);
    } catch (error) {
      const needsPassword = error instanceof ApiError && error.code === NOT_CONFIRMED;
      state.value = needsPassword ? { status: 'unconfirmed' } : { status: 'failed', error };
    }
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    void send();
  };
  const now = state.value;
  return (
    <>
      <form class="stacked" ref={form} onSubmit={submit}>
        {children}
        <p class="buttons">
          <button type="submit" disabled={now.status === 'sending'}>
            {label}
          </button>
        </p>
      </form>
      {now.status === 'unconfirmed' && (
        <ConfirmIdentity
          onConfirmed={() => void send()}
          onCancelled={() => {
            const error = new Error('The password was not entered.');
            state.value = { status: 'failed', error };
          }}
        />
      )}
      <Outcome label={label} state={now} isRecorded={isRecorded} done={done} />
    </>
  );
};

export interface WriteDialogProps<Of extends string, By extends WriteMethod> extends WriteFormProps<
  Of,
  By
> {
  /** Of the button that opens the dialog. */
  readonly opens: string;
  /** The effect of the write, which is read before it is sent. */
  readonly explains: ComponentChildren;
}

/** A button for one write that is explained before it is sent, such as the end of a key. */
export const WriteDialog = <Of extends string, By extends WriteMethod = 'POST'>({
  opens,
  explains,
  ...form
}: WriteDialogProps<Of, By>) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = useSignal(false);
  const open = (): void => {
    isOpen.value = true;
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" onClick={open}>
        {opens}
      </button>
      <dialog ref={dialog} aria-label={opens} onClose={() => (isOpen.value = false)}>
        {isOpen.value && (
          <>
            <p>{explains}</p>
            <WriteForm {...form} />
            <form method="dialog">
              <button type="submit">Close</button>
            </form>
          </>
        )}
      </dialog>
    </>
  );
};
