import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

/** The files of the package that the page loads. The gateway serves no other file of it. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

export const UI_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Quipu API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="icon" href="/docs/favicon-32x32.png" />
  </head>
  <body>
    <div id="ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script>
      SwaggerUIBundle({ url: '/openapi.json', dom_id: '#ui', deepLinking: true });
    </script>
  </body>
</html>
`;

const contents = new Map<string, Promise<Buffer>>();

/** A file of Swagger UI, which is kept in memory; undefined for any other name. */
export const uiFile = async (
  name: string,
): Promise<{ readonly type: string; readonly content: Buffer } | undefined> => {
  const type = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (type === undefined) return undefined;
  const content = contents.get(name) ?? readUiFile(name);
  contents.set(name, content);
  return { type, content: await content };
};

const readUiFile = (name: string): Promise<Buffer> => {
  const root = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  return readFile(path.join(root, name));
};
