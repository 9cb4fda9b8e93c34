import { describe, it } from '@jest/globals';
import { sagaSpecOf } from '#platform/kernel/saga.fixture.js';
import { packageContentSaga } from './package-content.saga.js';
import {
  DOWNLOAD_UNTIL,
  DROP_AT,
  expiredAt,
  ON_PACKAGE,
  ordered,
  ready,
  sealed,
} from './package.fixture.js';

const saga = sagaSpecOf(packageContentSaga);
const data = { accountId: ON_PACKAGE.accountId, packageUuid: ON_PACKAGE.packageUuid };
const settle = { kind: 'command', command: { type: 'SettlePackageContent', data } } as const;
const expireAt = (dueAt: string) =>
  ({ kind: 'schedule', timer: 'expiry', dueAt, command: { type: 'ExpirePackage', data } }) as const;

describe('the content of a package', () => {
  it('is retained from its seal until the end of the download', () => {
    saga.given().when(ordered).then(expireAt(DROP_AT));
    saga.given(ordered).when(sealed).then(settle);
    saga.given(ordered, sealed).when(ready).then(settle, expireAt(DOWNLOAD_UNTIL));
  });

  it('is released when the package has expired', () => {
    const end = expiredAt(DOWNLOAD_UNTIL);
    const cancel = { kind: 'cancel', timer: 'expiry' } as const;
    saga.given(ordered, sealed, ready).when(end).then(cancel, settle);
    saga.given(ordered, sealed, ready).when(end).thenEnds();
  });
});
