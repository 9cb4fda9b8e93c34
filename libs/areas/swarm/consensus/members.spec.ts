import { describe, expect, it } from '@jest/globals';
import { type SwarmModel } from '../swarm-models.port.js';
import { chooseMembers, proposersOf } from './members.js';

const model = (id: string, ...rigs: readonly string[]): SwarmModel => ({
  id,
  file: null,
  draft: null,
  contextTokens: 8_192,
  maxOutputTokens: 100,
  chargesCancelled: true,
  rigs: rigs.map((name) => ({
    name: name.replace('!', ''),
    kind: 'openai',
    isUp: !name.endsWith('!'),
  })),
});

const chosen = (models: readonly SwarmModel[], count: number, seed = 7): readonly string[] =>
  chooseMembers(models, count, seed).map(
    (member) => `${member.step} ${member.model.id}@${member.rig} ${member.seed}`,
  );

describe('the members of a consensus', () => {
  it('are every model first, then their second rigs', () => {
    const models = [model('a', 'one', 'two'), model('b', 'one'), model('c', 'three')];
    expect(chosen(models, 4)).toEqual([
      'branch-1 a@one 7',
      'branch-2 b@one 8',
      'branch-3 c@three 9',
      'branch-4 a@two 10',
    ]);
  });

  it('repeat with other seeds where there are too few', () => {
    expect(chosen([model('a', 'one')], 3)).toEqual([
      'branch-1 a@one 7',
      'branch-2 a@one 8',
      'branch-3 a@one 9',
    ]);
  });

  it('leave out rigs that are down', () => {
    expect(chosen([model('a', 'one!', 'two'), model('b', 'one!')], 1)).toEqual([
      'branch-1 a@two 7',
    ]);
    expect(chosen([model('b', 'one!')], 2)).toEqual([]);
    expect(chosen([], 2)).toEqual([]);
  });

  it('have seeds of 32 bits', () => {
    const [, second] = chosen([model('a', 'one')], 2, 2 ** 32 - 1);
    expect(second).toBe('branch-2 a@one 0');
    expect(chosen([model('a', 'one')], 2, -1)).toEqual([
      'branch-1 a@one 4294967295',
      'branch-2 a@one 0',
    ]);
    expect(chosen([model('a', 'one')], 2, Number.MAX_SAFE_INTEGER)).toEqual([
      'branch-1 a@one 4294967295',
      'branch-2 a@one 0',
    ]);
  });

  it('are none that draft for another model', () => {
    const models = [{ ...model('big', 'x'), draft: 'small' }, model('small', 'x')];
    expect(proposersOf(models).map(({ id }) => id)).toEqual(['big']);
  });
});
