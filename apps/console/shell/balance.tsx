import { usd } from './figures.js';

export interface BalanceProps {
  /** Which sum of the events of an account it is. */
  readonly sum: 'balance' | 'available' | 'held' | 'deposited' | 'closing';
  /** The month of a closing balance, or `all` accounts. Default: the account of the user. */
  readonly scope?: string;
  /** The number of events of the log that it is the sum of. */
  readonly position: string;
  /** In dollars. */
  readonly amount: number | string;
}

/** A sum of the events up to a position. Its attributes say so to a program that adds them up. */
export const Balance = ({ sum, scope, position, amount }: BalanceProps) => (
  <data value={String(amount)} data-balance={sum} data-scope={scope} data-position={position}>
    {usd(amount)}
  </data>
);
