import { Body, Controller, HttpCode, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ExecuteModuleCommand } from '#areas/sandbox/execute-module.handler.js';
import {
  ENTRY_POINT_DEFAULT,
  GAS_LIMIT_DEFAULT,
  MEMORY_LIMIT_MB_DEFAULT,
} from '#areas/sandbox/limit-defaults.js';
import { type ModuleOrder } from '#areas/sandbox/module-order.js';
import {
  requestMsMaxOf,
  SANDBOX_SETTINGS,
  type SandboxSettings,
} from '#areas/sandbox/sandbox.settings.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { CurrentAttempt, type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { costHeaders } from '../inference/chat.headers.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PaidSettler } from '../paid/paid.settler.js';
import { ExecuteWasmDto, WasmExecutionDto } from './wasm.dto.js';
import { presentExecution } from './wasm.presenter.js';

/** Runs of WebAssembly modules. */
@ApiTags('sandbox')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/wasm')
export class WasmController {
  constructor(
    private readonly commands: CommandBus,
    private readonly requests: OpenRequests,
    @Inject(SANDBOX_SETTINGS) private readonly settings: SandboxSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('execute')
  @HttpCode(200)
  @Idempotent({ settle: PaidSettler })
  @ApiOperation({
    summary: 'Run a WebAssembly module',
    description:
      'In a sandbox with the standard streams, clocks and randomness of WASI preview 1, without ' +
      'files and sockets. The price of `gas_limit` is held before the run, and the fuel that was ' +
      'spent is charged, also for a module that traps or is ended, and the fuel of its start. A ' +
      'module that cannot be started is charged for being read. A caller that leaves does not ' +
      'end the run.',
  })
  @ApiOkResponse({ type: WasmExecutionDto, description: 'The output of the module and its gas.' })
  @FailsWith(
    'wasm_base64_invalid',
    'wasm_memory_limit_above_max',
    'wasm_gas_limit_above_max',
    'wasm_module_too_large',
    'wasm_module_invalid',
    'wasm_module_refused',
    'wasm_entry_point_missing',
    'wasm_entry_point_unsupported',
    'wasm_arguments_invalid',
    'wasm_not_priced',
    'wasm_failed',
    'wasm_busy',
    'wasm_unavailable',
    'request_timed_out',
  )
  async execute(
    @Body() body: ExecuteWasmDto,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentAttempt() attempt: RequestAttempt | undefined,
  ): Promise<WasmExecutionDto> {
    const order = {
      accountId,
      receivedAtMs: this.clock.now(),
      module: moduleOf(body),
      context: callerContext(request, { userId, credential }),
      ...(attempt && { confirm: attempt.confirm }),
    };
    const open = this.requests.open(requestMsMaxOf(this.settings));
    try {
      const answer = await this.commands.execute(new ExecuteModuleCommand(order, open.signal));
      void reply.headers(costHeaders(answer.entry));
      return presentExecution(answer);
    } finally {
      open.close();
    }
  }
}

const moduleOf = (body: ExecuteWasmDto): ModuleOrder => ({
  wasmBase64: body.wasm_base64,
  entryPoint: body.entry_point ?? ENTRY_POINT_DEFAULT,
  args: body.args ?? [],
  stdin: body.stdin ?? '',
  memoryLimitMb: body.memory_limit_mb ?? MEMORY_LIMIT_MB_DEFAULT,
  gasLimit: body.gas_limit ?? GAS_LIMIT_DEFAULT,
});
