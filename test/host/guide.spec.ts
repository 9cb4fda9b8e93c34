/**
 * The guide: its snippets against a gateway, and the built site in Chromium. It needs the results
 * of `npm run client` and `npm run docs`.
 */
import { execFile } from 'node:child_process';
import {
  glob,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { OPERATIONS_TOKEN } from '#apps/operations/operations.fixture.js';
import { startWorld, type World } from '../end-to-end/quipu.harness.js';
import { requireProgram } from '../servers/required-program.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const GUIDE = path.join(ROOT, 'docs');
const BLOCK = /^```(\w+)( [^\n]+)?\n([^]*?)^```$/gm;
const PICTURES_MAX = 10;
const PICTURE_BYTES_MAX = 100 * 1_024;
const SHELL = 'sh';
const SCRIPT = 'js';
const MARKED = /^ (?:run|not run: \S.+)$/;

interface Snippet {
  readonly page: string;
  readonly language: string;
  /** ` run`, ` not run: ` and the reason, or something else. */
  readonly mark: string;
  readonly code: string;
}

const snippets: Snippet[] = [];
for await (const page of glob(['*.md', '{concepts,guides}/*.md'], { cwd: GUIDE })) {
  const text = await readFile(path.join(GUIDE, page), 'utf8');
  for (const [, language = '', mark = '', code = ''] of text.matchAll(BLOCK)) {
    snippets.push({ page, language, mark, code });
  }
}

/** The blocks of a language that a page runs, in their order. */
const runOf = (language: string) => {
  const pages = Map.groupBy(
    snippets.filter((one) => one.language === language && one.mark === ' run'),
    ({ page }) => page,
  );
  return [...pages].map(([page, blocks]) => [page, blocks.map(({ code }) => code)] as const);
};

describe('the guide', () => {
  let world: World;
  let folder: string;
  let modules: string;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    const catalog = await readFile(path.join(ROOT, 'catalog.yaml'), 'utf8');
    world = await startWorld([], {
      catalogOf: () => catalog.replaceAll('file: models/', `file: ${ROOT}/models/`),
      environment: { QUIPU_AUDIT_CHECKPOINT_MS: '50' },
    });
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-guide-'));
    // The packages of the repository, and the client, are found from here.
    modules = await mkdtemp(path.join(ROOT, 'node_modules/.cache/guide-'));
    await mkdir(path.join(modules, 'node_modules/@quipu'), { recursive: true });
    const client = path.join(ROOT, 'packages/client');
    await symlink(client, path.join(modules, 'node_modules/@quipu/client'));
    await mkdir(path.join(folder, 'bin'));
    await symlink(path.join(ROOT, 'bin/quipu.mjs'), path.join(folder, 'bin/quipu'));
    await symlink(path.join(ROOT, 'packages'), path.join(folder, 'packages'));
    environment = {
      ...process.env,
      ...world.environment,
      PATH: [path.join(folder, 'bin'), path.dirname(process.execPath), process.env['PATH']].join(
        ':',
      ),
      GATEWAY_URL: world.quipu.url,
      GATEWAY_KEY: world.credentials.api_key,
      QUIPU_OPERATIONS_TOKEN: OPERATIONS_TOKEN,
    };
  });

  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
    await rm(modules, { recursive: true });
  });

  const run = async (program: string, words: readonly string[], cwd: string) => {
    const ran = promisify(execFile)(program, words, { cwd, env: environment });
    try {
      return { failure: null, stdout: (await ran).stdout };
    } catch (error) {
      const { message, stdout } = error as Error & { readonly stdout: string };
      return { failure: `${message}\n${stdout}`, stdout };
    }
  };

  it('says of each block of code that it is run, or why not', () => {
    const unmarked = snippets.filter(({ mark }) => !MARKED.test(mark));
    expect(unmarked).toEqual([]);
    const ran = snippets.filter(({ mark }) => mark === ' run');
    expect(ran.length).toBeGreaterThan(20);
    expect(ran.filter(({ language }) => ![SHELL, SCRIPT].includes(language))).toEqual([]);
  });

  it('has few pictures, all small, each on a page', async () => {
    const texts: string[] = [];
    for await (const page of glob(['*.md', '{concepts,guides}/*.md'], { cwd: GUIDE })) {
      texts.push(await readFile(path.join(GUIDE, page), 'utf8'));
    }
    const pictures = await readdir(path.join(GUIDE, 'pictures'));
    expect(pictures.length).toBeLessThanOrEqual(PICTURES_MAX);
    const shown = texts.flatMap((text) => [...text.matchAll(/pictures\/([\w-]+\.png)\)/g)]);
    expect([...new Set(shown.map(([, name]) => name))].sort()).toEqual(pictures.sort());
    for (const name of pictures) {
      const { size } = await stat(path.join(GUIDE, 'pictures', name));
      expect([name, size > PICTURE_BYTES_MAX]).toEqual([name, false]);
    }
  });

  it.each(runOf(SHELL))('runs the commands of %s', async (_, blocks) => {
    const script = `set -euo pipefail\n${blocks.join('\n')}`;
    const { failure, stdout } = await run('bash', ['-c', script], folder);
    expect(failure).toBeNull();
    expect(stdout).not.toBe('');
  });

  it.each(runOf(SCRIPT))('runs the programs of %s', async (_, blocks) => {
    for (const [index, block] of blocks.entries()) {
      const file = path.join(modules, `${index}.mjs`);
      await writeFile(file, block);
      const { failure, stdout } = await run(process.execPath, [file], modules);
      expect(failure).toBeNull();
      expect(stdout).not.toBe('');
    }
  });

  describe('as a site in Chromium', () => {
    let browser: Browser;
    let page: Page;
    /** Errors and policy violations of pages, and requests that leave the gateway. */
    const faults: string[] = [];

    beforeAll(async () => {
      const executablePath = await requireProgram('chromium');
      browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
      page = await browser.newPage();
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) faults.push(message.text());
      });
      page.on('pageerror', ({ message }) => faults.push(message));
      page.on('response', (response) => {
        if (response.status() >= 400) faults.push(response.url());
      });
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== world.quipu.url) faults.push(request.url());
      });
    });

    afterAll(() => browser.close());

    it('shows pages, follows links and finds words, within its policy', async () => {
      const reply = await page.goto(`${world.quipu.url}/docs/guide`);
      // Built by `npm run docs`, as the answer says where it is missing.
      expect([reply?.status(), await page.title()]).toEqual([200, 'Quipu']);
      await page.getByRole('link', { name: 'From nothing to a verified bill' }).first().click();
      await page.getByRole('heading', { name: 'Prove the charge' }).waitFor();
      await page.goto(`${world.quipu.url}/docs/guide/guides/console`);
      const widths = "[...document.querySelectorAll('main img')].map((one) => one.naturalWidth)";
      const pictures = await page.evaluate<number[]>(widths);
      expect(pictures.length).toBeGreaterThan(0);
      expect(pictures).not.toContain(0);
      await page.goto(`${world.quipu.url}/docs/guide/reference/routes/billing`);
      await page.getByRole('heading', { name: 'Routes: billing' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('searchbox').fill('checkpoint witnesses');
      await page.locator('.result').first().click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(new URL(page.url()).pathname).toMatch(/^\/docs\/guide\/.*(audit|proofs|witness)/);
      expect(faults).toEqual([]);
    });
  });
});
