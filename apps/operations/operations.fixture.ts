import { type OperationsSettings } from './operations-access.js';

/** Of the processes that tests start. */
export const OPERATIONS_TOKEN = 'operations-of-the-tests';

export const operationsSettings: OperationsSettings = {
  host: '127.0.0.1',
  token: OPERATIONS_TOKEN,
};

/** The options of a request that sees every report. */
export const asOperator = { headers: { authorization: `Bearer ${OPERATIONS_TOKEN}` } } as const;
