import { Eta } from 'eta';
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROJECT_FOLDER } from '../../config/product.js';
import { type Texts, t } from '../../texts/texts.js';
import { sentence, type Slot } from './sentence.js';

const DIST = join(PROJECT_FOLDER, 'dist');
const isBuilt = fileURLToPath(import.meta.url).startsWith(DIST + sep);
/** The build copies them, so that a program never reads templates that are newer than itself. */
const FOLDER = isBuilt ? join(DIST, 'templates') : join(PROJECT_FOLDER, 'src/web/templates');
/** The build makes them small. */
export const SCRIPTS = isBuilt ? join(DIST, 'assets') : join(PROJECT_FOLDER, 'assets');
const EXTENSION = '.eta';

/** Templates read texts as `t.search.more`; `say` makes markup of one, with its values and links. */
class Templates extends Eta {
  get t(): Texts {
    return t;
  }

  readonly say = (text: string, slots?: Readonly<Record<string, Slot>>): string =>
    sentence(escaped, text, slots);
}

/** Escapes values; `<%~` is for our own markup. */
const eta = new Templates({ autoEscape: true, functionHeader: 'const { t, say } = this;' });

/** Text as markup, as templates write their values. */
export const escaped = (text: string): string => eta.config.escapeFunction(text);

/** Variables that each template reads: Eta would write a missing one as "undefined". */
const variables = new Map<string, ReadonlySet<string>>();

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(EXTENSION)))
  load(file.slice(0, -EXTENSION.length), readFileSync(join(FOLDER, file), 'utf8').replace(/\n$/, ''));

function load(name: string, text: string): void {
  const code = text.match(/<%[^]*?%>/g)?.join('\n') ?? '';
  const names = new Set([...code.matchAll(/\bit\.(\w+)/g)].map(([, variable = '']) => variable));
  for (const [, path = ''] of code.matchAll(/(?<![.\w])t\.([\w.]+)/g)) assertText(path, name);
  const compiled = eta.compile(text);
  const checked: typeof compiled = function (view = {}, options) {
    for (const variable of names)
      if (!(variable in view)) throw new Error(`${name}${EXTENSION} needs ${variable}, which its view lacks`);
    return compiled.call(eta, view, options);
  };
  variables.set(name, names);
  eta.loadTemplate(`@${name}`, checked);
}

function assertText(path: string, name: string): void {
  const text = path.split('.').reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], t);
  if (text === undefined)
    throw new Error(`${name}${EXTENSION} needs the text ${path}, which is not in the catalogue`);
}

/** Names of all templates, with the variables that each reads. */
export const TEMPLATES: ReadonlyMap<string, ReadonlySet<string>> = variables;

/**
 * A template of templates/, compiled when the program starts. Its view is called `it` there.
 *
 * @throws {Error} where there is no such template; when it is rendered, where the view lacks a variable
 */
// The type of the view is a promise of the caller.
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters
export function template<View extends object = object>(name: string): (view: View) => string {
  if (!variables.has(name)) throw new Error(`There is no template ${name}${EXTENSION} in ${FOLDER}`);
  return (view) => eta.render(`@${name}`, view);
}
