import {
  type CallHandler,
  type ExecutionContext,
  HttpException,
  Inject,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { ModuleRef, Reflector } from '@nestjs/core';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Logger } from 'pino';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { type Caller } from '#areas/identity/authentication/caller.js';
import {
  AnswerStore,
  type IdempotentRequest,
  isIdempotencyKey,
  type StartedRequest,
} from '#platform/idempotency/answer-store.port.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { LOGGER } from '#platform/runtime/tokens.js';
import { factsOf } from '../errors/failure-log.js';
import { Failures } from '../errors/failures.js';
import { isRejected } from '../errors/http-failure.js';
import { lastEventIdOf } from '../streams/resumption.js';
import { type AnswerEnd, AnswerRecorder } from './answer-recorder.js';
import { type RequestSettler } from './request-settler.js';
import { invalidKey, notAdmitted } from './idempotency.failures.js';
import { IDEMPOTENCY_HEADER, IDEMPOTENT, type IdempotentMetadata } from './idempotency.metadata.js';
import { recordValue, replay, responseHeadersOf } from './replay.js';
import { SameRequestSettler } from './same-request.settler.js';

interface Exchange {
  readonly route: IdempotentMetadata;
  readonly settler: RequestSettler;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly next: CallHandler;
}

/** Runs a request with an `Idempotency-Key` only once. `@Idempotent()` applies it to a route. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  readonly #sameRequest: RequestSettler;

  constructor(
    @Inject(AnswerStore) private readonly answers: AnswerStore,
    @Inject(ModuleRef) private readonly providers: ModuleRef,
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Failures) failures: Failures,
  ) {
    this.#sameRequest = new SameRequestSettler(failures);
  }

  intercept(
    context: ExecutionContext,
    next: CallHandler,
  ): Observable<unknown> | Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const key = request.headers[IDEMPOTENCY_HEADER];
    if (key === undefined) return next.handle();
    const route = this.reflector.get<IdempotentMetadata>(IDEMPOTENT, context.getHandler());
    if (route.resumes && lastEventIdOf(request.headers) !== undefined) return next.handle();
    if (typeof key !== 'string' || !isIdempotencyKey(key)) throw invalidKey();
    const { caller } = request;
    if (!caller) throw new Error('an @Idempotent() route needs a guard that sets the caller');
    const settler = route.settle
      ? this.providers.get<RequestSettler>(route.settle, { strict: false })
      : this.#sameRequest;
    const reply = http.getResponse<FastifyReply>();
    const asked = {
      scope: `account:${caller.accountId}`,
      key,
      body: this.#fingerprintedBytes(context, request),
      attempt: request.id,
    };
    return this.#answer(asked, caller, { route, settler, request, reply, next });
  }

  /**
   * The bytes contain the declared paths of the route, so that they count as one route, and the
   * parsed values without defaults.
   */
  #fingerprintedBytes(context: ExecutionContext, request: FastifyRequest): Uint8Array {
    const { method, params, query, body } = request;
    const addresses = [context.getClass(), context.getHandler()].map((target) =>
      this.reflector.get<string | readonly string[]>(PATH_METADATA, target),
    );
    return Buffer.from(JSON.stringify([method, addresses, params, query, body ?? null]));
  }

  async #answer(
    asked: IdempotentRequest,
    caller: Caller,
    exchange: Exchange,
  ): Promise<Observable<unknown>> {
    const startedAt = performance.now();
    const { route, settler, request, reply } = exchange;
    const context = contextOf(request.id, `user:${caller.userId}`);
    const admission = await this.answers.admit(asked, (left) =>
      settler.settle(left, { caller, context }),
    );
    if (admission.outcome === 'replay') return of(replay(admission.answer, reply, route.reply));
    if (admission.outcome !== 'started') throw notAdmitted(admission.outcome);
    if (!route.settle) adoptRequestId(admission.firstAttempt, request, reply);
    const recorder = new AnswerRecorder();
    const { confirm, firstAttempt } = admission;
    request.attempt = { tap: recorder, firstAttempt, confirm, startedAt };
    return of(await this.#run(admission, recorder, exchange));
  }

  /**
   * An answer that failed or was cut frees the key, so that a retry is a new attempt. An unknown
   * outcome keeps the key: the retry settles the attempt first.
   */
  async #run(
    attempt: StartedRequest,
    recorder: AnswerRecorder,
    exchange: Exchange,
  ): Promise<unknown> {
    const { route, settler, reply, next } = exchange;
    const before = responseHeadersOf(reply);
    let end: AnswerEnd = 'in-doubt';
    try {
      const result: unknown = await lastValueFrom(next.handle(), { defaultValue: undefined });
      if (route.reply === 'written') end = result as AnswerEnd;
      else {
        recordValue(result, reply, before, recorder);
        end = 'whole';
      }
      return result;
    } catch (error) {
      if (isOfEdge(error) || settler.isSettled(error)) end = 'cut';
      throw error;
    } finally {
      await this.#end(attempt, end, recorder, exchange);
    }
  }

  /** Never rejects, since the request is answered already. An unwritten end expires. */
  async #end(
    { finish, abandon, leave }: StartedRequest,
    end: AnswerEnd,
    recorder: AnswerRecorder,
    { request, reply }: Exchange,
  ): Promise<void> {
    try {
      if (end === 'whole') await finish(recorder.answer(reply.statusCode));
      else if (end === 'cut') await abandon();
      else await leave();
    } catch (error) {
      const message = 'the end of an idempotent request could not be stored';
      this.logger.warn({ ...factsOf(request, reply), err: error }, message);
    }
  }
}

/** Failures of the edge, before any command. */
const isOfEdge = (error: unknown): boolean => isRejected(error) || error instanceof HttpException;

/** The ids of all events derive from the request id, which is also the `x-request-id`. */
const adoptRequestId = (
  firstAttempt: string,
  request: FastifyRequest,
  reply: FastifyReply,
): void => {
  request.id = firstAttempt;
  void reply.header('x-request-id', firstAttempt);
};
