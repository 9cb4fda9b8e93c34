import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { messageOf, refreshes, shownRead } from './answer.js';
import { gatewayNow } from './api.js';
import { DataDrawer } from './data-drawer.js';
import { count } from './figures.js';
import { lagSecondsOf } from './lag.js';
import { ledger, takeLedgerEvent, useLive } from './live.js';
import { addressOf, addressWith, asOf, goTo, path } from './location.js';
import { type PageGroup } from './page.js';
import { Palette } from './palette.js';
import { type Connection } from './server-events.js';
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

const LAG_SHOWN_EVERY_MS = 1_000;

/** The time since the newest event that the shown read has not seen. */
const Lag = () => {
  const now = useSignal(gatewayNow());
  useEffect(() => {
    const timer = setInterval(() => (now.value = gatewayNow()), LAG_SHOWN_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const position = shownRead.value?.position ?? null;
  const read = { ...ledger.value, position: position === null ? null : BigInt(position) };
  const seconds = lagSecondsOf(read, now.value);
  return (
    <>
      {', lag '}
      <output id="lag" title="Since the newest event that this page has not read was recorded">
        {seconds === null ? '–' : `${count(seconds)} s`}
      </output>
    </>
  );
};

/** The position of the shown read, the newest known one, and what came in between. */
const LogPosition = () => {
  const position = shownRead.value?.position ?? null;
  const { head: followed, latest } = ledger.value;
  const isAhead = position !== null && followed !== null && BigInt(position) > followed;
  const head = isAhead ? position : followed;
  const isBehind = position !== null && latest && BigInt(latest.position) > BigInt(position);
  return (
    <span class="position">
      Log position <output id="position">{position ?? '–'}</output>
      {head !== null && asOf.value === undefined && (
        <>
          {' '}
          of <output id="head">{String(head)}</output>
          <Lag />
        </>
      )}
      {isBehind && asOf.value === undefined && (
        <>
          {', older than the ledger '}
          <button type="button" onClick={() => void (refreshes.value += 1)}>
            Read again
          </button>
        </>
      )}
    </span>
  );
};

const FOLLOWING: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting',
  open: 'Live',
  lost: 'Connection lost, trying again',
  ended: 'Not live',
};

/** Follows the ledger of the account. A past state of the log does not change. */
const Following = () => {
  const state = useLive(
    () => (asOf.value === undefined ? '/api/v1/billing/events' : null),
    takeLedgerEvent,
  );
  if (asOf.value !== undefined) return <span class="quiet">Past state</span>;
  const { connection, failure } = state.value;
  return (
    <span id="live" class="quiet" role="status">
      {failure === '' ? FOLLOWING[connection] : failure}
    </span>
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

const Group = ({ title, pages }: PageGroup) => (
  <>
    {title !== null && <h2>{title}</h2>}
    <ul>
      {pages.map((page) => (
        <li key={page.path}>
          <a
            data-page
            href={addressOf(page.path)}
            aria-current={page.path === path.value ? 'page' : undefined}
          >
            {page.title}
          </a>
        </li>
      ))}
    </ul>
  </>
);

interface NavigationProps {
  readonly groups: readonly PageGroup[];
}

/** Beside the page, or behind a button where the screen is narrow. */
export const Navigation = ({ groups }: NavigationProps) => {
  const menu = useRef<HTMLElement>(null);
  return (
    <>
      <button type="button" class="menu" popoverTarget="pages">
        Pages
      </button>
      <nav
        id="pages"
        ref={menu}
        popover="auto"
        aria-label="Pages"
        onClick={() => {
          if (menu.current?.matches(':popover-open')) menu.current.hidePopover();
        }}
      >
        {groups.map((group) => (
          <Group key={group.title} {...group} />
        ))}
        <ul>
          <li>
            <a href="/docs">API reference</a>
          </li>
        </ul>
      </nav>
    </>
  );
};

export const Header = ({ groups }: NavigationProps) => (
  <header>
    <LogPosition />
    <Following />
    <TimeControl />
    <DataDrawer />
    <Palette pages={groups.flatMap(({ pages }) => pages)} />
    <SignOut />
  </header>
);
