import type { MatchMode, Suffix } from '../domain.js';

/** Whether names may have something, must not have it, or must. */
export const TRI_STATES = ['allow', 'exclude', 'only'] as const;
export type TriState = (typeof TRI_STATES)[number];

/** Adds a value to the parameters of a statement. @returns how the statement refers to it: `$3` */
export type Bind = (value: unknown) => string;

/**
 * What a source of SQL knows of a name, each as an expression. The same rule is written with other columns for each
 * source.
 */
export interface View {
  readonly label: string;
  readonly tld: string;
  readonly wayback: string;
  readonly length: string;
  /** How many digits. */
  readonly digits: string;
  readonly firstSeen: string;
  readonly checkedAt: string;
  /** Codes of the words of the label, as an array. */
  readonly words: string;
  /** Days of the first and the last capture in the archive. */
  readonly firstCapture: string;
  readonly lastCapture: string;
  /** False: the index behind it would skip to the score 0 again and again. */
  readonly asksEveryScore: boolean;
  /** Conditions: that there is a hyphen or a digit, or that there is none. */
  hasHyphens(wanted: boolean): string;
  hasDigits(wanted: boolean): string;
  /** Condition: that the name is in a table, whose first column is `domain`. @param passing a condition on the table */
  isAmong(table: string, passing: string): string;
  /** Condition: that the label has the keyword where the mode says. */
  hasKeyword(q: string, mode: MatchMode, bind: Bind): string;
}

/** What no index holds that is read in an order, with its column. */
export const IN_TABLE = {
  checkedAt: 'checked_at',
  words: 'words',
  firstCapture: 'archive_first_capture',
  lastCapture: 'archive_last_capture',
} as const;

/** What only some indexes hold, and what only another table does. */
export type Scarce = 'firstSeen' | 'formerTitle' | keyof typeof IN_TABLE;

/** The indexes that a filter can enter: by suffix and score, by the domain, and so on; `shape` has most columns. */
export type RangeKey = 'wayback' | 'length' | 'first_seen' | 'shape' | 'domain';

export interface KnownName {
  readonly name: string;
  readonly tld: Suffix;
  readonly wayback: number;
  /** YYYY-MM-DD, or null when it is not known. */
  readonly firstSeen: string | null;
  /** When it was confirmed last, where that is known: milliseconds. */
  readonly checkedMs?: number | null;
  /** Codes of the words of the label, where they are known. */
  readonly words?: readonly number[] | null;
  /** Days of its captures, where they are known, or the years that they span. */
  readonly archive?: { readonly firstCapture: string | null; readonly lastCapture: string | null };
  readonly archiveYears?: number | null;
}

/** What a value says of every label that passes. */
export interface Implied {
  /** Its characters. */
  readonly length?: number;
  /** Whether it has digits, or hyphens. */
  readonly numbers?: boolean;
  readonly hyphens?: boolean;
}

/** A cell of the cube: names that share these, over all months. */
export interface Cell {
  readonly tld: Suffix;
  readonly length: number;
  readonly hyphens: boolean;
  readonly numbers: boolean;
  /** Lower limit of the band. */
  readonly score: number;
}

/** What the cube knows of a filter. */
export type CellRule<Value> = {
  /** Whether the limits of the filter are limits of cells: then the sum of its cells is the number of its names. */
  isExact(value: Value): boolean;
  /** The condition on `domain_cube`. */
  sql(value: Value, bind: Bind): string[];
} & CellShare<Value>;

/**
 * Share of a cell's names that pass, 0 to 1, by one of its values: a guess where that is not enough. Months are judged
 * apart.
 */
type CellShare<Value> = {
  [Key in keyof Cell]: {
    readonly by: Key;
    /** @param filter with what another filter has let through */
    share(value: Value, of: Cell[Key], filter: { readonly minWayback: number }): number;
  };
}[keyof Cell];

/** Where the page for searches asks for it. */
export interface FormField {
  readonly label: string;
  readonly kind: 'number' | 'date' | 'pattern' | 'text' | 'tristate' | 'yesno' | 'mode';
  readonly min?: number;
  readonly max?: number;
}

/** One parameter of the API, and how the site speaks of it. */
export interface Parameter<Value> {
  /** Its rules and its documentation, as decorators. */
  readonly rules: PropertyDecorator;
  /** Its value when it is left out. */
  readonly initial?: Value;
  /** The limit on the other side, which must not lie below this one. */
  readonly upTo?: string;
  /** What it is called in the offer to leave it out. */
  readonly name: string;
  /** How a search that has it reads: `up to 8 letters`. @param mode of the same search */
  words(value: string, mode: string): string;
  readonly field?: FormField;
  /** Whether a search with it can be watched: false where its answer changes without an event. */
  readonly isWatched: boolean;
  /** Whether the page for searches takes it. */
  readonly isOnPage: boolean;
  /** Whether it lets a small part of all names through. */
  isNarrow?(value: Value): boolean;
}

/** Caller of a filter: `search` includes facets, watches, the pages and MCP; `suggest` is the explained suggest. */
export type Door = 'search' | 'suggest';

/** What one filter is, for all that read it. @typeParam Asked the parameters that ask for it */
export interface Filter<Value, Asked extends object = object> {
  /** Whether the value lets every name through. */
  isFree(value: Value): boolean;
  /** The conditions, to be joined by AND. */
  sql(value: Value, view: View, bind: Bind, mode: MatchMode): string[];
  readonly needs?: Scarce;
  /** The indexes that it narrows before a name is read. */
  readonly enters: readonly RangeKey[];
  /** The same rule in memory; null: only the database knows. */
  readonly matches: ((value: Value, name: KnownName, mode: MatchMode) => boolean) | null;
  /**
   * The value once the label is known to have a text; null: no label with that text passes. Left out: the text says
   * nothing of it.
   */
  having?(text: string, value: Value | undefined): Value | null | undefined;
  /** What the value says of other filters, which indexes know. */
  implies?(value: Value): Implied;
  /** Null: the cells tell nothing of it. */
  readonly cells: CellRule<Value> | null;
  /** What identifies the value in cursors, the same for values that mean the same. */
  text(value: Value): unknown;
  /** Its place in cursors, as those of earlier releases have it; left out: it is named there when it is set. */
  readonly place?: number;
  /** Whether the plain suggest asks for it: statements for these alone are prepared. */
  readonly isCommon: boolean;
  readonly doors: readonly Door[];
  readonly asked: Asked;
  /** @param given the parameters as they were sent */
  read(given: Given<Asked>): Value | undefined;
}

type Valued<Asked> = {
  -readonly [Name in keyof Asked]: Asked[Name] extends Parameter<infer Value> ? Value : never;
};
type Initial<Asked> = {
  [Name in keyof Asked]: Asked[Name] extends { readonly initial: unknown } ? Name : never;
}[keyof Asked];

/** The parameters of a filter in a query: a parameter with an initial value is always present. */
export type Given<Asked> = Pick<Valued<Asked>, Initial<Asked>> & Partial<Omit<Valued<Asked>, Initial<Asked>>>;

type FilterRules<Value> = Pick<Filter<Value>, 'isFree' | 'sql' | 'matches' | 'cells'> &
  Partial<
    Pick<Filter<Value>, 'needs' | 'enters' | 'having' | 'implies' | 'text' | 'place' | 'isCommon' | 'doors'>
  >;
type OneRules<Value> = FilterRules<Value> &
  Omit<Parameter<Value>, 'isWatched' | 'isOnPage'> & {
    readonly isWatched?: boolean;
    readonly isOnPage?: boolean;
    /** When it is left out. */
    readonly orElse?: Value;
  };

/** The same with its name and its doors as they are written. */
type OneFilter<Value, Name extends string, Rules> = Filter<
  Value,
  {
    readonly [Key in Name]: Rules extends { readonly initial: Value }
      ? Parameter<Value> & { readonly initial: Value }
      : Parameter<Value>;
  }
> & {
  readonly doors: Rules extends { readonly doors: infer Doors extends readonly Door[] }
    ? Doors
    : readonly ['search'];
};

/** A filter that one parameter asks for. */
export function filterBy<Value>(): <const Name extends string, const Rules extends OneRules<Value>>(
  name: Name,
  rules: Rules,
) => OneFilter<Value, Name, Rules> {
  return <const Name extends string, const Rules extends OneRules<Value>>(name: Name, rules: Rules) => {
    const { isWatched = true, isOnPage = true, orElse } = rules;
    const asked = { [name]: { ...rules, isWatched, isOnPage } };
    const read = (given: Readonly<Record<string, Value | undefined>>) => given[name] ?? orElse;
    const filter: unknown = filterOf<Value, typeof asked>({ ...rules, asked, read });
    return filter as OneFilter<Value, Name, Rules>;
  };
}

/** A filter that several parameters ask for, or none. */
export function filterOf<Value, Asked extends object>(
  rules: FilterRules<Value> & Pick<Filter<Value, Asked>, 'asked' | 'read'>,
): Filter<Value, Asked> {
  return {
    enters: [],
    text: (value) => value,
    isCommon: false,
    doors: ['search'],
    ...rules,
  };
}
