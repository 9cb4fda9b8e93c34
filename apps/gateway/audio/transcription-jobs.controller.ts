import {
  Controller,
  Get,
  Header,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiOkResponse, ApiParam } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { reject } from '#areas/audio/audio.errors.js';
import { AUDIO_SETTINGS, type AudioSettings } from '#areas/audio/audio.settings.js';
import { LongTranscripts } from '#areas/audio/jobs/long-transcripts.js';
import { writtenTranscript } from '#areas/audio/transcript-formats.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { JobQuery } from '#areas/jobs/job.queries.js';
import { TRANSCRIPTION_JOB } from '#events/audio/transcription.job.js';
import { JobId } from '#events/jobs/job.events.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { readerOf } from '../identity/reader.js';
import { Scope } from '../identity/scope.decorator.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { OpenAiUpload } from '../uploads/uploads.js';
import { audioFormOf } from './audio-form.js';
import { AudioFormInterceptor } from './audio-form.interceptor.js';
import {
  TRANSCRIPTION_CODES,
  TranscriptionJobDocs,
  TranscriptionJobTextDocs,
} from './audio.docs.js';
import { TranscriptDto, TranscriptFormatDto, TranscriptionJobDto } from './audio.dto.js';

/** Transcriptions of recordings that are too long to wait for. */
@Scope('inference')
@Controller('api/v1/audio/transcription_jobs')
@UseGuards(ApiGuard)
export class TranscriptionJobsController {
  constructor(
    private readonly transcripts: LongTranscripts,
    private readonly queries: QueryBus,
    private readonly requests: OpenRequests,
    @Inject(AUDIO_SETTINGS) private readonly settings: AudioSettings,
  ) {}

  @Post()
  @HttpCode(202)
  @OpenAiUpload()
  @UseInterceptors(AudioFormInterceptor)
  @TranscriptionJobDocs()
  @ApiAcceptedResponse({ type: TranscriptionJobDto, description: 'The job, which runs.' })
  @Idempotent()
  @FailsWith(...TRANSCRIPTION_CODES, 'insufficient_balance', 'budget_exceeded', 'too_many_jobs')
  async submit(
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TranscriptionJobDto> {
    const { fields, file } = audioFormOf(request);
    const [field] = fields;
    if (field) {
      return reject('audio_field_unsupported', `${field[0]}: a job takes a file and no field`);
    }
    const context = callerContext(request, { userId, credential });
    const { requestMsMax } = this.settings;
    const id = await this.requests.whileConnected(reply.raw, requestMsMax, ({ signal }) =>
      this.transcripts.submit({ accountId, file, context }, signal),
    );
    return { id, object: 'transcription.job', status_url: `/api/v1/jobs/${id}` };
  }

  @Get(':id/transcript')
  @Header('cache-control', 'no-store')
  @TranscriptionJobTextDocs()
  @ApiParam({ name: 'id', description: 'The id of the job.' })
  @ApiOkResponse({ type: TranscriptDto, description: 'The transcript, in the format asked for.' })
  @FailsWith('audio_job_not_found', 'audio_job_unfinished', 'job_not_found', 'job_result_gone')
  async transcript(
    @Param('id') id: string,
    @Query() { response_format: format }: TranscriptFormatDto,
    @CurrentCaller() caller: Caller,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const job = await this.queries.execute(new JobQuery(id, readerOf(caller)));
    if (job.type !== TRANSCRIPTION_JOB) {
      return reject('audio_job_not_found', 'the job with this id is no transcription');
    }
    const transcript = await this.transcripts.transcript(JobId.parse(job.jobId));
    const order = { format, task: 'transcribe', granularities: ['word', 'segment'] } as const;
    const { contentType, body } = writtenTranscript(transcript, order);
    await reply.header('content-type', contentType).send(body);
  }
}
