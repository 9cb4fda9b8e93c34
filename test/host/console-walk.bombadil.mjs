/**
 * The walk of Bombadil through the console: links, back and forward, another load, and past states
 * of the log. Its trace has every balance that a page showed; `console-walk.spec.ts` judges them.
 */
import { always } from '@antithesishq/bombadil';
import { actions, extract, getFingerprint, weighted } from '@antithesishq/bombadil/browser';
import { back, forward, reload } from '@antithesishq/bombadil/browser/defaults/actions';

export {
  noUncaughtExceptions,
  noUnhandledPromiseRejections,
} from '@antithesishq/bombadil/browser/defaults/properties';

const HOME = '/console';
/** Pages that show balances too, or lead to them. Others are opened less often. */
const BALANCES = /^\/console\/(requests|invoices|ledger|events)$/;
const ENTER = 13;

const balances = extract(({ document, window }) =>
  [...document.querySelectorAll('[data-balance]')].map((element) => ({
    address: window.location.pathname + window.location.search,
    sum: element.dataset.balance,
    scope: element.dataset.scope ?? null,
    position: element.dataset.position,
    amount: element.value,
    text: element.textContent,
  })),
);

export const balancesAreShownAsTheyAre = always(() =>
  balances.current.every(
    ({ amount, text }) => Number(text.replace(/[$,]/g, '')) === Number(amount),
  ),
);

/** The page or its reads wait for answers. It is left then at times, and not by a link. */
const isWaiting = extract(
  ({ document }) => document.querySelector('main[aria-busy=true], main p[role=status]') !== null,
);

const links = extract(({ document, window }) =>
  [...document.querySelectorAll('a[data-page]')].flatMap((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    const point = { x: x + width / 2, y: y + height / 2 };
    if (document.elementFromPoint(point.x, point.y)?.closest('a') !== element) return [];
    const { pathname } = new URL(element.href, window.location.href);
    return [
      {
        isOnPage: element.closest('main') !== null,
        pathname,
        point,
        fingerprint: getFingerprint(element),
      },
    ];
  }),
);

/** The field of the header that sets a past state of the log. */
const asOf = extract(({ document }) => {
  const field = document.querySelector('input[name=asOf]');
  if (field === null) return null;
  const { x, y, width, height } = field.getBoundingClientRect();
  return {
    point: { x: x + width / 2, y: y + height / 2 },
    fingerprint: getFingerprint(field),
    isFocused: document.activeElement === field,
    isSet: field.defaultValue !== '',
    isTyped: field.value !== field.defaultValue,
  };
});

/** @param isChosen whether a link is followed. A position that is begun is first typed. */
const follow = (isChosen) =>
  actions(() =>
    isWaiting.current || asOf.current?.isTyped === true
      ? []
      : links.current
          .filter(isChosen)
          .map(({ fingerprint, point }) => ({ Click: { fingerprint, point } })),
  );

const travel = actions(() => {
  if (isWaiting.current || asOf.current === null) return [];
  const { point, fingerprint, isFocused, isSet, isTyped } = asOf.current;
  if (isTyped) return [{ PressKey: { code: ENTER } }];
  // The link to the present is beside it.
  if (isSet) return [];
  if (!isFocused) return [{ Click: { fingerprint, point } }];
  return [{ TypeText: { text: { Regexp: '[1-9][0-9]?' }, delayMillis: 0 } }];
});

export const walk = weighted([
  [4, follow(({ isOnPage }) => isOnPage)],
  [4, follow(({ pathname }) => pathname === HOME)],
  [4, follow(({ pathname }) => BALANCES.test(pathname))],
  [1, follow(() => true)],
  [4, travel],
  [1, back],
  [1, forward],
  [1, reload],
  // Until the document is loaded there is nothing else to do.
  [4, actions(() => ['Wait'])],
]);
