import { CryptoPaymentConfirmed } from '#events/payments/crypto-invoice.events.js';
import { type Saga } from '#platform/kernel/saga.js';
import { type ReceivedDeposit } from './received-deposit.js';

interface CreditCryptoPayment {
  readonly type: 'CreditCryptoPayment';
  readonly data: ReceivedDeposit;
}

type Payment = Pick<CryptoPaymentConfirmed['data'], 'network' | 'txid' | 'output'>;

/** One deposit for each output of a transaction. */
export const depositIdOf = ({ network, txid, output }: Payment): string =>
  `crypto-${network}-${txid}-${output}`;

/** Credits the account with each payment that is confirmed. */
export const cryptoCreditSaga: Saga<CryptoPaymentConfirmed, object, CreditCryptoPayment> = {
  name: 'crypto-credit',
  on: { CryptoPaymentConfirmed },
  key: ({ data }) => depositIdOf(data),
  initialState: {},
  evolve: () => null,
  react: ({ data }) => {
    const { accountId, invoiceId, currency, creditMicroUsd: amountMicroUsd } = data;
    if (amountMicroUsd === '0') return [];
    const deposit: ReceivedDeposit = {
      accountId,
      depositId: depositIdOf(data),
      amountMicroUsd,
      method: 'crypto',
      reason: `${currency} for invoice ${invoiceId}`,
      depositedAt: data.confirmedAt,
    };
    return [{ kind: 'command', command: { type: 'CreditCryptoPayment', data: deposit } }];
  },
};
