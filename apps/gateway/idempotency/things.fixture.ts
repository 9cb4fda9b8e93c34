import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Global,
  HttpCode,
  Inject,
  Injectable,
  Module,
  Post,
  Query,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { IsString } from 'class-validator';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { FakeAnswerEntries } from '#platform/idempotency/answer-entries.fake.js';
import {
  ANSWER_TIMES,
  AnswerStore,
  type RequestAttemptEnd,
  type LeftRequest,
} from '#platform/idempotency/answer-store.port.js';
import { DurableAnswerStore } from '#platform/idempotency/durable-answer-store.js';
import { AnswerRecorder } from '#areas/statistics/answer-recorder.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { Areas, defineArea } from '#platform/runtime/areas/area.js';
import { EVENT_STORE, LOGGER } from '#platform/runtime/tokens.js';
import { pino } from 'pino';
import { UpgradeRoutes } from '../upgrades/upgrade-routes.js';
import { DirectRoutes } from '../direct/direct-routes.js';
import { FailureLog } from '../errors/failure-log.js';
import { Failures } from '../errors/failures.js';
import { createGateway } from '../gateway.application.js';
import { Scope } from '../identity/scope.decorator.js';
import { type AnswerEnd, type AnswerTap } from './answer-recorder.js';
import { RequestSettler, type SettlingRequest } from './request-settler.js';
import { CurrentAttempt, type RequestAttempt } from './current-attempt.decorator.js';
import { Idempotent } from './idempotent.decorator.js';

/** The script and the records of the routes below. */
export class Things {
  /** The ids of the requests that reached their method, in order. */
  readonly requestIds: string[] = [];
  make: (requestId: string) => Promise<unknown> = (requestId) => Promise.resolve({ of: requestId });
  write: (tap: AnswerTap | undefined, reply: FastifyReply) => Promise<AnswerEnd> = () =>
    Promise.reject(new Error('nothing was scripted'));
  readonly settled: (LeftRequest & { readonly account: string })[] = [];
  found: RequestAttemptEnd = 'free';
  isSettled: (error: unknown) => boolean = () => false;
}

@Injectable()
class CallerGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const accountId = request.headers['x-account'];
    if (accountId !== undefined) {
      request.caller = { accountId, userId: 7, credential: {} } as unknown as Caller;
    }
    return true;
  }
}

@Injectable()
class ThingSettler extends RequestSettler {
  constructor(@Inject(Things) private readonly things: Things) {
    super();
  }

  settle(left: LeftRequest, { caller }: SettlingRequest): Promise<RequestAttemptEnd> {
    this.things.settled.push({ ...left, account: caller.accountId });
    return Promise.resolve(this.things.found);
  }

  isSettled(error: unknown): boolean {
    return this.things.isSettled(error);
  }
}

@Module({})
class ThingsModule {}

const thingsArea = defineArea({
  name: 'things',
  errors: {
    thing_refused: { status: 422 },
    insufficient_balance: { status: 402 },
    budget_exceeded: { status: 402 },
  },
  module: ThingsModule,
});

class ThingDto {
  @IsString({ message: 'a string' })
  readonly name!: string;
}

@Scope('inference')
@Controller('api/v1/things')
@UseGuards(CallerGuard)
class ThingsController {
  constructor(@Inject(Things) private readonly things: Things) {}

  @Post(['', 'also'])
  @Idempotent()
  async create(
    @Body() _body: ThingDto,
    @Query() _query: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    this.things.requestIds.push(request.id);
    void reply.header('location', `/api/v1/things/${request.id}`);
    return this.things.make(request.id);
  }

  @Post('none')
  @HttpCode(204)
  @Idempotent()
  async createSilently(@Req() { id }: FastifyRequest): Promise<void> {
    this.things.requestIds.push(id);
    await this.things.make(id);
  }

  @Post('charged')
  @HttpCode(200)
  @Idempotent({ settle: ThingSettler, reply: 'written' })
  charge(
    @Req() { id }: FastifyRequest,
    @Res() reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<AnswerEnd> {
    this.things.requestIds.push(id);
    return this.things.write(attempt?.tap, reply);
  }
}

/** A gateway with routes that create and charge. The answer store is in memory. */
export const openThings = async () => {
  const things = new Things();
  const entries = new FakeAnswerEntries();
  const time = { nowMs: Date.parse('2026-11-22T04:00:00.000Z') };
  const answers = new DurableAnswerStore({
    entries,
    encryptionKey: new Uint8Array(32),
    clock: { now: () => time.nowMs },
    times: { ...ANSWER_TIMES, heartbeatMs: 600_000 },
  });
  const logger = pino({ level: 'silent' });
  const values = [
    { provide: Things, useValue: things },
    { provide: AnswerStore, useValue: answers },
    { provide: Ledger, useValue: new FakeLedger() },
    { provide: AnswerRecorder, useValue: { record: () => undefined } },
    { provide: EVENT_STORE, useValue: {} },
    { provide: LOGGER, useValue: logger },
    { provide: Areas, useValue: new Areas([thingsArea]) },
    Failures,
    DirectRoutes,
    UpgradeRoutes,
    { provide: FailureLog, useValue: new FailureLog(pino({ level: 'silent' })) },
  ];
  @Global()
  @Module({
    providers: values,
    exports: [Things, AnswerStore, LOGGER, Areas, Failures, FailureLog],
  })
  class Bindings {}

  @Module({
    imports: [Bindings],
    controllers: [ThingsController],
    providers: [ThingSettler],
  })
  class Root {}

  const limits = { bodyLimitBytes: 65_536, receivingBytesMax: 262_144, receiveMsMax: 60_000 };
  const options = { ...limits, uploadMsMax: 60_000, uploadIdleMsMax: 60_000, trustProxy: 0 };
  const app = await createGateway({ module: Root }, options, logger);
  return {
    app,
    things,
    entries,
    time,
    close: async () => {
      await app.close();
      await answers.close();
    },
  };
};
