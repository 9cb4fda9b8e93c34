import { render } from 'preact';
import { Shell } from './shell/shell.js';

const root = document.getElementById('console');
if (root) render(<Shell />, root);
