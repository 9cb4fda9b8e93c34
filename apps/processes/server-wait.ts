import { setTimeout as sleep } from 'node:timers/promises';
import { All, Controller, type DynamicModule, Module, Req, Res } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { Registry } from 'prom-client';
import { type ReadinessCheck, type ReadinessPart } from '#platform/runtime/areas/operations.js';
import { type FirstAnswer, ServerAwayError } from '../composition/first-answer.js';
import { type Settings } from '../composition/settings.js';
import { envelope } from '../gateway/errors/envelope.js';
import { failure } from '../gateway/errors/failure-of.js';
import { createOperationsApplication } from '../operations/operations.application.js';
import { type OperationsSettings } from '../operations/operations-access.js';
import { OperationsModule } from '../operations/operations.module.js';
import { Readiness } from '../operations/readiness.js';
import { listen } from './listen.js';

const RETRY_MS = 250;

/**
 * Waits at the start of a process for servers that are away. Meanwhile the ports of the process
 * report that it is live and why it is not ready.
 */
export class ServerWait implements ReadinessCheck {
  readonly #away = new Map<ServerAwayError['code'], string>();
  #app: Promise<NestFastifyApplication> | undefined;
  #hasFailed = false;

  constructor(
    private readonly settings: Pick<Settings, 'host' | 'port' | 'operations'>,
    private readonly logger: Logger,
  ) {}

  readonly untilAnswered: FirstAnswer = async (attempt) => {
    let away: ServerAwayError | undefined;
    for (;;) {
      try {
        const result = await attempt();
        if (away) this.#away.delete(away.code);
        return result;
      } catch (error) {
        away = await this.#awayBy(error);
        await sleep(RETRY_MS);
      }
    }
  };

  readiness(): Promise<ReadinessPart> {
    const reasons = [...this.#away].map(([code, detail]) => ({ code, detail }));
    return Promise.resolve({ reasons, facts: {} });
  }

  /** Frees the ports for the process, which has what it needs. */
  async end(): Promise<void> {
    await (await this.#app)?.close();
  }

  /** @throws the error unless it is that a server is away, and no other one has ended the start */
  async #awayBy(error: unknown): Promise<ServerAwayError> {
    const isAway = error instanceof ServerAwayError;
    this.#hasFailed ||= !isAway;
    if (!isAway || this.#hasFailed) {
      await this.end();
      throw error;
    }
    const { code, message } = error;
    if (!this.#away.has(code))
      this.logger.warn({ reason: message }, 'the start waits for a server');
    this.#away.set(code, message);
    this.#app ??= this.#listen();
    await this.#app;
    return error;
  }

  async #listen(): Promise<NestFastifyApplication> {
    const module = ServerWaitModule.of(this, this.settings.operations);
    const app = await createOperationsApplication(module, this.logger);
    app.get(Readiness, { strict: false }).holdBack('starting');
    await listen(app, this.settings);
    return app;
  }
}

@Controller()
class WaitingController {
  @All('*')
  refuse(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const message = 'the service waits for a server that it needs; try again';
    const refused = failure({ status: 503, code: 'store_unavailable', message });
    void reply.status(refused.status).header('retry-after', RETRY_AFTER_SECONDS);
    void reply.send(envelope(request, refused));
  }
}

const RETRY_AFTER_SECONDS = 5;

@Module({})
class ServerWaitModule {
  static of(wait: ServerWait, settings: OperationsSettings): DynamicModule {
    return {
      module: ServerWaitModule,
      global: true,
      imports: [
        OperationsModule.of({
          settings,
          providers: [{ provide: ServerWait, useValue: wait }],
          readiness: [ServerWait],
          metrics: [],
        }),
      ],
      controllers: [WaitingController],
      providers: [{ provide: Registry, useValue: new Registry() }],
      exports: [Registry],
    };
  }
}
