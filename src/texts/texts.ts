import { en } from './en/en.js';

/** A text for each kind of number that the language tells apart; English: one, and all others. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** The texts of any language: those of English say which there are. */
export type Texts = TextsLike<typeof en>;

type TextsLike<Part> = Part extends string
  ? string
  : Part extends Plural
    ? Plural
    : { readonly [Key in keyof Part]: TextsLike<Part[Key]> };

/** Every text of pages and mails, by page and key. */
export const t: Texts = en;

// Made once: making one takes longer than a page.
const numbers = new Intl.NumberFormat(t.locale);
const plurals = new Intl.PluralRules(t.locale);

/** With separators: `2,000`. */
export function grouped(count: number): string {
  return numbers.format(count);
}

/** A share of one as a percentage with two significant digits. */
export function percent(share: number): string {
  return `${Number((share * 100).toPrecision(2))}%`;
}

/** `1 name`, `2,000 names`. */
export function counted(count: number, things: keyof Texts['counts']): string {
  const forms = t.counts[things];
  return fillIn(forms[plurals.select(count)] ?? forms.other, { count });
}

/** `A$ 24.00`, which no line breaks apart. */
export function dollars(cents: number): string {
  const text = `A$\u00a0${(Math.abs(cents) / 100).toFixed(2)}`;
  return cents < 0 ? `−${text}` : text;
}

/** Plain text: `{days}` is a value. @throws {Error} where a value is missing */
export function fillIn(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`“${text}” needs ${name}`);
    return typeof value === 'number' ? grouped(value) : value;
  });
}
