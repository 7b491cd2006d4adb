/** One variable of the environment, as the table of settings holds it. */
export type Setting = Kind & {
  /** What it does, for `.env.example`, `--help` and the documents. */
  readonly words: string;
  /** Never repeated in a message, which may end in a log, and readable from the file that NAME_FILE names. */
  readonly isSecret?: true;
  /** Listed in docs/operations/install.md: most installations set it. */
  readonly isEssential?: true;
};

type Kind =
  | {
      readonly type: 'integer' | 'number';
      readonly default?: number;
      readonly min: number;
      readonly max: number;
    }
  | { readonly type: 'switch'; readonly default: 'on' | 'off' }
  | { readonly type: 'choice'; readonly default: string; readonly of: readonly string[] }
  | TextKind;

interface TextKind {
  readonly type: 'text' | 'list';
  /** As it would be written in the environment. */
  readonly default?: string;
  /** Reads the text; of a list, each item. @throws {InvalidSetting} */
  readonly parse?: (text: string) => unknown;
  /** `off` means no value. A list that can be off is also off when the variable is empty. */
  readonly canBeOff?: true;
  /** Between the items of a list; a comma when left out. */
  readonly separator?: string;
}

export type ValuesOf<Table extends Readonly<Record<string, Setting>>> = {
  readonly [Name in keyof Table]: ValueOf<Table[Name]>;
};
type ValueOf<S extends Setting> = S extends { type: 'integer' | 'number' }
  ? number | Absent<S>
  : S extends { type: 'switch' }
    ? boolean
    : S extends { type: 'choice'; of: readonly (infer One)[] }
      ? One
      : S extends { type: 'list' }
        ? readonly Parsed<S>[]
        : Parsed<S> | Absent<S>;
type Parsed<S> = S extends { parse: (text: string) => infer Value } ? Value : string;
type Absent<S> = S extends { canBeOff: true }
  ? undefined
  : S extends { default: unknown }
    ? never
    : undefined;

export class InvalidSetting extends Error {
  /** @param expected completes "must be", as in "an IP address"; several texts are problems in whole sentences */
  constructor(readonly expected: string | readonly string[]) {
    super(String(expected));
  }
}

/** Whether the environment sets it. An empty variable counts as unset, except for a list that it turns off. */
export function isSet(setting: Setting | undefined, text: string | undefined): text is string {
  return text !== undefined && (text !== '' || (setting?.type === 'list' && setting.canBeOff === true));
}

/** @param text undefined: the default. @throws {InvalidSetting} */
export function readSetting(setting: Setting, text: string | undefined): unknown {
  const given = text ?? defaultOf(setting);
  if (given === undefined) return setting.type === 'list' ? [] : undefined;
  if (given.length > MAX_LENGTH) throw new InvalidSetting(`a text of at most ${MAX_LENGTH} characters`);
  switch (setting.type) {
    case 'integer':
    case 'number': {
      const value = (setting.type === 'integer' ? WHOLE : DECIMAL).test(given) ? Number(given) : NaN;
      if (value >= setting.min && value <= setting.max) return value;
      throw new InvalidSetting(kindOf(setting));
    }
    case 'switch':
    case 'choice':
      if (!choicesOf(setting).includes(given)) throw new InvalidSetting(kindOf(setting));
      return setting.type === 'switch' ? given === 'on' : given;
    case 'text':
    case 'list':
      return readText(setting, given);
  }
}

const MAX_LENGTH = 50_000;
const WHOLE = /^-?\d{1,15}$/;
const DECIMAL = /^-?\d{1,15}(\.\d{1,15})?$/;

function readText(setting: TextKind, text: string): unknown {
  const { type, parse = (item: string) => item, canBeOff, separator = ',' } = setting;
  const off = canBeOff ? 'off or ' : '';
  if (type === 'text') {
    if (canBeOff && text === 'off') return undefined;
    return parsed(parse, text, off);
  }
  const items = canBeOff && text === 'off' ? [] : text.split(separator).map((item) => item.trim());
  return items.filter(Boolean).map((item) => parsed(parse, item, `${off}${listOf(separator)}, each item `));
}

function parsed(parse: (text: string) => unknown, text: string, prefix: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof InvalidSetting && typeof error.expected === 'string')
      throw new InvalidSetting(prefix + error.expected);
    throw error;
  }
}

/** As it would be written in the environment. */
export function defaultOf(setting: Setting): string | undefined {
  return setting.default === undefined ? undefined : String(setting.default);
}

/** The allowed values, such as "an integer from 0 to 65535". */
export function kindOf(setting: Setting): string {
  switch (setting.type) {
    case 'integer':
      return `an integer from ${setting.min} to ${setting.max}`;
    case 'number':
      return `a number from ${setting.min} to ${setting.max}`;
    case 'switch':
    case 'choice':
      return choicesOf(setting).join(' or ');
    case 'text':
      return setting.canBeOff ? 'text or off' : 'text';
    case 'list':
      return listOf(setting.separator) + (setting.canBeOff ? ' or off' : '');
  }
}

function choicesOf(setting: Extract<Kind, { type: 'switch' | 'choice' }>): readonly string[] {
  return setting.type === 'switch' ? ['on', 'off'] : setting.of;
}

function listOf(separator = ','): string {
  return `a ${separator === ',' ? 'comma' : separator}-separated list`;
}

/** The text in lines of so many characters. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
