import { en } from './en/en.js';

/** Every text of pages and mails, by page and key. */
export const t = en;

export type Texts = typeof en;
