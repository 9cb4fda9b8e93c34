import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { OpenRequests } from '../operations/open-requests.js';
import { DirectRoutes } from './direct/direct-routes.js';
import { FailureLog } from './errors/failure-log.js';
import { Failures } from './errors/failures.js';
import { type RequestRateLimits, RequestRates } from './identity/request-rates.js';
import { PaidSettler } from './paid/paid.settler.js';
import { UpgradeRoutes } from './upgrades/upgrade-routes.js';
import { OpenUploads } from './uploads/open-uploads.js';

/** Global services of the HTTP modules of all areas. */
@Module({})
export class GatewayModule {
  /**
   * @param httpModules the HTTP modules of the areas
   * @param requestRates the requests a minute of each account and key
   */
  static of(httpModules: readonly Type[], requestRates: RequestRateLimits): DynamicModule {
    const rates = {
      provide: RequestRates,
      inject: [CLOCK],
      useFactory: (clock: Clock) => new RequestRates(requestRates, clock),
    };
    const failureLog = {
      provide: FailureLog,
      inject: [LOGGER],
      useFactory: (logger: Logger) => new FailureLog(logger),
    };
    return {
      module: GatewayModule,
      global: true,
      imports: [...httpModules],
      providers: [
        Failures,
        OpenRequests,
        OpenUploads,
        PaidSettler,
        DirectRoutes,
        UpgradeRoutes,
        rates,
        failureLog,
      ],
      exports: [
        Failures,
        FailureLog,
        OpenRequests,
        OpenUploads,
        PaidSettler,
        DirectRoutes,
        UpgradeRoutes,
        RequestRates,
      ],
    };
  }
}
