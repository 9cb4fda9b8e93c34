import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Controller, Get, Header, Res, StreamableFile } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { Scope } from '../identity/scope.decorator.js';

const FOLDER = path.resolve(import.meta.dirname, '../../../../console');

/** The page runs no script, style or connection of another origin, and none that it contains. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const contents = new Map<string, Promise<Buffer>>();

const contentOf = (name: string): Promise<Buffer> => {
  const content = contents.get(name) ?? readFile(path.join(FOLDER, name));
  contents.set(name, content);
  return content;
};

/** The page that starts a stream session and shows its frames. */
@ApiExcludeController()
@Scope('open')
@Controller('console')
export class ConsoleController {
  @Get('stream')
  @Header('content-type', 'text/html; charset=utf-8')
  async page(@Res({ passthrough: true }) reply: FastifyReply): Promise<StreamableFile> {
    void reply.header('content-security-policy', POLICY);
    return new StreamableFile(await contentOf('stream.html'));
  }

  @Get('stream.css')
  @Header('content-type', 'text/css; charset=utf-8')
  async style(): Promise<StreamableFile> {
    return new StreamableFile(await contentOf('stream.css'));
  }

  @Get('stream.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  async script(): Promise<StreamableFile> {
    return new StreamableFile(await contentOf('stream.js'));
  }
}
