/** The task of the spiking actor-critic beside Gymnasium's CartPole-v1. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  EPISODE_STEPS_MAX,
  episodeReturn,
  hasFallen,
  step,
  type CartPole,
} from '../../tools/models/spiking/tasks/cart-pole.js';

interface RecordedEpisode {
  /** All states, or the first ones of a long episode. */
  readonly states: readonly CartPole[];
  readonly last: readonly [CartPole, CartPole];
  readonly actions: readonly number[];
  readonly points: number;
  /** False where the episode was cut. */
  readonly fallen: boolean;
}

const { episodes } = JSON.parse(
  readFileSync(new URL('./cart-pole/vectors.json', import.meta.url), 'utf8'),
) as { readonly episodes: readonly RecordedEpisode[] };

const startOf = ({ states: [start] }: RecordedEpisode): CartPole => {
  if (start === undefined) throw new Error('an episode has a start');
  return start;
};

const expectState = (state: CartPole, recorded: CartPole): void => {
  for (const [index, value] of recorded.entries()) expect(state[index]).toBeCloseTo(value, 9);
};

describe('cart and pole', () => {
  it('is recorded to both of its ends', () => {
    expect(new Set(episodes.map(({ fallen }) => fallen))).toEqual(new Set([true, false]));
  });

  it.each(episodes.map((episode, place) => [place, episode] as const))(
    'moves as in Gymnasium: episode %d',
    (_, { states, actions }) => {
      for (const [push, recorded] of states.slice(1).entries()) {
        expectState(step(states[push] ?? recorded, actions[push] ?? -1), recorded);
      }
      expect(states.length).toBeGreaterThan(10);
    },
  );

  it('falls when it does in Gymnasium', () => {
    for (const { last, actions, fallen } of episodes) {
      const [before, after] = last;
      expect(hasFallen(before)).toBe(false);
      expectState(step(before, actions.at(-1) ?? -1), after);
      expect(hasFallen(after)).toBe(fallen);
    }
  });

  it('has as many points as in Gymnasium', () => {
    for (const episode of episodes) {
      let push = 0;
      const replayed = (): number => episode.actions[push++] ?? 0;
      expect(episodeReturn(replayed, startOf(episode))).toBe(episode.points);
      expect(episode.fallen || episode.points === EPISODE_STEPS_MAX).toBe(true);
    }
  });
});
