import { LEVELS_MAX } from '#areas/inference/token-bound.js';
import { HttpFailure } from './http-failure.js';

/**
 * Rejects values nested too deep: a recursive walk of such a value overflows the stack.
 * @throws HttpFailure 400 that names the fields
 */
export const refuseDeepFields = (body: object): void => {
  const deep = Object.entries(body).filter(([, field]) => isDeeperThan(field, LEVELS_MAX));
  const [first] = deep;
  if (!first) return;
  const message = `is nested deeper than ${LEVELS_MAX} levels`;
  throw new HttpFailure({
    status: 400,
    code: 'invalid_request',
    message: deep.map(([param]) => `${param}: ${message}`).join('; '),
    param: first[0],
  });
};

const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((entry) => isDeeperThan(entry, levels - 1)));
