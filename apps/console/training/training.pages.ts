import { type ConsoleArea } from '../shell/page.js';

export default {
  order: 26,
  pages: [
    { path: '/fine-tunings', title: 'Fine-tuning', load: () => import('./fine-tunings.page.js') },
    {
      path: '/fine-tunings/:id',
      title: 'Fine-tuning',
      load: () => import('./fine-tuning.page.js'),
    },
    {
      path: '/distillations',
      title: 'Distillation',
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
      load: () => import('./quantizations.page.js'),
    },
  ],
} satisfies ConsoleArea;
