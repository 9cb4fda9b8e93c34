import { type DynamicModule, type InjectionToken, Module } from '@nestjs/common';

/** Gives a process of a group what it has from the others. Global: areas inject it, too. */
@Module({})
export class GroupModule {
  static of(values: ReadonlyMap<InjectionToken, unknown>): DynamicModule {
    const providers = [...values].map(([provide, useValue]) => ({ provide, useValue }));
    return { module: GroupModule, global: true, providers, exports: [...values.keys()] };
  }
}
