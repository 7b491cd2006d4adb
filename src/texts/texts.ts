import { en } from './en/en.js';

/** The English catalogue with any text in the place of each of its own: what another language has to say. */
type Translated<T> = T extends string
  ? string
  : T extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Key in keyof T]: Translated<T[Key]> };

export type Texts = Translated<typeof en>;

/**
 * Every text of pages and mails, by page and key. Read it when a page is made, never when a file is loaded, so that
 * another language can take its place.
 */
export let t: Texts = en;

export function speak(texts: Texts): void {
  t = texts;
}
