import { type NestFastifyApplication } from '@nestjs/platform-fastify';

const PREFLIGHT_SECONDS = 600;

/**
 * Lets pages of these origins call every route and read every header of its answers. Callers send
 * their credentials in a header, so no page needs the cookies of a browser.
 */
export const allowOrigins = (app: NestFastifyApplication, origins: readonly string[]): void => {
  if (origins.length === 0) return;
  app.enableCors({
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: ['*'],
    maxAge: PREFLIGHT_SECONDS,
  });
};

/**
 * Whether a page of this origin may open a connection, which no preflight asks for.
 * @param host of the request, by which the page of the gateway itself reaches it
 */
export const mayCall = (
  origin: string,
  host: string | undefined,
  origins: readonly string[],
): boolean => origins.includes(origin) || (URL.canParse(origin) && new URL(origin).host === host);
