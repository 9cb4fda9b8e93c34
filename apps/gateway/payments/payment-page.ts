import { type FoundCryptoInvoice } from '#areas/payments/invoices/crypto-invoice.query.js';
import { presentCryptoInvoice, presentPayment } from './crypto-invoices.presenter.js';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (value: string | number): string =>
  String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);

const row = (name: string, value: string | number, id = ''): string =>
  `<dt>${escaped(name)}</dt><dd${id === '' ? '' : ` id="${id}"`}>${escaped(value)}</dd>`;

/** The page for the payer: HTML that is complete without its script. @param path of the page */
export const paymentPage = (found: FoundCryptoInvoice, path: string, nowMs: number): string => {
  const { terms, status } = found;
  const invoice = presentCryptoInvoice(terms, status, path);
  const payment = presentPayment(found, nowMs);
  const { crypto_amount: amount, crypto_currency: currency, reference } = invoice;
  const back =
    terms.returnUrl === null
      ? ''
      : `<p><a href="${escaped(terms.returnUrl)}" rel="noreferrer">Return</a></p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Payment of ${escaped(amount)} ${escaped(currency)}</title>
<link rel="stylesheet" href="/pay/assets/page.css">
<script src="/pay/assets/page.js" defer></script>
</head>
<body>
<main data-status="${escaped(status)}" data-status-url="${escaped(path)}/status"
  data-seconds-left="${escaped(payment.seconds_left)}">
<h1>${escaped(amount)} ${escaped(currency)}</h1>
<p>for ${escaped(invoice.amount_fiat)} ${escaped(invoice.fiat_currency)}</p>
<p><a href="${escaped(invoice.payment_uri)}"><img src="${escaped(invoice.qr_code_url)}"
  alt="The payment URI as a QR code"></a></p>
<p>Status: <strong id="status" aria-live="polite">${escaped(status)}</strong></p>
<p>The price is valid until ${escaped(invoice.expires_at)}: <span id="left"></span></p>
<dl>
${row('Network', invoice.network)}
${row('Address', invoice.pay_address)}
${reference === null ? '' : row('Reference', reference)}
${row('Amount', `${amount} ${currency}`)}
${row(`Confirmed payments in ${currency}`, payment.paid_amount, 'paid')}
${row('Order', invoice.order_id)}
</dl>
${back}
</main>
</body>
</html>
`;
};
