import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

// What people read is in src/texts. Of the pages' own code only refusals of a request are elsewhere: they are the
// answers of the API too, and stand where they are thrown or validated.
const ROOT = join(__dirname, '../..');
const FOLDERS = ['src/web', 'src/ops/pages'].map((folder) => join(ROOT, folder));

/** Names, and what the error table says to programs. */
const NO_TEXTS = ['Samsung Internet', 'Public Sans', 'There is nothing at this address'];

/** Lists of addresses and files that programs read. */
const FOR_PROGRAMS = /(?:entry|files)\.controller\.ts$/;

/** Their sentences are shown on pages too, some after other words. */
const SPOKEN = ['ideas.ts', 'first-offers.ts', 'words/read-as.ts'].map((file) =>
  join(ROOT, 'src/domains', file),
);
const WORDS = /^[\p{L}]+[,:]? [\p{L}{]/u;

/** Two words or more, the first with a capital: a sentence or a title. */
const SENTENCE = /^[A-Z][a-z’']+[,:]? [\p{L}“”’'&({]/u;

const filesIn = (folder: string, end: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end) && !name.endsWith('.spec.ts'))
    .map((name) => join(folder, name));

describe('no sentence stands outside the catalogue', () => {
  it.each(
    [
      ...FOLDERS.flatMap((folder) => filesIn(folder, '.ts')).filter((file) => !FOR_PROGRAMS.test(file)),
      join(ROOT, 'assets/site.js'),
      ...SPOKEN,
    ].map((file) => [file.slice(ROOT.length + 1)]),
  )('in %s', (file) => {
    const source = ts.createSourceFile(
      file,
      readFileSync(join(ROOT, file), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    );
    const found: string[] = [];
    const pattern = SPOKEN.includes(join(ROOT, file)) ? WORDS : SENTENCE;
    const visit = (node: ts.Node): void => {
      if (isRefusal(node)) return;
      const text = textOf(node);
      if (text !== null && pattern.test(text)) found.push(text);
      ts.forEachChild(node, visit);
    };
    visit(source);
    expect(found.filter((text) => !NO_TEXTS.includes(text))).toEqual([]);
  });
});

/** For programs, and the name of the product. */
const NO_PAGES = ['find-a-name.eta', 'llms.eta', 'atom.eta', 'keys.eta', 'reference.eta'];
const TEMPLATES = join(ROOT, 'src/web/templates');

describe('no word stands in a template', () => {
  it.each(readdirSync(TEMPLATES).filter((name) => !NO_PAGES.includes(name)))('in %s', (name) => {
    const text = readFileSync(join(TEMPLATES, name), 'utf8');
    const code = [...text.matchAll(/<%[^]*?%>/g)].map(([part]) => part).join('\n');
    const quoted = [...code.matchAll(/'([^'\n]*)'/g)].map(([, words = '']) => words);
    const markup = text.replace(/<%[^]*?%>/g, '');
    const labels = [...markup.matchAll(/(?:aria-label|title|alt)="([^"]*)"/g)].map(([, words = '']) => words);
    const written = markup.replace(/<[^>]*>/g, '\n').split(/[\n·]/);
    const words = [...quoted.filter((one) => /^[A-Z][a-z]/.test(one)), ...labels, ...written];
    const known = /^(?:Bowerbird|PDF|curl .*|&nbsp;)?$/;
    expect(words.map((one) => one.trim()).filter((one) => /\p{L}/u.test(one) && !known.test(one))).toEqual(
      [],
    );
  });
});

/** Errors, and rules of a parameter: validated values answer with them. */
function isRefusal(node: ts.Node): boolean {
  return isDescription(node) || (ts.isNewExpression(node) && /Error$/.test(node.expression.getText()));
}

/** What OpenAPI says of a shape or of a parameter. */
function isDescription(node: ts.Node): boolean {
  return ts.isDecorator(node) || ts.isHeritageClause(node);
}

function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateHead(node) ? `${node.text}{` : null;
}
