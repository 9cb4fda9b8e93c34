import { z } from 'zod';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface ShardingSettings {
  /** Stages of a pipeline; a model with fewer layers has one for each. */
  readonly stages: number;
  /** Processes of each pipeline that wait to take the place of a lost stage. */
  readonly standbys: number;
  /** Answers of one process at a time; as many times four wait. */
  readonly runningMax: number;
  readonly requestMsMax: number;
  /** Null where `wireguard_direct` is not on offer. */
  readonly wireguardInterface: string | null;
}

export const SHARDING_SETTINGS = Symbol('ShardingSettings');

/** Linux names an interface with at most 15 characters. */
const InterfaceName = z.string().regex(/^[A-Za-z0-9_.-]{1,15}$/);

export const shardingSettings = defineSettings({
  token: SHARDING_SETTINGS,
  variables: {
    QUIPU_SHARDING_STAGES: variable(
      wholeNumber(1, 16).default(2),
      'the processes among which a pipeline divides the layers of a model',
    ),
    QUIPU_SHARDING_STANDBYS: variable(
      wholeNumber(0, 4).default(1),
      'processes of each pipeline that wait to take the place of a lost stage',
    ),
    QUIPU_SHARDING_REQUESTS: variable(
      wholeNumber(1, 64).default(4),
      'the answers of pipelines that one process generates at a time; as many times four wait',
    ),
    QUIPU_SHARDING_SECONDS: variable(
      wholeNumber(1, 3_600).default(120),
      'the longest that one answer of a pipeline may take',
    ),
    QUIPU_WIREGUARD_INTERFACE: variable(
      InterfaceName.optional(),
      'the WireGuard interface that stages with `transport: wireguard_direct` listen at',
      'none: that transport is refused',
    ),
  },
  read: (values): ShardingSettings => ({
    stages: values.QUIPU_SHARDING_STAGES,
    standbys: values.QUIPU_SHARDING_STANDBYS,
    runningMax: values.QUIPU_SHARDING_REQUESTS,
    requestMsMax: values.QUIPU_SHARDING_SECONDS * 1_000,
    wireguardInterface: values.QUIPU_WIREGUARD_INTERFACE ?? null,
  }),
});
