import { Body, Controller, Get, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { reject } from '#areas/live/live.errors.js';
import { LiveSessions } from '#areas/live/live-sessions.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { callerContext } from '../identity/caller-context.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  LiveFrameDto,
  LiveFrameOrderDto,
  LiveSessionDto,
  LiveSessionOrderDto,
} from './live.dto.js';
import { presentFrame, presentSession } from './live.presenter.js';

export const SIGNAL_PATH = '/api/v1/stream/signal';
const SIDE_MIN = 32;
const SIDE_MAX = 768;
const FRAME_MS_MAX = 30_000;

/** Stream sessions and their frames. */
@ApiTags('live')
@Scope('inference')
@Controller('api/v1/stream')
export class LiveController {
  constructor(
    private readonly sessions: LiveSessions,
    private readonly requests: OpenRequests,
  ) {}

  @Post('webrtc')
  @HttpCode(200)
  @UseGuards(ApiGuard)
  @Credentials('api-key', 'app-token', 'renter-key')
  @Idempotent()
  @ApiOperation({
    summary: 'Open a stream session',
    description:
      'Holds the first minute and its frames, and assigns a rig. The token belongs to the ' +
      'account and opens one signalling connection at a time. The session is renewed each ' +
      'minute, until the client hangs up, is silent, the account cannot pay or the token ' +
      'expires. The minutes that have begun and the frames that were drawn are charged at its end.',
  })
  @ApiOkResponse({ type: LiveSessionDto, description: 'The session.' })
  @FailsWith(
    'too_many_live_sessions',
    'live_not_priced',
    'live_model_unavailable',
    'live_busy',
    'live_unavailable',
    'insufficient_balance',
    'budget_exceeded',
  )
  async open(
    @Body() body: LiveSessionOrderDto,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<LiveSessionDto> {
    const order = {
      ...{ accountId, userId, ...sizeOf(body.resolution), targetFps: body.target_fps },
      ...{ model: body.model ?? null, prompt: body.prompt ?? null, host: request.hostname },
    };
    const context = callerContext(request, { userId, credential });
    const opened = await this.sessions.open(order, context);
    const scheme = request.protocol === 'https' ? 'wss' : 'ws';
    return presentSession(opened, `${scheme}://${request.host}${SIGNAL_PATH}`);
  }

  @Post('diffuse')
  @HttpCode(200)
  @UseGuards(ApiGuard)
  @Credentials('api-key', 'app-token', 'renter-key')
  @Idempotent()
  @ApiOperation({
    summary: 'Draw a frame of a stream session',
    description:
      'Draws one frame from the frame before, and sends it over the data channel of the client, ' +
      'or returns it. The frame is charged with the session.',
  })
  @ApiOkResponse({ type: LiveFrameDto, description: 'The frame.' })
  @FailsWith(
    'live_session_not_found',
    'live_session_ended',
    'live_frames_used_up',
    'live_image_unreadable',
    'live_model_unavailable',
    'live_busy',
    'live_unavailable',
    'live_frame_failed',
  )
  async diffuse(
    @Body() body: LiveFrameOrderDto,
    @CurrentCaller() { accountId }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LiveFrameDto> {
    const image = body.image_png_base64;
    const wish = {
      prompt: body.prompt,
      guidance: body.guidance_scale,
      strength: body.noise_strength,
      image: image === undefined ? undefined : Buffer.from(image, 'base64'),
    };
    const asked = {
      ...{ token: body.session_token, accountId, model: body.model ?? null, wish },
    };
    const { frame, session } = await this.requests.whileConnected(
      reply.raw,
      FRAME_MS_MAX,
      ({ signal }) => this.sessions.frame(asked, signal),
    );
    return presentFrame(frame, session, body.return_frame ?? false);
  }

  @Get('signal')
  @Scope('open')
  @ApiOperation({
    summary: 'Connect to a stream session',
    description:
      'A WebSocket; the token is its credential. A client sends `{"type":"offer","sdp":…}` and ' +
      'gets `{"type":"answer","sdp":…}`; `prompt` changes the frames, `bye` ends it. The ' +
      'gateway is an ICE-lite agent, so candidates of the client are accepted and not used. ' +
      'An offer may ask for a VP8 video where `ready` says `"video":"vp8"`. `ping` says the ' +
      'round trip to the client, `notice` when the account cannot pay, `bye` why the session ' +
      'ended. An `Origin` that is sent must be the gateway’s or one of `QUIPU_CORS_ORIGINS`.',
  })
  @ApiQuery({ name: 'session', description: 'The token of the session.' })
  @ApiOkResponse({ description: 'Not used: a WebSocket begins with status 101.' })
  @FailsWith(
    'live_session_not_found',
    'live_signalling_open',
    'live_session_ended',
    'live_upgrade_required',
  )
  signal(): never {
    return reject('live_upgrade_required', 'connect with a WebSocket');
  }
}

/** @throws RejectedRequestError */
const sizeOf = (resolution: string): { readonly width: number; readonly height: number } => {
  const [width = 0, height = 0] = resolution.split('x').map(Number);
  if ([width, height].every((side) => side >= SIDE_MIN && side <= SIDE_MAX)) {
    return { width, height };
  }
  throw rejectedField('resolution', `expected WxH, from 32x32 to 768x768, received ${resolution}`);
};
