import { Body, Controller, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsString, IsUUID, Length } from 'class-validator';
import { type FastifyRequest } from 'fastify';
import { ApiGuard } from '#apps/gateway/identity/api.guard.js';
import { CurrentCaller } from '#apps/gateway/identity/caller.decorator.js';
import { Scope } from '#apps/gateway/identity/scope.decorator.js';
import { Idempotent } from '#apps/gateway/idempotency/idempotent.decorator.js';
import { FailsWith } from '#apps/gateway/openapi/failures.docs.js';
import { Credentials } from '#apps/gateway/openapi/credentials.docs.js';
import { JobId } from '#events/jobs/job.events.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { AlbumQuery } from '../../postcards/album.handler.js';
import { BindAlbumCommand } from '../../postcards/bind-album.handler.js';
import { PostcardQuery } from '../../postcards/postcard.handler.js';
import { type ListedPostcard } from '../../postcards/postcards.projection.js';
import { WritePostcardCommand } from '../../postcards/write-postcard.handler.js';

class WritePostcardDto {
  @ApiProperty({ description: 'What the postcard says.', example: 'Greetings from the Andes' })
  @IsString()
  @Length(1, 1_000)
  readonly greeting!: string;
}

class BindAlbumDto {
  @ApiProperty({ description: 'One greeting for each page.', example: ['Greetings'] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsString({ each: true })
  @Length(1, 1_000, { each: true })
  readonly greetings!: readonly string[];
}

class PostcardIdDto {
  @IsUUID()
  readonly id!: string;
}

@ApiTags('postcards')
@Credentials('api-key', 'app-token')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/postcards')
export class PostcardsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Idempotent()
  @ApiOperation({ summary: 'Write a postcard', description: 'Holds its worst-case price.' })
  @ApiCreatedResponse({ description: 'The postcard was taken.' })
  @FailsWith('insufficient_balance', 'postcard_too_long')
  async write(
    @Body() { greeting }: WritePostcardDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() { id }: FastifyRequest,
  ): Promise<object> {
    const command = new WritePostcardCommand(
      { accountId, greeting },
      contextOf(id, `user:${userId}`),
    );
    const { postcardId } = await this.commands.execute(command);
    return { success: true, id: postcardId };
  }

  @Post('albums')
  @Idempotent()
  @ApiOperation({ summary: 'Bind an album', description: 'A job, whose estimate is held.' })
  @ApiCreatedResponse({ description: 'The album is being bound.' })
  @FailsWith('insufficient_balance', 'too_many_jobs')
  async bind(
    @Body() { greetings }: BindAlbumDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() { id }: FastifyRequest,
  ): Promise<object> {
    const command = new BindAlbumCommand({ accountId, greetings }, contextOf(id, `user:${userId}`));
    const { jobId } = await this.commands.execute(command);
    return { success: true, id: jobId };
  }

  @Get('albums/:id')
  @ApiOperation({ summary: 'Read an album', description: 'Its pages; null while it is bound.' })
  @ApiOkResponse({ description: 'The album.' })
  @FailsWith('job_not_found', 'job_result_gone')
  async album(@Param() { id }: PostcardIdDto): Promise<object> {
    return { success: true, album: await this.queries.execute(new AlbumQuery(JobId.parse(id))) };
  }

  @Get(':id')
  @ApiOperation({ summary: 'Read a postcard', description: 'Its state as of the head of the log.' })
  @ApiOkResponse({ description: 'The postcard.' })
  @FailsWith('postcard_not_found')
  async read(
    @Param() { id }: PostcardIdDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<ListedPostcard> {
    return this.queries.execute(new PostcardQuery(accountId, id));
  }
}
