import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CLEARED_KEYS_MAX } from './clearance.decider.js';
import { type VaultCaller } from './clearances.js';
import { textOf } from './marking.js';
import { ACCOUNT, openVaultsWorld, type VaultsWorld } from './vaults.fixture.js';

const KEY = '0123456789abcdef';

describe('the clearance of a caller', () => {
  let world: VaultsWorld;
  beforeAll(async () => {
    world = await openVaultsWorld();
  });
  afterAll(() => world.close());

  const of = async (keys: VaultCaller['keys'], accountId = ACCOUNT) =>
    textOf(await world.first.clearances.of({ accountId, keys }));
  const marking = (level: string, ...compartments: string[]) => ({ level, compartments });

  it('is the lowest until an operator sets one for its account', async () => {
    expect(await of([])).toBe('OPEN');
    await world.clear(marking('SECRET', 'A', 'B'));
    expect(await of([])).toBe('SECRET//A/B');
    expect(await of([], '8')).toBe('OPEN');
  });

  it('of a key is what the account and the key both have', async () => {
    await world.clear(marking('TOP', 'B'), KEY);
    expect(await of([KEY])).toBe('SECRET//B');
    expect(await of(['fedcba9876543210', KEY])).toBe('SECRET//B');
    expect(await of(['fedcba9876543210'])).toBe('SECRET//A/B');
  });

  it('of a call of a tool is what every key has', async () => {
    await world.clear(marking('OPEN', 'A', 'B'), 'fedcba9876543210');
    expect(await of('any')).toBe('OPEN//B');
    await world.clear(null, 'fedcba9876543210');
    expect(await of('any')).toBe('SECRET//B');
  });

  it('of the account is needed to erase a vault or rotate its key', async () => {
    const demand = (keys: readonly string[]) =>
      world.first.clearances.demandThatOfAccount({ accountId: ACCOUNT, keys });
    await demand([]);
    await expect(demand([KEY])).rejects.toMatchObject({ code: 'clearance_of_account_needed' });
  });

  it('is known to another process at once, and is withdrawn', async () => {
    const other = world.start();
    await world.clear(null);
    expect(textOf(await other.clearances.of({ accountId: ACCOUNT, keys: [] }))).toBe('OPEN');
  });

  it('is set for a limited number of keys', async () => {
    const keyOf = (n: number) => n.toString(16).padStart(16, '0');
    for (let n = 1; n < CLEARED_KEYS_MAX; n += 1) await world.clear(marking('OPEN'), keyOf(n));
    await expect(world.clear(marking('OPEN'), keyOf(200))).rejects.toMatchObject({
      code: 'too_many_clearances',
    });
    await world.clear(marking('SECRET'), keyOf(1));
  });
});
