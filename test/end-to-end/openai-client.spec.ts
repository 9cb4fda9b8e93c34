import { openaiClientSuite } from './openai-client.suite.js';

openaiClientSuite('Quipu');
