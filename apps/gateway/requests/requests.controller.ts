import { Controller, Get, Inject, Param, Query, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller } from '#areas/identity/authentication/caller.js';
import {
  RequestQuery,
  type RequestsOrder,
  RequestsQuery,
} from '#areas/requests/list-requests.handler.js';
import { requestFields } from '#areas/requests/request-fields.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { RequestIdDto } from '../billing/explanations.dto.js';
import { instantOf } from '../fields/instant.validator.js';
import { AccountOwnerGuard } from '../identity/account-owner.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { endUserHash } from '../paid/body-labels.js';
import { asOfOf } from '../time-travel/as-of.dto.js';
import { accountAsked } from './account-asked.js';
import {
  AccountOptionDto,
  AccountRequestAnswerDto,
  AccountRequestsDto,
  RequestsPageDto,
} from './requests.dto.js';

/** The requests of an account; an addition to the promised interface. */
@ApiTags('requests')
@Credentials('api-key', 'app-token', 'provider-token')
@UseGuards(AccountOwnerGuard)
@Scope('read_billing')
@Controller('api/v1/requests')
export class RequestsController {
  constructor(
    private readonly queries: QueryBus,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the requests',
    description:
      'Paid requests whose hold has ended, the last first, in pages. A page with several filters ' +
      'may have fewer than its limit; it is the last one when `next_after` is null. Requests ' +
      'that were rejected before a hold are not in it, and no text of a request is.',
  })
  @ApiOkResponse({ type: AccountRequestsDto, description: 'A page of requests.' })
  @FailsWith('insufficient_role')
  async list(
    @Query() query: RequestsPageDto,
    @CurrentCaller() caller: Caller,
  ): Promise<AccountRequestsDto> {
    const order = this.#orderOf(query, accountAsked(query, caller));
    const page = await this.queries.execute(new RequestsQuery(order, asOfOf(query)));
    return {
      success: true,
      requests: page.requests.map(requestFields),
      next_after: page.nextAfter,
      position: page.position.toString(),
    };
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Get a request',
    description: 'One paid request of the account whose hold has ended.',
  })
  @ApiOkResponse({ type: AccountRequestAnswerDto, description: 'The request.' })
  @FailsWith('ended_request_not_found', 'insufficient_role')
  async find(
    @Param() { id }: RequestIdDto,
    @Query() query: AccountOptionDto,
    @CurrentCaller() caller: Caller,
  ): Promise<AccountRequestAnswerDto> {
    const accountId = accountAsked(query, caller);
    const found = new RequestQuery(accountId, id.toLowerCase(), asOfOf(query));
    const { request, position } = await this.queries.execute(found);
    return { success: true, request: requestFields(request), position: position.toString() };
  }

  #orderOf(query: RequestsPageDto, accountId: string): RequestsOrder {
    const { from, to, key, model, rig, user, tag, status, after, limit } = query;
    const endUser = user === undefined ? undefined : endUserHash(user, accountId, this.hash);
    const [first, last] = [from, to].map((text) => (text === undefined ? null : instantOf(text)));
    return {
      accountId,
      ...(first != null && { from: first }),
      ...(last != null && { to: last }),
      filter: {
        ...(key !== undefined && { key }),
        ...(model !== undefined && { model }),
        ...(rig !== undefined && { rig }),
        ...(endUser !== undefined && { user: endUser }),
        ...(tag !== undefined && { tag }),
        ...(status !== undefined && { status }),
      },
      after: after ?? null,
      limit,
    };
  }
}
