import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiAcceptedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { RentalLogQuery, RentalQuery, RentalsQuery } from '#areas/rentals/rental.queries.js';
import { StartRentalCommand } from '#areas/rentals/start-rental.handler.js';
import { StopRentalCommand } from '#areas/rentals/stop-rental.handler.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { readerOf } from '../identity/reader.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  RentalAnswerDto,
  RentalListDto,
  RentalLogPageDto,
  RentalNumberDto,
  RentalsPageDto,
  StartRentalDto,
} from './rentals.dto.js';
import { presentRental, presentRentals } from './rentals.presenter.js';

@ApiTags('rentals')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/rentals')
export class RentalsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @HttpCode(202)
  @Idempotent()
  @ApiOperation({
    summary: 'Start a rental',
    description:
      'Runs a program in a workspace of its own, with 100 consecutive ports, until it ends or is ' +
      'stopped. Each started second is charged at the hourly price of the rig; the next 15 ' +
      'minutes are held.',
  })
  @ApiAcceptedResponse({ type: RentalAnswerDto, description: 'The rental, which starts.' })
  @FailsWith(
    'insufficient_balance',
    'budget_exceeded',
    'rig_not_for_rent',
    'ports_exhausted',
    'too_many_jobs',
  )
  async start(
    @Body() { rig, command, environment, image }: StartRentalDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<RentalAnswerDto> {
    const [program = '', ...words] = command;
    const order = {
      accountId: caller.accountId,
      rig,
      command: [program, ...words] as [string, ...string[]],
      environment: { ...environment },
      image: image ?? null,
    };
    const context = contextOf(request.id, `user:${caller.userId}`);
    const number = await this.commands.execute(new StartRentalCommand(order, context));
    return this.#show(number, caller);
  }

  @Get()
  @ApiOperation({ summary: 'List the rentals', description: 'Of the account, newest first.' })
  @ApiOkResponse({ type: RentalListDto, description: 'The rentals.' })
  @FailsWith('rental_not_found')
  async list(
    @Query() { after, limit }: RentalsPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<RentalListDto> {
    const page = { limit, after: after ?? null };
    return presentRentals(await this.queries.execute(new RentalsQuery(accountId, page)));
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Get a rental',
    description: 'The account of the rental and an Admin see it.',
  })
  @ApiOkResponse({ type: RentalAnswerDto, description: 'The rental.' })
  @FailsWith('rental_not_found')
  retrieve(
    @Param() { id }: RentalNumberDto,
    @CurrentCaller() caller: Caller,
  ): Promise<RentalAnswerDto> {
    return this.#show(id, caller);
  }

  @Post(':id/stop')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Stop a rental',
    description:
      'Asks the program to end, and ends it after the grace of the installation. An ended rental ' +
      'stays as it is. The workspace is kept for the hours that the installation sets.',
  })
  @ApiOkResponse({ type: RentalAnswerDto, description: 'The rental after the stop.' })
  @FailsWith('rental_not_found')
  async stop(
    @Param() { id }: RentalNumberDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<RentalAnswerDto> {
    const context = contextOf(request.id, `user:${caller.userId}`);
    await this.commands.execute(new StopRentalCommand(id, readerOf(caller), context));
    return this.#show(id, caller);
  }

  @Get(':id/logs')
  @ApiOperation({
    summary: 'Get the log of a rental',
    description:
      'What the program wrote, from an offset on, at most 1 MiB at once. The header ' +
      '`x-next-offset` has the offset of the next piece.',
  })
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string' }, description: 'The bytes as they were written.' })
  @FailsWith('rental_not_found')
  async logs(
    @Param() { id }: RentalNumberDto,
    @Query() { offset }: RentalLogPageDto,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    const query = new RentalLogQuery(id, readerOf(caller), offset);
    const { content, next } = await this.queries.execute(query);
    void reply.header('content-type', 'text/plain; charset=utf-8').header('x-next-offset', next);
    return content;
  }

  async #show(number: number, caller: Caller): Promise<RentalAnswerDto> {
    const rental = await this.queries.execute(new RentalQuery(number, readerOf(caller)));
    return { success: true, rental: presentRental(rental) };
  }
}
