/** The files that the payment page loads from this server. Its policy allows nothing else. */

export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const PAGE_STYLE = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
main { max-width: 26rem; margin: 2rem auto; padding: 0 1rem; text-align: center; }
img { width: 16rem; height: 16rem; image-rendering: pixelated; background: #fff; }
dl { text-align: left; }
dt { font-size: 0.8rem; opacity: 0.7; }
dd { margin: 0 0 0.8rem; overflow-wrap: anywhere; font-family: ui-monospace, monospace; }
[data-status="completed"] #status, [data-status="overpaid"] #status { color: #1a7f37; }
[data-status="expired"] #status, [data-status="underpaid"] #status { color: #b42318; }
`;

/** Counts down, and asks for the status every few seconds until the invoice is paid. */
export const PAGE_SCRIPT = `
'use strict';
const main = document.querySelector('main');
const shown = (id) => document.getElementById(id);
const ASKED_EVERY_MS = 4000;
const FINAL = ['completed', 'overpaid', 'late'];
let endsAt = Date.now() + 1000 * Number(main.dataset.secondsLeft);

const count = () => {
  const left = Math.max(0, Math.ceil((endsAt - Date.now()) / 1000));
  const seconds = String(left % 60).padStart(2, '0');
  shown('left').textContent = left === 0 ? 'The price has expired.'
    : Math.floor(left / 60) + ':' + seconds;
};

const ask = async () => {
  try {
    const answer = await fetch(main.dataset.statusUrl, { cache: 'no-store' });
    if (answer.ok) {
      const { status, paid_amount: paid, seconds_left: left } = await answer.json();
      main.dataset.status = status;
      shown('status').textContent = status;
      shown('paid').textContent = String(paid);
      endsAt = Date.now() + 1000 * left;
    }
  } catch {
    // The next request tries again.
  }
  if (!FINAL.includes(main.dataset.status)) setTimeout(ask, ASKED_EVERY_MS);
};

count();
setInterval(count, 1000);
setTimeout(ask, ASKED_EVERY_MS);
`;
