import { describe, it } from '@jest/globals';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { packageDecider } from './package.decider.js';
import {
  DOWNLOAD_UNTIL,
  DROP_AT,
  expiredAt,
  ON_PACKAGE,
  ordered,
  ready,
  sealed,
} from './package.fixture.js';

const packages = deciderSpecOf(packageDecider);
const order = (packagesMax: number, changes: object = {}) =>
  ({
    type: 'OrderPackage',
    data: { order: { ...ordered.data, ...changes }, packagesMax },
  }) as const;
const seal = { type: 'SealPackage', data: sealed.data } as const;
const finish = { type: 'FinishPackage', data: ready.data } as const;
const expire = (at: string) =>
  ({ type: 'ExpirePackage', data: { ...ON_PACKAGE, expiredAt: at } }) as const;
const other = { packageUuid: '7f1f1b62-2f63-4a30-9b5c-0a4f2f0f5a11' };

describe('a package', () => {
  it('is ordered, sealed and made ready once', () => {
    packages.given().when(order(1)).then(ordered);
    packages.given(ordered).when(order(1)).thenNothing();
    packages.given(ordered).when(seal).then(sealed);
    packages.given(ordered, sealed).when(seal).thenNothing();
    packages.given(ordered, sealed).when(finish).then(ready);
    packages.given(ordered, sealed, ready).when(finish).thenNothing();
  });

  it('is not made ready before its seal', () => {
    packages.given(ordered).when(finish).thenNothing();
    packages.given().when(seal).thenNothing();
  });

  it('is rejected where the account has as many as it may have', () => {
    packages.given(ordered).when(order(1, other)).thenThrows('package_limit_reached');
    packages.given(ordered, expiredAt(DROP_AT)).when(order(1)).thenNothing();
  });

  it('expires with its download, or with an order that was not finished', () => {
    packages.given(ordered, sealed).when(expire(DROP_AT)).then(expiredAt(DROP_AT));
    packages.given(ordered, sealed, ready).when(expire(DROP_AT)).thenNothing();
    const end = expiredAt(DOWNLOAD_UNTIL);
    packages.given(ordered, sealed, ready).when(expire(DOWNLOAD_UNTIL)).then(end);
    packages.given(ordered, sealed, ready, end).when(expire(DOWNLOAD_UNTIL)).thenNothing();
    packages.given(ordered, expiredAt(DROP_AT)).when(seal).thenNothing();
  });
});
