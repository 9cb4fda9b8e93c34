import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { OpenRequests } from '../operations/open-requests.js';
import { Failures } from './errors/failures.js';

/** Global services of the HTTP modules of all areas. */
@Module({})
export class GatewayModule {
  /** @param httpModules the HTTP modules of the areas */
  static of(httpModules: readonly Type[]): DynamicModule {
    return {
      module: GatewayModule,
      global: true,
      imports: [...httpModules],
      providers: [Failures, OpenRequests],
      exports: [Failures, OpenRequests],
    };
  }
}
