/** What each category of the plural says; a language may have up to six. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** Numbers and plurals as a language writes them. */
export interface Language {
  /** With separators: `2,000`. */
  readonly number: (count: number) => string;
  /** The form for a count. */
  readonly plural: (count: number, forms: Forms) => string;
}

/** @param locale such as `en-AU`; both formatters are made once, since making one takes longer than a page */
export function languageOf(locale: string): Language {
  const numbers = new Intl.NumberFormat(locale);
  const rules = new Intl.PluralRules(locale);
  return {
    number: (count) => numbers.format(count),
    plural: (count, forms) => forms[rules.select(count)] ?? forms.other,
  };
}
