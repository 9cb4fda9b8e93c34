import { describe, expect, it } from '@jest/globals';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { nameOf, type OwnModelCommand, ownModelDecider } from './own-model.decider.js';
import { registered, registeredAs, removed, REMOVED_AT } from './own-model.fixture.js';

const account = deciderSpecOf(ownModelDecider);
const OTHER = 'model-ffffffffffffffffffffffffffffffff';

const register = (model = registered, modelsMax = 2): OwnModelCommand => ({
  type: 'RegisterOwnModel',
  data: { model: model.data, modelsMax },
});

const remove = (slug = 'nano-tuned'): OwnModelCommand => ({
  type: 'RemoveOwnModel',
  data: { slug, removedAt: REMOVED_AT },
});

describe('the models of an account', () => {
  it('are registered once', () => {
    account.given().when(register()).then(registered);
    account.given(registered).when(register()).thenNothing();
    account.given(registered, removed).when(register()).thenNothing();
  });

  it('have names of their own, which a removal frees', () => {
    const same = registeredAs(OTHER, 'nano-tuned');
    account.given(registered).when(register(same)).thenThrows('own_model_name_taken');
    account.given(registered, removed).when(register(same)).then(same);
  });

  it('are limited in number, behind the question of the name', () => {
    const second = registeredAs(OTHER, 'second');
    account.given(registered).when(register(second, 1)).thenThrows('own_model_limit_reached');
    account.given(registered, removed).when(register(second, 1)).then(second);
    const same = registeredAs(OTHER, 'nano-tuned');
    account.given(registered).when(register(same, 1)).thenThrows('own_model_name_taken');
  });

  it('are removed once', () => {
    account.given(registered).when(remove()).then(removed);
    account.given(registered, removed).when(remove()).thenThrows('own_model_not_found');
    account.given(registered).when(remove('other')).thenThrows('own_model_not_found');
  });

  it('are named after their owner', () => {
    expect(nameOf(registered.data)).toBe('7/nano-tuned');
  });
});
