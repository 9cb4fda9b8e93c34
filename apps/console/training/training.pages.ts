import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 26,
  pages: [
    {
      path: '/fine-tunings',
      title: 'Fine-tuning',
      command: { words: 'training list --type fine-tuning', ofUser: true },
      load: () => import('./fine-tunings.page.js'),
    },
    {
      path: '/fine-tunings/:id',
      title: 'Fine-tuning',
      load: () => import('./fine-tuning.page.js'),
    },
    {
      path: '/distillations',
      title: 'Distillation',
      command: { words: 'training list --type distillation', ofUser: true },
      load: () => import('./distillations.page.js'),
    },
    {
      path: '/model-comparison',
      title: 'Compare models',
      load: () => import('./comparison.page.js'),
    },
    {
      path: '/quantizations',
      title: 'Quantization',
      command: { words: 'quantization list', ofUser: true },
      load: () => import('./quantizations.page.js'),
    },
  ],
} satisfies ConsoleArea;
