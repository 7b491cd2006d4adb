import 'reflect-metadata';
import { serve } from './app.serve.js';
import { readProcessConfig } from './config/config.js';

await serve(() => readProcessConfig());
