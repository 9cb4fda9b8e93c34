import { Controller, Get, Param, Query, Res, StreamableFile } from '@nestjs/common';
import {
  ApiExcludeEndpoint,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { auditError, AuditLog, proofOf } from '#areas/audit/audit-log.js';
import { parseTilePath } from '#platform/audit/tiles.js';
import { Scope } from '../identity/scope.decorator.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { ConsistencyDto, ConsistencyQueryDto, LeafParametersDto } from './audit.dto.js';

const TEXT = 'text/plain; charset=utf-8';
const IMMUTABLE = 'public, max-age=31536000, immutable';
const BRIEF = 'public, max-age=1';
const TILE = {
  type: 'application/octet-stream',
  schema: { type: 'string', format: 'binary' },
} as const;

/** Public: the answers are hashes alone, which tell nothing of their content. */
@ApiTags('audit')
@Scope('open')
@Controller('audit')
export class AuditController {
  constructor(private readonly log: AuditLog) {}

  @Get('checkpoint')
  @ApiOperation({
    summary: 'The last signed checkpoint of the log',
    description:
      'The size and the root of the Merkle tree over every event, signed: C2SP tlog-checkpoint. ' +
      'Public, as are the tiles and the proofs.',
  })
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string' }, description: 'A signed note.' })
  @FailsWith('audit_not_ready', 'audit_inconsistent')
  async checkpoint(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { note } = await this.log.checkpoint();
    void reply.headers({ 'content-type': TEXT, 'cache-control': BRIEF });
    return note;
  }

  @Get('key')
  @ApiOperation({
    summary: 'The verifier key of the log',
    description:
      'C2SP signed-note. A verifier should know it from elsewhere: an operator who changes ' +
      'history can change this answer too.',
  })
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string' }, description: 'One line.' })
  @FailsWith('audit_not_ready', 'audit_inconsistent')
  key(@Res({ passthrough: true }) reply: FastifyReply): string {
    void reply.header('content-type', TEXT);
    return `${this.log.verifierKey()}\n`;
  }

  @Get('tile/:level/:index')
  @ApiOperation({
    summary: 'A tile of the tree',
    description:
      'C2SP tlog-tiles: `tile/<L>/<N>[.p/<W>]`, 256 hashes or the first `W`. The slashes of `N` ' +
      'may be percent-encoded or literal. Tiles of entries are not served.',
  })
  @ApiParam({ name: 'level', description: 'The level, from 0 to 63.', example: '0' })
  @ApiParam({ name: 'index', description: 'The index and the width.', example: 'x001/x234/067' })
  @ApiProduces(TILE.type)
  @ApiOkResponse({ schema: TILE.schema, description: 'Hashes of 32 bytes each.' })
  @FailsWith('audit_not_ready', 'audit_inconsistent', 'tile_not_found')
  tile(
    @Param('level') level: string,
    @Param('index') index: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    return this.#tile(`${level}/${index}`, reply);
  }

  /** A wildcard, since a route parameter ends at a slash. */
  @Get('tile/*')
  @ApiExcludeEndpoint()
  tileWithSlashes(
    @Param('*') path: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    return this.#tile(path, reply);
  }

  @Get('proofs/:leaf')
  @ApiOperation({
    summary: 'The inclusion proof of a leaf',
    description: 'In the tree of the last checkpoint, which it contains: C2SP tlog-proof.',
  })
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string' }, description: 'The proof.' })
  @FailsWith('audit_not_ready', 'audit_inconsistent', 'leaf_not_found', 'tree_size_unknown')
  async proof(
    @Param() { leaf }: LeafParametersDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const proof = proofOf(await this.log.leaf(leaf));
    void reply.headers({ 'content-type': TEXT, 'cache-control': BRIEF });
    return proof;
  }

  @Get('consistency')
  @ApiOperation({
    summary: 'The proof that one tree begins with another',
    description: 'Two sizes up to the size of the last checkpoint; RFC 6962, section 2.1.2.',
  })
  @ApiOkResponse({ type: ConsistencyDto, description: 'The proof.' })
  @FailsWith('audit_not_ready', 'audit_inconsistent', 'tree_size_unknown')
  async consistency(@Query() { from, to }: ConsistencyQueryDto): Promise<ConsistencyDto> {
    const hashes = await this.log.consistency(from, to);
    const [older, newer] = await Promise.all([this.log.root(from), this.log.root(to)]);
    return {
      success: true,
      from,
      to,
      from_root: older.toString('base64'),
      to_root: newer.toString('base64'),
      hashes: hashes.map((hash) => hash.toString('base64')),
    };
  }

  /** Headers are set on success only: an error is JSON, and is not kept. */
  async #tile(path: string, reply: FastifyReply): Promise<StreamableFile> {
    const request = parseTilePath(path);
    if (!request) throw auditError('tile_not_found', 'expected tile/<L>/<N>[.p/<W>]');
    const hashes = await this.log.tile(request);
    void reply.header('cache-control', IMMUTABLE);
    return new StreamableFile(hashes, { type: TILE.type, length: hashes.length });
  }
}
