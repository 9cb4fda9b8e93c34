/**
 * Bundles the console for browsers: one page, one stylesheet, a script for the shell and one for
 * each page. Names have the hash of the content, so a browser keeps a file for good.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { filesIn } from './files.mjs';

const SOURCES = 'apps/console';
/** Pages import some of it. */
const CLIENT = 'packages/client';
/** The module whose list of areas the build fills. */
const DECLARATIONS = path.resolve(SOURCES, 'shell/declared-areas.ts');
/** Where an area declares its pages. */
const PAGES = /^apps\/console\/([^/]+)\/\1\.pages\.ts$/;
/** Charts are drawn by uPlot, whose parts need its rules. */
const CHART_STYLE = 'node_modules/uplot/dist/uPlot.min.css';
const FOLDER = 'console';
const ASSETS = `${FOLDER}/assets`;

export const consoleSources = async () => {
  const sources = (await Promise.all([SOURCES, CLIENT].map(filesIn))).flat();
  return sources.filter((file) => !file.startsWith(`${CLIENT}/dist/`)).sort();
};

/** The files of the console, as the bundler describes files. */
export const consoleOutputs = async (sources) => {
  const build = await rolldown({
    cwd: process.cwd(),
    input: { console: path.join(SOURCES, 'main.tsx') },
    platform: 'browser',
    // Its paths lead to the sources of the programs.
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    plugins: [declaredAreas(sources)],
    onLog: (level, { message }) => {
      if (level === 'warn') throw new Error(message);
    },
  });
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: `${ASSETS}/[name]-[hash].js`,
    chunkFileNames: `${ASSETS}/[name]-[hash].js`,
    minify: true,
    comments: false,
  });
  await build.close();
  const own = (file) => readFile(path.join(SOURCES, file), 'utf8');
  const style = asset(
    'console.css',
    (await readFile(CHART_STYLE, 'utf8')) + (await own('console.css')),
  );
  const icon = asset('icon.svg', await own('icon.svg'));
  const script = output.find(({ isEntry }) => isEntry).fileName;
  const page = (await readFile(path.join(SOURCES, 'index.html'), 'utf8'))
    .replace('console.css', `/${style.fileName}`)
    .replace('icon.svg', `/${icon.fileName}`)
    .replace('main.tsx', `/${script}`);
  return [
    ...output,
    style,
    icon,
    { type: 'asset', fileName: `${FOLDER}/index.html`, source: page },
  ];
};

const asset = (file, source) => {
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8);
  const { name, ext } = path.parse(file);
  return { type: 'asset', fileName: `${ASSETS}/${name}-${hash}${ext}`, source };
};

const declaredAreas = (sources) => ({
  name: 'declared-areas',
  load: {
    filter: { id: /declared-areas\.ts$/ },
    handler: (file) => {
      if (file !== DECLARATIONS) return null;
      const areas = sources.map((source) => PAGES.exec(source)?.[1]).filter(Boolean);
      const imports = areas.map((area) => `import ${area} from '../${area}/${area}.pages.js';\n`);
      return `${imports.join('')}export const declaredAreas = [${areas.join(', ')}];\n`;
    },
  },
});
