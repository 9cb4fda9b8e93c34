import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';

const BASE = '/docs/guide/';
const PAGES = path.resolve(import.meta.dirname, '..');
/** Why a block of code is not run by the suite: ```sh not run: needs a GPU */
const NOT_RUN = /^\w+ not run: (.+)$/;

/** The generated pages of a folder, by name. */
const pagesIn = (folder, text) => {
  const files = path.join(PAGES, 'reference', folder);
  if (!existsSync(files)) throw new Error('the reference is missing: npm run docs writes it');
  const items = readdirSync(files)
    .sort()
    .map((file) => file.replace(/\.md$/, ''))
    .map((name) => ({ text: name, link: `/reference/${folder}/${name}` }));
  return { text, collapsed: true, items };
};

const guides = (names) =>
  Object.entries(names).map(([name, text]) => ({ text, link: `/guides/${name}` }));

export default defineConfig({
  title: 'Quipu',
  description: 'An auditable compute and inference gateway.',
  base: BASE,
  // The icon of the console.
  head: [['link', { rel: 'icon', href: `${BASE}icon.svg` }]],
  cleanUrls: true,
  outDir: 'dist',
  markdown: {
    // The reference has names such as <id>, and no page needs HTML.
    config: (markdown) => {
      markdown.set({ html: false });
      const { fence } = markdown.renderer.rules;
      markdown.renderer.rules.fence = (tokens, index, ...rest) => {
        const html = fence?.(tokens, index, ...rest) ?? '';
        const [, reason] = NOT_RUN.exec(tokens[index]?.info ?? '') ?? [];
        return reason ? `${html}<p><small>Not run by the tests: ${reason}.</small></p>` : html;
      };
    },
  },
  // The reference is large; a page loads what it shows, and the search what it finds.
  vite: { build: { chunkSizeWarningLimit: 8_192 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 2],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Concepts', link: '/concepts/events' },
      { text: 'Guides', link: '/guides/openai-sdk' },
      { text: 'Reference', link: '/reference/command-line' },
    ],
    sidebar: [
      { text: 'Start', link: '/start' },
      { text: 'Console', link: '/guides/console' },
      {
        text: 'Concepts',
        items: ['Events', 'Holds', 'Prices', 'Proofs'].map((text) => ({
          text,
          link: `/concepts/${text.toLowerCase()}`,
        })),
      },
      {
        text: 'Clients',
        items: guides({
          'openai-sdk': 'OpenAI SDK',
          'anthropic-sdk': 'Anthropic SDK',
          'quipu-client': 'Quipu client',
          langchain: 'LangChain',
          'claude-code': 'Claude Code',
          codex: 'Codex',
        }),
      },
      {
        text: 'Operators',
        items: guides({
          upstreams: 'vLLM and Ollama',
          litellm: 'Moving from LiteLLM',
          stripe: 'Stripe deposits',
          eventstoredb: 'EventStoreDB',
          kafka: 'Kafka',
          mongodb: 'MongoDB',
          grafana: 'Grafana',
          backup: 'Backup and restore',
          upgrade: 'Upgrade',
          secrets: 'Rotation of secrets',
          incident: 'Incidents',
        }),
      },
      {
        text: 'Reference',
        items: [
          { text: 'Command line', link: '/reference/command-line' },
          { text: 'Settings', link: '/reference/settings' },
          { text: 'Operation in containers', link: '/reference/operations' },
          pagesIn('routes', 'Routes'),
          pagesIn('events', 'Events'),
          pagesIn('areas', 'Areas'),
          pagesIn('platform', 'Platform'),
          pagesIn('apps', 'Programs'),
          pagesIn('packages', 'Packages'),
          pagesIn('decisions', 'Decisions'),
        ],
      },
    ],
  },
});
